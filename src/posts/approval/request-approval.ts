import { eq, sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import { AppError, absent, invalid } from "../../core/errors.ts";
import type { PostId } from "../../core/ids.ts";
import { type IdempotencyRecord, requireStill, retryOnConflict, writeTogether } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import type { Decision } from "../change/update.ts";
import { createPost } from "../create/create.ts";
import type { Created } from "../create/created.ts";
import { requestEvent } from "../create/store-posts.ts";
import { postEvents } from "../events.ts";
import type { CreatePostBody } from "../schema.ts";
import { findWholePost, type Post } from "../store.ts";
import type { StoredApproval, WantedSchedule } from "../stored.ts";
import { postsTable } from "../table.ts";
import { readSchedule } from "../timetable/due-time.ts";

/**
 * Approval: a post of someone who may not publish waits as a draft until someone who may publishes it
 * (docs/decisions/0070). A draft has no job, so nothing but an approval publishes it.
 */

/** Who requests or decides: an e-mail address, a client by a link (client-name.ts), or an access token. */
export type Who = string;

export const tokenName = ({ tokenId }: Pick<Caller, "tokenId">): Who => `access token ${tokenId}`;

export interface WantedApproval {
  readonly wanted: WantedSchedule;
  readonly note: string | null;
}

/** Stores the post as a draft that waits for approval. Errors: those of create-post. */
export async function proposePost(
  deps: Deps,
  caller: Caller,
  { publish_mode, schedule_time, time_zone, ...content }: CreatePostBody,
  { idempotency, by }: { readonly idempotency: IdempotencyRecord | null; readonly by: Who },
): Promise<Created> {
  if (publish_mode === "draft") throw needsNoApproval();
  const wanted = withTimes({ publish_mode, schedule_time, time_zone });
  const now = Date.now();
  requireFuture(wanted, caller.timeZone, now);
  const zone = time_zone === undefined ? {} : { time_zone };
  const approval = newApproval({ wanted, note: null }, by, now);
  return createPost(deps, caller, { ...content, ...zone, publish_mode: "draft", approval }, idempotency);
}

function needsNoApproval(): AppError {
  const sentence = "publish_mode must be now, scheduled, queued or share_next: a draft needs no approval.";
  return invalid({ publish_mode: [sentence] });
}

/** As a request has it. */
export interface GivenSchedule {
  readonly publish_mode: WantedSchedule["publish_mode"];
  readonly schedule_time?: string | undefined;
  readonly time_zone?: string | undefined;
}

/** Without the fields that are absent. */
export function withTimes({ publish_mode, schedule_time, time_zone }: GivenSchedule): WantedSchedule {
  return {
    publish_mode,
    ...(schedule_time === undefined ? {} : { schedule_time }),
    ...(time_zone === undefined ? {} : { time_zone }),
  };
}

/** Throws a 422 for a schedule that update-post would refuse later. */
function requireFuture({ publish_mode, schedule_time, time_zone }: WantedSchedule, zone: string, now: number): void {
  const isScheduled = publish_mode === "scheduled";
  if (isScheduled && schedule_time === undefined) {
    throw invalid({ schedule_time: ["schedule_time is required when publish_mode is scheduled."] });
  }
  if (!isScheduled && schedule_time !== undefined) {
    throw invalid({ schedule_time: [`schedule_time must not be sent when publish_mode is ${publish_mode}.`] });
  }
  if (schedule_time !== undefined) readSchedule(schedule_time, time_zone ?? zone, now);
}

function newApproval({ wanted, note }: WantedApproval, by: Who, now: number): StoredApproval {
  return {
    wanted,
    requestedAt: now,
    requestedBy: by,
    decidedAt: null,
    decidedBy: null,
    note,
    linkNonce: null,
    linkedBy: null,
  };
}

/**
 * Requests approval of a draft, for the first time or again. A link for a client stays valid. Errors:
 * `not_found`, `not_changeable`, a 422 for the schedule.
 */
export function requestApproval(
  deps: Deps,
  caller: Caller,
  id: PostId,
  request: WantedApproval & { readonly by: Who },
): Promise<Post> {
  return changeApproval(deps, caller, id, planRequest(request));
}

/** The request for a change of the post (`decide` of update-post). Throws a 422 for the schedule. */
export function planRequest({ by, ...request }: WantedApproval & { readonly by: Who }) {
  return (post: Post, now: number): Decision => {
    requireFuture(request.wanted, request.wanted.time_zone ?? post.timeZone, now);
    const { linkNonce = null, linkedBy = null } = post.approval ?? {};
    const approval = { ...newApproval(request, by, now), linkNonce, linkedBy };
    return { change: { approvalState: "waiting", approval }, event: requestEvent(approval) };
  };
}

/** Changes the approval of a draft that is unchanged meanwhile, and reports it in the timeline. */
export function changeApproval(
  deps: Deps,
  { projectId }: Pick<Caller, "projectId">,
  id: PostId,
  plan: (post: Post, now: number) => Decision,
): Promise<Post> {
  const { db } = deps;
  const attempt = async (): Promise<Post> => {
    const post = await findWholePost(deps, projectId, id);
    if (!post) throw absent("post", id);
    if (post.state !== "draft") {
      throw new AppError("not_changeable", `Post ${id} is ${post.state}; only a draft can wait for approval.`);
    }
    const now = Date.now();
    const { change, event } = plan(post, now);
    const after = { ...change, revision: post.revision + 1, updatedAt: now };
    const asRead = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state = 'draft'
      AND posts.revision = ${post.revision})`;
    await writeTogether(db, {
      still: requireStill(db, asRead),
      changed: db.update(postsTable).set(after).where(eq(postsTable.id, id)),
      event: postEvents.insert(db, { ...event, projectId, subjectId: id, at: now }),
    });
    return { ...post, ...after };
  };
  return retryOnConflict(attempt, `Post ${id} is being changed by other requests.`);
}
