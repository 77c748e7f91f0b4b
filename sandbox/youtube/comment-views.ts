// API views of comments and threads.

import type { Sandbox } from "../sandbox";
import { type CommentRow, findVideo } from "./store";
import { etag } from "./views";

/** The maximum number of replies that a thread includes. */
const SHOWN_REPLIES = 5;

type Format = "html" | "plainText";

interface Shown {
  parts: readonly string[];
  callerId: string;
  format: Format;
}

export function commentView(sandbox: Sandbox, row: CommentRow, { parts, callerId, format }: Shown): object {
  const channelId = findVideo(sandbox, row.video_id)?.channel_id ?? "";
  const isOwner = callerId === channelId;
  const snippet = {
    channelId,
    videoId: row.video_id,
    textDisplay: format === "html" ? escaped(row.text) : row.text,
    // Documented as visible only to its author.
    ...(row.author_id === callerId ? { textOriginal: row.text } : {}),
    ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
    authorDisplayName: row.author_name,
    authorProfileImageUrl: `https://yt3.ggpht.com/${encodeURIComponent(row.author_name)}`,
    authorChannelUrl: `http://www.youtube.com/${row.author_name}`,
    ...(row.author_id === null ? {} : { authorChannelId: { value: row.author_id } }),
    canRate: true,
    viewerRating: "none",
    likeCount: 0,
    ...(isOwner && row.moderation !== "published" ? { moderationStatus: row.moderation } : {}),
    publishedAt: sandbox.iso(row.created_at),
    updatedAt: sandbox.iso(row.updated_at),
  };
  return {
    kind: "youtube#comment",
    etag: etag(row.id, row.updated_at),
    id: row.id,
    ...(parts.includes("snippet") ? { snippet } : {}),
  };
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "<br>");
}

export function threadView(
  sandbox: Sandbox,
  top: CommentRow,
  replies: readonly CommentRow[],
  { parts, ...rest }: Shown,
): object {
  const shown = replies.filter((row) => row.moderation === "published");
  const view = (row: CommentRow) => commentView(sandbox, row, { ...rest, parts: ["snippet"] });
  const snippet = {
    channelId: findVideo(sandbox, top.video_id)?.channel_id ?? "",
    videoId: top.video_id,
    topLevelComment: view(top),
    canReply: true,
    totalReplyCount: shown.length,
    isPublic: top.moderation === "published",
  };
  const withReplies = parts.includes("replies") && shown.length > 0;
  return {
    kind: "youtube#commentThread",
    etag: etag(top.id, shown.length),
    id: top.id,
    ...(parts.includes("snippet") ? { snippet } : {}),
    ...(withReplies ? { replies: { comments: shown.slice(0, SHOWN_REPLIES).map(view) } } : {}),
  };
}
