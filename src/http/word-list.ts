import { z } from "@hono/zod-openapi";
import { listWords } from "../core/text.ts";

const MAX_SHOWN = 40;

/** A query parameter that lists some of these words, separated by commas; each once, in the order given. */
export function wordList<const Words extends readonly string[]>(words: Words) {
  return z.string().transform((text, context): Words[number][] => {
    const found = new Set<Words[number]>();
    for (const part of text.split(",").map((word) => word.trim())) {
      const word = words.find((candidate) => candidate === part);
      if (word === undefined) {
        const allowed = `one or more of ${listWords(words)}, separated by commas`;
        const message = `must be ${allowed}, not "${part.slice(0, MAX_SHOWN)}".`;
        context.addIssue({ code: "custom", message });
        return z.NEVER;
      }
      found.add(word);
    }
    return [...found];
  });
}
