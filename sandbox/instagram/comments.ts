// Comments under posts, answers to them, and the one private reply that a comment allows.

import { Hono } from "hono";
import { z } from "zod";
import type { Operation } from "../faults";
import { badParameter, GraphError, missingObject } from "../meta/errors";
import { type JsonObject, project } from "../meta/fields";
import { pageOf } from "../meta/paging";
import { type GraphContext, type GraphEnv, nested, parse, text, wholeNumber } from "../meta/params";
import { operation } from "../operation";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import { ownMedia } from "./media";
import { CommentShape, GRAPH_OF } from "./shapes";
import { type CommentRow, findAccount, findComment, findMedia, graphTime, insertComment, listAccounts } from "./store";
import { authenticate, loginOfHost, misbehaviour, opens, requireBasics, requireTask, type Token } from "./tokens";

const WEEK_MS = 7 * 86_400_000;
const SCOPE = "instagram_manage_comments";

const Listing = z.object({
  fields: text.optional(),
  limit: wholeNumber.optional(),
  after: text.optional(),
  before: text.optional(),
});
const PrivateReply = z.object({
  recipient: nested(z.union([z.strictObject({ comment_id: z.string() }), z.strictObject({ id: z.string() })])),
  message: nested(z.strictObject({ text: z.string().min(1) })),
  messaging_type: z.enum(["RESPONSE", "UPDATE"]).optional(),
});

export function commentRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const on = (which: Operation) => operation<GraphEnv>(sandbox, "instagram", which, misbehaviour(sandbox));

  app.get("/:object/:edge{comments|replies}", on("comments"), async (c) => {
    const { fields, limit, ...paging } = parse(c, Listing);
    const token = await authenticate(sandbox, c);
    requireBasics(token, SCOPE);
    const id = c.req.param("object");
    const parent = c.req.param("edge") === "replies" ? ownComment(sandbox, token, id) : null;
    const mediaId = parent?.media_id ?? ownMedia(sandbox, token, id).id;
    const items = commentsOn(sandbox, mediaId).filter(({ parent_id }) => parent_id === (parent?.id ?? null));
    const view = (one: CommentRow) => project(commentView(sandbox, one), CommentShape, fields);
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
    const comment = insertComment(sandbox, {
      media_id: media.id,
      account_id: account.id,
      // A reply to a reply is hung under the top-level one.
      parent_id: parent && (parent.parent_id ?? parent.id),
      author_id: account.id,
      author_name: account.username,
      text: message,
    });
    return c.json({ id: comment.id });
  });

  app.post("/:node/messages", on("message"), async (c) => {
    const { recipient, message } = parse(c, PrivateReply);
    const token = await authenticate(sandbox, c, ["page", "short", "long"]);
    const account = senderOf(sandbox, c, token, c.req.param("node"));
    requireBasics(token, "instagram_manage_messages", SCOPE);
    requireTask(token, account, "MESSAGING");
    if (new TextEncoder().encode(message.text).length > 1000) throw badParameter("The text is too long", 2534015);
    if (!("comment_id" in recipient)) throw outsideWindow();
    return c.json(replyPrivately(sandbox, token, recipient.comment_id, message.text));
  });
  return app;
}

/** Facebook Login sends as the Page, with its token; Instagram Login as the account itself. */
function senderOf(sandbox: Sandbox, c: GraphContext, token: Token, node: string) {
  const wrongNode = () =>
    new GraphError(3, "(#3) Application does not have the capability to make this API call.", { status: 400 });
  const account = listAccounts(sandbox).find((one) => (token.login === "facebook" ? one.page_id : one.id) === node);
  if (!account || !opens(token, account)) {
    if (findAccount(sandbox, node)) throw wrongNode();
    throw missingObject(node, c.req.method.toLowerCase());
  }
  if (token.login === "facebook" && token.kind !== "page") {
    throw new GraphError(190, "A Page access token is required.", { subcode: 2069032 });
  }
  return account;
}

const outsideWindow = () =>
  new GraphError(10, "This message is sent outside of allowed window.", { subcode: 2534022, status: 400 });

function replyPrivately(sandbox: Sandbox, token: Token, commentId: string, message: string): JsonObject {
  const comment = findComment(sandbox, commentId);
  const account = comment && findAccount(sandbox, comment.account_id);
  if (!comment || !account || !opens(token, account)) throw badParameter("Invalid comment id", 2018292);
  if (comment.author_id === account.id) throw badParameter("Invalid comment id", 2018292);
  if (comment.answered_privately) throw new GraphError(10900, "(#10900) Activity already replied to", { status: 400 });
  if (comment.created_at < sandbox.now() - WEEK_MS) {
    throw new GraphError(10, "The comment is too old for a private reply.", { subcode: 2534040, status: 400 });
  }
  sandbox.db.run("UPDATE instagram_comments SET answered_privately = 1 WHERE id = ?", comment.id);
  const id = `aWdf${randomText(60)}`;
  sandbox.db.run(
    `INSERT INTO instagram_messages (id, account_id, recipient_id, recipient_name, comment_id, text, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    id,
    account.id,
    comment.author_id,
    comment.author_name,
    comment.id,
    message,
    sandbox.now(),
  );
  return { recipient_id: comment.author_id, message_id: id };
}

/** The newest first. */
export function commentsOn(sandbox: Sandbox, mediaId: string): CommentRow[] {
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

export function commentView(sandbox: Sandbox, comment: CommentRow): JsonObject {
  const replies = commentsOn(sandbox, comment.media_id).filter(({ parent_id }) => parent_id === comment.id);
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

/** Hides a comment; an own one stays visible even so. */
export function hideComment(sandbox: Sandbox, comment: CommentRow, isHidden: boolean): void {
  if (comment.author_id === comment.account_id) return;
  sandbox.db.run("UPDATE instagram_comments SET is_hidden = ? WHERE id = ?", isHidden ? 1 : 0, comment.id);
}

export function deleteComment(sandbox: Sandbox, { id }: CommentRow): void {
  sandbox.db.run("DELETE FROM instagram_comments WHERE id = ?1 OR parent_id = ?1", id);
}
