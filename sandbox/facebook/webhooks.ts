// Webhooks to a Page's subscribers: comments that are added, edited or deleted, including the Page's own.

import { includesField, notify } from "../meta/webhooks";
import type { Sandbox } from "../sandbox";
import { type CommentRow, findPost } from "./store";
import { APP_SECRET } from "./tokens";
import { permalink, statusType } from "./views";

export type CommentVerb = "add" | "edited" | "remove" | "hide" | "unhide";

/** The callback of a Page's events. Both the app and the Page must have subscribed. */
export function callbackFor(
  sandbox: Sandbox,
  pageId: string,
  field: "feed" | "messages" | "message_echoes",
): string | null {
  const app = sandbox.db.first<{ callback_url: string; fields: string }>(
    "SELECT callback_url, fields FROM facebook_app_subscriptions WHERE object = 'page'",
  );
  const page = sandbox.db.first<{ fields: string }>(
    "SELECT fields FROM facebook_subscriptions WHERE page_id = ?",
    pageId,
  );
  return app && page && includesField(app.fields, field) && includesField(page.fields, field) ? app.callback_url : null;
}

export function announceComment(sandbox: Sandbox, verb: CommentVerb, comment: CommentRow): void {
  const isOwn = comment.author_id === comment.page_id;
  if (sandbox.settings.all.facebook_app_mode === "development" && !isOwn) return;
  const url = callbackFor(sandbox, comment.page_id, "feed");
  const post = findPost(sandbox, comment.post_id);
  if (url === null || !post) return;
  const now = Math.floor(sandbox.now() / 1000);
  const postId = post.id.includes("_") ? post.id : `${post.page_id}_${post.id}`;
  const value = {
    item: "comment",
    verb,
    comment_id: comment.id,
    post_id: postId,
    parent_id: comment.parent_id ?? postId,
    from: { id: comment.author_id, name: comment.author_name },
    ...(comment.message === "" || verb === "remove" ? {} : { message: comment.message }),
    created_time: verb === "add" ? Math.floor(comment.created_at / 1000) : now,
    post: { id: postId, permalink_url: permalink(post), status_type: statusType(post) },
  };
  const entry = [{ id: comment.page_id, time: now, changes: [{ field: "feed", value }] }];
  notify(sandbox, { platform: "facebook", url, secret: APP_SECRET, payload: { object: "page", entry } });
}
