import { sql } from "drizzle-orm";
import { MESSAGE_STEP } from "../acting/send-message.ts";
import { COMMENT_STEP } from "../acting/write-comment.ts";
import { selectActor, toActor } from "../channels/store.ts";
import { selectOwnIds } from "../comments/store.ts";
import type { Cause } from "../core/failures.ts";
import { idOf, type ReplyId } from "../core/ids.ts";
import { readTogether } from "../db/client.ts";
import type { HeldJob, JobHandler } from "../jobs/handler.ts";
import type { Finish, Journal } from "../jobs/journal.ts";
import type { Commenting } from "../platforms/commenting.ts";
import type { Messaging } from "../platforms/messaging.ts";
import { findPlatform } from "../platforms/registry.ts";
import { channelOf } from "../posts/fragments.ts";
import { selectPostOfJob } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import { countedChat } from "../usage/counted-chat.ts";
import type { Answering } from "./answering.ts";
import { conclude, end, ending, sentOf, unconfirmedEnd } from "./conclusion.ts";
import { REPLY, REPLY_LIMIT_MS } from "./jobs.ts";
import { type Ending, endReply, selectEnd } from "./reply-ends.ts";
import { answerInPrivate, answerInPublic } from "./reply-parts.ts";
import { noteWait, recordPart, selectReply } from "./reply-store.ts";
import { selectAutomation } from "./store.ts";
import type { ReplyPart } from "./stored.ts";
import { decideTexts } from "./texts.ts";

/**
 * Answers one comment for one automation: the job `reply:<reply id>`, opened where the comment came in
 * (ingest.ts).
 *
 *   waiting ──▶ replied | partly_replied | skipped | failed (each with its reason, in the log)
 *
 * The public answer and the direct message are parts of their own: each is sent at most once, neither waits
 * for the other, and one that fails leaves the other alone. Nothing is begun once the automation was stopped
 * or the post deleted; what was begun is settled.
 */
export const replyJob: JobHandler<Deps> = {
  kind: REPLY,
  queues: ["replies"],
  limitMs: () => REPLY_LIMIT_MS,
  isPunctual: true,
  version: 1,
  isLasting: (step) => step === COMMENT_STEP || step === MESSAGE_STEP || step === "texts" || step === "model",
  run,
  failed: (deps, job, end, journal) => (journal ? replyFailure(deps, journal, end) : unreadableFailure(deps, job, end)),
  // The log shows what an answer waits for.
  waiting: (db, { subjectId, message }, hasLease) => [noteWait(db, idOf<ReplyId>(subjectId), message, hasLease)],
};

async function run(deps: Deps, journal: Journal): Promise<void> {
  const { reply, comment, automation, post, ownIds, actor, over } = await read(deps, journal);
  if (reply?.outcome !== "waiting") return journal.finish();
  const isBegun =
    journal.isUnconfirmed(COMMENT_STEP) || journal.isUnconfirmed(MESSAGE_STEP) || sentOf(journal) !== null;
  if (over !== null && !isBegun) return journal.finish(end({ deps, journal, reply }, ending(over)));
  if (!comment || !automation || !post || !actor) {
    return journal.finish(end({ deps, journal, reply }, ending("post_gone")));
  }
  // A generated answer differs from the one that may exist, so no look-up would find that one.
  if (journal.setBack && comment.createdAt <= journal.setBack.until && !isBegun) {
    return journal.finish(end({ deps, journal, reply }, ending("restored")));
  }
  const answering = { deps, journal, reply, comment, automation, post, ownIds, actor };
  const platform = findPlatform(post.channelType);
  const comments = platform?.comments;
  const messages = platform?.messages;
  const modelCaller = { projectId: reply.projectId, automationId: automation.id, isTrial: false };
  const texts = await decideTexts(
    { chatFor: (project) => countedChat(deps, modelCaller, deps.chatFor(project)) },
    journal,
    { automation, post, comment, rules: rulesOf(answering, comments, messages) },
    actor.project,
  );
  const ends = await journal.runBranches({
    public: isWaiting(reply.commentPart) ? async () => void (await answerInPublic(answering, comments, texts)) : null,
    private: isWaiting(reply.messagePart) ? () => answerInPrivate(answering, messages, texts) : null,
  });
  await journal.finish(await conclude(answering, texts, { comment: ends.public, message: ends.private }));
}

const isWaiting = (part: ReplyPart | null): boolean => part?.state === "waiting" || part?.state === "sent";

async function read(deps: Deps, { job }: Journal) {
  const { db } = deps;
  const id = idOf<ReplyId>(job.subjectId);
  const of = (column: string) => sql`(SELECT ${sql.raw(column)} FROM replies WHERE replies.id = ${id})`;
  const { replies, comments, automations, posts, ends, own, ...actor } = await readTogether(db, {
    ...selectReply(db, id),
    automations: selectAutomation(db, of("automation_id")),
    posts: selectPostOfJob(db, of("post_id")),
    ends: selectEnd(db, id),
    own: selectOwnIds(db, of("post_id")),
    ...selectActor(db, channelOf(of("post_id"))),
  });
  return {
    reply: replies[0],
    comment: comments[0],
    automation: automations[0],
    post: posts[0],
    ownIds: own.map((one) => one.id),
    actor: toActor(actor),
    over: ends[0]?.why ?? null,
  };
}

function rulesOf({ reply, actor }: Answering, comments: Commenting | undefined, messages: Messaging | undefined) {
  return {
    comment: reply.commentPart && comments ? comments.text(actor.channel.attributes) : null,
    message: reply.messagePart && messages ? messages.text : null,
  };
}

async function replyFailure(deps: Deps, journal: Journal, cause: Cause): Promise<Finish> {
  const { reply } = await read(deps, journal);
  if (reply?.outcome !== "waiting") return {};
  const sent = sentOf(journal);
  const missing = (["comment", "message"] as const).flatMap((part) => {
    const row = part === "comment" ? reply.commentPart : reply.messagePart;
    if (row?.state !== "waiting" || sent?.[part]) return [];
    return [{ part, ...unconfirmedEnd(journal, part === "comment" ? COMMENT_STEP : MESSAGE_STEP, cause) }];
  });
  const parts = missing.map(({ part, code, message }) =>
    recordPart(deps.db, { id: reply.id, part }, { state: "not_sent", code, message }, journal.hasLease),
  );
  const { code, message } = missing.find((one) => one.code === "may_be_published") ?? missing[0] ?? cause;
  const isWhole = sent !== null && missing.length === 0;
  const outcome = sent === null ? "failed" : "partly_replied";
  const result: Ending = isWhole
    ? { outcome: "replied", reason: null, message: "Answered." }
    : { outcome, reason: code, message };
  return end({ deps, journal, reply }, result, parts);
}

function unreadableFailure(deps: Deps, { job, hasLease }: HeldJob, { message: why }: Cause): Finish {
  const what = { outcome: "failed", reason: "may_be_published", message: `${why} It may have been answered.` } as const;
  return { writes: [endReply(deps.db, idOf<ReplyId>(job.subjectId), what, hasLease)] };
}
