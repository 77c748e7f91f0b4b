// Comments on posts, and replies to them.

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { badParameter, missingObject } from "../meta/errors";
import { graphTime, type JsonObject, project } from "../meta/fields";
import { pageOf } from "../meta/paging";
import { type GraphEnv, Paged, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { ownMedia } from "./media";
import { CommentShape, GRAPH_OF } from "./shapes";
import { type CommentRow, findAccount, findComment, findMedia } from "./store";
import { authenticate, loginOfHost, misbehaviour, opens, requireBasics, requireTask, type Token } from "./tokens";
import { writeComment } from "./webhooks";

const SCOPE = "instagram_manage_comments";

export function commentRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: Operation) => operation<GraphEnv>(sandbox, "instagram", which, misbehaviour(sandbox));

  app.get("/:object/:edge{comments|replies}", on("comments"), async (c) => {
    const { fields, limit, ...paging } = parse(c, Paged);
    const token = await authenticate(sandbox, c);
    requireBasics(token, SCOPE);
    const id = c.req.param("object");
    const parent = c.req.param("edge") === "replies" ? ownComment(sandbox, token, id) : null;
    const mediaId = parent?.media_id ?? ownMedia(sandbox, token, id).id;
    // Facebook Login omits hidden comments with their replies; Instagram Login includes them, marked as
    // hidden.
    const showsHidden = loginOfHost(c) === "instagram";
    const items = commentsOn(sandbox, mediaId).filter(
      (one) => one.parent_id === (parent?.id ?? null) && (showsHidden || !(one.is_hidden || parent?.is_hidden)),
    );
    const view = (one: CommentRow) => project(commentView(sandbox, one, showsHidden), CommentShape, fields);
    const origin = GRAPH_OF[loginOfHost(c)];
    const isShort = sandbox.settings.all.instagram_short_pages;
    const size = Math.min(limit ?? 50, 50);
    return c.json(pageOf(c, { items, keyOf: (one) => one.id, view, origin, isShort }, { ...paging, limit: size }));
  });

  app.post("/:object/:edge{comments|replies}", on("reply"), async (c) => {
    const { message } = parse(c, z.object({ message: text.min(1).max(2200) }));
    const token = await authenticate(sandbox, c);
    requireBasics(token, SCOPE);
    const id = c.req.param("object");
    const parent = c.req.param("edge") === "replies" ? ownComment(sandbox, token, id, "post") : null;
    if (parent?.is_hidden) throw badParameter("A hidden comment cannot be answered");
    const media = ownMedia(sandbox, token, parent?.media_id ?? id, "post");
    const account = findAccount(sandbox, media.account_id);
    if (!account) throw missingObject(id, "post");
    requireTask(token, account, "MODERATE");
    if (media.kind === "STORIES") throw badParameter("A story takes no comments");
    if (!media.comments_enabled) throw badParameter("Comments are switched off");
    const comment = writeComment(sandbox, {
      media_id: media.id,
      account_id: account.id,
      // A reply to a reply is attached to the top-level comment.
      parent_id: parent && (parent.parent_id ?? parent.id),
      author_id: account.id,
      author_name: account.username,
      text: message,
    });
    return c.json({ id: comment.id });
  });

  return app;
}

/** Newest first. */
function commentsOn(sandbox: Sandbox, mediaId: string): CommentRow[] {
  return sandbox.db.all<CommentRow>(
    "SELECT * FROM instagram_comments WHERE media_id = ? ORDER BY created_at DESC, id DESC",
    mediaId,
  );
}

export function ownComment(sandbox: Sandbox, token: Token, id: string, method = "get"): CommentRow {
  const comment = findComment(sandbox, id);
  const account = comment && findAccount(sandbox, comment.account_id);
  if (comment && account && opens(token, account)) return comment;
  throw missingObject(id, method);
}

export function commentView(sandbox: Sandbox, comment: CommentRow, showsHidden = true): JsonObject {
  const replies = sandbox.db
    .all<CommentRow>(
      "SELECT * FROM instagram_comments WHERE parent_id = ? ORDER BY created_at DESC, id DESC",
      comment.id,
    )
    .filter((reply) => showsHidden || !reply.is_hidden);
  const media = findMedia(sandbox, comment.media_id);
  return {
    id: comment.id,
    text: comment.text,
    timestamp: graphTime(comment.created_at),
    username: comment.author_name,
    from: { id: comment.author_id, username: comment.author_name },
    hidden: comment.is_hidden === 1,
    like_count: 0,
    ...(comment.parent_id === null ? {} : { parent_id: comment.parent_id }),
    media: { id: comment.media_id, media_product_type: media?.kind === "REELS" ? "REELS" : "FEED" },
    ...(replies.length > 0 ? { replies: { data: replies.map((reply) => commentView(sandbox, reply)) } } : {}),
  };
}

/** Hides a comment; the account's own comments stay visible. */
export function hideComment(sandbox: Sandbox, comment: CommentRow, isHidden: boolean): void {
  if (comment.author_id === comment.account_id) return;
  sandbox.db.run("UPDATE instagram_comments SET is_hidden = ? WHERE id = ?", isHidden ? 1 : 0, comment.id);
}

export function deleteComment(sandbox: Sandbox, { id }: CommentRow): void {
  sandbox.db.run("DELETE FROM instagram_comments WHERE id = ?1 OR parent_id = ?1", id);
}
