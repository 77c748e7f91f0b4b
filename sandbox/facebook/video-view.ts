// A video as the Graph API returns it; the phases follow from its timestamps.

import { graphTime, type JsonObject } from "../meta/fields";
import type { Sandbox } from "../sandbox";
import { findPage, findPost, isLive, type VideoRow } from "./store";
import { readBack } from "./text";
import { videoSource } from "./views";

const UPLOAD_LIFE_MS = 86_400_000;

export function videoView(sandbox: Sandbox, video: VideoRow): JsonObject {
  const now = sandbox.now();
  const post = video.post_id === null ? null : findPost(sandbox, video.post_id);
  const status = claimedStatus(sandbox, video);
  const isPublished = status === null && post !== null && isLive(post, now);
  const source = videoSource(video);
  const path =
    video.kind === "reel"
      ? `/reel/${video.id}/`
      : `/${video.page_id}/${video.kind === "story" ? "stories" : "videos"}/${video.id}/`;
  return {
    id: video.id,
    ...(video.title ? { title: readBack(sandbox, video.title) } : {}),
    ...(video.description ? { description: readBack(sandbox, video.description) } : {}),
    created_time: graphTime(video.created_at),
    updated_time: graphTime(post?.live_at ?? video.created_at),
    permalink_url: path,
    published: isPublished,
    ...(isPublished && post ? { post_id: post.id } : {}),
    ...(post?.scheduled_at ? { scheduled_publish_time: Math.floor(post.scheduled_at / 1000) } : {}),
    ...(source ? { source } : {}),
    ...(video.duration_ms === null ? {} : { length: video.duration_ms / 1000 }),
    content_category: "OTHER",
    from: { id: video.page_id, name: findPage(sandbox, video.page_id)?.name ?? "" },
    status: status ?? statusOf(video, now, isPublished ? (post?.live_at ?? now) : null),
  };
}

/**
 * The inaccurate status that a finished video reports for a while, according to the settings; null for the
 * actual status.
 */
function claimedStatus(sandbox: Sandbox, video: VideoRow): JsonObject | null {
  const { facebook_video_state: state, facebook_video_state_ms: forMs } = sandbox.settings.all;
  const isOver = video.finished_at === null || video.finished_at + forMs <= sandbox.now();
  if (state === "accurate" || isOver || video.error_code !== null) return null;
  return {
    video_status: { not_started: "processing", upload_complete: "upload_complete", ready_unpublished: "ready" }[state],
    uploading_phase: uploadingPhase(video),
    processing_phase: { status: state === "ready_unpublished" ? "complete" : "not_started" },
    publishing_phase: { status: "not_started" },
  };
}

const uploadingPhase = (video: VideoRow): JsonObject => ({
  status: video.uploaded_at !== null ? "complete" : video.received > 0 ? "in_progress" : "not_started",
  bytes_transferred: video.received,
  ...(video.file_size === null ? {} : { source_file_size: video.file_size }),
});

function statusOf(video: VideoRow, now: number, publishedAt: number | null): JsonObject {
  const isUploaded = video.uploaded_at !== null;
  const isReady = isUploaded && (video.ready_at ?? 0) <= now;
  const hasFailed = isReady && video.error_code !== null;
  const processing: JsonObject = hasFailed
    ? { status: "error", errors: [{ code: video.error_code, message: video.error_message }] }
    : { status: isReady ? "complete" : isUploaded ? "in_progress" : "not_started" };
  const isPublishing = video.is_finished === 1 && video.post_id !== null && isReady && !hasFailed;
  const isDraft = video.is_finished === 1 && video.post_id === null;
  const publishing: JsonObject =
    publishedAt !== null
      ? { status: "complete", publish_status: "published", publish_time: graphTime(publishedAt) }
      : { status: isPublishing ? "in_progress" : "not_started", ...(isDraft ? { publish_status: "draft" } : {}) };
  return {
    video_status: videoStatus({ video, now, isUploaded, isReady, hasFailed }),
    uploading_phase: uploadingPhase(video),
    processing_phase: processing,
    publishing_phase: publishing,
  };
}

interface Progress {
  video: VideoRow;
  now: number;
  isUploaded: boolean;
  isReady: boolean;
  hasFailed: boolean;
}

function videoStatus({ video, now, isUploaded, isReady, hasFailed }: Progress): string {
  if (hasFailed) return "error";
  if (isReady) return "ready";
  if (isUploaded) return "processing";
  return video.created_at < now - UPLOAD_LIFE_MS ? "expired" : "uploading";
}
