import { z } from "@hono/zod-openapi";
import { text } from "../core/text-field.ts";
import { isoUtc, isoUtcOrNull, parseInstant } from "../core/time.ts";
import { AttemptView, toAttemptView } from "../deliveries/schema.ts";
import { DELIVERY_STATES, DISABLED_REASONS, type Webhook } from "../deliveries/table.ts";
import { cursorPageView } from "../http/cursor-page.ts";
import { IdCursorQuery, LimitQuery, pathId } from "../http/page.ts";
import { LEAVING_NAMES } from "./catalog.ts";
import { bodyOfDelivery, type ListedDelivery } from "./delivery-store.ts";

const MAX_URL = 2048;
const MOST_EVENTS = 100;

const url = z.string().min(1).max(MAX_URL).openapi({
  example: "https://shop.example/hooks/belfry",
  description: "A public https address. Redirects are not followed.",
});
const description = text(255).nullable().openapi({ example: "Our shop", description: "Your own note." });
const events = z
  .array(z.enum(LEAVING_NAMES))
  .min(1)
  .max(LEAVING_NAMES.length)
  .nullable()
  .openapi({
    example: ["post.published", "post.failed"],
    description: "Null: all, including types of later releases.",
  });

const eventsPerRequest = z.int().min(1).max(MOST_EVENTS).openapi({
  example: 1,
  description: `The most events in one request. Above 1, every request has a batch: \`{"type":"batch","events":[…]}\`.`,
});

export const WebhookParam = z.object({ webhook_id: pathId("webhook_id") });
export const DeliveryParam = z.object({ delivery_id: pathId("delivery_id") });

export const TestWebhookQuery = z.object({
  event: z
    .enum(LEAVING_NAMES)
    .optional()
    .openapi({ example: "post.failed", description: "The event of which a sample is sent. Default: `webhook.test`." }),
});

export const CreateWebhookBody = z
  .object({
    url,
    description: description.optional(),
    events: events.optional(),
    events_per_request: eventsPerRequest.optional(),
  })
  .openapi("CreateWebhook", {
    example: { url: "https://shop.example/hooks/belfry", description: "Our shop", events: ["post.published"] },
  });

export const UpdateWebhookBody = z
  .strictObject({
    url: url.optional(),
    description: description.optional(),
    events: events.optional(),
    events_per_request: eventsPerRequest.optional(),
    status: z.enum(["enabled", "disabled"]).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: "must not be empty: send at least one field to change.",
    when: ({ issues }) => issues.length === 0,
  })
  .openapi("UpdateWebhook", { minProperties: 1, example: { status: "enabled" } });
export type UpdateWebhookBody = z.output<typeof UpdateWebhookBody>;

export function toChange({ events: types, events_per_request: eventsPerRequest, status, ...rest }: UpdateWebhookBody) {
  const { url, description } = rest;
  return {
    ...(url === undefined ? {} : { url }),
    ...(description === undefined ? {} : { description }),
    ...(types === undefined ? {} : { types }),
    ...(eventsPerRequest === undefined ? {} : { eventsPerRequest }),
    isEnabled: status === undefined ? undefined : status === "enabled",
  };
}

/** A union, because null must be an alternative to the enum, not one of its values. */
const ReasonOrNull = z.union([z.enum(DISABLED_REASONS), z.null()]);
const InstantOrNull = z.string().nullable();

