import type { Sandbox } from "../sandbox";
import { listParam, type YoutubeContext } from "./api";
import { ApiError, commentProblem, forbidden, oneFilter, videoNotFound } from "./errors";
import {
  type CommentRow,
  findChannel,
  findComment,
  findVideo,
  isUp,
  privacyNow,
  resourceOf,
  type VideoRow,
} from "./store";

const MODERATION = ["published", "heldForReview", "likelySpam"];
const HELD_MS = 60 * 86_400_000;

/** The video whose comments are read or written. */
export function commentable(sandbox: Sandbox, c: YoutubeContext, id: string): VideoRow {
  const video = findVideo(sandbox, id);
  const isOwn = video?.channel_id === c.var.caller.channelId;
  const isSeen = video && (isOwn || privacyNow(resourceOf(video), sandbox.now()) !== "private");
  if (!video || !isSeen || !isUp(video, sandbox.now())) throw videoNotFound("videoId");
  if (resourceOf(video).selfDeclaredMadeForKids || sandbox.settings.all.youtube_comments === "off") {
    throw commentProblem(403, "commentsDisabled", "The video has disabled comments.", "videoId");
  }
  return video;
}

export function threadsOf(sandbox: Sandbox, c: YoutubeContext, filter: string): CommentRow[] {
  const value = c.req.query(filter) ?? "";
  const status = c.req.query("moderationStatus") ?? "published";
  if (filter === "id") {
    if (c.req.query("moderationStatus") !== undefined) throw oneFilter(["id", "moderationStatus"]);
    return listParam(c, "id").flatMap((id) => findComment(sandbox, id) ?? []);
  }
  if (filter === "postId") throw commentProblem(404, "commentThreadNotFound", "The post cannot be found.", "postId");
  if (!MODERATION.includes(status)) throw new ApiError(400, "invalidParameter", "moderationStatus");
  const videos = filter === "videoId" ? [commentable(sandbox, c, value)] : channelVideos(sandbox, value);
  if (status !== "published" && videos.some((video) => video.channel_id !== c.var.caller.channelId)) {
    throw forbidden("Only the owner sees those.", "youtube.comment");
  }
  const terms = (c.req.query("searchTerms") ?? "").toLowerCase();
  const order = c.req.query("order") ?? "time";
  if (order !== "time" && order !== "relevance") throw new ApiError(400, "invalidParameter", "order");
  return videos
    .flatMap((video) => topComments(sandbox, video.id))
    .filter((row) => row.moderation === status && row.text.toLowerCase().includes(terms))
    .filter((row) => status === "published" || row.created_at + HELD_MS > sandbox.now())
    .sort((a, b) => b.created_at - a.created_at);
}

function channelVideos(sandbox: Sandbox, channelId: string): VideoRow[] {
  if (!findChannel(sandbox, channelId)) {
    throw new ApiError(404, "channelNotFound", "The channel cannot be found.", { domain: "youtube.commentThread" });
  }
  return sandbox.db.all<VideoRow>("SELECT * FROM youtube_videos WHERE channel_id = ?", channelId);
}

const topComments = (sandbox: Sandbox, videoId: string) =>
  sandbox.db.all<CommentRow>(
    "SELECT * FROM youtube_comments WHERE video_id = ? AND parent_id IS NULL ORDER BY created_at DESC, rowid DESC",
    videoId,
  );
/** The replies of a thread, newest first. */
export const replies = (sandbox: Sandbox, parentId: string) =>
  sandbox.db.all<CommentRow>(
    "SELECT * FROM youtube_comments WHERE parent_id = ? ORDER BY created_at DESC, rowid DESC",
    parentId,
  );
