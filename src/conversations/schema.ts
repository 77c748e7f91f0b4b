import { z } from "@hono/zod-openapi";
import { isBlank } from "../core/text.ts";
import { text } from "../core/text-field.ts";
import { isoUtc, isoUtcOrNull } from "../core/time.ts";
import type { EventRecord } from "../events/store.ts";
import { cursorPageView } from "../http/cursor-page.ts";
import { ChannelIdQuery, LimitQuery, pathId } from "../http/page.ts";
import { PLATFORM_NAMES } from "../platforms/names.ts";
import { toDecimal } from "../platforms/pricing.ts";
import type { Collection } from "./collect.ts";
import type { CONVERSATION_EVENTS } from "./events.ts";
import type { ListedConversation } from "./store.ts";
import { CONVERSATION_STATES, MESSAGE_STATES, ORIGINS } from "./stored.ts";
import type { Message } from "./table.ts";
import { windowOf } from "./window.ts";

/** Shapes of the operations of conversations. */

export const ConversationParam = z.object({ conversation_id: pathId("conversation_id") });

const Cursor = z.string().max(64).optional().openapi({
  example: "",
  description: "Empty to start, then `next_cursor` of the previous page.",
});

export const ListConversationsQuery = z.object({
  channel_id: ChannelIdQuery.optional().openapi({ description: "Only conversations of this channel." }),
  state: z.enum(CONVERSATION_STATES).optional().openapi({ description: "Only conversations in this state." }),
  limit: LimitQuery,
  cursor: Cursor,
});

export const ListMessagesQuery = z.object({ limit: LimitQuery, cursor: Cursor });

const nullableTime = (description: string) => z.string().nullable().openapi({ description });

export const ConversationView = z
  .object({
    conversation_id: z.int(),
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    person: z.object({
      id: z.string().openapi({ description: "The platform's id of the person." }),
      name: z.string().nullable().openapi({ description: "Null until the platform shows it." }),
    }),
    state: z.enum(CONVERSATION_STATES).openapi({
      description: "`unanswered`: the last message is the person's. `done`: marked so; a new message reopens it.",
    }),
    last_message: z.object({ text: z.string().nullable(), at: z.string() }),
    last_inbound_at: nullableTime("When the person wrote last."),
    can_send: z.boolean().openapi({ description: "Whether a message may be sent now." }),
    can_send_until: nullableTime(
      "Until when messages may be sent. Null: at any time if `can_send`, else not until the person writes.",
    ),
    can_send_typed_until: nullableTime("The same for messages that a person has typed (`typed_by_person`)."),
    assigned_to: z.string().nullable().openapi({ description: "The e-mail address of a member." }),
    done: z.boolean(),
    note: z.string().nullable(),
    created_at: z.string(),
  })
  .openapi("Conversation");

export function toConversationView(row: ListedConversation): z.output<typeof ConversationView> {
  const now = Date.now();
  const { isOpen, until, typedUntil } = windowOf(row, now);
  return {
    conversation_id: row.id,
    channel_id: row.channelId,
    channel_type: row.platform,
    person: { id: row.personId, name: row.personName },
    state: CONVERSATION_STATES[row.priority] ?? "done",
    last_message: { text: row.lastText, at: isoUtc(row.lastMessageAt) },
    last_inbound_at: isoUtcOrNull(row.lastInboundAt),
    can_send: isOpen(false),
    can_send_until: isoUtcOrNull(until),
    can_send_typed_until: isoUtcOrNull(typedUntil),
    assigned_to: row.assignedTo,
    done: row.doneAt !== null,
    note: row.note,
    created_at: isoUtc(row.createdAt),
  };
}

export const MessageView = z
  .object({
    message_id: z.int(),
    conversation_id: z.int(),
    platform_id: z.string().nullable().openapi({ description: "The platform's id; null until it is known." }),
    direction: z.enum(["in", "out"]),
    origin: z.enum(ORIGINS).openapi({
      description:
        "Who sent it: the person, a request to this service, a bot, or the account elsewhere (the platform's app).",
    }),
    state: z.enum(MESSAGE_STATES),
    text: z.string(),
    attachments: z
      .array(z.object({ type: z.string(), url: z.string().nullable() }))
      .readonly()
      .openapi({ description: "The platform's addresses of files. They expire." }),
    typed_by_person: z.boolean(),
    reason: z.string().nullable().openapi({ description: "What it waits for, or why it failed." }),
    error_code: z.string().nullable(),
    sent_at: z.string().openapi({ description: "By the platform's clock; before it is sent, when it was requested." }),
  })
  .openapi("DirectMessage");