export const WebhookView = z
  .object({
    id: z.int(),
    url: z.string(),
    description: z.string().nullable(),
    events: z.array(z.string()).nullable().openapi({ description: "Null: all." }),
    events_per_request: z.int().openapi({ description: "Above 1, events are sent in batches of at most this many." }),
    status: z.enum(["enabled", "disabled"]),
    disabled_reason: ReasonOrNull.openapi({
      description:
        "`gone`: the address answered 410; `failing`: no delivery succeeded for five days. Null while the webhook is enabled.",
    }),
    disabled_at: InstantOrNull,
    failing_since: InstantOrNull.openapi({
      description: "When deliveries began to fail. Null if the last message was delivered.",
    }),
    old_secret_until: InstantOrNull.openapi({
      description: "Until when messages are also signed with the previous secret.",
    }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("Webhook");

export const EXAMPLE_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const EXAMPLE_WEBHOOK = {
  id: 4,
  url: "https://shop.example/hooks/belfry",
  description: "Our shop",
  events: ["post.published", "post.failed"],
  events_per_request: 1,
  status: "enabled",
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  old_secret_until: null,
  created_at: "2030-03-05T10:00:00.000+00:00",
  updated_at: "2030-03-05T10:00:00.000+00:00",
} as const;
export const EXAMPLE_VIEW = { ...EXAMPLE_WEBHOOK, events: [...EXAMPLE_WEBHOOK.events] };

export const Secret = z
  .string()
  .openapi({ description: "The key that messages are signed with. Shown only once: store it." });

export function toWebhookView(webhook: Webhook, now: number = Date.now()): z.input<typeof WebhookView> {
  const { id, url, description, types, eventsPerRequest, state } = webhook;
  const { disabledReason, disabledAt, failingSince, oldUntil } = webhook;
  return {
    id,
    url,
    description,
    events: types === null ? null : [...types],
    events_per_request: eventsPerRequest,
    status: state,
    disabled_reason: disabledReason,
    disabled_at: isoUtcOrNull(disabledAt),
    failing_since: isoUtcOrNull(failingSince),
    old_secret_until: isoUtcOrNull(oldUntil !== null && oldUntil > now ? oldUntil : null),
    created_at: isoUtc(webhook.createdAt),
    updated_at: isoUtc(webhook.updatedAt),
  };
}

export const ListDeliveriesQuery = z.object({
  limit: LimitQuery,
  status: z.enum(DELIVERY_STATES).optional().openapi({ description: "By state: waiting, delivered or failed." }),
  cursor: IdCursorQuery.openapi({ description: "`next_cursor` of the previous page; absent or empty for the newest." }),
});

export const DeliveryView = z
  .object({
    id: z.int(),
    message_id: z.string().openapi({ description: "`webhook-id` of every attempt." }),
    event: z.string(),
    status: z.enum(DELIVERY_STATES),
    request_body: z
      .string()
      .nullable()
      .openapi({ description: "The signed body, or its part of a batch; null once its event is deleted." }),
    attempts: z.array(AttemptView).openapi({ description: "Oldest first, at most sixteen." }),
    next_attempt_at: InstantOrNull.openapi({ description: "Null after the last attempt." }),
    created_at: z.string(),
  })
  .openapi("WebhookDelivery");

export const DeliveryPage = cursorPageView(DeliveryView, "WebhookDeliveryPage");

export const EXAMPLE_DELIVERY = {
  id: 981,
  message_id: "evt_4711",
  event: "post.published",
  status: "delivered",
  request_body:
    '{"type":"post.published","timestamp":"2030-03-05T10:00:00.000+00:00","id":"evt_4711","revision":4711,"data":{"post_id":42,"message":"Published.","permalink":null}}',
  attempts: [
    {
      at: "2030-03-05T10:00:01.000+00:00",
      duration_ms: 84,
      status_code: 204,
      response_body: "",
      error: null,
    },
  ],
  next_attempt_at: null,
  created_at: "2030-03-05T10:00:01.000+00:00",
} as const;

export function toDeliveryView({ event, ...delivery }: ListedDelivery): z.input<typeof DeliveryView> {
  const { id, messageId, type, state, tries, nextAt, createdAt } = delivery;
  return {
    id,
    message_id: messageId,
    event: type,
    status: state,
    request_body: bodyOfDelivery(delivery, event),
    attempts: tries.map(toAttemptView),
    next_attempt_at: isoUtcOrNull(nextAt),
    created_at: isoUtc(createdAt),
  };
}

const instant = (means: string) =>
  z
    .string()
    .transform((words, context) => {
      const at = parseInstant(words);
      if (at !== null) return at;
      context.addIssue("must be an ISO 8601 time with seconds and offset (e.g. 2030-03-05T10:00:00Z) or a date");
      return z.NEVER;
    })
    .openapi({ type: "string", example: "2030-03-05T10:00:00Z", description: means });

export const ReplayBody = z
  .object({
    from: instant(
      "What happened at this time or later: ISO 8601 with offset, or a date, which means its start in UTC.",
    ),
    to: instant("End of the range, exclusive. Default: now.").optional(),
    cursor: z
      .string()
      .max(20)
      .regex(/^[1-9]\d*$/, "must be a next_cursor of this operation")
      .optional()
      .openapi({ example: "4711", description: "`next_cursor` of the previous response, to continue." }),
  })
  .openapi("ReplayWebhook", { example: { from: "2030-03-05T10:00:00Z", to: "2030-03-06T10:00:00Z" } });
