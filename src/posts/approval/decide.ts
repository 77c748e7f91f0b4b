import { sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import type { PostId } from "../../core/ids.ts";
import { writeTogether } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { type Decision, requireRevision, type Updated, updatePost } from "../change/update.ts";
import { postEvents } from "../events.ts";
import { findWholePost, type Post } from "../store.ts";
import type { StoredApproval, WantedSchedule } from "../stored.ts";
import { changeApproval, type GivenSchedule, type Who, withTimes } from "./request-approval.ts";

/** Decisions on drafts that wait for approval. Each names the revision that the person has seen. */

export interface Approval {
  readonly by: Who;
  readonly revision: number;
  readonly note: string | null;
  /** Instead of what was requested. */
  readonly instead?: WantedSchedule | undefined;
}

export interface Approved extends Omit<Updated, "changed"> {
  /** Whether this request approved it; false: it was approved before. */
  readonly isNew: boolean;
}

/**
 * Publishes the draft as requested, once: a second approval returns the post. Errors: `not_found`;
 * `not_changeable` if the post does not wait, or has changed since that revision; those of update-post, such
 * as a scheduled time that has passed.
 */
export async function approvePost(deps: Deps, caller: Caller, id: PostId, approval: Approval): Promise<Approved> {
  const { by, note, revision } = approval;
  const before = await findWholePost(deps, caller.projectId, id);
  const body = approval.instead ?? before?.approval?.wanted ?? {};
  const decide = (post: Post, now: number): Decision => {
    const request = requireWaiting(post, revision);
    return {
      change: { approvalState: "approved", approval: decided(request, { by, note, now }) },
      event: { type: "post.approved", message: `${by} approved the post.`, detail: { by, note } },
    };
  };
  try {
    const { post, warnings } = await updatePost(deps, caller, id, { ...body, decide });
    return { post, warnings, isNew: true };
  } catch (error) {
    // Another approval came first: this one is a repeat of it.
    const after = await findWholePost(deps, caller.projectId, id);
    if (after?.approvalState !== "approved" || after.state === "draft") throw error;
    return { post: after, warnings: [], isNew: false };
  }
}

/** Sends the draft back to its author with a note. Errors as for `approvePost`. */
export function sendBack(
  deps: Deps,
  caller: Caller,
  id: PostId,
  { by, revision, note }: { readonly by: Who; readonly revision: number; readonly note: string },
): Promise<Post> {
  return changeApproval(deps, caller, id, (post, now) => ({
    change: { approvalState: "sent_back", approval: decided(requireWaiting(post, revision), { by, note, now }) },
    event: { type: "post.sent_back", message: `${by} sent the post back.`, detail: { by, note } },
  }));
}

/** The comments that the timeline of a post takes. */
const MAX_COMMENTS = 50;

/** A client's comment on a draft that waits. Dropped, with false, once the timeline has many. */
export async function commentOn(
  { db }: Deps,
  { projectId }: Pick<Caller, "projectId">,
  id: PostId,
  { by, note }: { readonly by: Who; readonly note: string },
): Promise<boolean> {
  const hasRoom = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.project_id = ${projectId}
    AND posts.approval_state = 'waiting' AND posts.deleted_at IS NULL)
    AND ${postEvents.count(id, "post.approval_comment")} < ${MAX_COMMENTS}`;
  const event = { type: "post.approval_comment", message: `${by} commented.`, detail: { by, note } } as const;
  const { kept } = await writeTogether(db, {
    kept: db.select({ is: hasRoom.mapWith(Boolean).as("is_kept") }).from(sql`(SELECT 1)`),
    event: postEvents.insert(db, { ...event, projectId, subjectId: id, at: Date.now() }, hasRoom),
  });
  return kept[0]?.is === true;
}

function requireWaiting(post: Post, seen: number): StoredApproval {
  if (post.approvalState !== "waiting" || post.approval === null) {
    throw new AppError("not_changeable", `Post ${post.id} does not wait for approval.`);
  }
  requireRevision(post, seen);
  return post.approval;
}

function decided(
  request: StoredApproval,
  { by, note, now }: { readonly by: Who; readonly note: string | null; readonly now: number },
): StoredApproval {
  return { ...request, note, decidedAt: now, decidedBy: by };
}

/** The schedule of a request to approve; undefined if it has none of its own. */
export function insteadOf({
  publish_mode,
  ...times
}: Omit<GivenSchedule, "publish_mode"> & {
  readonly publish_mode?: GivenSchedule["publish_mode"] | undefined;
}): WantedSchedule | undefined {
  return publish_mode === undefined ? undefined : withTimes({ ...times, publish_mode });
}
