// API views of videos, channels and playlist items of the uploads.

import { blobPath } from "../blobs";
import { type Books, followersAt, openBooks } from "../books";
import type { Sandbox } from "../sandbox";
import { type ChannelRow, findChannel, privacyNow, type Resource, resourceOf, uploadsOf, type VideoRow } from "./store";

export const VIDEO_PARTS = [
  "id",
  "snippet",
  "status",
  "contentDetails",
  "statistics",
  "player",
  "processingDetails",
  "fileDetails",
  "localizations",
  "recordingDetails",
  "topicDetails",
  "liveStreamingDetails",
  "paidProductPlacementDetails",
  "suggestions",
  "brandPartner",
] as const;
/** Only the owner sees these parts. */
export const OWNER_PARTS = ["processingDetails", "fileDetails", "suggestions"];

export const etag = (...parts: (string | number)[]) => btoa(parts.join(":")).replaceAll("=", "").slice(0, 27);

export const videoView = (sandbox: Sandbox, video: VideoRow, parts: readonly string[], origin: string): object =>
  viewOf(sandbox, video, parts, { origin, countsOf: openBooks(sandbox, "youtube") });

export function videoViews(
  sandbox: Sandbox,
  videos: readonly VideoRow[],
  parts: readonly string[],
  origin: string,
): object[] {
  const reading = { origin, countsOf: openBooks(sandbox, "youtube") };
  return videos.map((video) => viewOf(sandbox, video, parts, reading));
}

interface Reading {
  readonly origin: string;
  /** The numbers of all videos. */
  readonly countsOf: Books;
}

function viewOf(sandbox: Sandbox, video: VideoRow, parts: readonly string[], { origin, countsOf }: Reading): object {
  const resource = shown(sandbox, resourceOf(video));
  const views: Record<string, () => object> = {
    snippet: () => snippetView(sandbox, video, resource, origin),
    status: () => statusView(sandbox, video, resource),
    contentDetails: () => ({
      duration: duration(video.duration_ms),
      dimension: "2d",
      definition: (video.height ?? 0) >= 720 || (video.width ?? 0) >= 720 ? "hd" : "sd",
      caption: "false",
      licensedContent: false,
      projection: "rectangular",
    }),
    statistics: () => statisticsView(countsOf, video.id),
    player: () => ({ embedHtml: `<iframe src="//www.youtube.com/embed/${video.id}"></iframe>` }),
    processingDetails: () => processingView(sandbox, video),
    fileDetails: () => fileView(sandbox, video),
    paidProductPlacementDetails: () => ({ hasPaidProductPlacement: resource.hasPaidProductPlacement }),
  };
  const wanted = Object.entries(views).filter(([part]) => parts.includes(part));
  return {
    kind: "youtube#video",
    etag: etag(video.id, stateOf(sandbox, video)),
    id: video.id,
    ...Object.fromEntries(wanted.map(([part, view]) => [part, view()])),
  };
}

/** Counts are texts; hidden ones are absent. */
function statisticsView(countsOf: Books, id: string): object {
  const { views = 0, paid_views = 0, likes, comments } = countsOf(id) ?? {};
  const counts = { viewCount: (views ?? 0) + (paid_views ?? 0), likeCount: likes, commentCount: comments };
  const known = Object.entries(counts).filter(([, count]) => count !== null);
  return { ...Object.fromEntries(known.map(([name, count]) => [name, String(count ?? 0)])), favoriteCount: "0" };
}

function shown(sandbox: Sandbox, resource: Resource): Resource {
  if (sandbox.settings.all.youtube_text_readback === "exact") return resource;
  const trimmed = (text: string) => text.replace(/\s+/g, " ").trim();
  return { ...resource, title: trimmed(resource.title), description: trimmed(resource.description) };
}

function snippetView(sandbox: Sandbox, video: VideoRow, resource: Resource, origin: string): object {
  const { title, description, tags, categoryId, defaultLanguage } = resource;
  return {
    publishedAt: sandbox.iso(publishedAt(video, resource, sandbox.now())).replace(/\.\d+Z$/, "Z"),
    channelId: video.channel_id,
    title,
    description,
    thumbnails: thumbnails(video, origin),
    channelTitle: findChannel(sandbox, video.channel_id)?.title ?? "",
    ...(tags.length > 0 ? { tags } : {}),
    categoryId,
    liveBroadcastContent: "none",
    ...(defaultLanguage === null ? {} : { defaultLanguage }),
    localized: { title, description },
  };
}

/** A scheduled video is published at its time. */
function publishedAt(video: VideoRow, { publishAt }: Resource, now: number): number {
  return publishAt !== null && publishAt <= now ? Math.max(publishAt, video.created_at) : video.created_at;
}

export function thumbnails(video: VideoRow, origin: string): object {
  const base = `https://i.ytimg.com/vi/${video.id}`;
  const url = (name: string) =>
    video.thumbnail === null ? `${base}/${name}.jpg` : `${origin}${blobPath(video.thumbnail)}`;
  return {
    default: { url: url("default"), width: 120, height: 90 },
    medium: { url: url("mqdefault"), width: 320, height: 180 },
    high: { url: url("hqdefault"), width: 480, height: 360 },
  };
}

/** `uploaded`, then the result of processing. */
function stateOf(sandbox: Sandbox, video: VideoRow): string {
  if (video.ready_at > sandbox.now()) return "uploaded";
  return video.trouble?.split(":")[0] ?? "processed";
}

