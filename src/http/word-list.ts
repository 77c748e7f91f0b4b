import { z } from "@hono/zod-openapi";
import { shown } from "../core/sentences.ts";
import { listWords } from "../core/text.ts";

/** A query parameter with some of these words, separated by commas; each once, in the given order. */
export function wordList<const Words extends readonly string[]>(words: Words) {
  const allowed = `one or more of ${listWords(words)}, separated by commas`;
  return z
    .string({ error: ({ input }) => (input === undefined ? `is required: ${allowed}.` : undefined) })
    .transform((text, context): Words[number][] => {
      const found = new Set<Words[number]>();
      for (const part of text.split(",").map((word) => word.trim())) {
        const word = words.find((candidate) => candidate === part);
        if (word === undefined) {
          context.addIssue({ code: "custom", message: `must be ${allowed}, not ${shown(part)}.` });
          return z.NEVER;
        }
        found.add(word);
      }
      return [...found];
    });
}
