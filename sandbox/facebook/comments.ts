// Comments on posts, and the one private reply that a comment allows.

import { type Context, Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { badParameter, GraphError, missingObject } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { flag, type GraphEnv, moment, parse, text, wholeNumber } from "../meta/params";
import { requireScopes } from "../meta/tokens";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { pageOfToken, requireTask } from "./access";
import { pageOf } from "./paging";
import { CommentShape } from "./shapes";
import { type CommentRow, findComment, findPage, findPost, isLive } from "./store";
import { authenticate, misbehaviour, type Token } from "./tokens";
import { commentsOn, commentView } from "./views";
import { announceComment } from "./webhooks";

const Listing = z.object({
  fields: text.optional(),
  filter: z.enum(["toplevel", "stream"]).optional(),
  order: z.enum(["chronological", "reverse_chronological"]).optional(),
  since: moment.optional(),
  summary: flag.optional(),
  limit: wholeNumber.optional(),
  after: text.optional(),
  before: text.optional(),
});
const NewComment = z.object({
  message: text.optional(),
  attachment_url: text.optional(),
  attachment_id: text.optional(),
  attachment_share_url: text.optional(),
  fields: text.optional(),
});
export function commentRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: Operation | ((c: Context<GraphEnv>) => Operation)) =>
    operation<GraphEnv>(sandbox, "facebook", which, misbehaviour(sandbox));

  app.get("/:object/comments", on("comments"), async (c) => {
    const token = await authenticate(sandbox, c, ["page"]);
    requireScopes(token, "pages_read_engagement");
    const { fields, filter, order, since, summary, ...paging } = parse(c, Listing);
    const id = c.req.param("object");
    const comment = findComment(sandbox, id);
    const postId = comment?.post_id ?? livePost(sandbox, token, id).id;
    const all = commentsOn(sandbox, postId);
    const thread = comment
      ? all.filter((one) => one.parent_id === comment.id)
      : all.filter((one) => filter === "stream" || one.parent_id === null);
    const wanted = thread.filter((one) => since === undefined || one.created_at >= since);
    const isReversed = order === "reverse_chronological";
    if (isReversed) wanted.reverse();
    const view = (one: CommentRow) => project(visible(sandbox, token, one), CommentShape, fields);
    const page = pageOf(sandbox, c, { items: wanted, keyOf: (one) => one.id, view }, paging);
    const counted = {
      order: isReversed ? "reverse_chronological" : "chronological",
      total_count: thread.length,
      can_comment: true,
    };
    return c.json(summary ? { ...page, summary: counted } : page);
  });

  app.post("/:object/comments", on("reply"), async (c) => {
    const token = await engager(sandbox, await authenticateToComment(sandbox, c));
    const input = parse(c, NewComment);
    if (!input.message?.trim() && !input.attachment_url && !input.attachment_id && !input.attachment_share_url) {
      throw badParameter("A comment needs a message or an attachment");
    }
    const id = c.req.param("object");
    const parent = findComment(sandbox, id);
    const pageId = pageOfToken(token);
    const postId = parent?.post_id ?? livePost(sandbox, token, id).id;
    const comment = insertComment(sandbox, {
      postId,
      pageId,
      // Threads have one level: a reply to a reply joins the same thread.
      parentId: parent ? (parent.parent_id ?? parent.id) : null,
      authorId: pageId,
      authorName: findPage(sandbox, pageId)?.name ?? "",
      message: input.message ?? "",
      attachment: input.attachment_url ?? input.attachment_share_url ?? null,
    });
    return c.json(
      input.fields ? project(visible(sandbox, token, comment), CommentShape, input.fields) : { id: comment.id },
    );
  });

  app.on(["POST", "DELETE"], "/:comment/likes", on("reply"), async (c) => {
    const token = await engager(sandbox, await authenticate(sandbox, c, ["page"]));
    parse(c, z.object({}));
    const comment = ownComment(sandbox, token, c.req.param("comment"));
    sandbox.db.run(
      "UPDATE facebook_comments SET is_liked = ? WHERE id = ?",
      c.req.method === "POST" ? 1 : 0,
      comment.id,
    );
    return c.json({ success: true });
  });

  return app;
}

