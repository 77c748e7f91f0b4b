import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { type EventOf, eventLog } from "../events/store.ts";
import { GENERATION_TYPES } from "./table.ts";

/**
 * What can happen to a generation. Writing an event is checked against this, and the API document is made
 * from it.
 */

const instant = z.string().openapi({ example: "2030-03-05T10:00:00.000+00:00", description: "ISO 8601." });
const nothing = z.object({});

/** Those that leave the house name it as the API does, for events hold a number of ours. */
const named = {
  generation_id: z.string().openapi({ example: "0b0e6f1c-5a77-4d0a-9d0e-3f5a2f6f2d11" }),
  post_type: z.enum(GENERATION_TYPES),
};

/** What comes into being on the way. */
export const PARTS = ["words", "image", "banner", "voice", "film"] as const;
export type Part = (typeof PARTS)[number];

export const GENERATION_EVENTS = {
  "generation.created": { tells: "The generation was accepted.", detail: nothing },
  "generation.progressed": {
    tells: "A part of it is there.",
    detail: z.object({ part: z.enum(PARTS) }),
  },
  "generation.waiting": {
    tells: "It waits, and goes on by itself; told once for each cause.",
    detail: z.object({
      until: instant,
      error_code: z
        .union([FailureCodeView, z.null()])
        .openapi({ description: "What stands in the way; null when nothing is wrong, and it takes its time." }),
    }),
  },
  "generation.done": {
    tells: "The generated post is there.",
    detail: z.object({ ...named, caption_text: z.string(), media_urls: z.array(z.string()) }),
  },
  "generation.failed": {
    tells: "Nothing came of the generation: its end.",
    detail: z.object({ ...named, error_code: FailureCodeView }),
  },
  "generation.deleted": { tells: "The generation was deleted on request.", detail: nothing },
} as const;

export const generationEvents = eventLog("generation", GENERATION_EVENTS);
export type GenerationEvent = EventOf<typeof GENERATION_EVENTS>;
