import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext, Json } from "../context.ts";
import { rejected, unknown } from "../outcomes.ts";
import type {
  Accepted,
  CommitOutcome,
  ConfirmOutcome,
  Content,
  PermalinkOutcome,
  PlatformPost,
  PrepareOutcome,
  Publishing,
} from "../publishing.ts";
import type { Media } from "../rules.ts";
import { write } from "./api.ts";
import { endOf, lastStart, otherForm } from "./chunks.ts";
import { isStale, postingOptions } from "./creator.ts";
import { disclosures } from "./disclosures.ts";
import { find } from "./find.ts";
import { postInfo } from "./post-info.ts";
import { isTask, readTask, toPost } from "./task.ts";
import {
  advance,
  checkBytes,
  isOver,
  type Publication,
  publicationOf,
  type Step,
  sendChunk,
  taken,
  type Upload,
  uploadOf,
} from "./upload.ts";

/**
 * Publishing at TikTok: a video, whose last chunk makes it public (upload.ts), or pictures, which TikTok
 * fetches itself. Their status: task.ts. Look-ups after a lost answer: find.ts.
 *
 * A second task is a second post. So nothing is restarted once all bytes may have arrived, or the pictures
 * were requested.
 */

/** Seconds between checks of a task: most complete within a minute, some take hours. */
const MIN_WAIT = 5;
const MAX_WAIT = 300;
/** How late an account's list shows a post is not documented. */
const LIST_LAG_SECONDS = 600;
/** Most posts are moderated, and listed, within a minute. */
const USUAL_LAG_SECONDS = 60;
/** Moderation has taken hours; after this period the id is unlikely to come. */
const PERMALINK_SECONDS = 3 * 86_400;

async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const publication = publicationOf(content);
  if (publication.kind === "failed") return publication;
  const step = await advance(context, content, publication, uploadOf(stored));
  if (step.kind === "failed") return step;
  const { upload, ...outcome } = step;
  return { ...outcome, progress: upload };
}

async function commit(context: AccountContext, content: Content, stored: Json): Promise<CommitOutcome> {
  const publication = publicationOf(content);
  if (publication.kind === "failed") return publication;
  const upload = uploadOf(stored);
  return publication.video === null
    ? commitPhotos(context, publication, upload)
    : commitVideo(context, content, publication.video, upload);
}

async function commitVideo(
  context: AccountContext,
  content: Content,
  video: Media,
  upload: Upload,
): Promise<CommitOutcome> {
  if (upload.publishId === "") return rejected("The video of this post was not uploaded.");
  // All bytes were sent already: the task has the outcome.
  if (upload.offset >= video.bytes) return settled(context, upload, video, null);
  if (isOver(context, upload, video)) return settled(context, upload, video, "address");
  const sent = await sendChunk(context, content, video, upload);
  switch (sent.kind) {
    case "stored":
      // TikTok may have less than we recorded. Without the last bytes there is no post.
      return sent.bytes >= video.bytes ? accepted(context, upload) : unprepared(taken(upload, video, sent.bytes));
    case "stopped":
      return settled(context, upload, video, sent.why);
    case "cut_off":
      return cutOff(upload, video, sent.message);
    default:
      return sent;
  }
}

function accepted(context: AccountContext, { publishId }: Upload): CommitOutcome {
  return { kind: "accepted", post: toPost(context, publishId, null), afterSeconds: MIN_WAIT };
}

/** Seconds before a task that lacks bytes is checked once more, and another one opened. */
const RECHECK_SECONDS = 15;

/** The task's status after TikTok refused the end of the video: TikTok may have received it all the same. */
async function settled(
  context: AccountContext,
  upload: Upload,
  video: Media,
  stopped: Upload["stopped"],
): Promise<CommitOutcome> {
  const checked = await checkBytes(context, upload, video);
  if (checked === "whole") return accepted(context, upload);
  if (checked === "lacking") {
    const progress = {
      ...upload,
      offset: Math.min(upload.offset, lastStart(video.bytes, upload.form)),
      stopped: stopped ?? "address",
    };
    return { kind: "unprepared", progress, message: LACKING, afterSeconds: RECHECK_SECONDS };
  }
  return unknown(`TikTok refused the end of the video and does not report whether it has it. ${checked.message}`);
}