export function toMessageView(row: Message): z.output<typeof MessageView> {
  return {
    message_id: row.id,
    conversation_id: row.conversationId,
    platform_id: row.platformId,
    direction: row.origin === "person" ? "in" : "out",
    origin: row.origin,
    state: row.state,
    text: row.text,
    attachments: row.attachments,
    typed_by_person: row.isTyped,
    reason: row.reason,
    error_code: row.errorCode,
    sent_at: isoUtc(row.sentAt),
  };
}

export const ConversationPage = cursorPageView(ConversationView, "ConversationPage");
export const MessagePage = cursorPageView(MessageView, "DirectMessagePage");

export const SendMessageBody = z
  .object({
    text: text(10_000)
      .refine((value) => !isBlank(value), "must not be blank.")
      .openapi({ example: "Yes, we ship to Norway." }),
    typed_by_person: z.boolean().optional().openapi({
      description:
        "Whether a person has typed the text. Facebook and Instagram then allow it for seven days after the person's last message, not one. Never send it for automatic texts: Meta forbids it.",
    }),
  })
  .openapi("SendMessage", { example: { text: "Yes, we ship to Norway.", typed_by_person: true } });

export const UpdateConversationBody = z
  .object({
    assigned_to: z.email().max(254).nullable().optional().openapi({
      example: "ada@example.com",
      description: "The e-mail address of a member of the project; null if it is not assigned.",
    }),
    done: z.boolean().optional().openapi({ description: "A new message of the person reopens it." }),
    note: text(2_000).nullable().optional().openapi({ description: "For members; never sent." }),
  })
  .openapi("UpdateConversation", { example: { done: true, note: "Sent her the list." } });

export const CollectionView = z
  .object({
    channel_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    collects: z.boolean(),
    since: nullableTime("Since when; null: they are not."),
    problem: z.string().nullable().openapi({ description: "Why messages cannot be read now, and what to do." }),
    price: z
      .object({ per_message: z.number(), per_idle_month: z.number(), currency: z.literal("USD") })
      .nullable()
      .openapi({
        description:
          "What the platform charges for reading a message, and for the checks of a month without any; null: nothing.",
      }),
  })
  .openapi("MessageCollection");

export function toCollectionView({ channel, collects, problem, price }: Collection): z.output<typeof CollectionView> {
  return {
    channel_id: channel.id,
    channel_type: channel.platform,
    collects,
    since: isoUtcOrNull(channel.messagesSince),
    problem,
    price: price && {
      per_message: toDecimal(price.messageMicros),
      per_idle_month: toDecimal(price.idleMonthMicros),
      currency: "USD",
    },
  };
}

export const ConversationEventView = z
  .object({
    type: z.string(),
    message: z.string(),
    detail: z.record(z.string(), z.unknown()).nullable(),
    at: z.string(),
  })
  .openapi("ConversationEvent");

export function toEventView({ type, message, detail, at }: EventRecord<typeof CONVERSATION_EVENTS>) {
  return { type, message, detail, at: isoUtc(at) };
}

const AT = "2026-11-26T10:15:00.000+00:00";

export const EXAMPLE_CONVERSATION: z.output<typeof ConversationView> = {
  conversation_id: 7,
  channel_id: 12,
  channel_type: "facebook",
  person: { id: "7000000000000001", name: "Ada Reader" },
  state: "unanswered",
  last_message: { text: "Do you ship to Norway?", at: AT },
  last_inbound_at: AT,
  can_send: true,
  can_send_until: "2026-11-27T10:15:00.000+00:00",
  can_send_typed_until: "2026-12-03T10:15:00.000+00:00",
  assigned_to: null,
  done: false,
  note: null,
  created_at: AT,
};

export const EXAMPLE_MESSAGE: z.output<typeof MessageView> = {
  message_id: 31,
  conversation_id: 7,
  platform_id: null,
  direction: "out",
  origin: "request",
  state: "sending",
  text: "Yes, we ship to Norway.",
  attachments: [],
  typed_by_person: true,
  reason: null,
  error_code: null,
  sent_at: AT,
};
