import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import {
  CLOCK_SLACK_MS,
  hasPerhapsOurs,
  type Listed,
  lenient,
  nearestTo,
  readList,
  shownText,
  shownTime,
} from "../lists.ts";
import type { FindMessage, FindMessageOutcome, MessageOutcome, MessageTarget, Messaging } from "../messaging.ts";
import { perhapsLive, rejected, unknown } from "../outcomes.ts";
import type { Likeness } from "../similar-text.ts";
import { interpret, request } from "./api.ts";
import { X } from "./errors.ts";
import { likenessTo } from "./likeness.ts";
import { Entities, listOf } from "./listed.ts";

/**
 * Direct messages to people who replied. X has no idempotency key and accepts the same message twice. So a
 * lost one is looked up in the conversation, among the messages that we sent.
 */

const MAX_CHARACTERS = 10_000;
/** How late X may list a message is not documented; assumed to be as late as its other lists. */
const LIST_LAG_SECONDS = 600;
const MAX_PAGES = 2;

const Sent = z.object({ data: z.object({ dm_event_id: PlatformId }) });

async function send(context: AccountContext, { comment }: MessageTarget, text: string): Promise<MessageOutcome> {
  if (comment.author === null) return rejected(NO_AUTHOR);
  const path = `dm_conversations/with/${comment.author.id}/messages`;
  const answer = interpret(context, await request(context, { method: "POST", path, json: { text } }), Sent);
  return answer.kind === "ok" ? { kind: "sent", id: answer.value.data.dm_event_id } : answer;
}

const NO_AUTHOR = "X does not show the author of this reply, so no message can be sent.";

const Event = z.object({
  id: PlatformId,
  text: shownText,
  created_at: shownTime,
  sender_id: lenient(PlatformId),
  entities: Entities,
});
type Event = z.output<typeof Event>;
const Events = listOf(Event);

async function find(
  context: AccountContext,
  { comment }: MessageTarget,
  { text, since, taken }: FindMessage,
): Promise<FindMessageOutcome> {
  if (comment.author === null) return { kind: "absent" };
  const listed = await list(context, comment.author.id, since - CLOCK_SLACK_MS);
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
    const fields = "id,text,created_at,sender_id,entities";
    const query = { max_results: 100, event_types: "MessageCreate", "dm_event.fields": fields, pagination_token };
    const events = interpretRead(X, await request(context, { method: "GET", path, query }), Events, context.now);
    if (events.kind === "failed") return events;
    const { items, odd, next } = events.value;
    return { kind: "page", items: items.filter(isNew), odd, isLast: next === null || !items.every(isNew), next };
  });
}

const sentAt = ({ created_at }: Event): number => created_at;

export const messages: Messaging = {
  text: { max: MAX_CHARACTERS, measure: (text) => text.length, unit: "characters" },
  windowSeconds: null,
  // X's limit for this period; 1,440 a day allow the same rate.
  pace: { most: 15, perSeconds: 15 * 60, scope: "account" },
  lagSeconds: LIST_LAG_SECONDS,
  refusesRepeat: false,
  send,
  find,
};
