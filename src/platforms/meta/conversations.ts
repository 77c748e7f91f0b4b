import { z } from "zod";
import type { AccountContext, Failure, Pace } from "../context.ts";
import { type Conversing, type MessagesRead, type ReadMessage, type Recipient, WINDOW_CLOSED } from "../conversing.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, lenient, lenientList, nearestTo, readable, shownText, shownTime } from "../lists.ts";
import type { FindMessage, FindMessageOutcome, MessageOutcome } from "../messaging.ts";
import { unknown } from "../outcomes.ts";
import type { Answered, Lost } from "../request.ts";
import type { TextRules } from "../rules.ts";
import { foldText } from "../similar-text.ts";
import { errorOf } from "./errors.ts";
import { type GraphClient, get, post } from "./graph.ts";
import { isAboutPerson, Sent } from "./private-replies.ts";

/**
 * Conversations of a Page or an Instagram account (docs/platforms/facebook.md). Both products work alike.
 *
 * - Only people start conversations. An answer is allowed for a day after the person's last message. One that
 *   a person has typed is allowed for a week, with the tag HUMAN_AGENT.
 * - The list of conversations is ordered by their newest message. Graph shows the newest twenty messages of
 *   each, so reading follows them for that long without a webhook.
 * - Meta accepts the same message twice. So a lost one is looked up in the conversation, by its text.
 */
const DAY_SECONDS = 24 * 3600;
const WINDOW = { seconds: DAY_SECONDS, typedSeconds: 7 * DAY_SECONDS };
/** The documented limit of calls that send text is far higher: 300 a second. */
const PACE: Pace = { most: 200, perSeconds: 3600, scope: "account" };
const LAG_SECONDS = 60;
const MAX_PAGES = 4;
const PAGE_SIZE = 25;
const SHOWN = 20;

const Person = z.object({ id: PlatformId, name: lenient(z.string()), username: lenient(z.string()) });
const Attachments = lenient(
  z.object({
    data: readable(
      z.object({
        mime_type: lenient(z.string()),
        image_data: lenient(z.object({ url: lenient(z.string()) })),
        video_data: lenient(z.object({ url: lenient(z.string()) })),
        file_url: lenient(z.string()),
      }),
    ),
  }),
);
const Message = z.object({
  id: PlatformId,
  message: shownText,
  from: lenient(z.object({ id: PlatformId })),
  created_time: shownTime,
  attachments: Attachments,
});
const Conversation = z.object({
  updated_time: shownTime,
  participants: lenient(z.object({ data: lenientList(Person) })),
  messages: lenient(z.object({ data: lenientList(Message) })),
});
type Conversation = z.output<typeof Conversation>;

/** The sender: the Page or account whose token `graph` uses. */
export interface Sender {
  readonly kind: "node";
  readonly id: string;
  readonly graph: GraphClient;
}

interface Product {
  readonly platform: "messenger" | "instagram";
  readonly text: TextRules;
  senderOf(context: AccountContext): Promise<Sender | Failure>;
}

