import { sql } from "drizzle-orm";
import { COMMENT_STEP } from "../../acting/write-comment.ts";
import { healthOf } from "../../channels/health.ts";
import { findChannelOfJob } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { absent } from "../../core/errors.ts";
import type { PostId } from "../../core/ids.ts";
import { writeTogether } from "../../db/client.ts";
import { endUses } from "../../files/store.ts";
import { enqueueJobs } from "../../jobs/enqueue.ts";
import { jobKey } from "../../jobs/messages.ts";
import { closeIdleJob, hasStep } from "../../jobs/store.ts";
import type { Deps } from "../../service/deps.ts";
import type { GoesWithPost } from "../../service/endings.ts";
import { differences } from "../change/changes.ts";
import { postEvents } from "../events.ts";
import { FIRST_COMMENT, PUBLISH } from "../jobs.ts";
import { COMMIT } from "../publish/publish-journal.ts";
import { findPostToChange, isVisible, type Post, shownState } from "../store.ts";
import { postsTable } from "../table.ts";
import { byHandSentence, openRemoval, removerOf, resumeSettling } from "./removals.ts";

/**
 * Deletes a post (spec 4.6). It disappears here at once. A job deletes the live items at the platform. Items
 * in flight are stopped before the platform is called, or deleted by the delivery that sees the deletion.
 * Items with an unknown outcome are looked up. Returns the message.
 */
export async function deletePost(
  deps: Deps,
  caller: Caller,
  id: PostId,
  goesWithPost: readonly GoesWithPost[],
): Promise<string> {
  // It may go to rest between the two.
  const message =
    (await deleteOnce(deps, caller, id, goesWithPost)) ?? (await deleteOnce(deps, caller, id, goesWithPost));
  if (message === null) throw absent("post", id);
  return message;
}

/** Null if the post was not there to be deleted. */
async function deleteOnce(
  deps: Deps,
  caller: Caller,
  id: PostId,
  goesWithPost: readonly GoesWithPost[],
): Promise<string | null> {
  const { db } = deps;
  const post = await findPostToChange(deps, caller.projectId, id);
  if (!post) throw absent("post", id);
  const now = Date.now();
  const key = jobKey(PUBLISH, id);
  const comment = jobKey(FIRST_COMMENT, id);
  const isThere = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.project_id = ${caller.projectId} AND posts.state <> 'deleted')`;
  const isLive = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.platform_posts <> '[]')`;
  const mayBeUp = sql`(${isLive} OR ${hasStep(key, COMMIT)})`;
  const { projectId } = caller;
  const was = shownState(post);
  const event = {
    projectId,
    subjectId: id,
    type: "post.deleted",
    message: `Deleted on request; it was ${was}.`,
    detail: { changes: differences({ STATUS: was }, { STATUS: "deleted" }) },
    at: now,
  } as const;
  const goes = goesWithPost.map((of) => of(db, { projectId, postId: id, now }, isThere));
  const done = await writeTogether(db, {
    removal: openRemoval(db, post, sql`${isLive} AND ${isThere}`),
    settling: resumeSettling(db, id, now, isThere),
    // An idle job that has sent nothing is closed. A running delivery sees the deletion by itself.
    publishing: closeIdleJob(db, key, now, sql`${isThere} AND NOT ${hasStep(key, COMMIT)}`),
    event: postEvents.insert(db, event, isThere),
    commenting: closeIdleJob(db, comment, now, sql`${isThere} AND NOT ${hasStep(comment, COMMENT_STEP)}`),
    woken: goes.flatMap(({ woken }) => woken),
    rest: goes.flatMap(({ rest }) => rest),
    uses: endUses(db, id, now, isThere),
    // Last, because it changes what the conditions of the others read.
    deleted: db
      .update(postsTable)
      .set({
        state: "deleted",
        slotAt: null,
        removal: sql`CASE WHEN ${mayBeUp} THEN 'open' END`,
        updatedAt: now,
        deletedAt: now,
      })
      .where(isVisible(projectId, id))
      .returning({ removal: postsTable.removal }),
  });
  if (done.deleted.length === 0) return null;
  await Promise.all([done.removal, done.settling, ...done.woken].map((rows) => enqueueJobs(deps, rows)));
  const isUp = done.removal.length > 0;
  const isOpen = done.settling.length > 0;
  return isUp || isOpen ? await removalSentence(deps, post, isUp) : goneSentence(post);
}

/** The message: what was deleted, and what happens to its live items. */
async function removalSentence(deps: Deps, post: Post, isUp: boolean): Promise<string> {
  const { channelType } = post;
  if (!removerOf(channelType)) return `${named(post)} was deleted here; ${byHandSentence(channelType)}`;
  const channel = await findChannelOfJob(deps.db, post.channelId);
  const isUsable =
    channel !== null &&
    channel.disconnectedAt === null &&
    healthOf(channel, channel.grants, "publish", Date.now()).health !== "reconnect_needed";
  if (!isUsable) {
    const still = isUp ? "It is still live" : "It may be live";
    return `${named(post)} was deleted here. ${still} on ${channelType}: it is deleted there when ${channel?.name ?? "the channel"} is reconnected.`;
  }
  return isUp
    ? `Post deletion has been initiated: ${lower(named(post))} is being deleted at ${channelType}.`
    : `Post deletion has been initiated: ${lower(named(post))} may be live; the service looks it up and then deletes it at ${channelType}.`;
}

function goneSentence(post: Post): string {
  const { state, errorCode, channelType } = post;
  if (shownState(post) === "processing") {
    return `Post deletion has been initiated: if ${lower(named(post))} was just published, it is deleted at ${channelType}.`;
  }
  // The journal has expired by now, so no look-up is possible.
  const isInDoubt = errorCode === "may_be_published" || errorCode === "duplicate";
  if (state === "failed" && isInDoubt) {
    return `${named(post)} was deleted here. It may have been published: check the channel.`;
  }
  return state === "failed"
    ? `${named(post)} was deleted; nothing of it is live.`
    : `${named(post)} was deleted before it was published.`;
}

/** The post's name in the message, with the state that it had. */
function named(post: Post): string {
  const state = shownState(post);
  return state === "draft" ? `Post ${post.id}, a draft,` : `Post ${post.id}, which was ${state},`;
}

const lower = (sentence: string): string => sentence.charAt(0).toLowerCase() + sentence.slice(1);
