import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { type ActingAs, actAs } from "../channels/acting.ts";
import { healthOf } from "../channels/health.ts";
import { reserve } from "../channels/pace.ts";
import { selectActor, toActor } from "../channels/store.ts";
import type { Cause, FailureCode } from "../core/failures.ts";
import { idOf, type ReplyId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import type { Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { type GaveUp, GiveUp, type WaitCause } from "../jobs/once.ts";
import type { JobHandler } from "../jobs/runner.ts";
import type { Journal } from "../jobs/steps.ts";
import type { Job } from "../jobs/store.ts";
import type { Commenting, Pace } from "../platforms/commenting.ts";
import type { Messaging } from "../platforms/messaging.ts";
import type { Capability } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { TextRules } from "../platforms/rules.ts";
import { COMMENT_STEP } from "../posts/jobs.ts";
import { type Post, selectPostOfJob } from "../posts/store.ts";
import { type Commented, writeComment } from "../posts/write-comment.ts";
import { noMessagesSentence } from "./decide.ts";
import { automationEvents } from "./events.ts";
import { MESSAGE_STEP, REPLY, REPLY_LIMIT_MS } from "./jobs.ts";
import { sendMessage } from "./message.ts";
import { findOtherMessages, findWrittenTo, isWrittenTo } from "./other-messages.ts";
import { type Ending, endReply, isOver, releaseAuthor, selectEnd } from "./reply-ends.ts";
import {
  keepOwnComment,
  markLeg,
  noteWait,
  type Reply,
  type SeenComment,
  selectReply,
  toAnswered,
} from "./reply-store.ts";
import { selectAutomation } from "./store.ts";
import { ENDS, type End, type Leg, type ReplyReason, SKIPS } from "./stored.ts";
import type { Automation } from "./table.ts";
import { decideTexts, rewriteTexts, type Texts } from "./texts.ts";

/**
 * Answers one comment for one automation: the job `reply:<reply id>`, opened where the comment came in (intake.ts).
 *
 *   waiting ──▶ replied | partly_replied | skipped | failed (each with its reason, in the log)
 *
 * The public answer and the direct message are legs of their own: each goes out at most once, neither waits for the other, and one that
 * fails leaves the other alone. Nothing is begun once the automation was stopped or the post deleted; what was begun is settled.
 */
export const replyJob: JobHandler<Deps> = {
  kind: REPLY,
  queues: ["replies"],
  limitMs: () => REPLY_LIMIT_MS,
  version: 1,
  isLasting: (step) => step === COMMENT_STEP || step === MESSAGE_STEP || step === "texts" || step === "model",
  run,
  fail,
  abandon,
  waiting,
};

interface Answering {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly reply: Reply;
  readonly comment: SeenComment;
  readonly automation: Automation;
  readonly post: Post;
  readonly actor: NonNullable<ReturnType<typeof toActor>>;
}

async function run(deps: Deps, journal: Journal): Promise<void> {
  const { reply, comment, automation, post, actor, over } = await read(deps, journal);
  if (reply?.outcome !== "waiting") {
    await journal.finish([]);
    return;
  }
  const isBegun = journal.isBegun(COMMENT_STEP) || journal.isBegun(MESSAGE_STEP) || sentOf(journal) !== null;
  if (over !== null && !isBegun) return end(deps, journal, reply, ending(over));
  if (!comment || !automation || !post || !actor) return end(deps, journal, reply, ending("post_gone"));
  const answering = { deps, journal, reply, comment, automation, post, actor };
  const platform = findPlatform(post.channelType);
  const comments = platform?.comments;
  const messages = platform?.messages;
  const texts = await decideTexts(
    deps,
    journal,
    { automation, post, comment, rules: rulesOf(answering, comments, messages) },
    actor.project,
  );
  const ends = await journal.legs({
    public: isWaiting(reply.commentLeg) ? async () => void (await answerInPublic(answering, comments, texts)) : null,
    private: isWaiting(reply.messageLeg) ? () => answerInPrivate(answering, messages, texts) : null,
  });
  await conclude(answering, texts, { comment: ends.public, message: ends.private });
}

const isWaiting = (leg: Leg | null): boolean => leg?.state === "waiting" || leg?.state === "sent";

async function read(deps: Deps, { job }: Journal) {
  const { db } = deps;
  const id = idOf<ReplyId>(job.subjectId);
  const of = (column: string) => sql`(SELECT ${sql.raw(column)} FROM replies WHERE replies.id = ${id})`;
  const channelId = sql`(SELECT channel_id FROM posts WHERE posts.id = ${of("post_id")})`;
  const [[reply], [comment], [automation], [post], [ended], ...actor] = await db.batch([
    ...selectReply(db, id),
    selectAutomation(db, of("automation_id")),
    selectPostOfJob(db, of("post_id")),
    selectEnd(db, id),
    ...selectActor(db, channelId),
  ]);
  return { reply, comment, automation, post, actor: toActor(...actor), over: ended?.why ?? null };
}

function rulesOf({ reply, actor }: Answering, comments: Commenting | undefined, messages: Messaging | undefined) {
  return {
    comment: reply.commentLeg && comments ? comments.text(actor.channel.attributes) : null,
    message: reply.messageLeg && messages ? messages.text : null,
  };
}

// --- the two legs ---------------------------------------------------------------------------------------------

async function answerInPublic(
  answering: Answering,
  comments: Commenting | undefined,
  texts: Texts,
): Promise<Commented | null> {
  const { deps, journal, actor, reply, comment, post } = answering;
  const text = requireText(texts.comment, texts.note);
  const [live] = post.platformPosts;
  if (!comments || !live) throw new GiveUp("unsupported_by_platform", `There are no comments on ${post.channelType}.`);
  const act = comments.allowance ?? "comments";
  const acting = await actAs({ deps, journal, isPatient: isPatient(answering, "replies"), act }, actor, "replies");
  requireLength(text, comments.text(actor.channel.attributes));
  await awaitTurn(acting, "slot:comment", COMMENT_STEP, comments.pace);
  return writeComment({
    ...acting,
    comments,
    target: { post: live, comment: toAnswered(comment) },
    text,
    endsDoubt: true,
    taken: new Set(post.platformPosts.map(({ id }) => id)),
    unless: isOver(reply.id),
    repeated: async () => {
      const other = { ...texts, comment: addressed(text, comment.authorName, comments.text(actor.channel.attributes)) };
      await rewriteTexts(journal, other);
      return answerInPublic(answering, comments, other);
    },
    settles: ({ id }) => {
      const now = Date.now();
      return [
        markLeg(deps.db, reply.id, "comment", { state: "sent", text, id, at: now }, now, journal.held),
        keepOwnComment(deps.db, post.id, { id, text, author: actor.channel.accountId, at: now }, journal.held),
      ];
    },
  });
}

/** The same answer for somebody else, where a platform takes no text of an account twice. */
function addressed(text: string, name: string | null, rules: TextRules): string {
  const other = `@${name} ${text}`;
  if (name !== null && !text.startsWith("@") && rules.measure(other) <= rules.max) return other;
  throw new GiveUp("duplicate", "The platform takes no text twice, and the channel wrote this one before.");
}

async function answerInPrivate(answering: Answering, messages: Messaging | undefined, texts: Texts): Promise<void> {
  const { deps, journal, actor, reply, comment, post } = answering;
  const text = requireText(texts.message, texts.note);
  const [live] = post.platformPosts;
  if (!messages || !live) throw new GiveUp("unsupported_by_platform", noMessagesSentence(post.channelType));
  const patience = isPatient(answering, "messages");
  const acting = await actAs({ deps, journal, isPatient: patience, act: "messages" }, actor, "messages");
  requireLength(text, messages.text);
  const { windowSeconds } = messages;
  if (windowSeconds !== null && !journal.isBegun(MESSAGE_STEP))
    requireWindow(comment.createdAt + windowSeconds * SECOND);
  await awaitTurn(acting, "slot:message", MESSAGE_STEP, messages.pace);
  const sent = await sendMessage({
    ...acting,
    messages,
    target: { post: live, comment: toAnswered(comment) },
    text,
    endsDoubt: true,
    others: () => findOtherMessages(deps.db, reply, comment.authorId),
    unless: messages.refusesRepeat ? sql`(${isOver(reply.id)} OR ${isWrittenTo(reply)})` : isOver(reply.id),
    settles: ({ id }) => {
      const now = Date.now();
      return [markLeg(deps.db, reply.id, "message", { state: "sent", text, id, at: now }, now, journal.held)];
    },
  });
  if (sent !== null || !messages.refusesRepeat || !(await findWrittenTo(deps.db, reply))) return;
  throw new GiveUp(
    "duplicate",
    "Another automation has written to its author, and the platform takes one message for a comment.",
  );
}

/** A login that has ended is waited for: its person may go through it again any time. A permission that was never given is not. */
function isPatient({ actor }: Answering, capability: Capability): boolean {
  return healthOf(actor.channel, actor.grants, capability, Date.now()).code !== "permission_missing";
}

/** Thrown out of a leg that has nothing to say. */
class NoText extends GiveUp {
  constructor(note: string | null) {
    super("content_invalid", note === null ? SKIPS.no_text : `${note} ${SKIPS.no_text}`);
  }
}

function requireText(text: string | null, note: string | null): string {
  if (text === null || text.trim() === "") throw new NoText(note);
  return text;
}

function requireLength(
  text: string,
  { max, measure, unit }: Pick<ReturnType<Commenting["text"]>, "max" | "measure" | "unit">,
) {
  const length = measure(text);
  if (length <= max) return;
  throw new GiveUp("content_invalid", `The answer has ${length} ${unit}; ${max} are allowed here.`);
}

function requireWindow(closesAt: number): void {
  if (Date.now() < closesAt) return;
  throw new GiveUp("deadline_passed", "The platform lets nobody write to the author of a comment after so long.");
}

/** Waits until it is this answer's turn, by a moment that it reserves once (channels/pace.ts). */
async function awaitTurn(acting: ActingAs, slot: string, step: string, pace: Pace): Promise<void> {
  const { deps, journal, hearing } = acting;
  if (journal.isBegun(step) || journal.isDone(step)) return;
  const now = Date.now();
  const reserved = journal.read(slot, z.number());
  const at = reserved ?? (await reserve(deps, hearing.of, pace, now));
  if (at <= now) return;
  if (reserved === null) await journal.write(slot, at);
  journal.suspend(Math.ceil((at - now) / SECOND), PACED);
}

const PACED = {
  code: "rate_limited",
  message: "Answers are spread over time, so that the platform does not take them for spam.",
  limit: "channel",
} as const satisfies WaitCause;

// --- the end --------------------------------------------------------------------------------------------------

type LegEnd = { readonly kind: "done" } | GaveUp | null;

/** What was sent of it; null for nothing. */
function sentOf(journal: Journal) {
  const comment = journal.read(COMMENT_STEP, z.object({ id: z.string() }));
  const message = journal.read(MESSAGE_STEP, z.object({ id: z.string().nullable() }));
  return comment || message ? { comment, message } : null;
}

async function conclude(
  { deps, journal, reply }: Answering,
  texts: Texts,
  ends: { readonly comment: LegEnd; readonly message: LegEnd },
): Promise<void> {
  const sent = sentOf(journal);
  const unsent = {
    comment: sent?.comment ? null : await missed(deps, journal, reply, COMMENT_STEP, ends.comment),
    message: sent?.message ? null : await missed(deps, journal, reply, MESSAGE_STEP, ends.message),
  };
  const now = Date.now();
  const first = unsent.comment ?? unsent.message;
  const legs = (["comment", "message"] as const).flatMap((leg) => {
    const why = unsent[leg];
    if (why === null) return [];
    const { reason: code, message } = why;
    return [markLeg(deps.db, reply.id, leg, { state: "not_sent", code, message }, now, journal.held)];
  });
  if (sent === null) {
    return end(deps, journal, reply, first ? failure(first) : ending("stopped"), legs);
  }
  const message = first ? `Answered in part: ${first.message}` : "Answered.";
  const replied: Ending = { outcome: first ? "partly_replied" : "replied", reason: first?.reason ?? null, message };
  const told = texts.note === null ? replied : { ...replied, message: `${message} ${texts.note}` };
  return end(deps, journal, reply, told, [
    ...legs,
    automationEvents.insert(
      deps.db,
      {
        projectId: reply.projectId,
        subjectId: reply.automationId,
        type: "automation.replied",
        message: "A comment was answered.",
        detail: {
          post_id: reply.postId,
          comment_id: reply.commentId,
          comment_reply: sent.comment ? texts.comment : null,
          comment_reply_id: sent.comment?.id ?? null,
          direct_message: sent.message ? texts.message : null,
          direct_message_id: sent.message?.id ?? null,
        },
        at: now,
      },
      journal.held,
    ),
  ]);
}

/** Of an act of which nobody knows whether it went out, that is said, whatever ended it. */
function inDoubt(journal: Journal, step: string, cause: Cause): Cause {
  const isTold = cause.code === "may_be_published" || cause.code === "duplicate";
  if (isTold || !journal.isBegun(step)) return cause;
  const message = `${cause.message} It may have been answered; look before you answer again.`;
  return { code: "may_be_published", message };
}

interface Missing {
  readonly reason: ReplyReason;
  readonly message: string;
}

/** Why a leg that was to be sent was not; null for one that was not to be. */
async function missed(
  { db }: Deps,
  journal: Journal,
  reply: Reply,
  step: string,
  legEnd: LegEnd,
): Promise<Missing | null> {
  if (legEnd === null) return null;
  if (legEnd.kind === "gave_up") return reasonOf(inDoubt(journal, step, legEnd.cause));
  const [ended] = await selectEnd(db, reply.id);
  return ending(ended?.why ?? "stopped");
}

function reasonOf({ code, message }: Cause): Missing {
  return { reason: message.endsWith(SKIPS.no_text) ? "no_text" : code, message };
}

function failure({ reason, message }: Missing): Ending {
  const isNone = reason === "no_text" || Object.hasOwn(ENDS, reason);
  return { outcome: isNone ? "skipped" : "failed", reason, message };
}

function ending(reason: End) {
  return { outcome: "skipped", reason, message: ENDS[reason] } as const satisfies Ending;
}

/** Nothing of it is begun any more. Its author may be answered by another comment, unless this one was, or may have been. */
async function end(
  deps: Deps,
  journal: Journal,
  reply: Reply,
  what: Ending,
  also: readonly Statement[] = [],
): Promise<void> {
  const { db } = deps;
  const now = Date.now();
  const isAnswered = what.outcome === "replied" || what.outcome === "partly_replied" || journal.isUnsure();
  const code = what.reason;
  const event =
    what.outcome === "failed" && code !== null && isFailure(code)
      ? [
          automationEvents.insert(
            db,
            {
              projectId: reply.projectId,
              subjectId: reply.automationId,
              type: "automation.reply_failed",
              message: what.message,
              detail: { post_id: reply.postId, comment_id: reply.commentId, error_code: code },
              at: now,
            },
            journal.held,
          ),
        ]
      : [];
  await journal.finish([
    ...also,
    endReply(db, reply.id, what, now, journal.held),
    ...(isAnswered ? [] : [releaseAuthor(db, reply, journal.held)]),
    ...event,
  ]);
}

function isFailure(reason: ReplyReason): reason is FailureCode {
  return !Object.hasOwn(SKIPS, reason);
}

async function fail(deps: Deps, journal: Journal, cause: Cause): Promise<void> {
  const { reply } = await read(deps, journal);
  if (reply?.outcome !== "waiting") {
    await journal.finish([]);
    return;
  }
  const sent = sentOf(journal);
  const now = Date.now();
  const missing = (["comment", "message"] as const).flatMap((leg) => {
    const row = leg === "comment" ? reply.commentLeg : reply.messageLeg;
    if (row?.state !== "waiting" || sent?.[leg]) return [];
    return [{ leg, ...inDoubt(journal, leg === "comment" ? COMMENT_STEP : MESSAGE_STEP, cause) }];
  });
  const legs = missing.map(({ leg, code, message }) =>
    markLeg(deps.db, reply.id, leg, { state: "not_sent", code, message }, now, journal.held),
  );
  const { code, message } = missing.find((one) => one.code === "may_be_published") ?? missing[0] ?? cause;
  const isWhole = sent !== null && missing.length === 0;
  const outcome = sent === null ? "failed" : "partly_replied";
  const told: Ending = isWhole
    ? { outcome: "replied", reason: null, message: "Answered." }
    : { outcome, reason: code, message };
  await end(deps, journal, reply, told, legs);
  deps.log.event("reply_failed", { key: journal.job.key, code });
}

function abandon(deps: Deps, { subjectId }: Job, held: SQL): readonly Statement[] {
  const message = "Something in our records of it cannot be read any more. It may have been answered.";
  const what = { outcome: "failed", reason: "may_be_published", message } as const;
  return [endReply(deps.db, idOf<ReplyId>(subjectId), what, Date.now(), held)];
}

/** The log says what an answer waits for. */
function waiting(deps: Deps, journal: Journal, { message }: WaitCause, until: number): readonly Statement[] {
  if (until - Date.now() < 2 * SECOND || journal.job.waitingFor === message) return [];
  return [noteWait(deps.db, idOf<ReplyId>(journal.job.subjectId), message, journal.held)];
}
