import { z } from "zod";
import { listWords } from "../core/text.ts";
import { DESIGNS, TEMPLATE_NAMES } from "./designs.ts";
import { PALETTE_NAMES } from "./palettes.ts";
import { cleanText } from "./words.ts";

/**
 * The texts of a banner, filled in by a language model. The descriptions are part of its prompt. Which
 * characters can be drawn is known where the fonts are (coverage.ts).
 */
export const BannerCopy = z.object({
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
    .describe(`The design: ${TEMPLATE_NAMES.map((name) => `${name} (${DESIGNS[name]})`).join(", ")}. Null: any.`),
  palette: z.enum(PALETTE_NAMES).nullable().describe("The colours, by their mood. Null: any."),
});

export type BannerCopy = z.infer<typeof BannerCopy>;

/** What a model should know of characters that no font has (coverage.ts). */
export const problemWith = (missing: readonly string[]): string =>
  `Fonts have Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari, Chinese, Japanese and Korean letters, digits, signs and emoji, but not ${listWords(missing.slice(0, 10))}.`;

export const BANNER_SIZES = { square: { width: 1080, height: 1080 }, portrait: { width: 1080, height: 1350 } } as const;

export type BannerSize = (typeof BANNER_SIZES)[keyof typeof BANNER_SIZES];

export type BannerFormat = "png" | "jpeg";
