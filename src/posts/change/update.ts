import { type ChannelState, selectChannel } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import type { Warning } from "../../core/checks.ts";
import { AppError, absent, invalid } from "../../core/errors.ts";
import type { PostId } from "../../core/ids.ts";
import { readTogether, retryOnConflict } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { altTextWarnings, type PostContent, planContent, settingAdvice } from "../content/content.ts";
import { expectedKinds, type OwnFiles } from "../content/file-kinds.ts";
import { settingsLeftOut } from "../content/settings.ts";
import { requireOwnMedia, selectNamed } from "../create/named-files.ts";
import { requireUsable } from "../create/plan.ts";
import { contentBytes, requireRoomForBytes, selectUsage, toUsage } from "../create/quota.ts";
import { captionHash, repeatWarnings, selectRepeated } from "../create/repeated-caption.ts";
import type { PostEvent } from "../events.ts";
import { commentWarnings } from "../publish/first-comment-plan.ts";
import type { UpdatePostBody } from "../schema.ts";
import { findWholePost, type Post } from "../store.ts";
import { scheduleWarnings } from "../timetable/due-time.ts";
import { selectReservations, toReservations } from "../timetable/queue-store.ts";
import { needsQueue, planScheduleChange, withoutRepeatedSchedule } from "./change-schedule.ts";
import { changesOf } from "./changes.ts";
import { requireChangeable, storeUpdate } from "./update-store.ts";

/** A decision on the post as it was read, stored with the change (approval/). */
export interface Decision {
  readonly change: Pick<Post, "approvalState" | "approval">;
  readonly event: PostEvent;
}

export type PostChange = UpdatePostBody & {
  /** Throws if the post must not be decided on. */
  readonly decide?: (post: Post, now: number) => Decision;
  /** The revision that the change is based on. */
  readonly asOf?: number;
};

interface Update {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly id: PostId;
  readonly body: PostChange;
}

export interface Updated {
  readonly post: Post;
  /** The names of the fields whose values changed. */
  readonly changed: readonly string[];
  readonly warnings: readonly Warning[];
}

/**
 * Changes a post before its publishing begins. Only the requested fields change, based on the post as it was
 * read, so two concurrent changes are both kept. With a `publish_mode` the post is scheduled as if it were
 * created with that mode. A queued post that gets a time of its own leaves the queue. Errors: `not_found`,
 * `not_changeable`, and those of create-post.
 */
export async function updatePost(deps: Deps, caller: Caller, id: PostId, body: PostChange): Promise<Updated> {
  // Concurrent requests may change the post or take its slot.
  return retryOnConflict(
    () => tryUpdate({ deps, caller, id, body }),
    `Post ${id} is being changed by other requests. Try again.`,
  );
}

/** Null if anything that the change is based on was changed since it was read. */
async function tryUpdate(update: Update): Promise<Updated | null> {
  const { deps, caller, id } = update;
  const post = await findWholePost(deps, caller.projectId, id);
  if (!post) throw absent("post", id);
  requireChangeable(post);
  const body = withoutRepeatedSchedule(post, update.body);
  if (body.asOf !== undefined) requireRevision(post, body.asOf);
  requireFitting(post, body);
  if (!caller.permissions.includes("social-create-post")) requireOnlyContent(post, body);
  const now = Date.now();
  const decision = body.decide?.(post, now) ?? null;
  const { caption_text: caption = post.caption, twitter_threads: thread = post.thread } = body;
  const hash = await captionHash({ caption, thread });
  const { channel, reservations, repeated, usage, own } = await readAbout({ ...update, body }, post, hash, now);
  if (body.publish_mode === "now") requireUsable(channel, { channel_type: channel.platform, publish_mode: "now" });
  const route = planScheduleChange({ post, body, channel, caller, reservations, now });
  const content = changedContent(post, body, channel, { allowLoopback: deps.config.allowLoopback, own });
  requireRoomForBytes(deps, usage, contentBytes({ ...post, ...content }) - contentBytes(post));
  // A caller who may publish needs no approval; what becomes a draft again was never approved as a draft.
  const undecided = route ? { approvalState: null, approval: null } : {};
  const patch = { ...content, ...route?.change, ...(decision?.change ?? undecided), captionHash: hash };
  const after = { ...post, ...patch };
  const changes = changesOf(post, after);
  const leftOut = settingsLeftOut(after, channel, post.postType, expectedKinds(after, own));
  const warnings = [
    ...(typeof body.first_comment === "string" ? commentWarnings(channel, post.postType) : []),
    ...(body.alt_texts || body.twitter_threads ? altTextWarnings(after, channel, post.postType) : []),
    ...(body.declared || body.options || body.media_urls || body.twitter_threads ? leftOut : []),
    ...(after.state === "draft" || !(route || body.options) ? [] : settingAdvice(after, channel, post.postType)),
    ...scheduleWarnings({ schedule_time: body.schedule_time, time_zone: after.timeZone }),
    ...repeatWarnings(repeated, post.postType === "thread"),
  ];
  if (changes.fields.length === 0 && !decision) return { post, changed: [], warnings };
  const isStored = await storeUpdate(deps, { post, channel, patch, route, changes, decision, now });
  return isStored ? { post: after, changed: changes.fields, warnings } : null;
}

/**
 * One D1 call: the channel, its queue if the post enters it, and posts with the same text if the text
 * changes.
 */
