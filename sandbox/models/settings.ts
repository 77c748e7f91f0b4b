import { z } from "zod";
import { milliseconds } from "../setting-types";

/** The moods of the model server. */
export const MODEL_SETTINGS = {
  /** How long a video is in the making. */
  models_video_ms: milliseconds.default(4000),
  /** Whether films have a sound track, silent as it is. */
  models_video_sound: z.boolean().default(true),
  /** What speech can be asked for as. */
  models_speech_formats: z.array(z.enum(["mp3", "wav", "aac"])).default(["mp3", "wav", "aac"]),
  /** How an image comes: in the answer, or as an address. */
  models_image_answers: z.enum(["b64_json", "url"]).default("b64_json"),
  /** Whether lists of videos show what they were begun with. */
  models_video_prompts: z.boolean().default(true),
  /** Whether `Idempotency-Key` is heeded. */
  models_idempotency: z.boolean().default(true),
};

/** What `realism: "production"` makes of them (settings.ts). */
export const MODEL_PRODUCTION = {
  models_video_ms: 15_000,
  models_video_sound: false,
  models_image_answers: "url",
  models_idempotency: false,
};
