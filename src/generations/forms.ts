import { z } from "zod";
import { PALETTE_NAMES } from "../banners/palettes.ts";
import { TEMPLATE_NAMES } from "../banners/templates.ts";
import type { GenerationType } from "./table.ts";

/**
 * What a language model fills in, for each kind of post: the caption's parts, and what the other models are
 * told. Without limits, which not every server enforces: words.ts holds the texts against them.
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

/** A form as it was filled in. */
export const Filled = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text_only"), form: FORMS.text_only }),
  z.object({ type: z.literal("ai_image_post"), form: FORMS.ai_image_post }),
  z.object({ type: z.literal("ai_banner_post"), form: FORMS.ai_banner_post }),
  z.object({ type: z.literal("breel"), form: FORMS.breel }),
  z.object({ type: z.literal("talking_reel"), form: FORMS.talking_reel }),
  z.object({ type: z.literal("faceless_reel"), form: FORMS.faceless_reel }),
]);
export type Filled = z.output<typeof Filled>;
