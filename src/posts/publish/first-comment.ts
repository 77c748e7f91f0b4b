import { sql } from "drizzle-orm";
import { actAs } from "../../acting/acting.ts";
import { COMMENT_STEP, writeComment } from "../../acting/write-comment.ts";
import { selectActor, toActor } from "../../channels/store.ts";
import { answered } from "../../core/failures.ts";
import { idOf, type PostId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { endCode, type HeldJob, type JobEnd, type JobHandler } from "../../jobs/handler.ts";
import type { Finish, Journal } from "../../jobs/journal.ts";
import { JobFailed } from "../../jobs/outcomes.ts";
import { setBackBefore } from "../../jobs/set-back.ts";
import { findPlatform } from "../../platforms/registry.ts";
import type { Deps } from "../../service/deps.ts";
import { postEvent, waitEvent } from "../events.ts";
import { channelOf } from "../fragments.ts";
import { FIRST_COMMENT, FIRST_COMMENT_LIMIT_MS } from "../jobs.ts";
import { isDeleted } from "../states.ts";
import { selectPostOfJob } from "../store.ts";
import { markFirstComment } from "./first-comment-store.ts";

/**
 * Our own first comment under a post: the job `first_comment:<post id>`, opened in the transaction that
 * publishes the post.
 *
 *   pending ──▶ published | failed (shown in the timeline and with the post's content; the post keeps its
 * state)
 *
 * The comment is one `once` step, so it is published at most once, wherever a delivery dies. A deleted post
 * gets no comment. If comments outlive their post, one that may exist is looked up. The `unpublish` job waits
 * for this job and then deletes it.
 */
export const firstCommentJob: JobHandler<Deps> = {
  kind: FIRST_COMMENT,
  queues: ["publish"],
  limitMs: () => FIRST_COMMENT_LIMIT_MS,
  version: 1,
  isLasting: (step) => step === COMMENT_STEP,
  run,
  failed,
  waiting: (db, wait, hasLease) =>
    waitEvent(db, { ...wait, message: `The first comment waits: ${wait.message}` }, hasLease),
};

const DOUBT = " It may have been published. Check the post before you comment again.";

async function run(deps: Deps, journal: Journal): Promise<void> {
  const { post, actor } = await read(deps, journal);
  const text = post?.firstComment ?? null;
  const live = post?.platformPosts[0];
  const comments = post && findPlatform(post.channelType)?.comments;
  const isGone = post?.state === "deleted";
  const isOver = isGone && !(comments?.remove && journal.hasUnconfirmed());
  if (!post || !live || text === null || isOver) return journal.finish();
  const act = comments?.allowance ?? "comments";
  const acting = await actAs({ deps, journal, isPatient: isGone, act, postId: post.id }, actor, "comments");
  if (!comments) throw new JobFailed("unsupported_by_platform", `This service cannot comment on ${post.channelType}.`);
  const commented = await writeComment({
    ...acting,
    comments,
    target: { post: live, comment: null },
    text,
    taken: new Set(post.platformPosts.map(({ id }) => id)),
    intent: { unless: isDeleted(post.id) },
    suspect: setBackBefore(journal, post),
    settles: ({ id }) => [markFirstComment(deps.db, post.id, { state: "published", id }, journal.hasLease)],
  });
  if (!commented) return journal.finish();
  const message = "The first comment was published.";
  const event = { type: "post.commented", message, detail: { comment_id: commented.id } } as const;
  await journal.finish({ writes: [postEvent(deps, journal, event)] });
}

async function read({ db }: Deps, { job }: Journal) {
  const id = idOf<PostId>(job.subjectId);
  const { posts, ...actor } = await readTogether(db, {
    posts: selectPostOfJob(db, id),
    ...selectActor(db, channelOf(id)),
  });
  return { post: posts[0] ?? null, actor: toActor(actor) };
}

function failed(deps: Deps, held: HeldJob, end: JobEnd): Finish {
  const id = idOf<PostId>(held.job.subjectId);
  const { mayBeDone } = end;
  const code = endCode(end);
  const message = `${end.message}${mayBeDone ? DOUBT : ""}`;
  const outcome = mayBeDone ? "The first comment's outcome is unknown" : "The first comment was not published";
  const detail = { error_code: code, cause: code === end.code ? null : end.code, ...answered(end) };
  const event = { type: "post.comment_failed", message: `${outcome}: ${message}`, detail } as const;
  const writes = [
    markFirstComment(deps.db, id, { state: "failed", code, message }, held.hasLease),
    postEvent(deps, held, event, sql`NOT ${isDeleted(id)}`),
  ];
  return { writes };
}
