import { z } from "@hono/zod-openapi";
import { FailureCodeView } from "../core/code-schemas.ts";
import { isBlank } from "../core/text.ts";
import { text } from "../core/text-field.ts";
import { isoUtc, isoUtcOrNull } from "../core/time.ts";
import { AttemptView, toAttemptView } from "../deliveries/schema.ts";
import { DELIVERY_STATES, type Delivery } from "../deliveries/table.ts";
import { IdCursorQuery, PageBesideCursor, refuseBoth, wholeNumber } from "../http/page.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { GENERATION_EVENTS } from "./events.ts";
import { toRecord } from "./record.ts";
import { GENERATION_STATES, GENERATION_TYPES, type Generation } from "./table.ts";

/** Shapes of spec 2.9 and 4.12 to 4.14, and of the extensions. */

const MAX_INPUT = 4_000;
const MAX_URL = 2_048;
/** The latest of them. */
const MOST = 100;

const EXAMPLE_UUID = "0b0e6f1c-5a77-4d0a-9d0e-3f5a2f6f2d11";
const EXAMPLE_INPUT = "Our bakery has saffron buns again, on Fridays only";

export const CreateGenerationBody = z
  .object({
    post_type: z.enum(GENERATION_TYPES).openapi({
      description:
        "`text_only`: a caption. `ai_image_post`: with an image. `ai_banner_post`: with a banner, square and portrait. `breel`: a short video with a caption. `talking_reel`: a video of a person who speaks. `faceless_reel`: a video of scenes with a voice-over.",
    }),
    input: text(MAX_INPUT)
      .refine((words) => !isBlank(words), "must not be blank.")
      .openapi({
        pattern: "\\S",
        example: EXAMPLE_INPUT,
        description: "The theme or topic, in the language of the post.",
      }),
    platforms: z
      .array(z.enum(PLATFORM_NAMES))
      .min(1)
      .max(PLATFORM_NAMES.length)
      .optional()
      .openapi({
        example: ["instagram", "linkedin"],
        description:
          "The platforms that the post is meant for. The caption meets the rules of these, and is longer where they allow it. Without it, the caption fits every platform, including the 280 characters of X.",
      }),
    web_hook: z.string().min(1).max(MAX_URL).optional().openapi({
      example: "https://shop.example/hooks/generated",
      description:
        "A public https address that receives the outcome: the record with `post_type`, signed according to Standard Webhooks with the secret of rotate-generation-secret, and retried for a day. Without it nothing is sent.",
    }),
  })
  .openapi("CreatePostGeneration", {
    example: { post_type: "ai_image_post", input: EXAMPLE_INPUT, web_hook: "https://shop.example/hooks/generated" },
  });
export type CreateGenerationBody = z.output<typeof CreateGenerationBody>;

const RequestBody = z.object({
  post_type: z.enum(GENERATION_TYPES),
  input: z.string(),
  platforms: z.array(z.enum(PLATFORM_NAMES)).optional().openapi({ description: "If the request has it." }),
  web_hook: z.string().nullable(),
  brand_id: z.null(),
});

export const CreatedView = z.object({
  id: z.string(),
  status: z.enum(["queued", "success", "failed"]),
  message: z.string(),
  request_body: RequestBody,
});

export const EXAMPLE_CREATED = {
  id: EXAMPLE_UUID,
  status: "queued",
  message: "The post is being generated.",
  request_body: { post_type: "ai_image_post", input: EXAMPLE_INPUT, web_hook: null, brand_id: null },
} as const;

/** What the request asks for, as its row stores it. */
export function toWanted({ post_type: type, input, platforms, web_hook: webHook }: CreateGenerationBody) {
  return { type, input, platforms: platforms ?? null, webHook: webHook ?? null };
}

/** The first answer; a repeat of the request gets the same. */
export function toCreatedView(id: string, { post_type, input, platforms, web_hook }: CreateGenerationBody) {
  const meant = platforms ? { platforms } : {};
  const request_body = { post_type, input, ...meant, web_hook: web_hook ?? null, brand_id: null };
  return { id, status: "queued", message: EXAMPLE_CREATED.message, request_body } as const;
}

export const ListGenerationsQuery = z
  .object({
    page: PageBesideCursor,
    cursor: IdCursorQuery,
    limit: wholeNumber(1, MOST)
      .optional()
      .default(MOST)
      .openapi({ type: "integer", minimum: 1, maximum: MOST, default: MOST, description: "Generations per page." }),
    include: z
      .literal("content")
      .optional()
      .openapi({ description: "`content`: includes the request and the reason of a failure." }),
  })
  .superRefine(refuseBoth);

