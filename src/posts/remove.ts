import { and, eq, ne, sql } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import type { PostId } from "../core/ids.ts";
import { runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { insertEvent } from "../events/store.ts";
import { jobKey } from "../jobs/messages.ts";
import { jobsTable } from "../jobs/table.ts";
import { findPlatform } from "../platforms/registry.ts";
import { findWholePost } from "./store.ts";
import { postsTable } from "./table.ts";
import { insertUnpublish } from "./unpublish.ts";

/**
 * Deletes a post (spec 4.6, decisions.md): gone here at once. What is live is taken down by a job; what is on its way is
 * stopped before the platform is asked, or taken down by the delivery that finds it deleted. Answers the message.
 */
export async function deletePost(deps: Deps, caller: Caller, id: PostId): Promise<string> {
  const post = await findWholePost(deps.db, caller.projectId, id);
  if (!post) throw new AppError("not_found", `There is no post ${id} in this project.`);
  const now = Date.now();
  const isLive = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state <> 'deleted' AND posts.platform_posts <> '[]')`;
  const publishKey = jobKey("publish", id);
  await runBatch(deps.db, [
    insertUnpublish(deps, post, now, isLive),
    insertEvent(
      deps.db,
      {
        projectId: caller.projectId,
        subject: "post",
        subjectId: id,
        type: "post.deleted",
        message: "Deleted on request.",
        at: now,
      },
      sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state <> 'deleted')`,
    ),
    deps.db
      .update(postsTable)
      .set({ state: "deleted", slotAt: null, updatedAt: now })
      .where(and(eq(postsTable.id, id), eq(postsTable.projectId, caller.projectId), ne(postsTable.state, "deleted"))),
    // A job that nobody works on is over; a delivery at work finds the post deleted by itself.
    deps.db
      .update(jobsTable)
      .set({ state: "done", finishedAt: now })
      .where(
        sql`${jobsTable.key} = ${publishKey} AND ${jobsTable.state} = 'open' AND ${jobsTable.leaseUntil} IS NULL AND NOT EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${publishKey} AND name LIKE 'commit:%')`,
      ),
  ]);
  if (post.platformPosts.length > 0) {
    await deps.jobs.send({ type: "job", key: jobKey("unpublish", id) });
    return findPlatform(post.channelType)?.posts.remove
      ? "Post deletion has been initiated; it is being taken down at the platform."
      : `The post was deleted here. ${post.channelType} has no call to delete it there: remove it in its app.`;
  }
  return post.state === "processing"
    ? "Post deletion has been initiated; if it has just gone out, it is taken down at the platform."
    : "The post was deleted before it was published.";
}
