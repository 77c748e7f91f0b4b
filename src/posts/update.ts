import { and, eq, sql } from "drizzle-orm";
import { selectChannel } from "../channels/store.ts";
import type { Caller } from "../core/caller.ts";
import { AppError, invalid } from "../core/errors.ts";
import type { PostId } from "../core/ids.ts";
import { isRequired } from "../core/sentences.ts";
import { SECOND } from "../core/time.ts";
import { readTogether, runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { jobKey } from "../jobs/messages.ts";
import { evictStalled, isWorkedOn, moveJob } from "../jobs/store.ts";
import { wakeJob } from "../jobs/wake.ts";
import { type PostDraft, planContent } from "./content.ts";
import { postEvents } from "./events.ts";
import { PUBLISH, publishLimitMs, publishQueue } from "./jobs.ts";
import { contentBytes, requireRoomForBytes, selectUsage, toUsage } from "./quota.ts";
import { jobTiming, readSchedule } from "./schedule.ts";
import type { UpdatePostBody } from "./schema.ts";
import { findWholePost, type Post } from "./store.ts";
import { postsTable } from "./table.ts";

const CHANGEABLE = ["draft", "scheduled", "queued"] as const;

/** Others may change the post at the same moment: it is read and checked again then. */
const TRIES = 10;

/**
 * Changes a post that has not begun to go out (decisions.md, extension update-post): what was asked for and nothing else,
 * on the post as it was read, so that two changes at once are both kept. A queued post that gets a time of its own leaves
 * the queue. Errors: `not_found`, `not_changeable`, and those of create-post.
 */
export async function updatePost(deps: Deps, caller: Caller, id: PostId, body: UpdatePostBody): Promise<Post> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const changed = await tryUpdate(deps, caller, id, body);
    if (changed) return changed;
  }
  throw new AppError("rate_limited", `Post ${id} is being changed by many requests at once. Try again.`, {
    retryAfterSeconds: 1,
  });
}

