import { type SQL, sql } from "drizzle-orm";
import { type ActingAs, actAs } from "../acting/acting.ts";
import { afterOthers, paced } from "../acting/paced-act.ts";
import { performRepeatable } from "../acting/perform.ts";
import { COMMENT_STEP, type Commented, writeComment } from "../acting/write-comment.ts";
import { type Actor, selectActor, toActor } from "../channels/store.ts";
import { answered } from "../core/failures.ts";
import { type CommentActId, idOf, type PostId } from "../core/ids.ts";
import { readTogether, type Statement } from "../db/client.ts";
import { endCode, type HeldJob, type JobEnd, type JobHandler } from "../jobs/handler.ts";
import type { Finish, Journal } from "../jobs/journal.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import { type Commenting, whyNotOffered } from "../platforms/commenting.ts";
import type { PlatformPost } from "../platforms/publishing.ts";
import { findPlatform } from "../platforms/registry.ts";
import { type Post, selectPostOfJob } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import {
  type ActEnd,
  COMMENT_ACT,
  COMMENT_ACT_LIMIT_MS,
  type CommentAct,
  endAct,
  isBehindOthers,
  isReplaced,
  isWaitingAct,
  keepReplyId,
  noteActWait,
  selectAct,
} from "./act-store.ts";
import { type ActKind, CLOSES, MODERATION } from "./acts.ts";
import { commentEvents } from "./events.ts";
import {
  changeComment,
  keepOwnComment,
  markAnswered,
  reopenComment,
  type SeenComment,
  selectCommentOfAct,
  selectOwnIds,
  toAnswered,
} from "./store.ts";

/**
 * Carries out what a person or a program wants of a comment: the job `comment:<act id>`, opened by the
 * request (request-act.ts).
 *
 *   waiting ──▶ done | failed (with its reason) | cancelled (something later took its place)
 *
 * A reply is a once-step and is looked up after a lost answer, as a bot's is. Hiding, liking and deleting set
 * a value, so they may be repeated. On one comment, replies go out one after the other, those of bots too;
 * hiding and deleting wait for a reply under way, and a bot begins none after them.
 */

/** What bots do with a comment: conditions on its post and its platform id. */
export interface BotAnswers {
  /** An answer was sent, and its outcome is not known yet. */
  isSending(postId: PostId, commentId: string, since: number): SQL;
  /** The same, or a delivery is working on one. */
  isWorking(postId: PostId, commentId: string, since: number): SQL;
}

export const commentActJob = (bots: BotAnswers): JobHandler<Deps> => ({
  kind: COMMENT_ACT,
  queues: ["replies"],
  limitMs: () => COMMENT_ACT_LIMIT_MS,
  isPunctual: true,
  version: 1,
  isLasting: (step) => step === COMMENT_STEP,
  run: (deps, journal) => run(deps, journal, bots),
  failed: (deps, job, end) => failed(deps, job, end),
  waiting: (db, { subjectId, projectId, message, detail, platform, at }, hasLease) => {
    const id = idOf<CommentActId>(subjectId);
    const event = {
      projectId,
      subjectId: commentOf(id),
      type: "comment.waiting",
      message,
      detail: { act_id: id, ...detail, ...platform },
      at,
    } as const;
    const isWaiting = sql`(${isWaitingAct(id)} AND ${hasLease})`;
    return [noteActWait(db, id, message, isWaiting), commentEvents.insert(db, event, isWaiting)];
  },
});

const commentOf = (id: CommentActId) =>
  sql<number>`(SELECT comment_id FROM comment_acts WHERE comment_acts.id = ${id})`;

/** An act with everything that it needs. */
interface Acting {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly bots: BotAnswers;
  readonly act: CommentAct;
  readonly comment: SeenComment;
  readonly post: Post;
  readonly live: PlatformPost;
  /** Of the channel's other comments under the post. */
  readonly ownIds: readonly string[];
  readonly actor: Actor | null;
  readonly comments: Commenting;
}

