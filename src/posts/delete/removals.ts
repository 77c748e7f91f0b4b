import { type SQL, sql } from "drizzle-orm";
import type { PostId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { jobKey } from "../../jobs/messages.ts";
import { openJob, resumeJob } from "../../jobs/open-jobs.ts";
import { hasStep, hasUnconfirmedStep } from "../../jobs/store.ts";
import type { PlatformName } from "../../platforms/names.ts";
import type { Publishing } from "../../platforms/publishing.ts";
import { findPlatform } from "../../platforms/registry.ts";
import { PUBLISH, REMOVAL_LIMIT_MS, UNPUBLISH } from "../jobs.ts";
import { COMMIT } from "../publish/publish-journal.ts";
import type { Post } from "../store.ts";

/** How posts are deleted at a platform; null if it has no call for that. */
export function removerOf(platform: PlatformName): NonNullable<Publishing["remove"]> | null {
  return findPlatform(platform)?.posts.remove ?? null;
}

/** The instruction for deleting the post by hand. */
export function byHandSentence(platform: PlatformName): string {
  return `${platform} has no API call to delete it. Delete it in the platform's app.`;
}

type Removed = Pick<Post, "id" | "projectId">;

/**
 * Opens the job that deletes the post at its platform, while `when` holds. The rows are for `enqueueJobs`.
 */
export function openRemoval(db: Db, { id, projectId }: Removed, when: SQL) {
  const now = Date.now();
  const times = { runAt: now, deadlineAt: now + REMOVAL_LIMIT_MS, messageAt: now, now };
  return openJob(db, { kind: UNPUBLISH, queue: "publish", projectId, subjectId: id, ...times }, when);
}

/**
 * Reopens the publish job of a deleted post to look up what may be live, however long ago it gave up. Only
 * for a post with such an act in its journal. Returns rows for `enqueueJobs`.
 */
export function resumeSettling(db: Db, id: PostId, now: number, when: SQL) {
  const key = jobKey(PUBLISH, id);
  const mayBeUp = sql`(${hasUnconfirmedStep(key)} OR (${hasStep(key, COMMIT)} AND jobs.state = 'open'))`;
  return resumeJob(db, key, { now, deadlineAt: now + REMOVAL_LIMIT_MS }, sql`${mayBeUp} AND ${when}`);
}