/** Null when the post was changed since it was read. */
async function tryUpdate(deps: Deps, caller: Caller, id: PostId, body: UpdatePostBody): Promise<Post | null> {
  const { db } = deps;
  const post = await findWholePost(db, caller.projectId, id);
  if (!post) throw new AppError("not_found", `There is no post ${id} in this project.`);
  if (!isChangeable(post)) throw tooLate(post);
  requireFitting(post, body);
  const now = Date.now();
  const content = await changedContent(deps, caller, post, body);
  const schedule = scheduleOf(post, body, now);
  const times = schedule && jobTiming(schedule.publishAt, now, publishLimitMs(deps.config));
  const key = jobKey(PUBLISH, id);
  const queue = publishQueue({ ...post, ...content });
  // Not once a delivery has the job: it may have read the post already. Every statement asks the same.
  const asRead = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.project_id = ${caller.projectId}
      AND posts.revision = ${post.revision} AND posts.state IN ('draft', 'scheduled', 'queued'))
    AND NOT ${isWorkedOn(key, now)}`;
  const event = {
    projectId: post.projectId,
    subjectId: id,
    type: "post.updated",
    message: "Changed on request.",
    detail: {},
    at: now,
  } as const;
  const change = { ...content, ...schedule };
  const results = await runBatch(db, [
    postEvents.insert(db, event, asRead),
    // A delivery that has stalled since before its lease ended would send what it has read.
    evictStalled(db, key, now, asRead),
    moveJob(db, key, { queue, ...times }, asRead),
    // The last one, for it changes what the others ask.
    db
      .update(postsTable)
      .set({ ...change, revision: post.revision + 1, updatedAt: now })
      .where(and(eq(postsTable.id, id), asRead))
      .returning({ id: postsTable.id }),
  ]);
  const changed = results.at(-1);
  if (!Array.isArray(changed) || changed.length === 0) {
    const current = await findWholePost(db, caller.projectId, id);
    if (current && isChangeable(current) && current.revision !== post.revision) return null;
    throw new AppError("not_changeable", `Post ${id} is just going out and cannot be changed any more.`);
  }
  if (times && times.messageAt !== null) await wakeJob(deps, { key, queue }, (times.messageAt - now) / SECOND);
  return { ...post, ...change };
}

/** The fields of the draft that the request names, checked together with the others. */
async function changedContent(
  deps: Deps,
  caller: Caller,
  post: Post,
  body: UpdatePostBody,
): Promise<Partial<Pick<PostDraft, "caption" | "mediaUrls" | "altTexts" | "hashTags" | "thread">>> {
  const { channels, counts } = await readTogether(deps.db, {
    channels: selectChannel(deps.db, { projectId: caller.projectId, id: post.channelId }),
    counts: selectUsage(deps.db, caller),
  });
  const [channel] = channels;
  if (!channel) {
    const sentence = "The post's channel was disconnected. Connect it again first.";
    throw invalid({ channel_id: [sentence] }, "channel_disconnected");
  }
  // Those of the files before would describe the wrong ones.
  const altTexts = body.alt_texts ?? (body.media_urls ? [] : toWords(post.altTexts));
  const draft = planContent(
    {
      post_type: post.postType,
      caption_text: body.caption_text ?? post.caption,
      media_urls: body.media_urls ?? post.mediaUrls,
      alt_texts: altTexts,
      hash_tags: body.hash_tags ?? post.hashTags.join(" "),
      twitter_threads:
        body.twitter_threads ??
        post.thread.map(({ message, mediaUrls, altTexts }) => ({
          message,
          media_urls: mediaUrls,
          alt_texts: toWords(altTexts),
        })),
    },
    channel,
    deps.config.allowLoopback,
  );
  requireRoomForBytes(deps, toUsage(counts), contentBytes({ ...draft, extra: post.extra }) - contentBytes(post));
  return {
    ...(body.caption_text === undefined ? {} : { caption: draft.caption }),
    ...(body.media_urls === undefined ? {} : { mediaUrls: draft.mediaUrls }),
    ...(body.media_urls === undefined && body.alt_texts === undefined ? {} : { altTexts: draft.altTexts }),
    ...(body.hash_tags === undefined ? {} : { hashTags: draft.hashTags }),
    ...(body.twitter_threads === undefined ? {} : { thread: draft.thread }),
  };
}

/** As a request writes them. */
function toWords(altTexts: PostDraft["altTexts"]): string[] {
  return altTexts.map((text) => text ?? "");
}

function isChangeable(post: Post): boolean {
  return CHANGEABLE.some((state) => state === post.state);
}

function tooLate(post: Post): AppError {
  return new AppError(
    "not_changeable",
    `Post ${post.id} is ${post.state}; only draft, scheduled and queued posts can be changed.`,
  );
}

/** Fields that this kind of post does not have. */
function requireFitting(post: Post, body: UpdatePostBody): void {
  const isThread = post.postType === "thread";
  const misplaced = (
    isThread ? (["caption_text", "media_urls", "alt_texts"] as const) : (["twitter_threads"] as const)
  ).filter((field) => body[field] !== undefined);
  const [field] = misplaced;
  if (field)
    throw invalid({ [field]: [`${field} must not be sent for a ${post.postType}, which has none.`] }, "not_changeable");
}

function scheduleOf(post: Post, body: UpdatePostBody, now: number) {
  if (body.schedule_time === undefined) {
    if (body.time_zone === undefined) return null;
    throw invalid({ schedule_time: [isRequired("schedule_time", "with time_zone, a time as YYYY-MM-DD HH:mm")] });
  }
  const timeZone = body.time_zone ?? post.timeZone;
  const publishAt = readSchedule(body.schedule_time, timeZone, now);
  return { state: "scheduled", publishMode: "scheduled", publishAt, timeZone, slotAt: null } as const;
}