async function readAbout({ deps, caller, body }: Update, post: Post, hash: string, now: number) {
  const { projectId } = caller;
  const { channelId } = post;
  const isReworded = (body.caption_text ?? body.twitter_threads) !== undefined && hash !== post.captionHash;
  const { channels, reservations, repeated, counts, files } = await readTogether(deps.db, {
    channels: selectChannel(deps.db, { projectId, id: channelId }),
    reservations: needsQueue(post, body) ? selectReservations(deps.db, { projectId, channelId }, now) : null,
    repeated: isReworded ? selectRepeated(deps.db, { projectId, channelId, hash, except: post.id }, now) : null,
    counts: selectUsage(deps.db, caller),
    files: selectNamed(deps.db, projectId, filesAfter(post, body)),
  });
  const own = requireOwnMedia(deps, body, files);
  const [channel] = channels;
  if (!channel) {
    const sentence = "The post's channel is disconnected. Reconnect it, then try again.";
    throw invalid({ channel_id: [sentence] }, "channel_disconnected");
  }
  const others = toReservations(reservations ?? []).filter(({ id }) => id !== post.id);
  return { channel, reservations: others, repeated: repeated ?? [], usage: toUsage(counts), own };
}

/** The files of the post after the change. */
function filesAfter(post: Post, { media_urls, twitter_threads, options }: UpdatePostBody) {
  const thread = post.thread.map(({ mediaUrls }) => ({ media_urls: mediaUrls }));
  return {
    media_urls: media_urls ?? post.mediaUrls,
    twitter_threads: twitter_threads ?? thread,
    options: options === undefined ? post.options : options,
  };
}

/** The requested fields, validated together with the rest of the post. */
function changedContent(
  post: Post,
  body: UpdatePostBody,
  channel: ChannelState,
  { allowLoopback, own }: { readonly allowLoopback: boolean; readonly own: OwnFiles },
) {
  // The alt texts of replaced files would describe the wrong files.
  const altTexts =
    body.alt_texts === null ? [] : (body.alt_texts ?? (body.media_urls ? undefined : toWords(post.altTexts)));
  const draft = planContent(
    {
      post_type: post.postType,
      caption_text: body.caption_text ?? post.caption,
      media_urls: body.media_urls ?? post.mediaUrls,
      alt_texts: altTexts,
      hash_tags: body.hash_tags === null ? "" : (body.hash_tags ?? post.hashTags.join(" ")),
      twitter_threads:
        body.twitter_threads ??
        post.thread.map(({ message, mediaUrls, altTexts }) => ({
          message,
          media_urls: mediaUrls,
          alt_texts: toWords(altTexts),
        })),
      first_comment: (body.first_comment === undefined ? post.firstComment : body.first_comment) ?? undefined,
      post_extra: body.post_extra ?? post.extra ?? undefined,
      declared: (body.declared === undefined ? post.declared : body.declared) ?? {},
      options: (body.options === undefined ? post.options : body.options) ?? {},
    },
    channel,
    allowLoopback,
    own,
  );
  return {
    ...(body.caption_text === undefined ? {} : { caption: draft.caption }),
    ...(body.media_urls === undefined ? {} : { mediaUrls: draft.mediaUrls }),
    ...(body.media_urls === undefined && body.alt_texts === undefined ? {} : { altTexts: draft.altTexts }),
    ...(body.hash_tags === undefined ? {} : { hashTags: draft.hashTags }),
    ...(body.twitter_threads === undefined ? {} : { thread: draft.thread }),
    ...(body.post_extra === undefined ? {} : { extra: draft.extra }),
    ...(body.declared === undefined ? {} : { declared: draft.declared }),
    ...(body.options === undefined ? {} : { options: draft.options }),
    ...(draft.hasGeneratedMedia === post.hasGeneratedMedia ? {} : { hasGeneratedMedia: draft.hasGeneratedMedia }),
    ...(body.first_comment === undefined ? {} : { firstComment: draft.firstComment }),
    ...(body.external_id === undefined ? {} : { externalId: body.external_id }),
    ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
  };
}

/** The alt texts in the form of a request. */
function toWords(altTexts: PostContent["altTexts"]): string[] {
  return altTexts.map((text) => text ?? "");
}

/** For a caller who may only propose posts: changes the content of drafts, not how they are published. */
function requireOnlyContent({ id, state }: Post, { publish_mode, schedule_time }: UpdatePostBody): void {
  if (state !== "draft") {
    const sentence = `Post ${id} is ${state}; a token with only social-propose-post changes drafts.`;
    throw new AppError("not_changeable", sentence);
  }
  const field = publish_mode === undefined ? "schedule_time" : "publish_mode";
  if ((publish_mode ?? schedule_time) === undefined) return;
  const sentence = `${field} needs the permission social-create-post. Use request-approval instead.`;
  throw invalid({ [field]: [sentence] }, "permission_missing");
}

/** Throws `not_changeable` if the post has changed since that revision. */
export function requireRevision({ id, revision }: Post, seen: number): void {
  if (revision === seen) return;
  const sentence = `Post ${id} has changed since revision ${seen}. Look at it again, then send revision ${revision}.`;
  throw new AppError("not_changeable", sentence);
}

/** Rejects fields that this kind of post does not have. */
function requireFitting(post: Post, body: UpdatePostBody): void {
  const isThread = post.postType === "thread";
  const foreign = isThread ? (["caption_text", "media_urls", "alt_texts"] as const) : (["twitter_threads"] as const);
  const misplaced = [...foreign, ...(post.extra === null ? (["post_extra"] as const) : [])];
  // Reads show an empty list for files that such a post cannot have.
  const isSent = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const field = misplaced.find((one) => isSent(body[one]));
  if (field)
    throw invalid({ [field]: [`${field} must not be sent for a ${post.postType}, which has none.`] }, "not_changeable");
}
