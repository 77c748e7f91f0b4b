import { sql } from "drizzle-orm";
import { healthOf } from "../../channels/health.ts";
import { type Channel, type ChannelState, selectChannel } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { invalid } from "../../core/errors.ts";
import { type ChannelId, idOf, type PostId } from "../../core/ids.ts";
import { isoUtc } from "../../core/time.ts";
import { type IdempotencyRecord, readTogether, requireStill, retryOnConflict, writeTogether } from "../../db/client.ts";
import { useFiles } from "../../files/store.ts";
import { enqueueJobs } from "../../jobs/enqueue.ts";
import { jobInsertion } from "../../jobs/open-jobs.ts";
import { isThrottledJob } from "../../jobs/store.ts";
import type { Deps } from "../../service/deps.ts";
import { altTextWarnings, type PostContent, planContent, settingAdvice } from "../content/content.ts";
import { expectedKinds, type FileKind } from "../content/file-kinds.ts";
import { ownFiles } from "../content/media.ts";
import { settingsLeftOut } from "../content/settings.ts";
import { postEvents } from "../events.ts";
import { PUBLISH, publishLimitMs, publishQueue } from "../jobs.ts";
import { isOutdated } from "../outdated.ts";
import { commentWarnings } from "../publish/first-comment-plan.ts";
import type { CreatePostBody } from "../schema.ts";
import { insertPost, newestPostId } from "../store.ts";
import type { StoredApproval } from "../stored.ts";
import { makeRoom, planTiming, scheduleWarnings, slotAnswer, type Timing, timesOf } from "../timetable/due-time.ts";
import { selectReservations, toReservations } from "../timetable/queue-store.ts";
import {
  captionHash,
  contentBytes,
  isWithinQuota,
  repeatWarnings,
  requireOwnMedia,
  requireRoomForBytes,
  requireRoomToWait,
  saidIn,
  selectNamed,
  selectRepeated,
  selectUsage,
  toUsage,
} from "./checks.ts";
import type { Created } from "./created.ts";

// Shared by all requests, so its SQL is built once.
const insertPublishJob = jobInsertion(newestPostId);
const insertCreatedEvent = postEvents.insertion(newestPostId);
const insertHeldEvent = postEvents.insertion(newestPostId, isThrottledJob(PUBLISH, newestPostId));

/** A request of create-post, or a draft that waits for approval. */
export type NewPost = CreatePostBody & { readonly approval?: StoredApproval };

/** The request and its caller. */
interface Creation {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly body: NewPost;
  readonly idempotency: IdempotencyRecord | null;
}

/** What the request will write. */
interface Plan {
  readonly channel: Channel;
  readonly draft: PostContent;
  readonly captionHash: string;
  readonly timing: Timing;
  readonly warnings: readonly string[];
  readonly now: number;
}

/**
 * Accepts a post (spec 4.4): two D1 calls and at most one queue send. Errors: 422 codes (core/errors.ts) for
 * a channel that the project does not have, and for anything that the channel, the platform or the timetable
 * does not allow; `quota_exceeded`.
 */
export async function createPost(
  deps: Deps,
  caller: Caller,
  body: NewPost,
  idempotency: IdempotencyRecord | null,
): Promise<Created> {
  const creation = { deps, caller, body, idempotency };
  const hash = await captionHash(saidIn(body));
  const busy = `The queue of channel ${body.channel_id} is being changed by other requests. Try again.`;
  // Other requests may take the same slot, or change the timetable.
  return retryOnConflict(() => tryCreate(creation, hash), busy, isOutdated);
}

/** Throws an error for which `isOutdated` is true if the queue or the timetable changed since it was read. */
async function tryCreate(creation: Creation, hash: string): Promise<Created> {
  const { deps, caller, body } = creation;
  const now = Date.now();
  const { channel, reservations, repeated, usage, own } = await readFirst(creation, hash, now);
  requireUsable(channel, body);
  const draft = planContent(body, channel, deps.config.allowLoopback, own);
  await requireRoomToWait(deps, caller, usage);
  requireRoomForBytes(deps, usage, contentBytes(draft));
  const timing = planTiming(body, caller, channel, { reservations, now });
  const warnings = warningsAbout(body, channel, draft, { repeated, kinds: expectedKinds(draft, own) });
  const id = await store(creation, { channel, draft, captionHash: hash, timing, warnings, now });
  return { id, slot: timing.placement && slotAnswer(timing.placement), warnings };
}

/**
 * The channel, its queue if needed, repeats, the project's usage, and the row of the Idempotency-Key: one D1
 * call.
 */
