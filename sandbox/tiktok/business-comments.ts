// Comments on an account's own posts in the API for Business: list, create, hide, like, pin and delete.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../sandbox";
import {
  type BusinessContext,
  type BusinessEnv,
  businessEndpoint,
  jsonList,
  queryNumber,
  readBody,
  readQuery,
} from "./business-api";
import { BusinessError, badParam, ok } from "./business-errors";
import { identifierOf } from "./live";
import { addComment, type CommentRow, findComment, isPublic, type TaskRow } from "./store";

const LONGEST = 150;
const MOST_NESTED = 3;

const Paging = {
  video_id: z.string(),
  status: z.enum(["PUBLIC", "ALL"]).default("ALL"),
  sort_field: z.enum(["likes", "replies", "create_time"]).optional(),
  sort_order: z.enum(["asc", "desc", "smart"]).optional(),
  sort_type: z.enum(["asc", "desc", "smart"]).optional(),
  cursor: queryNumber(0, 1_000_000).default(0),
  max_count: queryNumber(1, 30).default(20),
};
const CommentList = z.object({
  ...Paging,
  include_replies: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true"),
  comment_ids: jsonList.pipe(z.array(z.string()).max(30)).optional(),
});
const ReplyList = z.object({ ...Paging, comment_id: z.string() });
type Requested = z.output<z.ZodObject<typeof Paging>>;

const text = z.string().min(1).max(LONGEST);
const NewComment = z.object({ video_id: z.string(), text });
const NewReply = z.object({
  video_id: z.string(),
  comment_id: z.string(),
  text,
  image_uri: z.string().optional(),
  image_width: z.number().optional(),
  image_height: z.number().optional(),
});
const Like = z.object({ comment_id: z.string(), action: z.enum(["LIKE", "UNLIKE"]) });
const Hide = z.object({ video_id: z.string(), comment_id: z.string(), action: z.enum(["HIDE", "UNHIDE"]) });
const Pin = z.object({ video_id: z.string(), comment_id: z.string(), action: z.enum(["PIN", "UNPIN"]) });
const Deletion = z.object({ comment_id: z.string() });

export function businessCommentRoutes(sandbox: Sandbox) {
  const app = new Hono<BusinessEnv>();
  const reading = businessEndpoint(sandbox, { operation: "comments", scope: "comment.list" });
  const writing = businessEndpoint(sandbox, { operation: "reply", scope: "comment.list.manage" });

  app.get("/list/", ...reading, (c) => {
    const { include_replies, comment_ids, ...requested } = readQuery(sandbox, c, CommentList);
    ownVideo(sandbox, c, requested.video_id);
    const all = shownOf(sandbox, requested);
    const wanted = all.filter(({ id, parent_id }) => parent_id === null && (comment_ids?.includes(id) ?? true));
    return ok(page(sandbox, wanted, requested, include_replies ? all : []));
  });

  app.get("/reply/list/", ...reading, (c) => {
    const { comment_id, ...requested } = readQuery(sandbox, c, ReplyList);
    ownVideo(sandbox, c, requested.video_id);
    const answered = commentOf(sandbox, requested.video_id, comment_id);
    const replies = shownOf(sandbox, requested).filter(({ parent_id }) => parent_id === answered.id);
    return ok(page(sandbox, replies, requested, []));
  });

  app.post("/create/", ...writing, async (c) => {
    const { video_id, text } = await readBody(sandbox, c, NewComment);
    return ok(view(sandbox, write(sandbox, c, { videoId: video_id, answeredId: null }, text)));
  });

  app.post("/reply/create/", ...writing, async (c) => {
    const { video_id, comment_id, text } = await readBody(sandbox, c, NewReply);
    return ok(view(sandbox, write(sandbox, c, { videoId: video_id, answeredId: comment_id }, text)));
  });

  app.post("/like/", ...writing, async (c) => {
    const { comment_id, action } = await readBody(sandbox, c, Like);
    const { id } = ownThread(sandbox, c, comment_id);
    const isLiked = action === "LIKE" ? 1 : 0;
    sandbox.db.run(
      "UPDATE tiktok_comments SET likes = likes + ? - is_liked, is_liked = ? WHERE id = ?",
      isLiked,
      isLiked,
      id,
    );
    return ok({});
  });

  app.post("/hide/", ...writing, async (c) => {
    const { comment_id, action } = await readBody(sandbox, c, Hide);
    const { id } = ownThread(sandbox, c, comment_id);
    sandbox.db.run("UPDATE tiktok_comments SET is_hidden = ? WHERE id = ?", action === "HIDE" ? 1 : 0, id);
    return ok({});
  });

  app.post("/pin/", ...writing, async (c) => {
    const { comment_id, action } = await readBody(sandbox, c, Pin);
    const { id } = ownThread(sandbox, c, comment_id);
    sandbox.db.run("UPDATE tiktok_comments SET is_pinned = ? WHERE id = ?", action === "PIN" ? 1 : 0, id);
    return ok({});
  });

  app.post("/delete/", ...writing, async (c) => {
    const { comment_id } = await readBody(sandbox, c, Deletion);
    const { id, is_own } = ownThread(sandbox, c, comment_id);
    if (!is_own) throw new BusinessError("permission", "Only comments of the account itself can be deleted.");
    sandbox.db.run("DELETE FROM tiktok_comments WHERE id = ? OR parent_id = ?", id, id);
    return ok({});
  });
  return app;
}

