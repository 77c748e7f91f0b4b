import { sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import type { PostId } from "../../core/ids.ts";
import { isoUtc } from "../../core/time.ts";
import { answersOfEach, type IdempotencyRecord, listed, requireStill, writeTogether } from "../../db/client.ts";
import { useFiles } from "../../files/store.ts";
import { enqueueJobs } from "../../jobs/enqueue.ts";
import { jobInsertion } from "../../jobs/open-jobs.ts";
import { isThrottledJob } from "../../jobs/store.ts";
import type { Deps } from "../../service/deps.ts";
import { ownFiles } from "../content/media.ts";
import { postEvents } from "../events.ts";
import { PUBLISH, publishLimitMs, publishQueue } from "../jobs.ts";
import { insertPost, newestPostId } from "../store.ts";
import type { StoredApproval } from "../stored.ts";
import { makeRoom, timesOf } from "../timetable/due-time.ts";
import type { Room } from "../timetable/queue-plan.ts";
import type { Plan } from "./plan.ts";
import { isWithinQuota } from "./quota.ts";

// Shared by all requests, so its SQL is built once.
const insertPublishJob = jobInsertion(newestPostId);
const insertCreatedEvent = postEvents.insertion(newestPostId);
const insertHeldEvent = postEvents.insertion(newestPostId, isThrottledJob(PUBLISH, newestPostId));

/** The posts that are written together. */
export interface Stored {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly plans: readonly Plan[];
  readonly rooms: readonly Room[];
  readonly now: number;
  readonly idempotency: IdempotencyRecord | null;
  /** What the record stores beside `post_id`, the id of the last post; the others have the ids before it. */
  readonly answer: object;
}

/**
 * Writes all posts with their jobs, events and files in one transaction, or none; then sends the messages of
 * their jobs. Returns their ids, which are consecutive.
 */
export async function storePosts(stored: Stored): Promise<readonly PostId[]> {
  const { deps, caller, plans, rooms, now, idempotency } = stored;
  const { db, config } = deps;
  const deadlineMs = publishLimitMs(config);
  const groups = plans.map((plan) => statementsOf(stored, plan, deadlineMs));
  const answer = sql`json_patch(${JSON.stringify(stored.answer)}, json_object('post_id', ${newestPostId}))`;
  // The queues make room before the new posts take their slots.
  const { posts } = await writeTogether(db, {
    room: rooms.flatMap((room) => makeRoom({ db, caller, deadlineMs, now }, room)),
    posts: groups.flatMap(listed),
    record: idempotency?.write(answer) ?? null,
    quota: requireStill(db, isWithinQuota(config, caller.projectId)),
  });
  const written = answersOfEach(groups, posts);
  // The sweep sends a message that is lost here.
  await deps.afterAnswer(
    enqueueJobs(
      deps,
      written.flatMap(({ jobs }) => jobs ?? []),
    ),
  );
  const ids = written.flatMap(({ post }) => post.map(({ id }) => id));
  if (ids.length !== plans.length) throw new Error("A post was not stored.");
  return ids;
}

/** The statements of one post; those after the first name it as the newest one. */
function statementsOf({ deps, caller, now }: Stored, plan: Plan, deadlineMs: number) {
  const { db } = deps;
  const { body, channel, draft, timing } = plan;
  const { projectId } = caller;
  const { publishAt, placement } = timing;
  const isDraft = timing.state === "draft";
  const post = insertPost(db, {
    projectId,
    channelId: channel.id,
    channelType: channel.platform,
    state: timing.state,
    postType: body.post_type,
    ...draft,
    captionHash: plan.hash,
    publishMode: body.publish_mode,
    timeZone: body.time_zone ?? caller.timeZone,
    publishAt,
    slotAt: placement?.slot ?? null,
    platformPosts: [],
    externalId: body.external_id ?? null,
    metadata: body.metadata ?? null,
    approvalState: body.approval ? "waiting" : null,
    approval: body.approval ?? null,
    createdAt: now,
    updatedAt: now,
  });
  const due_at = isDraft ? null : isoUtc(publishAt);
  const labels = {
    ...(body.external_id === undefined ? {} : { external_id: body.external_id }),
    ...(body.metadata === undefined ? {} : { metadata: { ...body.metadata } }),
  };
  const event = {
    projectId,
    type: "post.created",
    message: CREATED[body.publish_mode],
    detail: { publish_mode: body.publish_mode, due_at, ...labels },
    at: now,
  } as const;
  const held = { ...HELD, detail: { ...HELD.detail, ...labels }, projectId, at: now };
  const times = timesOf(timing, channel, now, deadlineMs);
  const job = { kind: PUBLISH, queue: publishQueue(draft), projectId, ...times, now };
  const own = ownFiles(draft);
  const request = body.approval ? { ...requestEvent(body.approval, labels), projectId, at: now } : null;
  // Only a job with a message of its own can be throttled.
  const mayBeHeld = !isDraft && times.messageAt !== null;
  return {
    post,
    event: insertCreatedEvent(db, event),
    request: request && insertCreatedEvent(db, request),
    // A draft has no job.
    jobs: isDraft ? null : insertPublishJob(db, job),
    held: mayBeHeld ? insertHeldEvent(db, held) : null,
    files: own.length > 0 ? useFiles(db, { projectId, postId: newestPostId }, own) : [],
  };
}

/** The event of a request for approval. */
export function requestEvent({ wanted, requestedBy: by, note }: StoredApproval, labels: object = {}) {
  const { publish_mode } = wanted;
  const message = `${by} requests approval.`;
  return { type: "post.approval_requested", message, detail: { publish_mode, by, note, ...labels } } as const;
}

/** Shown on a post whose job is held. */
export const HELD = {
  type: "post.waiting",
  message: "Waiting until other posts of this project are published.",
  detail: { until: null, error_code: null },
} as const;

const CREATED = {
  now: "The post was accepted and will be published now.",
  scheduled: "The post was accepted and waits for its time.",
  queued: "The post was added to the channel's queue.",
  share_next: "The post was added as the next one of the channel's queue.",
  draft: "The post was stored as a draft.",
} as const;
