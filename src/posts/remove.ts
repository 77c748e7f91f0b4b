import { and, eq, ne, sql } from "drizzle-orm";
import { healthOf } from "../channels/health.ts";
import { findChannelOfJob } from "../channels/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import type { PostId } from "../core/ids.ts";
import type { Deps } from "../deps.ts";
import { jobKey } from "../jobs/messages.ts";
import { closeIdleJob, hasStep } from "../jobs/store.ts";
import { wakeJobs } from "../jobs/wake.ts";
import { postEvents } from "./events.ts";
import { PUBLISH } from "./jobs.ts";
import { COMMIT } from "./publish-journal.ts";
import { byHandSentence, openRemoval, removerOf, resumeSettling } from "./removals.ts";
import { findWholePost, type Post, shownState } from "./store.ts";
import { postsTable } from "./table.ts";

/**
 * Deletes a post (spec 4.6, decisions.md): gone here at once. What is live is taken down by a job; what is on its way is
 * stopped before the platform is asked, or taken down by the delivery that finds it deleted; what nobody knows of is
 * looked for. Answers the message.
 */
export async function deletePost(deps: Deps, caller: Caller, id: PostId): Promise<string> {
  const { db } = deps;
  const post = await findWholePost(db, caller.projectId, id);
  if (!post) throw new AppError("not_found", `There is no post ${id} in this project.`);
  const now = Date.now();
  const key = jobKey(PUBLISH, id);
  const isThere = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.project_id = ${caller.projectId} AND posts.state <> 'deleted')`;
  const isLive = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.platform_posts <> '[]')`;
  const mayBeUp = sql`(${isLive} OR ${hasStep(key, COMMIT)})`;
  const { projectId } = caller;
  const event = {
    projectId,
    subjectId: id,
    type: "post.deleted",
    message: "Deleted on request.",
    detail: {},
    at: now,
  } as const;
  const [removal, settling, , , [deleted] = []] = await db.batch([
    openRemoval(db, post, now, isLive, isThere),
    resumeSettling(db, id, now, isThere),
    // A job that nobody works on and that has sent nothing is over; a delivery at work finds the post deleted by itself.
    closeIdleJob(db, key, now, sql`${isThere} AND NOT ${hasStep(key, COMMIT)}`),
    postEvents.insert(db, event, isThere),
    // The last one, for it changes what the others ask.
    db
      .update(postsTable)
      .set({
        state: "deleted",
        slotAt: null,
        removal: sql`CASE WHEN ${mayBeUp} THEN 'open' END`,
        updatedAt: now,
        deletedAt: now,
      })
      .where(and(eq(postsTable.id, id), eq(postsTable.projectId, projectId), ne(postsTable.state, "deleted")))
      .returning({ removal: postsTable.removal }),
  ]);
  if (!deleted) throw new AppError("not_found", `There is no post ${id} in this project.`);
  await Promise.all([wakeJobs(deps, removal), wakeJobs(deps, settling)]);
  const isUp = removal.length > 0;
  const isOpen = settling.length > 0;
  return isUp || isOpen ? await removalSentence(deps, post, isUp) : goneSentence(post);
}

async function removalSentence(deps: Deps, post: Post, isUp: boolean): Promise<string> {
  if (!removerOf(post.channelType)) return `The post was deleted here; ${byHandSentence(post.channelType)}`;
  const channel = await findChannelOfJob(deps.db, post.channelId);
  const isUsable =
    channel !== null &&
    channel.disconnectedAt === null &&
    healthOf(channel, channel.grants, "publish", Date.now()).health !== "reconnect_needed";
  if (!isUsable) {
    const still = isUp ? "It is still up" : "It may be up";
    return `The post was deleted here. ${still} on ${post.channelType}: it is taken down when ${channel?.name ?? "the channel"} is connected again.`;
  }
  return isUp
    ? "Post deletion has been initiated; it is being taken down at the platform."
    : "Post deletion has been initiated; whether it has gone out is being looked up, and then it is taken down at the platform.";
}

function goneSentence(post: Post): string {
  const { state, error, errorCode } = post;
  if (shownState(post) === "processing") {
    return "Post deletion has been initiated; if it has just gone out, it is taken down at the platform.";
  }
  // Its journal is forgotten by now, so nobody can look.
  const isInDoubt = errorCode === "may_be_published" || errorCode === "duplicate";
  // One that failed before there were codes tells it by its sentence only.
  if (state === "failed" && (isInDoubt || (errorCode === null && error?.includes("may have been published")))) {
    return "The post was deleted here. It may have been published: check the channel.";
  }
  return "The post was deleted before it was published.";
}
