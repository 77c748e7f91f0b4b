import { z } from "zod";
import { PALETTE_NAMES } from "../banners/palettes.ts";
import { TEMPLATE_NAMES } from "../banners/templates.ts";
import type { GenerationType } from "./table.ts";

/**
 * The JSON that a language model returns for each kind of post: the caption's parts, and the prompts for the
 * other models. It has no limits, because not every server enforces them; words.ts checks the texts.
 */
const Caption = z.object({
  hook: z.string(),
  body: z.string(),
  call_to_action: z.string(),
  hashtags: z.array(z.string()),
});

export const FORMS = {
  text_only: Caption,
  ai_image_post: Caption.extend({ image: z.string() }),
  ai_banner_post: Caption.extend({
    banner: z.object({
      label: z.string().nullable(),
      headline: z.string(),
      text: z.string().nullable(),
      call_to_action: z.string().nullable(),
      template: z.enum(TEMPLATE_NAMES).nullable(),
      palette: z.enum(PALETTE_NAMES).nullable(),
    }),
  }),
  breel: Caption.extend({ film: z.string() }),
  talking_reel: Caption.extend({ speaker: z.string(), script: z.string() }),
  faceless_reel: Caption.extend({ script: z.string(), scenes: z.array(z.string()) }),
} as const satisfies Readonly<Partial<Record<GenerationType, z.ZodObject>>>;

/** The JSON as the model returned it. */
export const Filled = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text_only"), form: FORMS.text_only }),
  z.object({ type: z.literal("ai_image_post"), form: FORMS.ai_image_post }),
  z.object({ type: z.literal("ai_banner_post"), form: FORMS.ai_banner_post }),
  z.object({ type: z.literal("breel"), form: FORMS.breel }),
  z.object({ type: z.literal("talking_reel"), form: FORMS.talking_reel }),
  z.object({ type: z.literal("faceless_reel"), form: FORMS.faceless_reel }),
]);
export type Filled = z.output<typeof Filled>;
