// Webhooks of replies to an account's posts, including the account's own replies. The payload is flat, and
// subscriptions are set only in the dashboard.

import { graphTime } from "../meta/fields";
import { notify, verifyCallback } from "../meta/webhooks";
import type { Callback } from "../platform";
import type { Sandbox } from "../sandbox";
import { findMedia, type MediaRow } from "./store";
import { APP_ID, APP_SECRET } from "./tokens";
import { permalinkOf } from "./views";

const FIELDS = "replies,delete,mentions,publish";
const SUBSCRIPTION_ID = "1900000000000001";

export async function configureCallback(sandbox: Sandbox, { url, verifyToken, fields }: Callback): Promise<void> {
  await verifyCallback(sandbox, url, verifyToken);
  sandbox.db.run("DELETE FROM threads_callbacks");
  sandbox.db.run("INSERT INTO threads_callbacks (url, fields) VALUES (?, ?)", url, fields ?? FIELDS);
}

/** The app's callback, if the account has a valid login there. */
function callbackFor(sandbox: Sandbox, accountId: string): string | null {
  const callback = sandbox.db.first<{ url: string; fields: string }>("SELECT url, fields FROM threads_callbacks");
  if (!callback?.fields.split(",").includes("replies")) return null;
  const grant = "SELECT 1 FROM meta_grants WHERE app_id = ? AND subjects = ? AND dead_subcode IS NULL LIMIT 1";
  return sandbox.db.first(grant, APP_ID, JSON.stringify([accountId])) ? callback.url : null;
}

/**
 * Notifies of a reply. Skips posts that reply to nothing, and replies to posts of accounts unknown to the
 * app.
 */
export function announceReply(sandbox: Sandbox, reply: MediaRow): void {
  const root = reply.root === null ? null : findMedia(sandbox, reply.root);
  const owner = root?.account_id;
  const url = owner ? callbackFor(sandbox, owner) : null;
  if (!root || !owner || url === null) return;
  if (sandbox.settings.all.threads_app_mode === "development" && reply.account_id !== owner) return;
  const value = {
    id: reply.id,
    username: reply.username,
    ...(reply.text === "" ? {} : { text: reply.text }),
    media_type: reply.media_type,
    permalink: permalinkOf(sandbox, reply),
    replied_to: { id: reply.reply_to },
    root_post: { id: root.id, owner_id: owner, username: root.username },
    shortcode: reply.shortcode,
    timestamp: graphTime(reply.live_at),
  };
  const values = { value, field: "replies" };
  const payload = {
    app_id: APP_ID,
    topic: "moderate",
    target_id: owner,
    time: Math.floor(sandbox.now() / 1000),
    subscription_id: SUBSCRIPTION_ID,
    has_uid_field: false,
    values: sandbox.settings.all.threads_webhook_values === "list" ? [values] : values,
  };
  notify(sandbox, { platform: "threads", url, secret: APP_SECRET, payload });
}
