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
import { HELD, timesOf } from "../create/create.ts";
import { postEvents } from "../events.ts";
import { PUBLISH, publishLimitMs, publishQueue } from "../jobs.ts";
import { isOutdated } from "../outdated.ts";
import { findWholePost, type Post } from "../store.ts";
import { postsTable } from "../table.ts";
import { makeRoom } from "../timetable/placement.ts";
import type { ScheduleChange } from "./change-schedule.ts";
import type { Changes } from "./changes.ts";

const CHANGEABLE = ["draft", "scheduled", "queued"] as const;

/** A change of a post, decided on the post as it was read. */
export interface PlannedUpdate {
  readonly post: Post;
  readonly channel: Channel;
  /** Only what the request is about: others may move the post in its queue meanwhile. */
  readonly patch: Partial<Post>;
  readonly route: ScheduleChange | null;
  readonly changes: Changes;
  readonly now: number;
}

const insertPublishJob = jobInsertion();

/**
 * Stores it in one transaction, or not at all: false when the post, its queue or the timetable is not as it
 * was read. Throws `not_changeable` once the post goes out. The job of a post that is to go another way is
 * opened anew, as create-post would.
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
  const current = await findWholePost(db, post.projectId, post.id);
  if (current === null) throw absent("post", post.id);
  requireChangeable(current);
  const working = isRunning(jobKey(PUBLISH, post.id), planned.now);
  const [goingOut] = await db.select({ working: sql`1` }).from(sql`(SELECT 1)`).where(working);
  if (!goingOut) return false;
  throw new AppError("not_changeable", `Post ${post.id} is just going out and cannot be changed any more.`);
}

/** Throws `not_changeable` for a post that goes out, or has. */
export function requireChangeable({ id, state }: Post): void {
  if (CHANGEABLE.some((one) => one === state)) return;
  throw new AppError(
    "not_changeable",
    `Post ${id} is ${state}; only draft, scheduled and queued posts can be changed.`,
  );
}

/** Where the update names other files, those of ours are needed from now on, and no others. */
function filesOf(db: Db, post: Post, patch: Partial<Post>, now: number): readonly Statement[] {
  if (patch.mediaUrls === undefined && patch.thread === undefined) return [];
  const own = ownFiles({ ...post, ...patch });
  return [...endUses(db, post.id, now), ...(own.length > 0 ? useFiles(db, post.projectId, own, post.id) : [])];
}

function statementsOf(deps: Deps, { post, channel, patch, route, changes, now }: PlannedUpdate) {
  const { db } = deps;
  const { id, projectId } = post;
  const key = jobKey(PUBLISH, id);
  const deadlineMs = publishLimitMs(deps.config);
  // Not once a delivery has the job: it may have read the post already.
  const asRead = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.project_id = ${projectId}
      AND posts.revision = ${post.revision} AND posts.state IN ('draft', 'scheduled', 'queued'))
    AND NOT ${isRunning(key, now)}`;
  const itself = eq(postsTable.id, id);
  const told = { projectId, subjectId: id, at: now };
  const queue = publishQueue({ ...post, ...patch });
  const due = route !== null && route.change.state !== "draft" ? { ...route, ...route.change } : null;
  const times = due && timesOf(due, channel, now, deadlineMs);
  return {
    still: requireStill(db, asRead),
    // Its own slot is free for those who make room.
    freed: route ? db.update(postsTable).set({ slotAt: null }).where(itself) : null,
    room: route?.placement ? makeRoom({ db, caller: { projectId }, deadlineMs, now }, route.placement) : [],
    updated: db
      .update(postsTable)
      .set({ ...patch, revision: post.revision + 1, updatedAt: now })
      .where(itself),
    event: postEvents.insert(db, {
      ...told,
      type: "post.updated",
      message: `Changed on request: ${changes.fields.join(", ")}.`,
      detail: changes.detail,
    }),
    files: filesOf(db, post, patch, now),
    // A delivery that has stalled since before its lease ended would send what it has read.
    job: route
      ? removeUnstartedJob(db, key, now)
      : [takeOverStalled(db, key, now, sql`1`), rescheduleJob(db, key, { queue }, sql`1`)],
    opened: times && insertPublishJob(db, { kind: PUBLISH, queue, projectId, subjectId: id, ...times, now }),
    held: times && postEvents.insert(db, { ...told, ...HELD }, isThrottledJob(PUBLISH, id)),
  };
}