/** Documented as a UUID; any other text is a 404. */
export const GenerationIdParam = z.object({
  post_id: z.string().openapi({ format: "uuid", example: EXAMPLE_UUID, param: { name: "post_id", in: "path" } }),
});

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** The UUID of a path; null for text that is no UUID. */
export function readUuid(words: string): string | null {
  const lower = words.toLowerCase();
  return UUID.test(lower) ? lower : null;
}

const Record = {
  id: z.string(),
  status: z.enum(GENERATION_STATES),
  caption_text: z.string(),
  media_urls: z.array(z.string()),
};

export const GenerationView = z.object(Record).openapi("PostGeneration");

const InstantOrNull = z.string().nullable();

const Content = {
  ...Record,
  post_type: z.enum(GENERATION_TYPES),
  input: z.string(),
  platforms: z
    .array(z.enum(PLATFORM_NAMES))
    .nullable()
    .openapi({ description: "The platforms that it is meant for; null for all." }),
  web_hook: z.string().nullable(),
  error: z.string().nullable().openapi({ description: "The reason of the failure; null unless it failed." }),
  error_code: z.union([FailureCodeView, z.null()]),
  created_at: z.string(),
  ended_at: InstantOrNull.openapi({ description: "When it ended; null until then." }),
};

export const GenerationContentView = z.object(Content).openapi("PostGenerationContent");

const EventView = z.object({
  id: z.int(),
  type: z.enum(Object.keys(GENERATION_EVENTS)),
  message: z.string(),
  detail: z.record(z.string(), z.unknown()).nullable(),
  created_at: z.string(),
});

const WebHookView = z.object({
  message_id: z.string().openapi({ description: "`webhook-id` of every attempt." }),
  status: z.enum(DELIVERY_STATES),
  attempts: z.array(AttemptView).openapi({ description: "Oldest first, at most sixteen." }),
  next_attempt_at: InstantOrNull.openapi({ description: "Null after the last attempt." }),
});

export const GenerationDetailView = z
  .object({
    ...Content,
    events: z.array(EventView).openapi({ description: "The timeline, oldest first." }),
    web_hook_delivery: z
      .union([WebHookView, z.null()])
      .openapi({ description: "The deliveries to `web_hook`; null without one, and until the generation ends." }),
  })
  .openapi("PostGenerationDetail");

const EXAMPLE_GENERATION = {
  id: EXAMPLE_UUID,
  status: "done",
  caption_text:
    "Friday smells of saffron. 🥐\n\nOur buns are back, warm from nine.\n\nCome by early!\n\n#saffron #bakery",
  media_urls: ["https://belfry.example/media/4fT0aYkq2XbN7cVd9sLmRw3HgJzP5eQu.jpg"],
} as const;
export const EXAMPLE_LISTED = { ...EXAMPLE_GENERATION, media_urls: [...EXAMPLE_GENERATION.media_urls] };

export const EXAMPLE_DETAIL = {
  ...EXAMPLE_LISTED,
  post_type: "ai_image_post" as const,
  input: EXAMPLE_INPUT,
  platforms: null,
  web_hook: null,
  error: null,
  error_code: null,
  created_at: "2030-03-05T10:00:00.000+00:00",
  ended_at: "2030-03-05T10:00:21.000+00:00",
  events: [
    {
      id: 71,
      type: "generation.progressed",
      message: "The text is ready.",
      detail: { part: "words" },
      created_at: "2030-03-05T10:00:04.000+00:00",
    },
  ],
  web_hook_delivery: null,
};

export const toView = toRecord;

export function toContentView(generation: Generation, origin: string): z.input<typeof GenerationContentView> {
  const { type, input, platforms, webHook, error, errorCode, createdAt, endedAt } = generation;
  return {
    ...toRecord(generation, origin),
    post_type: type,
    input,
    platforms: platforms && [...platforms],
    web_hook: webHook,
    error,
    error_code: errorCode,
    created_at: isoUtc(createdAt),
    ended_at: isoUtcOrNull(endedAt),
  };
}

export function toWebHookView(delivery: Delivery): z.input<typeof WebHookView> {
  const { messageId, state, tries, nextAt } = delivery;
  return {
    message_id: messageId,
    status: state,
    attempts: tries.map(toAttemptView),
    next_attempt_at: isoUtcOrNull(nextAt),
  };
}
