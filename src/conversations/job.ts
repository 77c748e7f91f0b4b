import { sql } from "drizzle-orm";
import { actAs } from "../acting/acting.ts";
import { paced } from "../acting/paced-act.ts";
import { MESSAGE_STEP, sendMessage } from "../acting/send-message.ts";
import { selectActor, toActor } from "../channels/store.ts";
import { type ConversationId, idOf, type MessageId } from "../core/ids.ts";
import { readTogether } from "../db/client.ts";
import { endCode, type HeldJob, type JobEnd, type JobHandler } from "../jobs/handler.ts";
import type { Finish, Journal } from "../jobs/journal.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import { WINDOW_CLOSED } from "../platforms/conversing.ts";
import type { Deps } from "../service/deps.ts";
import { noConversations } from "./collect.ts";
import { conversationEvents } from "./events.ts";
import { MESSAGE, MESSAGE_LIMIT_MS } from "./jobs.ts";
import { findOthers } from "./other-messages.ts";
import { conversationOf, isOver, noteWait, recordFailed, recordSent, selectMessage } from "./store.ts";
import { conversingOf, windowOf } from "./window.ts";

/**
 * Sends one message of a conversation: the job `message:<message id>`, opened by the request (send.ts).
 *
 *   sending ──▶ sent | failed (with its reason, in the conversation and its timeline)
 *
 * Sending is one `once` step: it happens at most once, wherever a delivery dies. A lost message is looked up
 * in the conversation. The window for answers is checked again right before the act.
 */
export const messageJob: JobHandler<Deps> = {
  kind: MESSAGE,
  queues: ["replies"],
  limitMs: () => MESSAGE_LIMIT_MS,
  isPunctual: true,
  version: 1,
  isLasting: (step) => step === MESSAGE_STEP,
  run,
  failed,
  waiting: (db, { subjectId, message }, hasLease) => [noteWait(db, idOf<MessageId>(subjectId), message, hasLease)],
};

async function run(deps: Deps, journal: Journal): Promise<void> {
  const { message, conversation, actor } = await read(deps, journal);
  // Deleted with its channel, for example.
  if (message?.state !== "sending" || !conversation || !actor) return journal.finish();
  const messages = conversingOf(conversation);
  if (!messages) throw new JobFailed("unsupported_by_platform", noConversations(conversation.platform));
  const acting = await actAs({ deps, journal, isPatient: false, act: "messages" }, actor, "messages");
  const window = windowOf(conversation, Date.now());
  if (!window.isOpen(message.isTyped) && !journal.isUnconfirmed(MESSAGE_STEP)) {
    throw new JobFailed("deadline_passed", WINDOW_CLOSED);
  }
  const turn = { projectId: message.projectId, party: `conversation:${conversation.id}` };
  const sent = await sendMessage({
    ...acting,
    messages,
    target: { personId: conversation.personId, isTyped: message.isTyped && !window.isOpen(false) },
    text: message.text,
    others: () => findOthers(deps.db, message, journal.job.key),
    intent: paced(acting, messages.pace, turn, isOver(message.id)),
    settles: ({ id }) => recordSent(deps.db, message, id, journal.hasLease),
  });
  if (sent === null) return journal.finish();
  const { projectId, channelId, platform, id: subjectId } = conversation;
  const detail = { message_id: message.id, channel_id: channelId, channel_type: platform };
  const event = { type: "message.sent", message: "The direct message was sent.", detail } as const;
  await journal.finish({
    writes: [conversationEvents.insert(deps.db, { ...event, projectId, subjectId, at: Date.now() }, journal.hasLease)],
  });
}

async function read({ db }: Deps, { job }: Journal) {
  const id = idOf<MessageId>(job.subjectId);
  const channelId = sql`(SELECT channel_id FROM conversations WHERE conversations.id = ${conversationOf(id)})`;
  const { messages, conversations, ...actor } = await readTogether(db, {
    ...selectMessage(db, id),
    ...selectActor(db, channelId),
  });
  return { message: messages[0], conversation: conversations[0], actor: toActor(actor) };
}

const DOUBT = " It may have been sent. Check the conversation before you send it again.";

function failed({ db }: Deps, { job, hasLease }: HeldJob, end: JobEnd): Finish {
  const id = idOf<MessageId>(job.subjectId);
  const code = endCode(end);
  const message = `${end.message}${end.mayBeDone ? DOUBT : ""}`;
  const of = (column: string) => sql`(SELECT ${sql.raw(column)} FROM conversations WHERE id = ${conversationOf(id)})`;
  const detail = sql`json_object('message_id', ${id}, 'channel_id', ${of("channel_id")},
    'channel_type', ${of("platform")}, 'error_code', ${code})`;
  const event = { type: "message.failed", message: `The direct message was not sent: ${message}` } as const;
  const subjectId = conversationOf(id).mapWith(Number) as ReturnType<typeof sql<ConversationId>>;
  return {
    writes: [
      conversationEvents.insertMany(
        db,
        { ...event, projectId: job.projectId, subjectId, detail, at: Date.now() },
        sql`direct_messages`,
        sql`direct_messages.id = ${id} AND state = 'sending' AND ${hasLease}`,
      ),
      recordFailed(db, id, { code, message }, hasLease),
    ],
  };
}