/** A public post of the caller. Posts of other accounts are rejected. */
export function ownVideo(sandbox: Sandbox, c: BusinessContext, videoId: string): TaskRow {
  const task = sandbox.db.first<TaskRow>("SELECT * FROM tiktok_tasks WHERE post_id = ?", videoId);
  if (!task || !isPublic(sandbox, task)) throw new BusinessError("missing", `The video ${videoId} does not exist.`);
  if (task.account_id !== c.var.caller.account.id) {
    throw new BusinessError("permission", `The video ${videoId} does not belong to the account.`);
  }
  return task;
}

function commentOf(sandbox: Sandbox, videoId: string, commentId: string): CommentRow {
  const found = findComment(sandbox, commentId);
  if (found?.post_id === videoId) return found;
  throw new BusinessError("missing", `The comment ${commentId} does not exist.`);
}

/** A comment on a post of the caller. */
function ownThread(sandbox: Sandbox, c: BusinessContext, commentId: string): CommentRow {
  const found = findComment(sandbox, commentId);
  if (!found) throw new BusinessError("missing", `The comment ${commentId} does not exist.`);
  ownVideo(sandbox, c, found.post_id);
  return found;
}

function write(
  sandbox: Sandbox,
  c: BusinessContext,
  { videoId, answeredId }: { videoId: string; answeredId: string | null },
  text: string,
): CommentRow {
  const { account } = c.var.caller;
  const task = ownVideo(sandbox, c, videoId);
  if (account.comment_disabled) throw badParam("Comments are turned off for this video.");
  const answered = answeredId === null ? null : commentOf(sandbox, videoId, answeredId);
  return addComment(sandbox, { post_id: task.post_id, author: account.username, text, is_own: 1, answered });
}

/** The listed comments and replies of a post, in the requested order. */
function shownOf(sandbox: Sandbox, { video_id, status, ...order }: Requested): CommentRow[] {
  const { tiktok_business_comment_lag_ms: lag, tiktok_business_order_name: heeded } = sandbox.settings.all;
  const rows = sandbox.db
    .all<CommentRow>("SELECT * FROM tiktok_comments WHERE post_id = ? ORDER BY created_at DESC, id DESC", video_id)
    .filter(({ is_hidden, created_at }) => created_at + lag <= sandbox.now() && (status === "ALL" || !is_hidden));
  const direction = order[heeded] ?? "smart";
  if (order.sort_field === undefined || direction === "smart") return smartly(rows);
  const field = order.sort_field;
  const sorted =
    field === "create_time" ? rows : rows.toSorted((a, b) => countOf(sandbox, b, field) - countOf(sandbox, a, field));
  return direction === "desc" ? sorted : sorted.toReversed();
}

function countOf(sandbox: Sandbox, row: CommentRow, field: "likes" | "replies"): number {
  return field === "likes" ? row.likes : repliesTo(sandbox, row.id).length;
}

const repliesTo = (sandbox: Sandbox, id: string) =>
  sandbox.db.all<CommentRow>("SELECT * FROM tiktok_comments WHERE parent_id = ? ORDER BY created_at, id", id);

/** TikTok's own ranking, which callers cannot predict: neither by age nor by likes. */
function smartly(rows: readonly CommentRow[]): CommentRow[] {
  const mixed = ({ id }: CommentRow) => [...id].reduce((sum, digit) => (sum * 31 + Number(digit)) % 9973, 7);
  return rows.toSorted((a, b) => mixed(a) - mixed(b));
}

/** `replies`: each comment includes its first replies. */
function page(
  sandbox: Sandbox,
  rows: readonly CommentRow[],
  { cursor, max_count }: Requested,
  replies: readonly CommentRow[],
) {
  const isShort = sandbox.settings.all.tiktok_business_short_pages;
  if (isShort && cursor === 0) return { comments: [], cursor: 1, has_more: true };
  const start = isShort ? cursor - 1 : cursor;
  const size = isShort ? Math.ceil(max_count / 2) : max_count;
  return {
    comments: rows.slice(start, start + size).map((row) => {
      const nested = replies.filter(({ parent_id }) => parent_id === row.id).slice(0, MOST_NESTED);
      return { ...view(sandbox, row), reply_list: nested.map((one) => view(sandbox, one)) };
    }),
    cursor: cursor + size,
    has_more: rows.length > start + size,
  };
}

function view(sandbox: Sandbox, row: CommentRow) {
  const seconds = Math.floor(row.created_at / 1000);
  return {
    comment_id: row.id,
    video_id: row.post_id,
    ...(row.parent_id === null ? {} : { parent_comment_id: row.parent_id }),
    unique_identifier: identifierOf(row.author),
    user_id: "",
    create_time: sandbox.settings.all.tiktok_business_times === "text" ? String(seconds) : seconds,
    text: row.text,
    image_url: "",
    likes: row.likes,
    replies: repliesTo(sandbox, row.id).length,
    owner: row.is_own === 1,
    liked: row.is_liked === 1,
    pinned: row.is_pinned === 1,
    status: row.is_hidden ? "HIDDEN" : "PUBLIC",
    username: row.author,
    display_name: row.author,
    profile_image: `https://p16.example/${encodeURIComponent(row.author)}.jpg`,
  };
}