const BOTS_WAIT_MS = 15 * 60_000;
const AGAIN_SECONDS = 2;
const CANCELLED = { state: "cancelled", reason: null, message: "Something later took its place." } as const;
const GONE = {
  state: "cancelled",
  reason: null,
  message: "The post or the comment was deleted before it was done.",
} as const;

async function run(deps: Deps, journal: Journal, bots: BotAnswers): Promise<void> {
  const { act, comment, post, ownIds, actor, isLate } = await read(deps, journal);
  if (act?.state !== "waiting") return journal.finish();
  const isBegun = journal.wasBegun(COMMENT_STEP);
  const live = post?.platformPosts[0];
  const isGone = !comment || comment.deletedAt !== null || post?.state !== "published" || !live;
  if (isGone && act.kind === "delete") return journal.finish(ended(deps, journal, act, DONE));
  if (isGone && !isBegun) return journal.finish(ended(deps, journal, act, GONE));
  if (isLate && !isBegun) return journal.finish(ended(deps, journal, act, CANCELLED));
  const comments = post && findPlatform(post.channelType)?.comments;
  if (!comment || !post || !live || !comments) throw new JobFailed("unexpected", GONE.message);
  const acting = { deps, journal, bots, act, comment, post, live, ownIds, actor, comments };
  const done = act.kind === "reply" ? await reply(acting) : await moderate(acting);
  await journal.finish(done ?? ended(deps, journal, act, CANCELLED));
}

const DONE = { state: "done", reason: null, message: "Done." } as const;

async function read({ db }: Deps, { job }: Journal) {
  const id = idOf<CommentActId>(job.subjectId);
  const of = (column: string) => sql`(SELECT ${sql.raw(column)} FROM comments WHERE comments.id = ${commentOf(id)})`;
  const { acts, comments, posts, own, ...actor } = await readTogether(db, {
    acts: selectAct(db, id),
    comments: selectCommentOfAct(db, id),
    posts: selectPostOfJob(db, of("post_id")),
    own: selectOwnIds(db, of("post_id")),
    ...selectActor(db, of("channel_id")),
  });
  const [act] = acts;
  const [late] = act ? await db.all<{ isLate: number }>(sql`SELECT ${isReplaced(act)} AS isLate`) : [];
  const ownIds = own.map((one) => one.id);
  return { act, comment: comments[0], post: posts[0], ownIds, actor: toActor(actor), isLate: late?.isLate === 1 };
}

/** Null if it is no longer wanted. */
async function reply(acting: Acting): Promise<Finish | null> {
  const { deps, journal, bots, act, comment, post, live, ownIds, actor, comments } = acting;
  const { db } = deps;
  const text = act.text ?? "";
  const limited = comments.allowance ?? "comments";
  const as = await actAs({ deps, journal, isPatient: false, act: limited, postId: post.id }, actor, "replies");
  const over = isReplaced(act);
  const now = Date.now();
  const busy = sql`(${isBehindOthers(act, now)} OR ${bots.isSending(post.id, comment.commentId, now - BOTS_WAIT_MS)})`;
  const turn = { projectId: act.projectId, party: "people" };
  const sent: Commented | null = await writeComment({
    ...as,
    comments,
    target: { post: live, comment: toAnswered(comment) },
    text,
    endsDoubt: true,
    taken: new Set([...post.platformPosts.map(({ id }) => id), ...ownIds]),
    intent: afterOthers(as, paced(as, comments.pace, turn, over), { busy, over }),
    repeated: async () => {
      const message = "The platform accepts no text twice, and the channel used this text before. Change the text.";
      throw new JobFailed("duplicate", message);
    },
    settles: ({ id }) => {
      const at = Date.now();
      return [
        keepReplyId(db, act.id, id, journal.hasLease),
        keepOwnComment(db, post, { id, text, author: as.channel.accountId, at }, journal.hasLease),
        markAnswered(db, comment, at, journal.hasLease),
      ];
    },
  });
  if (sent === null) return null;
  const event = commentEvents.insert(
    db,
    {
      projectId: act.projectId,
      subjectId: act.commentId,
      type: "comment.replied",
      message: "The comment was answered.",
      detail: { act_id: act.id, act: act.kind, text, platform_id: sent.id },
      at: Date.now(),
    },
    journal.hasLease,
  );
  return { writes: [endAct(db, act.id, { ...DONE, message: "Answered." }, journal.hasLease), event] };
}

