import { eq, sql } from "drizzle-orm";
import type { Channel } from "../../channels/store.ts";
import { AppError, absent } from "../../core/errors.ts";
import { type Db, requireStill, type Statement, writeTogether } from "../../db/client.ts";
import { endUses, useFiles } from "../../files/store.ts";
import { enqueueJobs } from "../../jobs/enqueue.ts";
import { jobKey } from "../../jobs/messages.ts";
import { jobInsertion } from "../../jobs/open-jobs.ts";
import { rescheduleJob } from "../../jobs/reschedule.ts";
import { isRunning, isThrottledJob, removeUnstartedJob, takeOverStalled } from "../../jobs/store.ts";
import type { Deps } from "../../service/deps.ts";
import { ownFiles } from "../content/media.ts";
import { HELD } from "../create/store-posts.ts";
import { type PostEvent, postEvents } from "../events.ts";
import { PUBLISH, publishLimitMs, publishQueue } from "../jobs.ts";
import { isOutdated } from "../outdated.ts";
import { findWholePost, type Post } from "../store.ts";
import { postsTable } from "../table.ts";
import { makeRoom, timesOf } from "../timetable/due-time.ts";
import type { ScheduleChange } from "./change-schedule.ts";
import type { Changes } from "./changes.ts";

const CHANGEABLE = ["draft", "scheduled", "queued"] as const;

/** A planned change of a post, based on the post as it was read. */
export interface PlannedUpdate {
  readonly post: Post;
  readonly channel: Channel;
  /** Only the fields that the request changes: the post may move in its queue meanwhile. */
  readonly patch: Partial<Post>;
  readonly route: ScheduleChange | null;
  readonly changes: Changes;
  /** Stored, and reported in the timeline, with the change. */
  readonly decision: { readonly event: PostEvent } | null;
  readonly now: number;
}

const insertPublishJob = jobInsertion();

/**
 * Stores the change in one transaction. Returns false, and stores nothing, if the post, its queue or the
 * timetable changed since it was read. Throws `not_changeable` once publishing has begun. If the schedule
 * changes, the job is reopened as create-post opens it.
 */
export async function storeUpdate(deps: Deps, planned: PlannedUpdate): Promise<boolean> {
  const { db } = deps;
  const { post } = planned;
  try {
    const { opened } = await writeTogether(db, statementsOf(deps, planned));
    await enqueueJobs(deps, opened);
    return true;
  } catch (error) {
    if (!isOutdated(error)) throw error;
  }
  const current = await findWholePost(deps, post.projectId, post.id);
  if (current === null) throw absent("post", post.id);
  requireChangeable(current);
  const working = isRunning(jobKey(PUBLISH, post.id), planned.now);
  const [goingOut] = await db.select({ working: sql`1` }).from(sql`(SELECT 1)`).where(working);
  if (!goingOut) return false;
  throw new AppError("not_changeable", `Post ${post.id} is being published and cannot be changed.`);
}

/** Throws `not_changeable` if publishing has begun or completed. */
export function requireChangeable({ id, state }: Post): void {
  if (CHANGEABLE.some((one) => one === state)) return;
  throw new AppError(
    "not_changeable",
    `Post ${id} is ${state}; only draft, scheduled and queued posts can be changed.`,
  );
}

/** If the update names other files, the post now holds its new uploaded files and releases the old ones. */
function filesOf(db: Db, post: Post, patch: Partial<Post>, now: number): readonly Statement[] {
  if (patch.mediaUrls === undefined && patch.thread === undefined && patch.options === undefined) return [];
  const own = ownFiles({ ...post, ...patch });
  return [
    ...endUses(db, post.id, now),
    ...(own.length > 0 ? useFiles(db, { projectId: post.projectId, postId: post.id }, own) : []),
  ];
}

function statementsOf(deps: Deps, { post, channel, patch, route, changes, decision, now }: PlannedUpdate) {
  const { db } = deps;
  const { id, projectId } = post;
  const key = jobKey(PUBLISH, id);
  const deadlineMs = publishLimitMs(deps.config);
  // Fails once a delivery has leased the job: it may have read the post already.
  const asRead = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.project_id = ${projectId}
      AND posts.revision = ${post.revision} AND posts.state IN ('draft', 'scheduled', 'queued'))
    AND NOT ${isRunning(key, now)}`;
  const itself = eq(postsTable.id, id);
  const subject = { projectId, subjectId: id, at: now };
  const queue = publishQueue({ ...post, ...patch });
  const due = route !== null && route.change.state !== "draft" ? { ...route, ...route.change } : null;
  const times = due && timesOf(due, channel, now, deadlineMs);
  return {
    still: requireStill(db, asRead),
    // Frees the post's own slot first, for the posts that make room.
    freed: route ? db.update(postsTable).set({ slotAt: null }).where(itself) : null,
    room: route?.placement ? makeRoom({ db, caller: { projectId }, deadlineMs, now }, route.placement) : [],
    updated: db
      .update(postsTable)
      .set({ ...patch, revision: post.revision + 1, updatedAt: now })
      .where(itself),
    event: postEvents.insert(db, {
      ...subject,
      type: "post.updated",
      message: `Changed on request: ${changes.fields.join(", ")}.`,
      detail: changes.detail,
    }),
    decided: decision && postEvents.insert(db, { ...subject, ...decision.event }),
    files: filesOf(db, post, patch, now),
    // A delivery that stalled past its lease would otherwise publish the content that it read before.
    job: route
      ? removeUnstartedJob(db, key, now)
      : [takeOverStalled(db, key, now, sql`1`), rescheduleJob(db, key, { queue }, sql`1`)],
    opened: times && insertPublishJob(db, { kind: PUBLISH, queue, projectId, subjectId: id, ...times, now }),
    held: times && postEvents.insert(db, { ...subject, ...HELD }, isThrottledJob(PUBLISH, id)),
  };
}
