import { z } from "zod";
import type { AccountContext } from "../context.ts";
import { CLOCK_SLACK_MS } from "../lists.ts";
import type { FindMessageOutcome, MessageTarget, Messaging } from "../messaging.ts";
import { metaConversations } from "../meta/conversations.ts";
import { get } from "../meta/graph.ts";
import { PACE, replyPrivately, WINDOW_SECONDS } from "../meta/private-replies.ts";
import { unknown } from "../outcomes.ts";
import type { TextRules } from "../rules.ts";
import { graphOf } from "./api.ts";

/**
 * A direct message of the Page to a commenter (facebook.md §4.3, meta/private-replies.ts), and the Page's
 * conversations (meta/conversations.ts).
 *
 * - Each comment can be answered by one message, so the comment shows whether a lost message was sent. Its id
 *   stays unknown: no list shows messages by comment.
 */
const MAX_CHARACTERS = 2_000;
const LAG_SECONDS = 60;

const Answerable = z.object({ can_reply_privately: z.boolean().nullish() });

async function find(context: AccountContext, { comment }: MessageTarget): Promise<FindMessageOutcome> {
  const read = await graphOf(context).read(get(comment.id, { fields: "can_reply_privately" }), Answerable);
  if (read.kind === "failed") return read;
  const { can_reply_privately: isOpen = null } = read.value;
  if (isOpen === true) return { kind: "absent" };
  // After a week no message is possible, whether or not one was sent.
  const isOver = context.now - comment.createdAt > WINDOW_SECONDS * 1000 - CLOCK_SLACK_MS;
  if (isOpen === null || isOver)
    return unknown("Facebook does not report whether the comment was answered by a message.");
  return { kind: "found", id: null };
}

const text: TextRules = { max: MAX_CHARACTERS, measure: (value) => [...value].length, unit: "characters" };

export const messages: Messaging = {
  text,
  windowSeconds: WINDOW_SECONDS,
  pace: PACE,
  lagSeconds: LAG_SECONDS,
  refusesRepeat: true,
  send: (context, to, text) => replyPrivately(graphOf(context), context.account.id, to, text),
  find,
};

export const conversations = metaConversations({
  platform: "messenger",
  text,
  senderOf: async (context) => ({ kind: "node", id: context.account.id, graph: graphOf(context) }),
});