/** How often one chunk may break off before several are sent. */
const MOST_BREAKS = 2;

/**
 * Not all of the end was sent, so there is no post. It is sent again, in smaller chunks if it keeps breaking
 * off.
 */
function cutOff(upload: Upload, { bytes }: Media, message: string): CommitOutcome {
  const breaks = upload.breaks + 1;
  const isTooLong = breaks >= MOST_BREAKS && !upload.isFallback && otherForm(bytes, upload.form) !== null;
  const progress = isTooLong ? { ...upload, stopped: "form" as const } : { ...upload, breaks };
  return { kind: "unprepared", progress, message, afterSeconds: MIN_WAIT * breaks };
}

const LACKING = "TikTok lacks a part of the video. It is sent again.";

function unprepared(step: Step): CommitOutcome {
  if (step.kind === "failed") return step;
  return { kind: "unprepared", progress: step.upload, message: LACKING, afterSeconds: 1 };
}

/** For a video, the size of the last chunk. */
function commitBytes(content: Content, stored: Json): number {
  const publication = publicationOf(content);
  if (publication.kind === "failed" || publication.video === null) return 0;
  const { bytes } = publication.video;
  const { offset, form } = uploadOf(stored);
  return offset >= bytes ? 0 : endOf(bytes, form, offset) - offset;
}

const Begun = z.object({ publish_id: z.string().min(1) });

async function commitPhotos(context: AccountContext, publication: Publication, upload: Upload): Promise<CommitOutcome> {
  const { settings } = upload;
  const { media, options } = publication;
  if (settings === null || isStale(context, settings)) {
    const message = "The account's settings are read again.";
    return { kind: "unprepared", progress: { ...upload, settings: null }, message, afterSeconds: 1 };
  }
  const photo_images = media.map(({ publicUrl }) => publicUrl);
  const json = {
    media_type: "PHOTO",
    post_mode: "DIRECT_POST",
    post_info: postInfo.photos(publication, settings),
    source_info: { source: "PULL_FROM_URL", photo_cover_index: options.cover_index ?? 0, photo_images },
  };
  const begun = await write(context, { path: "post/publish/content/init/", json }, Begun);
  if (begun.kind !== "ok") return begun;
  return { kind: "accepted", post: toPost(context, begun.value.publish_id, null), afterSeconds: MIN_WAIT };
}

async function confirm(
  context: AccountContext,
  _content: Content,
  _stored: Json,
  { post, since }: Accepted,
): Promise<ConfirmOutcome> {
  // Found in the account's list: it is live under its own id.
  if (!isTask(post.id)) return { kind: "live", post };
  const task = await readTask(context, post.id);
  switch (task.kind) {
    case "uploading":
    case "working":
      return { kind: "processing", afterSeconds: waitSeconds(context.now - since) };
    case "complete":
      return { kind: "live", post: toPost(context, post.id, task.postId) };
    default:
      return task;
  }
}

/** An eighth of the time that has passed. */
function waitSeconds(waitedMs: number): number {
  return Math.min(MAX_WAIT, Math.max(MIN_WAIT, Math.round((7.5 * waitedMs) / MINUTE)));
}

/** The id of a public post comes with its moderation; other posts, and some public ones, never get one. */
async function readPermalink(context: AccountContext, { id }: PlatformPost): Promise<PermalinkOutcome> {
  const task = await readTask(context, id);
  if (task.kind === "failed") return task;
  const post = toPost(context, id, task.kind === "complete" ? task.postId : null);
  const { permalink } = post;
  return permalink === null ? { kind: "not_yet" } : { kind: "found", post: { ...post, permalink } };
}

export const posts: Publishing = {
  lists: {
    lagSeconds: LIST_LAG_SECONDS,
    usualLagSeconds: USUAL_LAG_SECONDS,
    // A task accepts its last chunk once. For requested pictures, absence proves nothing: `find` never
    // reports it.
    refusesRepeat: (content, index) => content.items[index]?.media.some(({ kind }) => kind === "video") ?? false,
  },
  prepare,
  commit: (context, content, progress) => commit(context, content, progress),
  commitBytes,
  confirm,
  find,
  permalink: { shown: "later", forSeconds: PERMALINK_SECONDS, read: readPermalink },
  postingOptions,
  disclosures,
};
