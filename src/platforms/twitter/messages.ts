import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure, Pace } from "../context.ts";
import type { Conversing, MessagesRead, ReadMessage } from "../conversing.ts";
import { PlatformId } from "../json.ts";
import {
  CLOCK_SLACK_MS,
  hasPerhapsOurs,
  type Listed,
  lenient,
  lenientList,
  nearestTo,
  readList,
  shownText,
  shownTime,
} from "../lists.ts";
import type { FindMessage, FindMessageOutcome, MessageOutcome, Messaging } from "../messaging.ts";
import { perhapsLive, rejected, unknown } from "../outcomes.ts";
import type { TextRules } from "../rules.ts";
import type { Likeness } from "../similar-text.ts";
import { interpret, request } from "./api.ts";
import { X } from "./errors.ts";
import { likenessTo } from "./likeness.ts";
import { Entities, listOf, type User } from "./listed.ts";

/**
 * Direct messages to people who replied, and conversations. X has no idempotency key and accepts the same
 * message twice. So a lost one is looked up in the conversation, among the messages that we sent.
 *
 * - Reading is charged for each message that is returned, and for each sender. So the newest message alone is
 *   read first, and the others only if it is new.
 * - X reports new messages by webhooks too, for the same price, but a charge that X begins cannot be held to
 *   a project's ceiling. So messages are found by reading only.
 * - A conversation of two has both their ids as its id; any other is a group.
 * - The sender comes by an expansion: since OpenAPI 2.167 `sender_id` is no field, and X refuses it as one.
 */

const MAX_CHARACTERS = 10_000;
/** How late X may list a message is not documented; assumed to be as late as its other lists. */
const LIST_LAG_SECONDS = 600;
const MAX_PAGES = 2;
const READ_PAGE = 20;
const MAX_READ_PAGES = 5;

const Sent = z.object({ data: z.object({ dm_event_id: PlatformId }) });

async function send(context: AccountContext, personId: string, text: string): Promise<MessageOutcome> {
  const path = `dm_conversations/with/${personId}/messages`;
  const answer = interpret(context, await request(context, { method: "POST", path, json: { text } }), Sent);
  return answer.kind === "ok" ? { kind: "sent", id: answer.value.data.dm_event_id } : answer;
}

const NO_AUTHOR = "X does not show the author of this reply, so no message can be sent.";

const Event = z.object({
  id: PlatformId,
  text: shownText,
  created_at: shownTime,
  sender_id: lenient(PlatformId),
  dm_conversation_id: lenient(PlatformId),
  attachments: lenient(z.object({ media_keys: lenientList(z.string()) })),
  entities: Entities,
});
type Event = z.output<typeof Event>;
const Events = listOf(Event);

async function find(
  context: AccountContext,
  personId: string,
  { text, since, taken }: FindMessage,
): Promise<FindMessageOutcome> {
  const listed = await list(context, personId, since - CLOCK_SLACK_MS);
  if (listed.kind === "failed") return listed;
  const likeness = likenessTo({ text, hasMedia: false });
  // An unreadable text may be any text.
  const likenessOf = ({ id, text: written, entities }: Event): Likeness =>
    written === null ? "similar" : likeness({ id, text: written, links: entities?.urls ?? [], isCut: false });
  const isAlike = (written: string) => likeness({ id: "", text: written, links: [], isCut: false }) !== "different";
  const oldest = since - CLOCK_SLACK_MS;
  const alike = listed.items
    .filter(({ id }) => !taken.has(id))
    .filter(({ sender_id = context.account.id }) => sender_id === context.account.id)
    .map((event) => ({ event, likeness: likenessOf(event), isSigned: event.sender_id !== undefined }))
    .filter((one) => one.likeness !== "different");
  const same = alike.filter((one) => one.likeness === "same" && one.isSigned).map(({ event }) => event);
  const ours = nearestTo(since, same, sentAt);
  if (ours) return { kind: "found", id: ours.id };
  if (alike.length > 0 || hasPerhapsOurs(listed.odd, { oldest, taken, isAlike }))
    return perhapsLive("X shows a new message that may be this one, but not enough of it to decide.");
  return listed.isWhole ? { kind: "absent" } : unknown("The conversation has more new messages than were read.");
}

