import { z } from "zod";
import { milliseconds } from "../setting-types";

/** Settings of the model server. */
export const MODEL_SETTINGS = {
  /** The generation time of a video. */
  models_video_ms: milliseconds.default(4000),
  /** The least size of a video: a smaller one ends with an empty box. */
  models_video_bytes: z.number().int().min(0).max(200_000_000).default(0),
  /** Whether videos have a (silent) audio track. */
  models_video_sound: z.boolean().default(true),
  /** The supported audio formats of speech. */
  models_speech_formats: z.array(z.enum(["mp3", "wav", "aac"])).default(["mp3", "wav", "aac"]),
  /** The image formats that `output_format` may name. */
  models_image_formats: z.array(z.enum(["png", "jpeg"])).default(["png", "jpeg"]),
  /** How an image is returned: inline or as a URL. */
  models_image_answers: z.enum(["b64_json", "url"]).default("b64_json"),
  /** Whether lists of videos include the prompts. */
  models_video_prompts: z.boolean().default(true),
  /** Whether the server supports `Idempotency-Key`. */
  models_idempotency: z.boolean().default(true),
};

/** Overrides for `realism: "production"` (settings.ts). */
export const MODEL_PRODUCTION = {
  models_video_ms: 15_000,
  models_video_sound: false,
  models_image_answers: "url",
  models_idempotency: false,
};
