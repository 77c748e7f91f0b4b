import { z } from "zod";
import { TEMPLATE_NAMES } from "../banners/designs.ts";
import { PALETTE_NAMES } from "../banners/palettes.ts";
import type { GenerationType } from "./table.ts";

/**
 * The JSON that a language model returns for each kind of post: the caption's parts, and the prompts for the
 * other models. It has no limits, because not every server enforces them; generated-text.ts checks the texts.
 */
const Caption = z.object({
  hook: z.string(),
  body: z.string(),
  call_to_action: z.string(),
  hashtags: z.array(z.string()),
});

export const RESPONSE_SCHEMAS = {
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
export const ModelResponse = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text_only"), form: RESPONSE_SCHEMAS.text_only }),
  z.object({ type: z.literal("ai_image_post"), form: RESPONSE_SCHEMAS.ai_image_post }),
  z.object({ type: z.literal("ai_banner_post"), form: RESPONSE_SCHEMAS.ai_banner_post }),
  z.object({ type: z.literal("breel"), form: RESPONSE_SCHEMAS.breel }),
  z.object({ type: z.literal("talking_reel"), form: RESPONSE_SCHEMAS.talking_reel }),
  z.object({ type: z.literal("faceless_reel"), form: RESPONSE_SCHEMAS.faceless_reel }),
]);
export type ModelResponse = z.output<typeof ModelResponse>;
