import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, lenient, lenientList, nearestTo, shownText, shownTime } from "../lists.ts";
import type { FindMessage, FindMessageOutcome, MessageTarget, Messaging } from "../messaging.ts";
import { metaConversations } from "../meta/conversations.ts";
import { get } from "../meta/graph.ts";
import { PACE, replyPrivately, WINDOW_SECONDS } from "../meta/private-replies.ts";
import type { TextRules } from "../rules.ts";
import { foldText } from "../similar-text.ts";
import { loginOf } from "./api.ts";
import { nodeOf } from "./page.ts";

/**
 * A direct message to a commenter (instagram.md §3.3, meta/private-replies.ts), and conversations
 * (meta/conversations.ts).
 *
 * - A lost message is looked up in the conversation with the commenter, if it is readable. Otherwise another
 *   attempt is refused if the first one was sent.
 */
const MAX_BYTES = 1_000;
const LAG_SECONDS = 60;
/** Conversations with one person; at most one exists. */
const MAX_LIST_PAGES = 3;
/** As Graph has it without `limit`: smaller ones are requested by it. */
const PAGE_SIZE = 25;

const Message = z.object({
  id: lenient(PlatformId),
  message: shownText,
  from: lenient(z.object({ id: PlatformId })),
  created_time: shownTime,
});
const Conversation = z.object({ messages: lenient(z.object({ data: lenientList(Message) })) });

async function find(
  context: AccountContext,
  { comment: { author } }: MessageTarget,
  { text, since, taken }: FindMessage,
): Promise<FindMessageOutcome> {
  if (author === null || loginOf(context.account) === "instagram") return { kind: "absent" };
  const node = await nodeOf(context);
  if (node.kind === "failed") return node;
  const fields = "messages{id,message,from,created_time}";
  const query = { platform: "instagram", user_id: author.id, fields, limit: PAGE_SIZE };
  const readPage = (after: string | undefined) =>
    node.graph.request(get(`${node.id}/conversations`, { ...query, after }));
  const listed = await node.graph.list(readPage, Conversation, MAX_LIST_PAGES);
  if (listed.kind === "failed") return isForNow(listed) ? listed : { kind: "absent" };
  const ours = listed.items
    .flatMap(({ messages }) => messages?.data ?? [])
    .filter(
      (one) =>
        one.from?.id !== author.id &&
        !taken.has(one.id ?? "") &&
        foldText(one.message ?? "") === foldText(text) &&
        one.created_time >= since - CLOCK_SLACK_MS,
    );
  const found = nearestTo(since, ours, ({ created_time }) => created_time);
  return found ? { kind: "found", id: found.id ?? null } : { kind: "absent" };
}

/** Other refusals mean that the connection may not read conversations. */
const isForNow = ({ reason }: Failure) => ["throttled", "down", "token_expired", "disconnected"].includes(reason);

const text: TextRules = {
  max: MAX_BYTES,
  measure: (value) => new TextEncoder().encode(value).byteLength,
  unit: "bytes",
};

export const messages: Messaging = {
  text,
  windowSeconds: WINDOW_SECONDS,
  pace: PACE,
  lagSeconds: LAG_SECONDS,
  refusesRepeat: true,
  async send(context, to, words) {
    const node = await nodeOf(context);
    return node.kind === "failed" ? node : replyPrivately(node.graph, node.id, to, words);
  },
  find,
};

export const conversations = metaConversations({ platform: "instagram", text, senderOf: nodeOf });
