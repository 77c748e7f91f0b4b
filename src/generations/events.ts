import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { type EventOf, eventLog } from "../events/store.ts";
import { GENERATION_TYPES } from "./table.ts";

/**
 * The events of a generation. The compiler checks writes against this list, and the OpenAPI document is made
 * from it.
 */

const instant = z.string().openapi({ example: "2030-03-05T10:00:00.000+00:00", description: "ISO 8601." });
const nothing = z.object({});

/** Outgoing events use the UUID that callers know, because events store an internal number. */
const named = {
  generation_id: z.string().openapi({ example: "0b0e6f1c-5a77-4d0a-9d0e-3f5a2f6f2d11" }),
  post_type: z.enum(GENERATION_TYPES),
};

/** The parts of a generation, in the order in which they are made. */
const PARTS = ["words", "image", "banner", "voice", "video"] as const;
export type Part = (typeof PARTS)[number];

export const GENERATION_EVENTS = {
  "generation.created": { description: "The generation was accepted.", detail: nothing },
  "generation.progressed": {
    description: "A part of the generation is ready.",
    detail: z.object({ part: z.enum(PARTS) }),
  },
  "generation.waiting": {
    description: "The generation waits and continues automatically; one event for each cause.",
    detail: z.object({
      until: instant,
      error_code: z
        .union([FailureCodeView, z.null()])
        .openapi({ description: "The cause of the wait; null if nothing is wrong." }),
    }),
  },
  "generation.done": {
    description: "The generated post is ready.",
    detail: z.object({ ...named, caption_text: z.string(), media_urls: z.array(z.string()) }),
  },
  "generation.failed": {
    description: "The generation failed.",
    detail: z.object({ ...named, error_code: FailureCodeView }),
  },
  "generation.deleted": { description: "The generation was deleted on request.", detail: nothing },
} as const;

export const generationEvents = eventLog("generation", GENERATION_EVENTS);
export type GenerationEvent = EventOf<typeof GENERATION_EVENTS>;
