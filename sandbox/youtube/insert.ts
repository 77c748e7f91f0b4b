// Creates a video: it exists once its last byte arrives, and is then processed.

import { probe } from "../media-probe";
import type { Sandbox } from "../sandbox";
import { ApiError, invalidValue } from "./errors";
import { findChannel, newVideoId, type Resource, saveVideo, type VideoRow } from "./store";

const LARGEST_VIDEO = 274_877_906_944;
const DAY_MS = 86_400_000;
const QUARTER_HOUR_MS = 900_000;
const HALF_DAY_MS = 43_200_000;

export interface NewVideo {
  channelId: string;
  resource: Resource;
  blobId: string;
  fileName: string;
  /** The forced result of processing. */
  trouble: string | null;
  createdAt?: number;
}

/** A marker in the title sets the result: `[failed:codec]`, `[rejected:copyright]`. */
const MARKER = /\[(failed|rejected):(\w+)\]/;

export function insertVideo(sandbox: Sandbox, video: NewVideo): VideoRow {
  const now = video.createdAt ?? sandbox.now();
  const facts = probe(sandbox.blobs.source(video.blobId));
  sandbox.blobs.setType(video.blobId, facts.type);
  const marked = MARKER.exec(video.resource.title);
  const trouble = video.trouble ?? (marked ? `${marked[1]}:${marked[2]}` : troubleOf(sandbox, video.channelId, facts));
  return saveVideo(sandbox, {
    id: newVideoId(sandbox.db),
    channel_id: video.channelId,
    blob_id: video.blobId,
    size: facts.size,
    type: facts.type,
    file_name: video.fileName,
    resource: JSON.stringify(video.resource),
    trouble,
    width: facts.width,
    height: facts.height,
    duration_ms: facts.durationMs,
    thumbnail: null,
    created_at: now,
    ready_at: now + sandbox.settings.all.processing_ms,
  });
}

function troubleOf(sandbox: Sandbox, channelId: string, facts: ReturnType<typeof probe>): string | null {
  if (facts.size === 0) return "failed:emptyFile";
  if (!facts.type.startsWith("video/")) return "failed:invalidFile";
  const isVerified = findChannel(sandbox, channelId)?.long_uploads === "allowed";
  const longest = isVerified ? HALF_DAY_MS : QUARTER_HOUR_MS;
  return (facts.durationMs ?? 0) > longest ? "rejected:length" : null;
}

/** The channel's own limit, independent of the project's quota. */
export function checkChannelCap(sandbox: Sandbox, channelId: string): void {
  const made = sandbox.db.first<{ n: number }>(
    "SELECT count(*) AS n FROM youtube_videos WHERE channel_id = ? AND created_at > ?",
    channelId,
    sandbox.now() - DAY_MS,
  );
  if ((made?.n ?? 0) < sandbox.settings.all.youtube_channel_uploads_per_day) return;
  throw new ApiError(400, "uploadLimitExceeded", "The user has exceeded the number of videos they may upload.", {
    domain: "youtube.video",
    location: "body",
    locationType: "body",
  });
}

/** The declared content type of the media. */
export function checkMediaType(type: string): void {
  if (/^video\/[\w*.+-]+$/.test(type) || type === "application/octet-stream") return;
  const message = `Media type '${type}' is not supported. Valid media types: [application/octet-stream, video/*]`;
  throw new ApiError(400, "badContent", message);
}

export function checkMediaSize(size: number): void {
  if (size > LARGEST_VIDEO) throw invalidValue("X-Upload-Content-Length", "The file is too large.");
}
