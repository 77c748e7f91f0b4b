// Comments: threads with their first replies, pages of replies, writing, moderation.

import { Hono } from "hono";
import { z } from "zod";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import {
  COMMENTS,
  endpoint,
  given,
  listParam,
  pageOf,
  partsOf,
  readJson,
  type YoutubeContext,
  type YoutubeEnv,
} from "./api";
import { commentable, replies, threadsOf } from "./comment-lists";
import { commentView, threadView } from "./comment-views";
import { commentProblem, forbidden, missingParameter, oneFilter } from "./errors";
import { type CommentRow, findChannel, findComment, findVideo } from "./store";
import { etag } from "./views";

const LONGEST = 10_000;
export interface NewComment {
  videoId: string;
  parentId: string | null;
  authorId: string | null;
  authorName: string;
  text: string;
  moderation?: string;
}

export function insertComment(sandbox: Sandbox, comment: NewComment): CommentRow {
  const now = sandbox.now();
  const own = `${sandbox.db.next("youtube_comments", 1001).toString(36)}${randomText(12)}`;
  const id = comment.parentId === null ? `Ugz${own}` : `${comment.parentId}.9${own}`;
  sandbox.db.run(
    `INSERT INTO youtube_comments (id, video_id, parent_id, author_id, author_name, text, moderation, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    comment.videoId,
    comment.parentId,
    comment.authorId,
    comment.authorName,
    comment.text,
    comment.moderation ?? moderationOf(sandbox, comment),
    now,
    now,
  );
  return getComment(sandbox, id);
}

/**
 * Markers in a text hold a comment for review, like spam filters: `[held]`, `[spam]`. Comments of banned
 * users are held too.
 */
function moderationOf(sandbox: Sandbox, { text, videoId, authorId }: NewComment): string {
  const owner = findVideo(sandbox, videoId)?.channel_id ?? "";
  const query = "SELECT 1 AS one FROM youtube_banned WHERE channel_id = ? AND author_id = ?";
  if (sandbox.db.first(query, owner, authorId ?? "")) return "rejected";
  return text.includes("[held]") ? "heldForReview" : text.includes("[spam]") ? "likelySpam" : "published";
}

function getComment(sandbox: Sandbox, id: string, reason = "commentNotFound"): CommentRow {
  const comment = findComment(sandbox, id);
  if (!comment) throw commentProblem(404, reason, "The specified comment cannot be found.", "id");
  return comment;
}

export function commentRoutes(sandbox: Sandbox) {
  const app = new Hono<YoutubeEnv>();
  threadRoutes(sandbox, app);
  const format = (c: YoutubeContext) => (c.req.query("textFormat") === "plainText" ? "plainText" : "html");

  const list = endpoint(sandbox, {
    operation: "comments",
    scopes: COMMENTS,
    cost: 1,
    params: ["part", "parentId", "id", "maxResults", "pageToken", "textFormat"],
  });
  app.get("/youtube/v3/comments", ...list, (c) => {
    const parts = partsOf(c, ["id", "snippet"]);
    if (given(c, ["parentId", "id"]).length !== 1) throw oneFilter(["parentId", "id"]);
    const rows = listParam(c, "id").flatMap((id) => findComment(sandbox, id) ?? []);
    const parent = c.req.query("parentId");
    if (parent !== undefined) getComment(sandbox, parent, "commentNotFound");
    const all = parent === undefined ? rows : replies(sandbox, parent);
    const { items, envelope } = pageOf(
      c,
      all.filter((row) => row.moderation === "published"),
      20,
      100,
    );
    return c.json({
      kind: "youtube#commentListResponse",
      etag: etag(all.length),
      ...envelope,
      items: items.map((row) =>
        commentView(sandbox, row, { parts, callerId: c.var.caller.channelId, format: format(c) }),
      ),
    });
  });

  const Reply = z.object({
    snippet: z.object({ parentId: z.string().optional(), textOriginal: z.string().optional() }),
  });
  const write = { operation: "reply", scopes: COMMENTS, cost: 50 } as const;
  app.post("/youtube/v3/comments", ...endpoint(sandbox, { ...write, params: ["part"] }), async (c) => {
    const parts = partsOf(c, ["id", "snippet"]);
    const { snippet } = await readJson(c, Reply);
    const { parentId } = snippet;
    if (!parentId)
      throw commentProblem(400, "parentIdMissing", "The parent comment is missing.", "body.snippet.parentId");
    const text = textOf(snippet.textOriginal);
    const parent = getComment(sandbox, parentId, "parentCommentNotFound");
    if (parent.parent_id !== null) {
      throw commentProblem(
        400,
        "operationNotSupported",
        "Only a top-level comment can be replied to.",
        "body.snippet.parentId",
      );
    }
    commentable(sandbox, c, parent.video_id);
    const row = own(sandbox, c, { videoId: parent.video_id, parentId: parent.id }, text);
    return c.json(commentView(sandbox, row, { parts, callerId: c.var.caller.channelId, format: "html" }));
  });

  const Change = z.object({ id: z.string(), snippet: z.object({ textOriginal: z.string().optional() }) });
  app.put("/youtube/v3/comments", ...endpoint(sandbox, { ...write, params: ["part"] }), async (c) => {
    const parts = partsOf(c, ["id", "snippet"]);
    const { id, snippet } = await readJson(c, Change);
    const comment = getComment(sandbox, id);
    if (comment.author_id !== c.var.caller.channelId)
      throw forbidden("The comment belongs to another channel.", "youtube.comment");
    const text = textOf(snippet.textOriginal);
    sandbox.db.run("UPDATE youtube_comments SET text = ?, updated_at = ? WHERE id = ?", text, sandbox.now(), id);
    return c.json(
      commentView(sandbox, getComment(sandbox, id), { parts, callerId: c.var.caller.channelId, format: "html" }),
    );
  });

  app.delete("/youtube/v3/comments", ...endpoint(sandbox, { ...write, params: ["id"] }), (c) => {
    const id = c.req.query("id");
    if (!id) throw missingParameter("id");
    const comment = getComment(sandbox, id);
    const isOwner = findVideo(sandbox, comment.video_id)?.channel_id === c.var.caller.channelId;
    if (comment.author_id !== c.var.caller.channelId && !isOwner) {
      throw forbidden("The comment belongs to another channel.", "youtube.comment");
    }
    sandbox.db.run("DELETE FROM youtube_comments WHERE id = ?1 OR parent_id = ?1", id);
    return c.body(null, 204);
  });

  const moderate = endpoint(sandbox, { ...write, params: ["id", "moderationStatus", "banAuthor"] });
  app.post("/youtube/v3/comments/setModerationStatus", ...moderate, (c) => {
    const status = c.req.query("moderationStatus") ?? "";
    if (!["published", "heldForReview", "rejected"].includes(status)) throw missingParameter("moderationStatus");
    const bans = c.req.query("banAuthor") === "true";
    if (bans && status !== "rejected")
      throw commentProblem(400, "banWithoutReject", "Only who is rejected can be banned.");
    for (const id of listParam(c, "id")) {
      const comment = getComment(sandbox, id);
      if (findVideo(sandbox, comment.video_id)?.channel_id !== c.var.caller.channelId) {
        throw forbidden("The video belongs to another channel.", "youtube.comment");
      }
      // Rejecting is final.
      if (comment.moderation === "rejected") {
        throw commentProblem(404, "commentNotFound", "The specified comment cannot be found.", "id");
      }
      sandbox.db.run("UPDATE youtube_comments SET moderation = ? WHERE id = ?", status, id);
      if (bans && comment.author_id !== null) {
        sandbox.db.run("INSERT INTO youtube_banned VALUES (?, ?)", c.var.caller.channelId, comment.author_id);
      }
    }
    return c.body(null, 204);
  });
  return app;
}

function threadRoutes(sandbox: Sandbox, app: Hono<YoutubeEnv>): void {
  const FILTERS = ["videoId", "allThreadsRelatedToChannelId", "id", "postId"];
  const PARTS = ["id", "snippet", "replies"];
  const list = endpoint(sandbox, {
    operation: "comments",
    scopes: COMMENTS,
    cost: 1,
    params: ["part", "order", "maxResults", "pageToken", "textFormat", "moderationStatus", "searchTerms", ...FILTERS],
  });
  app.get("/youtube/v3/commentThreads", ...list, (c) => {
    const parts = partsOf(c, PARTS);
    const [filter, ...others] = given(c, FILTERS);
    if (filter === undefined || others.length > 0) throw oneFilter(FILTERS);
    const threads = threadsOf(sandbox, c, filter);
    const { items, envelope } = pageOf(c, threads, 20, 100);
    const format = c.req.query("textFormat") === "plainText" ? "plainText" : "html";
    return c.json({
      kind: "youtube#commentThreadListResponse",
      etag: etag(threads.length),
      ...envelope,
      items: items.map((row) =>
        threadView(sandbox, row, replies(sandbox, row.id), { parts, callerId: c.var.caller.channelId, format }),
      ),
    });
  });

  const Thread = z.object({
    snippet: z.object({
      channelId: z.string().optional(),
      videoId: z.string().optional(),
      topLevelComment: z.object({ snippet: z.object({ textOriginal: z.string().optional() }) }),
    }),
  });
  const insert = endpoint(sandbox, { operation: "reply", scopes: COMMENTS, cost: 50, params: ["part"] });
  app.post("/youtube/v3/commentThreads", ...insert, async (c) => {
    const parts = partsOf(c, PARTS);
    const { snippet } = await readJson(c, Thread);
    if (!snippet.videoId)
      throw commentProblem(400, "channelOrVideoIdMissing", "The video is missing.", "body.snippet.videoId");
    const text = textOf(snippet.topLevelComment.snippet.textOriginal);
    const video = commentable(sandbox, c, snippet.videoId);
    const row = own(sandbox, c, { videoId: video.id, parentId: null }, text);
    return c.json(threadView(sandbox, row, [], { parts, callerId: c.var.caller.channelId, format: "html" }));
  });
}

function textOf(sent: string | undefined): string {
  if (sent === undefined || sent.trim() === "") {
    throw commentProblem(400, "commentTextRequired", "The comment has no text.", "body.snippet.textOriginal");
  }
  if ([...sent].length > LONGEST) {
    throw commentProblem(400, "commentTextTooLong", "The comment is too long.", "body.snippet.textOriginal");
  }
  return sent;
}

function own(
  sandbox: Sandbox,
  c: YoutubeContext,
  { videoId, parentId }: { videoId: string; parentId: string | null },
  text: string,
): CommentRow {
  const author = findChannel(sandbox, c.var.caller.channelId);
  return insertComment(sandbox, {
    videoId,
    parentId,
    authorId: author?.id ?? null,
    authorName: `@${author?.handle ?? "unknown"}`,
    text,
  });
}
