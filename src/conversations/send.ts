import { sql } from "drizzle-orm";
import { healthOf } from "../channels/health.ts";
import { findChannel } from "../channels/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError, absent, invalid } from "../core/errors.ts";
import { type ConversationId, idOf, type MessageId } from "../core/ids.ts";
import { grouped } from "../core/sentences.ts";
import { type IdempotencyRecord, readTogether, writeTogether } from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { jobInsertion } from "../jobs/open-jobs.ts";
import { WINDOW_CLOSED } from "../platforms/conversing.ts";
import type { Deps } from "../service/deps.ts";
import { requireConversing } from "./collect.ts";
import { MESSAGE, MESSAGE_LIMIT_MS } from "./jobs.ts";
import { insertRequested, newestMessageId, selectConversation } from "./store.ts";
import type { Message } from "./table.ts";
import { windowOf } from "./window.ts";

export interface WantedMessage {
  readonly conversationId: ConversationId;
  readonly text: string;
  /** Whether a person has typed it, who answers for it: some platforms then allow it for longer. */
  readonly isTyped: boolean;
}

const insertJob = jobInsertion(newestMessageId);

/**
 * Requests a message in a conversation: a job sends it, at most once. Errors: `not_found`; `not_changeable`
 * if the window for answers is closed; `content_invalid` for a text that is too long; `reconnect_needed`.
 */
export async function requestMessage(
  deps: Deps,
  { projectId }: Pick<Caller, "projectId">,
  { conversationId: id, text, isTyped }: WantedMessage,
  idempotency: IdempotencyRecord | null = null,
): Promise<Message> {
  const { db } = deps;
  const { conversations, record } = await readTogether(db, {
    conversations: selectConversation(db, projectId, id),
    record: idempotency?.read ?? null,
  });
  idempotency?.check(record);
  const [conversation] = conversations;
  const channel = conversation && (await findChannel(db, projectId, conversation.channelId));
  if (!conversation || !channel) throw absent("conversation", id);
  const { max, measure, unit } = requireConversing(channel).text;
  const length = measure(text);
  if (length > max) {
    const sentence = `text must have at most ${grouped(max)} ${unit} on ${channel.platform}; it has ${grouped(length)}.`;
    throw invalid({ text: [sentence] }, "content_invalid");
  }
  const now = Date.now();
  if (!windowOf(conversation, now).isOpen(isTyped)) throw new AppError("not_changeable", WINDOW_CLOSED);
  const { code, reason } = healthOf(channel, channel.grants, "messages", now);
  if (code !== null) throw new AppError("reconnect_needed", reason ?? "Reconnect the channel.");
  const job = { kind: MESSAGE, queue: "replies", projectId, runAt: now, messageAt: now, now } as const;
  const { made, sent } = await writeTogether(db, {
    made: insertRequested(db, { projectId, conversationId: id, text, isTyped }, now, sql`1`),
    sent: insertJob(db, { ...job, deadlineAt: now + MESSAGE_LIMIT_MS }),
    record: idempotency?.write(sql`CAST(${newestMessageId} AS TEXT)`) ?? null,
  });
  const [message] = made;
  if (!message) throw new Error("The message was not stored.");
  await enqueueJobs(deps, sent);
  return message;
}

export const recallMessage = (stored: string): MessageId => idOf<MessageId>(Number(stored));