/** The same for what sets a value. */
async function moderate(acting: Acting): Promise<Finish | null> {
  const { deps, journal, act, comment, live, actor, comments } = acting;
  const wanted = MODERATION[act.kind];
  if (!wanted) throw new JobFailed("unexpected", "A reply sets no value.");
  const never = whyNotOffered(comments, wanted.name, comment);
  const perform = comments.acts[wanted.name];
  if (never !== null || typeof perform === "string") {
    throw new JobFailed("unsupported_by_platform", never ?? String(perform));
  }
  const as = await actAs({ deps, journal, isPatient: false, act: "comments" }, actor, "replies");
  const outcome = await performRepeatable(as, {
    step: act.kind,
    begins: () => mayBegin(acting, as),
    act: (context) => perform(context, { id: comment.commentId, post: live }, wanted.isOn),
  });
  return outcome === null ? null : ended(deps, journal, act, DONE);
}

/** False if it is no longer wanted; waits for what must end before it. */
async function mayBegin({ deps, bots, act, comment }: Acting, { journal }: ActingAs): Promise<boolean> {
  const now = Date.now();
  const { postId, commentId } = comment;
  const ofBots = CLOSES.has(act.kind) ? bots.isWorking(postId, commentId, now - BOTS_WAIT_MS) : sql`0`;
  const [found] = await deps.db.all<{ isLate: number; isBusy: number }>(
    sql`SELECT ${isReplaced(act)} AS isLate, (${isBehindOthers(act, now)} OR ${ofBots}) AS isBusy`,
  );
  if (found?.isLate === 1) return false;
  if (found?.isBusy !== 1) return true;
  const message = "Something else is being done with the comment.";
  return journal.suspend(AGAIN_SECONDS, { code: null, message });
}

/** What the end of an act writes beside the results of its steps. */
function ended({ db }: Deps, { hasLease }: HeldJob, act: CommentAct, end: ActEnd): Finish {
  const about = { projectId: act.projectId, subjectId: act.commentId, at: Date.now() };
  const detail = { act_id: act.id, act: act.kind };
  const isDone = end.state === "done";
  const event = isDone
    ? ({ ...about, type: "comment.changed", message: CHANGED[act.kind], detail } as const)
    : ({ ...about, type: "comment.cancelled", message: end.message, detail } as const);
  const writes: Statement[] = [endAct(db, act.id, end, hasLease), commentEvents.insert(db, event, hasLease)];
  return { writes: isDone ? [...writes, changeComment(db, act, Date.now(), hasLease)] : writes };
}

const CHANGED: Readonly<Record<ActKind, string>> = {
  reply: "The comment was answered.",
  hide: "The comment was hidden.",
  unhide: "The comment is shown again.",
  like: "The comment was liked.",
  unlike: "The like was taken back.",
  delete: "The comment was deleted.",
};

const DOUBT = " It may have been published. Check the post before you answer again.";

async function failed({ db }: Deps, { job, hasLease }: HeldJob, end: JobEnd): Promise<Finish> {
  const id = idOf<CommentActId>(job.subjectId);
  const { mayBeDone } = end;
  const code = endCode(end);
  const message = `${end.message}${mayBeDone ? DOUBT : ""}`;
  const [act] = await selectAct(db, id);
  if (act?.state !== "waiting") return {};
  const event = {
    projectId: act.projectId,
    subjectId: act.commentId,
    type: "comment.failed",
    message,
    detail: { act_id: id, act: act.kind, error_code: code, ...answered(end) },
    at: Date.now(),
  } as const;
  return {
    writes: [
      endAct(db, id, { state: "failed", reason: code, message }, hasLease),
      ...(CLOSES.has(act.kind) ? [reopenComment(db, act.commentId, hasLease)] : []),
      commentEvents.insert(db, event, hasLease),
    ],
  };
}
