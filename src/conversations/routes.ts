import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../channels/schema.ts";
import { findChannel } from "../channels/store.ts";
import { invalid } from "../core/errors.ts";
import type { IdempotencyRecord } from "../db/client.ts";
import { walkBy } from "../db/id-list.ts";
import type { Api } from "../http/api.ts";
import { cursorPage, exampleCursorPage } from "../http/cursor-page.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { apiUrl } from "../http/origin.ts";
import { readPathId } from "../http/page.ts";
import { getConversation, updateConversation } from "./change.ts";
import { collectMessages, requireConversing } from "./collect.ts";
import { conversationEvents } from "./events.ts";
import { readCursor, walkConversations, writeCursor } from "./list.ts";
import {
  CollectionView,
  CollectMessagesBody,
  ConversationEventView,
  ConversationPage,
  ConversationParam,
  ConversationView,
  EXAMPLE_CONVERSATION,
  EXAMPLE_MESSAGE,
  ListConversationsQuery,
  ListMessagesQuery,
  MessagePage,
  MessageView,
  SendMessageBody,
  toCollectionView,
  toConversationView,
  toEventView,
  toMessageView,
  UpdateConversationBody,
} from "./schema.ts";
import { recallMessage, requestMessage } from "./send.ts";
import { findRequestedMessage, selectMessages } from "./store.ts";

const Done = z.literal(true);
const READ = { tag: "Messages", permission: "social-read-messages", extension: true } as const;
const WRITE = { tag: "Messages", permission: "social-send-messages", extension: true } as const;
const MOST_EVENTS = 500;

/** Conversations of channels by direct messages. */
export function conversationRoutes(app: Api): void {
  listRoute(app);
  getRoute(app);
  messagesRoute(app);
  eventsRoute(app);
  sendRoute(app);
  updateRoute(app);
  collectRoute(app);
}

function listRoute(app: Api): void {
  const contract = operation({
    ...READ,
    id: "listConversations",
    method: "get",
    path: "/social/conversations",
    summary: "List conversations",
    description:
      "Conversations of channels that collect direct messages: unanswered ones first, then by the last message. Kept for 60 days after it.",
    query: ListConversationsQuery,
    answer: z.object({ conversations: ConversationPage, status: Done }),
    answerDescription: "A page of the list.",
    example: { conversations: exampleCursorPage("conversations", EXAMPLE_CONVERSATION), status: true },
  });
  app.openapi(contract, async (c) => {
    const { deps, caller } = c.var;
    const { channel_id: channelId = null, state = null, limit, cursor = "" } = c.req.valid("query");
    if (channelId !== null) {
      const channel = await findChannel(deps.db, caller.projectId, channelId);
      const sentence = "channel_id must be a connected channel of this project.";
      if (!channel) throw invalid({ channel_id: [sentence] }, "reference_invalid");
      requireConversing(channel);
    }
    const filter = { projectId: caller.projectId, channelId, state };
    const { items, next: nextCursor } = await walkConversations(deps.db, filter, { cursor, limit });
    const conversations = cursorPage(apiUrl(c), { data: items.map(toConversationView), limit, nextCursor });
    return c.json({ conversations, status: true } as const, 200);
  });
}

function getRoute(app: Api): void {
  const contract = operation({
    ...READ,
    id: "getConversation",
    method: "get",
    path: "/social/conversation/{conversation_id}",
    summary: "Get a conversation",
    description: "Whom it is with, its state, and until when messages may be sent.",
    params: ConversationParam,
    answer: z.object({ conversation: ConversationView, status: Done }),
    answerDescription: "The conversation.",
    example: { conversation: EXAMPLE_CONVERSATION, status: true },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("conversation", c.req.valid("param").conversation_id);
    const conversation = await getConversation(c.var.deps, c.var.caller, id);
    return c.json({ conversation: toConversationView(conversation), status: true } as const, 200);
  });
}

function messagesRoute(app: Api): void {
  const contract = operation({
    ...READ,
    id: "listMessages",
    method: "get",
    path: "/social/conversation/{conversation_id}/messages",
    summary: "List messages",
    description:
      "The messages of a conversation, newest first: the person's, and those that the account sent, whether by a request, a bot or elsewhere. Kept for 60 days.",
    params: ConversationParam,
    query: ListMessagesQuery,
    answer: z.object({ messages: MessagePage, status: Done }),
    answerDescription: "A page of the list.",
    example: { messages: exampleCursorPage("conversation/7/messages", EXAMPLE_MESSAGE), status: true },
  });
  app.openapi(contract, async (c) => {
    const { deps, caller } = c.var;
    const id = readPathId("conversation", c.req.valid("param").conversation_id);
    const { limit, cursor = "" } = c.req.valid("query");
    const [at, before] = readCursor(cursor, 2) ?? [];
    await getConversation(deps, caller, id);
    const place = at === undefined || before === undefined ? null : { at, id: before };
    const rows = await selectMessages(deps.db, id, place, limit + 1);
    const { items, next: nextCursor } = walkBy(rows, limit, (last) => writeCursor([last.sentAt, last.id]));
    const messages = cursorPage(apiUrl(c), { data: items.map(toMessageView), limit, nextCursor });
    return c.json({ messages, status: true } as const, 200);
  });
}

