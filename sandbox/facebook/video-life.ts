// The life of a video: created, uploaded, processed until `ready_at`, and published once finished and
// processed. Only timestamps are stored; the states follow from them.

import type { MediaFacts } from "../media-probe";
import { isAac, isOf } from "../media-tracks";
import { missingObject } from "../meta/errors";
import type { GraphContext } from "../meta/params";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import { pageOfToken } from "./access";
import type { whenLive } from "./publishing";
import { findVideo, insertPost, newPostId, newStoryId, newVideoId, type VideoKind, type VideoRow } from "./store";
import type { Token } from "./tokens";

const VIDEO_TYPES = ["video/mp4", "video/quicktime", "video/webm"];

export function createVideo(
  sandbox: Sandbox,
  token: Token,
  kind: VideoKind,
  known: { session?: string; fileSize?: number; url?: string; blob?: string },
): string {
  const id = newVideoId(sandbox, kind);
  sandbox.db.run(
    `INSERT INTO facebook_videos (id, page_id, kind, session, file_size, url, blob_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    pageOfToken(token),
    kind,
    known.session ?? null,
    known.fileSize ?? null,
    known.url ?? null,
    known.blob ?? null,
    sandbox.now(),
  );
  return id;
}

/** The upload is complete: processing begins, and its end time is fixed. */
export function completeUpload(sandbox: Sandbox, video: VideoRow, facts: MediaFacts): void {
  const trouble = video.error_code ? null : whatIsWrong(video.kind, facts);
  sandbox.db.run(
    `UPDATE facebook_videos SET uploaded_at = ?1, ready_at = ?2, type = ?3, received = ?4, file_size = ?4,
       duration_ms = ?5, error_code = coalesce(error_code, ?6), error_message = coalesce(error_message, ?7),
       is_vertical = ?9 WHERE id = ?8`,
    sandbox.now(),
    sandbox.now() + sandbox.settings.all.processing_ms,
    facts.type,
    facts.size,
    facts.durationMs,
    trouble?.code ?? null,
    trouble?.message ?? null,
    video.id,
    (facts.height ?? 0) > (facts.width ?? 0) ? 1 : 0,
  );
}

export function whatIsWrong(kind: VideoKind, facts: MediaFacts): { code: number; message: string } | null {
  if (!VIDEO_TYPES.includes(facts.type)) return { code: 1349125, message: "Invalid file format" };
  const { width, height, durationMs, frameRate } = facts;
  if (facts.type !== "video/webm" && durationMs === null)
    return { code: 2069019, message: "Invalid file: no movie header" };
  if (kind === "video") return null;
  if (width !== null && height !== null) {
    if (Math.abs(width / height - 9 / 16) > 0.02)
      return { code: 1363040, message: "Unsupported aspect ratio: 9:16 is needed" };
    if (width < 540 || height < 960)
      return { code: 1363127, message: "Resolution too low: at least 540x960 is needed" };
  }
  const longest = kind === "reel" ? 90_500 : 60_500;
  if (durationMs !== null && (durationMs < 2_900 || durationMs > longest)) {
    return { code: 1363128, message: `Unsupported duration: 3 to ${Math.floor(longest / 1000)} seconds` };
  }
  if (kind === "reel" && (!isOf(facts, "h264", "hevc", "vpx", "av1") || !isAac(facts) || facts.codec === "vp08"))
    return { code: 1349125, message: "Invalid file format: the codec is not supported" };
  if (kind === "reel" && frameRate !== null && (frameRate < 23.88 || frameRate > 60.3))
    return { code: 1363129, message: "Unsupported frame rate" };
  return null;
}

/** Makes the processing of this video fail, even if it was completed. */
export function spoil(sandbox: Sandbox, id: string): void {
  const message = "The video could not be processed (a setting of the sandbox)";
  sandbox.db.run("UPDATE facebook_videos SET error_code = 1363130, error_message = ? WHERE id = ?", message, id);
  sandbox.db.run("DELETE FROM facebook_posts WHERE video_id = ? AND live_at > ?", id, sandbox.now());
}

export function ownVideo(sandbox: Sandbox, token: Token, id: string): VideoRow {
  const video = findVideo(sandbox, id);
  if (!video || video.page_id !== token.pageId) throw missingObject(id, "post");
  return video;
}

const isPublishedOnce = (video: VideoRow) => video.is_finished === 1 && video.post_id !== null;

/** Whether a further `finish` of this video is accepted without effect. */
export const isSettled = (sandbox: Sandbox, video: VideoRow) =>
  isPublishedOnce(video) && sandbox.settings.all.facebook_finish_is_idempotent;

/**
 * The video that a `finish` publishes: the video itself, or a copy if it was published before. Facebook was
 * seen to create six copies of a reel.
 */
export function toPublish(sandbox: Sandbox, video: VideoRow): VideoRow {
  if (!isPublishedOnce(video)) return video;
  const id = newVideoId(sandbox, video.kind);
  sandbox.db.run(
    `INSERT INTO facebook_videos (id, page_id, kind, url, blob_id, type, file_size, received, uploaded_at, ready_at,
       error_code, error_message, duration_ms, is_vertical, created_at)
     SELECT ?, page_id, kind, url, blob_id, type, file_size, received, uploaded_at, ready_at,
       error_code, error_message, duration_ms, is_vertical, ? FROM facebook_videos WHERE id = ?`,
    id,
    sandbox.now(),
    video.id,
  );
  const copy = findVideo(sandbox, id);
  if (!copy) throw new Error("a video was lost");
  return copy;
}

interface About {
  title?: string | undefined;
  description?: string | undefined;
  is_ai_generated?: boolean | undefined;
  timing: ReturnType<typeof whenLive>;
}

/** Marks the video as finished; its post goes live as soon as processing and schedule allow. */
export function announce(
  sandbox: Sandbox,
  c: GraphContext,
  video: VideoRow,
  { timing, ...about }: About,
): string | null {
  const isDraft =
    video.kind === "video" && video.is_vertical === 1 && sandbox.settings.all.facebook_vertical_videos === "draft";
  const isPost = !isDraft && (timing.is_published || timing.scheduled_at !== null);
  const isStory = video.kind === "story";
  const postId = !isPost ? null : isStory ? newStoryId(sandbox) : newPostId(sandbox, video.page_id);
  sandbox.db.run(
    "UPDATE facebook_videos SET is_finished = 1, finished_at = ?, title = ?, description = ?, post_id = ? WHERE id = ?",
    sandbox.now(),
    about.title ?? null,
    about.description ?? null,
    postId,
    video.id,
  );
  if (meets(c, "processing_failed")) spoil(sandbox, video.id);
  const isSpoilt = findVideo(sandbox, video.id)?.error_code != null;
  if (postId !== null && !isSpoilt) {
    // Accepted now, live later: after processing, and shortly after the last call.
    const settled = Math.max(video.ready_at ?? 0, sandbox.now() + Math.ceil(sandbox.settings.all.processing_ms / 2));
    insertPost(sandbox, {
      id: postId,
      page_id: video.page_id,
      kind: isStory ? "video_story" : video.kind === "reel" ? "reel" : "video",
      message: about.description ?? null,
      video_id: video.id,
      is_ai_generated: about.is_ai_generated,
      is_published: timing.is_published,
      scheduled_at: timing.scheduled_at,
      live_at: Math.max(settled, timing.scheduled_at ?? 0),
    });
  }
  return postId;
}