export function metaConversations({ platform, text, senderOf }: Product): Conversing {
  async function list(
    context: AccountContext,
    since: number,
    query: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly conversations: readonly Conversation[]; readonly isWhole: boolean } | Failure> {
    const sender = await senderOf(context);
    if (sender.kind === "failed") return sender;
    const fields = `updated_time,participants,messages.limit(${SHOWN}){id,message,from,created_time,attachments}`;
    const conversations: Conversation[] = [];
    let after: string | undefined;
    const most = sender.graph.pagesFor(MAX_PAGES);
    for (let count = 0; count < most(); count += 1) {
      const call = get(`${sender.id}/conversations`, { platform, fields, limit: PAGE_SIZE, ...query, after });
      const page = sender.graph.interpretPage(await sender.graph.request(call), Conversation, after);
      if (page.kind === "failed") return page;
      conversations.push(...page.items.filter(({ updated_time }) => !(updated_time < since)));
      const isOver = page.items.some(({ updated_time }) => updated_time < since);
      if (page.isLast || isOver) return { conversations, isWhole: true };
      if (page.next === null || page.next === after) break;
      after = page.next;
    }
    return { conversations, isWhole: false };
  }

  return {
    text,
    pace: PACE,
    window: WINDOW,
    lagSeconds: LAG_SECONDS,
    refusesRepeat: false,

    async read(context, since): Promise<MessagesRead | Failure> {
      const listed = await list(context, since);
      if ("kind" in listed) return listed;
      const messages = listed.conversations.flatMap((one) => messagesOf(context, one));
      return { kind: "read", messages: messages.filter(({ sentAt }) => sentAt >= since) };
    },

    async send(context, to, words): Promise<MessageOutcome> {
      const sender = await senderOf(context);
      return sender.kind === "failed" ? sender : send(sender, to, words);
    },

    async find(context, { personId }, { text: words, since, taken }: FindMessage): Promise<FindMessageOutcome> {
      const oldest = since - CLOCK_SLACK_MS;
      const listed = await list(context, Number.NEGATIVE_INFINITY, { user_id: personId });
      if ("kind" in listed) return listed;
      const shown = listed.conversations.flatMap((one) => one.messages?.data ?? []);
      const ours = shown.filter(
        ({ id, from, message, created_time }) =>
          from?.id !== personId &&
          !taken.has(id) &&
          !(created_time < oldest) &&
          foldText(message ?? "") === foldText(words),
      );
      const found = nearestTo(since, ours, ({ created_time }) => created_time);
      if (found) return { kind: "found", id: found.id };
      const isCut = shown.length >= SHOWN && shown.every(({ created_time }) => created_time >= oldest);
      return isCut ? unknown("The conversation has more new messages than the platform shows.") : { kind: "absent" };
    },
  };
}

/** None of a conversation with several people. */
function messagesOf({ account }: AccountContext, { participants, messages }: Conversation): ReadMessage[] {
  const isOurs = ({ id, username }: z.output<typeof Person>) =>
    id === account.id || (account.username !== null && username === account.username);
  const [other, ...others] = (participants?.data ?? []).filter((one) => !isOurs(one));
  if (!other || others.length > 0) return [];
  const person = { id: other.id, name: other.name ?? other.username ?? null };
  return (messages?.data ?? []).flatMap(({ id, message, from, created_time, attachments }) =>
    Number.isFinite(created_time) && from
      ? [
          {
            id,
            person,
            isOwn: from.id !== other.id,
            text: message ?? "",
            attachments: (attachments?.data ?? []).map((one) => ({
              type: one.mime_type?.split("/")[0] ?? "file",
              url: one.image_data?.url ?? one.video_data?.url ?? one.file_url ?? null,
            })),
            sentAt: created_time,
          },
        ]
      : [],
  );
}

/** The window is closed, in the numbers of both products. */
const CLOSED: ReadonlySet<number> = new Set([2018278, 2534022, 2534044]);
/** The Page may send nothing for a while. */
const RESTRICTED = 1893063;

async function send({ graph, id }: Sender, { personId, isTyped }: Recipient, text: string): Promise<MessageOutcome> {
  const type = isTyped ? { messaging_type: "MESSAGE_TAG", tag: "HUMAN_AGENT" } : { messaging_type: "RESPONSE" };
  const form = { recipient: JSON.stringify({ id: personId }), message: JSON.stringify({ text }), ...type };
  const answer = await graph.request(post(`${id}/messages`, form));
  const outcome = graph.interpretWrite(answer, Sent);
  if (outcome.kind === "ok") return { kind: "sent", id: outcome.value.message_id ?? null };
  return outcome.kind === "failed" ? weighed(outcome, answer) : outcome;
}

function weighed(failure: Failure, answer: Answered | Lost): Failure {
  const subcode = errorOf(answer)?.error_subcode ?? 0;
  if (CLOSED.has(subcode)) return { kind: "failed", reason: "rejected", message: WINDOW_CLOSED };
  if (subcode === RESTRICTED) {
    const message = "The platform does not let this account send messages for now.";
    return { kind: "failed", reason: "throttled", code: "account_restricted", message, retryAfterSeconds: 3600 };
  }
  const isMisnamed = failure.reason === "permission_missing" && isAboutPerson(answer);
  return isMisnamed ? { ...failure, reason: "rejected" } : failure;
}