async function authenticateToComment(sandbox: Sandbox, c: Context<GraphEnv>): Promise<Token> {
  const token = await authenticate(sandbox, c, ["page", "short", "long"]);
  if (token.kind !== "page")
    throw new GraphError(200, "(#200) A comment is written with a Page token.", { subcode: 1705 });
  return token;
}

async function engager(sandbox: Sandbox, token: Token): Promise<Token> {
  requireScopes(token, "pages_manage_engagement");
  requireTask(sandbox, token, "MODERATE");
  return token;
}

function livePost(sandbox: Sandbox, token: Token, id: string) {
  const post = findPost(sandbox, id);
  if (!post || post.page_id !== token.pageId || !isLive(post, sandbox.now())) throw missingObject(id);
  return post;
}

export function ownComment(sandbox: Sandbox, token: Token, id: string): CommentRow {
  const comment = findComment(sandbox, id);
  if (!comment || comment.page_id !== token.pageId) throw missingObject(id);
  return comment;
}

/** The author is visible only with permission to read user content. */
export function visible(sandbox: Sandbox, token: Token, comment: CommentRow): JsonObject {
  const view = commentView(sandbox, comment);
  if (token.scopes.includes("pages_read_user_content") || comment.author_id === token.pageId) return view;
  const { from: _from, ...anonymous } = view;
  return anonymous;
}

/** `POST /{comment}`: edits the text of an own comment, or hides another user's. */
export function editComment(
  sandbox: Sandbox,
  token: Token,
  comment: CommentRow,
  input: { message?: string | undefined; is_hidden?: boolean | undefined },
) {
  requireScopes(token, "pages_manage_engagement");
  const isOwn = comment.author_id === token.pageId;
  if (input.message !== undefined) {
    if (!isOwn) throw new GraphError(200, "(#200) Only an own comment can be edited.");
    sandbox.db.run("UPDATE facebook_comments SET message = ? WHERE id = ?", input.message, comment.id);
    announceComment(sandbox, "edited", { ...comment, message: input.message });
  }
  if (input.is_hidden !== undefined) {
    if (isOwn) throw badParameter("An own comment cannot be hidden");
    sandbox.db.run("UPDATE facebook_comments SET is_hidden = ? WHERE id = ?", input.is_hidden ? 1 : 0, comment.id);
    announceComment(sandbox, input.is_hidden ? "hide" : "unhide", comment);
  }
}

export function deleteComment(sandbox: Sandbox, token: Token, comment: CommentRow): void {
  requireScopes(token, "pages_manage_engagement");
  sandbox.db.run("DELETE FROM facebook_comments WHERE id = ?1 OR parent_id = ?1", comment.id);
  announceComment(sandbox, "remove", comment);
}

interface NewCommentRow {
  postId: string;
  pageId: string;
  parentId: string | null;
  authorId: string;
  authorName: string;
  message: string;
  attachment: string | null;
}

export function insertComment(sandbox: Sandbox, comment: NewCommentRow): CommentRow {
  const id = `${comment.postId.split("_").at(-1)}_${sandbox.db.next("facebook_comments", 990_000_000_000_001)}`;
  sandbox.db.run(
    `INSERT INTO facebook_comments (id, post_id, page_id, parent_id, author_id, author_name, message, attachment, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    comment.postId,
    comment.pageId,
    comment.parentId,
    comment.authorId,
    comment.authorName,
    comment.message,
    comment.attachment,
    sandbox.now(),
  );
  const row = findComment(sandbox, id);
  if (!row) throw new Error("a comment was lost");
  announceComment(sandbox, "add", row);
  return row;
}