function statusView(sandbox: Sandbox, video: VideoRow, resource: Resource): object {
  const now = sandbox.now();
  const uploadStatus = stateOf(sandbox, video);
  const reason = video.trouble?.split(":")[1];
  const privacyStatus = privacyNow(resource, now);
  const { publishAt, selfDeclaredMadeForKids } = resource;
  return {
    uploadStatus,
    ...(uploadStatus === "failed" ? { failureReason: reason } : {}),
    ...(uploadStatus === "rejected" ? { rejectionReason: reason } : {}),
    privacyStatus,
    ...(publishAt !== null && privacyStatus === "private" ? { publishAt: sandbox.iso(publishAt) } : {}),
    license: resource.license,
    embeddable: resource.embeddable,
    publicStatsViewable: resource.publicStatsViewable,
    madeForKids: selfDeclaredMadeForKids,
    selfDeclaredMadeForKids,
    containsSyntheticMedia: resource.containsSyntheticMedia,
  };
}

function processingView(sandbox: Sandbox, video: VideoRow): object {
  const state = stateOf(sandbox, video);
  const isDescribed = video.created_at + sandbox.settings.all.youtube_file_details_ms <= sandbox.now();
  const availability = {
    fileDetailsAvailability: isDescribed ? "available" : "inProgress",
    thumbnailsAvailability: "available",
  };
  if (state === "uploaded") {
    const timeLeftMs = String(video.ready_at - sandbox.now());
    const processingProgress = { partsTotal: "100", partsProcessed: "40", timeLeftMs };
    return { processingStatus: "processing", processingProgress, ...availability };
  }
  if (state === "failed") {
    return { processingStatus: "failed", processingFailureReason: "transcodeFailed", ...availability };
  }
  const processingProgress = { partsTotal: "100", partsProcessed: "100", timeLeftMs: "0" };
  return { processingStatus: "succeeded", processingProgress, ...availability };
}

/** Empty until the file is inspected. */
function fileView(sandbox: Sandbox, video: VideoRow): object {
  const { youtube_file_details_ms, youtube_file_names } = sandbox.settings.all;
  if (video.created_at + youtube_file_details_ms > sandbox.now()) return {};
  return {
    ...(youtube_file_names ? { fileName: video.file_name } : {}),
    fileSize: String(video.size),
    fileType: video.type.startsWith("video/") ? "video" : "other",
    container: video.type.split("/")[1] ?? "",
    ...(video.duration_ms === null ? {} : { durationMs: String(video.duration_ms) }),
  };
}

function duration(ms: number | null): string {
  const seconds = Math.round((ms ?? 0) / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return `PT${hours ? `${hours}H` : ""}${minutes ? `${minutes}M` : ""}${rest || seconds === 0 ? `${rest}S` : ""}`;
}

/** Subscribers are shown with three digits. */
function rounded(count: number): string {
  const step = 10 ** Math.max(0, String(count).length - 3);
  return String(Math.floor(count / step) * step);
}

export function channelView(sandbox: Sandbox, channel: ChannelRow, parts: readonly string[]): object {
  const count = sandbox.db.first<{ n: number }>(
    "SELECT count(*) AS n FROM youtube_videos WHERE channel_id = ?",
    channel.id,
  );
  const views: Record<string, object> = {
    snippet: {
      title: channel.title,
      description: "",
      customUrl: `@${channel.handle}`,
      publishedAt: sandbox.iso(channel.created_at),
      thumbnails: { default: { url: `https://yt3.ggpht.com/${channel.handle}=s88`, width: 88, height: 88 } },
      country: "FR",
    },
    contentDetails: { relatedPlaylists: { likes: "", uploads: uploadsOf(channel.id) } },
    status: { privacyStatus: "public", isLinked: true, longUploadsStatus: channel.long_uploads },
    statistics: {
      viewCount: "120",
      subscriberCount: rounded(followersAt(channel.id, sandbox.now())),
      hiddenSubscriberCount: false,
      videoCount: String(count?.n ?? 0),
    },
  };
  const wanted = Object.entries(views).filter(([part]) => parts.includes(part));
  return { kind: "youtube#channel", etag: etag(channel.id), id: channel.id, ...Object.fromEntries(wanted) };
}

export function playlistItemView(
  sandbox: Sandbox,
  video: VideoRow,
  parts: readonly string[],
  { position, origin, playlistId }: { position: number; origin: string; playlistId: string | null },
): object {
  const resource = shown(sandbox, resourceOf(video));
  const privacyStatus = privacyNow(resource, sandbox.now());
  const title = findChannel(sandbox, video.channel_id)?.title ?? "";
  const views: Record<string, object> = {
    snippet: {
      publishedAt: sandbox.iso(video.created_at),
      channelId: video.channel_id,
      title: resource.title,
      description: resource.description,
      thumbnails: thumbnails(video, origin),
      channelTitle: title,
      playlistId: playlistId ?? uploadsOf(video.channel_id),
      position,
      resourceId: { kind: "youtube#video", videoId: video.id },
      videoOwnerChannelTitle: title,
      videoOwnerChannelId: video.channel_id,
    },
    // A video that is not public yet has no publish time.
    contentDetails: {
      videoId: video.id,
      ...(privacyStatus === "private"
        ? {}
        : { videoPublishedAt: sandbox.iso(publishedAt(video, resource, sandbox.now())) }),
    },
    status: { privacyStatus },
  };
  const wanted = Object.entries(views).filter(([part]) => parts.includes(part));
  return {
    kind: "youtube#playlistItem",
    etag: etag(video.id, position),
    id: btoa(video.id),
    ...Object.fromEntries(wanted),
  };
}