async function readFirst({ deps, caller, body, idempotency }: Creation, hash: string, now: number) {
  const { projectId } = caller;
  const channelId = idOf<ChannelId>(body.channel_id);
  const needsQueue = body.publish_mode === "queued" || body.publish_mode === "share_next";
  const queries = {
    channels: selectChannel(deps.db, { projectId, id: channelId }),
    reservations: needsQueue ? selectReservations(deps.db, { projectId, channelId }, now) : null,
    repeated: selectRepeated(deps.db, { projectId, channelId, hash }, now),
    counts: selectUsage(deps.db, caller),
    files: selectNamed(deps.db, projectId, body),
    record: idempotency?.read ?? null,
  };
  const { channels, reservations, repeated, counts, files, record } = await readTogether(deps.db, queries);
  idempotency?.check(record);
  const channel = requireChannel(channels[0], body);
  const own = requireOwnMedia(deps, body, files);
  return { channel, reservations: toReservations(reservations ?? []), repeated, usage: toUsage(counts), own };
}

/** The channel of a body. Another project's channel is answered like an absent one. */
export function requireChannel(
  channel: ChannelState | undefined,
  { channel_id }: Pick<CreatePostBody, "channel_id">,
): ChannelState {
  if (channel) return channel;
  const sentence = `channel_id must be a connected channel of this project, not ${channel_id}: get-channels lists them, connect-channel connects one.`;
  throw invalid({ channel_id: [sentence] }, "reference_invalid");
}

/** Checks that the channel fits the request. */
export function requireUsable(
  channel: ChannelState,
  body: Pick<CreatePostBody, "channel_type" | "publish_mode">,
): void {
  if (channel.platform !== body.channel_type) {
    const sentence = `channel_id must be a ${body.channel_type} channel, as channel_type says, not ${channel.id}, which is a ${channel.platform} channel.`;
    throw invalid({ channel_id: [sentence] }, "reference_invalid");
  }
  // A scheduled post is accepted, because the channel may be reconnected until then.
  const { health, reason } = healthOf(channel, channel.grants, "publish", Date.now());
  if (health === "reconnect_needed" && body.publish_mode === "now") {
    throw invalid({ channel_id: [reason ?? `Reconnect ${channel.name} first.`] }, "reconnect_needed");
  }
}

/** The warnings of an accepted request. */
export function warningsAbout(
  body: CreatePostBody,
  channel: ChannelState,
  draft: PostContent,
  { repeated, kinds }: { readonly repeated: readonly { readonly id: PostId }[]; readonly kinds: readonly FileKind[] },
): readonly string[] {
  return [
    ...(body.first_comment === undefined ? [] : commentWarnings(channel, body.post_type)),
    ...altTextWarnings(draft, channel, body.post_type),
    ...settingsLeftOut(draft, channel, body.post_type, kinds).map(({ message }) => message),
    ...(body.publish_mode === "draft" ? [] : settingAdvice(draft, channel, body.post_type)),
    ...(body.publish_mode === "scheduled" ? scheduleWarnings(body) : []),
    ...repeatWarnings(repeated, body.post_type === "thread"),
  ];
}

async function store({ deps, caller, body, idempotency }: Creation, plan: Plan): Promise<PostId> {
  const { db } = deps;
  const { channel, draft, timing, warnings, now } = plan;
  const { projectId } = caller;
  const { publishAt, placement } = timing;
  const deadlineMs = publishLimitMs(deps.config);
  const isDraft = timing.state === "draft";
  const post = insertPost(db, {
    projectId,
    channelId: channel.id,
    channelType: channel.platform,
    state: timing.state,
    postType: body.post_type,
    ...draft,
    captionHash: plan.captionHash,
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
  const room = placement ? makeRoom({ db, caller, deadlineMs, now }, placement) : [];
  const job = insertPublishJob(db, { kind: PUBLISH, queue: publishQueue(draft), projectId, ...times, now });
  const stored = JSON.stringify({ slot: placement && slotAnswer(placement), warnings });
  const answer = sql`json_patch(${stored}, json_object('post_id', ${newestPostId}))`;
  const own = ownFiles(draft);
  // The queue makes room before the new post takes its slot. A draft needs nothing.
  const { posts, jobs } = await writeTogether(db, {
    room,
    posts: post,
    event: insertCreatedEvent(db, event),
    request: body.approval
      ? insertCreatedEvent(db, { ...requestEvent(body.approval, labels), projectId, at: now })
      : null,
    jobs: isDraft ? null : job,
    held: isDraft ? null : insertHeldEvent(db, held),
    record: idempotency?.write(answer) ?? null,
    files: own.length > 0 ? useFiles(db, { projectId, postId: newestPostId }, own) : [],
    quota: requireStill(db, isWithinQuota(deps.config, projectId)),
  });
  // The sweep sends a message that is lost here.
  await deps.afterAnswer(enqueueJobs(deps, jobs));
  const [made] = posts;
  if (!made) throw new Error("The post was not stored.");
  return made.id;
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