function eventsRoute(app: Api): void {
  const contract = operation({
    ...READ,
    id: "conversationEvents",
    method: "get",
    path: "/social/conversation/{conversation_id}/events",
    summary: "Timeline of a conversation",
    description: "What happened with a conversation, oldest first. Events name messages and do not quote them.",
    params: ConversationParam,
    answer: z.object({ events: z.array(ConversationEventView), status: Done }),
    answerDescription: "The events.",
    example: {
      events: [
        {
          type: "message.received",
          message: "A direct message was received.",
          detail: { message_id: 30, channel_id: 12, channel_type: "facebook" },
          at: "2026-11-26T10:15:00.000+00:00",
        },
      ],
      status: true,
    },
  });
  app.openapi(contract, async (c) => {
    const { deps, caller } = c.var;
    const id = readPathId("conversation", c.req.valid("param").conversation_id);
    await getConversation(deps, caller, id);
    const events = await conversationEvents.list(deps.db, id, MOST_EVENTS);
    return c.json({ events: events.map(toEventView), status: true } as const, 200);
  });
}

function sendRoute(app: Api): void {
  const contract = operation({
    ...WRITE,
    id: "sendMessage",
    method: "post",
    path: "/social/conversation/{conversation_id}/send",
    summary: "Send a message",
    description:
      "Sends a text to the person of a conversation, at most once. The answer comes before it is sent: `message.sent` or `message.failed` follows. Outside the platform's window for answers (`can_send_until`) it is refused with `not_changeable`, and sending it again does not help until the person writes.",
    idempotent: true,
    params: ConversationParam,
    body: SendMessageBody,
    answer: z.object({ message: MessageView, status: Done }),
    answerDescription: "The message, which is being sent.",
    example: { message: EXAMPLE_MESSAGE, status: true },
  });
  app.openapi(contract, async (c) => {
    const { deps, caller } = c.var;
    const id = readPathId("conversation", c.req.valid("param").conversation_id);
    const body = c.req.valid("json");
    const wanted = { conversationId: id, text: body.text, isTyped: body.typed_by_person ?? false };
    const send = async (record: IdempotencyRecord | null) => (await requestMessage(deps, caller, wanted, record)).id;
    const messageId = await idempotently(c, { id, ...body }, send, recallMessage);
    const message = await findRequestedMessage(deps.db, caller.projectId, messageId);
    return c.json({ message: toMessageView(message), status: true } as const, 200);
  });
}

function updateRoute(app: Api): void {
  const contract = operation({
    ...WRITE,
    id: "updateConversation",
    method: "put",
    path: "/social/conversation/{conversation_id}",
    summary: "Assign, mark or annotate a conversation",
    description: "Nothing of it is visible to the person. Fields that are left out stay; null clears one.",
    params: ConversationParam,
    body: UpdateConversationBody,
    answer: z.object({ conversation: ConversationView, status: Done }),
    answerDescription: "The conversation.",
    example: { conversation: { ...EXAMPLE_CONVERSATION, state: "done", done: true }, status: true },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("conversation", c.req.valid("param").conversation_id);
    const { assigned_to: assignedTo, done: isDone, note } = c.req.valid("json");
    const changed = await updateConversation(c.var.deps, c.var.caller, id, { assignedTo, isDone, note });
    return c.json({ conversation: toConversationView(changed), status: true } as const, 200);
  });
}

function collectRoute(app: Api): void {
  const contract = operation({
    ...WRITE,
    id: "collectMessages",
    method: "post",
    path: "/social/channel/{channel_id}/messages",
    permission: "add-channels",
    summary: "Switch the collection of messages on or off",
    description:
      "Direct messages are personal data, and X charges for reading them. They are therefore read and stored only for channels that ask for it; `price` says what it costs, and the project's ceiling of platform cost applies. Switching it off deletes what is stored.",
    params: ChannelIdParam,
    body: CollectMessagesBody,
    answer: z.object({ messages: CollectionView, status: Done }),
    answerDescription: "Whether messages are collected.",
    example: {
      messages: {
        channel_id: 12,
        channel_type: "facebook",
        collects: true,
        since: "2026-11-26T10:15:00.000+00:00",
        problem: null,
        price: null,
      },
      status: true,
    },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("channel", c.req.valid("param").channel_id);
    const collection = await collectMessages(c.var.deps, c.var.caller, id, c.req.valid("json").collect);
    return c.json({ messages: toCollectionView(collection), status: true } as const, 200);
  });
}
