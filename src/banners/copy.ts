import { z } from "zod";
import { listWords } from "../core/text.ts";
import { uncoveredIn } from "./fonts.ts";
import { PALETTE_NAMES } from "./palettes.ts";
import { TEMPLATE_NAMES, TEMPLATES } from "./templates.ts";
import { cleanLine, cleanText, type Words } from "./words.ts";

/** The texts of a banner, filled in by a language model. The descriptions are part of its prompt. */
export const BannerCopy = z
  .object({
    label: z
      .string()
      .max(28)
      .nullable()
      .describe(
        "One to three words in small print above the headline: an occasion, a topic, a date. Null if it adds nothing.",
      ),
    headline: z
      .string()
      .max(90)
      .refine((text) => cleanText(text) !== "", "must say something")
      .describe(
        "The message in three to nine words, at most 60 characters. No full stop, no hashtag, at most one emoji.",
      ),
    text: z
      .string()
      .max(160)
      .nullable()
      .describe(
        "One sentence under the headline that says why or how, at most 110 characters. Null if the headline is enough.",
      ),
    call_to_action: z
      .string()
      .max(28)
      .nullable()
      .describe("What to do now, two to four words, such as “Book a table”. Null if there is nothing to do."),
    template: z
      .enum(TEMPLATE_NAMES)
      .nullable()
      .describe(
        `The design: ${TEMPLATE_NAMES.map((name) => `${name} (${TEMPLATES[name].about})`).join(", ")}. Null: any.`,
      ),
    palette: z.enum(PALETTE_NAMES).nullable().describe("The colours, by their mood. Null: any."),
  })
  .superRefine((copy, context) => {
    const missing = uncovered(copy);
    if (missing.length > 0) {
      context.addIssue({
        code: "custom",
        message: `Fonts have Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Chinese, Japanese and Korean letters, digits, signs and emoji, but not ${listWords(missing.slice(0, 10))}.`,
      });
    }
  });

export type BannerCopy = z.infer<typeof BannerCopy>;

type Texts = Pick<BannerCopy, "label" | "headline" | "text" | "call_to_action">;

export function wordsOf({ label, headline, text, call_to_action: action }: Texts): Words {
  return {
    label: cleanLine(label ?? "") || null,
    headline: cleanText(headline),
    text: cleanText(text ?? "") || null,
    action: cleanLine(action ?? "") || null,
  };
}

/**
 * Characters that no bundled font has, such as Thai ones, deduplicated. The schema and
 * `renderBanner` refuse a copy with such characters; nothing is silently omitted or replaced.
 */
export function uncovered(copy: Texts): readonly string[] {
  return uncoveredIn(textOf(wordsOf(copy)));
}

export const textOf = ({ label, headline, text, action }: Words): string => [label, headline, text, action].join("\n");