/** The newest first, back to the start of the attempt. */
function list(context: AccountContext, participant: string, oldest: number): Promise<Listed<Event> | Failure> {
  const path = `dm_conversations/with/${participant}/dm_events`;
  const isNew = (event: Event) => !(sentAt(event) < oldest);
  return readList<Event, Failure>(MAX_PAGES, async (pagination_token) => {
    const fields = "id,text,created_at,entities";
    const named = { event_types: "MessageCreate", "dm_event.fields": fields, expansions: "sender_id" };
    const query = { max_results: 100, ...named, pagination_token };
    const events = interpretRead(X, await request(context, { method: "GET", path, query }), Events, context.now);
    if (events.kind === "failed") return events;
    const { items, odd, next } = events.value;
    return { kind: "page", items: items.filter(isNew), odd, isLast: next === null || !items.every(isNew), next };
  });
}

const sentAt = ({ created_at }: Event): number => created_at;

async function readSince(context: AccountContext, since: number): Promise<MessagesRead | Failure> {
  const fields = "id,text,event_type,created_at,dm_conversation_id,attachments";
  const readPage = async (query: Readonly<Record<string, string | number | undefined>>) => {
    const given = { event_types: "MessageCreate", "dm_event.fields": fields, ...query };
    return interpretRead(
      X,
      await request(context, { method: "GET", path: "dm_events", query: given }),
      Events,
      context.now,
    );
  };
  const isNew = (event: Event) => !(sentAt(event) < since);
  const newest = await readPage({ max_results: 1 });
  if (newest.kind === "failed") return newest;
  if (!newest.value.items.some(isNew)) return { kind: "read", messages: [] };
  const messages: ReadMessage[] = [];
  let pagination_token: string | undefined;
  for (let count = 0; count < MAX_READ_PAGES; count += 1) {
    const query = { max_results: READ_PAGE, expansions: "sender_id", "user.fields": "name,username", pagination_token };
    const page = await readPage(query);
    if (page.kind === "failed") return page;
    const { items, users, next } = page.value;
    messages.push(...items.filter(isNew).flatMap((event) => toMessage(context, event, users)));
    if (next === null || next === pagination_token || !items.every(isNew)) break;
    pagination_token = next;
  }
  return { kind: "read", messages };
}

function toMessage({ account }: AccountContext, event: Event, users: readonly User[]): ReadMessage[] {
  const { id, text, sender_id, dm_conversation_id = "", attachments } = event;
  const members = dm_conversation_id.split("-");
  const personId = members.find((one) => one !== account.id);
  if (sender_id === undefined || personId === undefined || members.length !== 2 || !Number.isFinite(sentAt(event))) {
    return [];
  }
  const user = users.find((one) => one.id === personId);
  return [
    {
      id,
      person: { id: personId, name: user?.name ?? user?.username ?? null },
      isOwn: sender_id === account.id,
      text: text ?? "",
      attachments: (attachments?.media_keys ?? []).map(() => ({ type: "media", url: null })),
      sentAt: sentAt(event),
    },
  ];
}

const text: TextRules = { max: MAX_CHARACTERS, measure: (words) => words.length, unit: "characters" };
// X's limit for this period; 1,440 a day allow the same rate.
const pace: Pace = { most: 15, perSeconds: 15 * 60, scope: "account" };

export const messages: Messaging = {
  text,
  windowSeconds: null,
  pace,
  lagSeconds: LIST_LAG_SECONDS,
  refusesRepeat: false,
  send: async (context, { comment: { author } }, words) =>
    author === null ? rejected(NO_AUTHOR) : send(context, author.id, words),
  find: async (context, { comment: { author } }, wanted) =>
    author === null ? { kind: "absent" } : find(context, author.id, wanted),
};

export const conversations: Conversing = {
  text,
  pace,
  window: null,
  readPrice: "message_read",
  lagSeconds: LIST_LAG_SECONDS,
  refusesRepeat: false,
  read: readSince,
  send: (context, { personId }, words) => send(context, personId, words),
  find: (context, { personId }, wanted) => find(context, personId, wanted),
};
