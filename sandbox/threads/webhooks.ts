// What the app is told of replies under an account's posts, by the account itself too: flat, and set up in
// the dashboard alone.

import { notify, verifyCallback } from "../meta/webhooks";
import type { Callback } from "../platform";
import type { Sandbox } from "../sandbox";
import { findMedia, type MediaRow } from "./store";
import { APP_ID, APP_SECRET } from "./tokens";
import { permalinkOf, time } from "./views";

const FIELDS = "replies,delete,mentions,publish";
const SUBSCRIPTION_ID = "1900000000000001";

export async function configureCallback(sandbox: Sandbox, { url, verifyToken, fields }: Callback): Promise<void> {
  await verifyCallback(sandbox, url, verifyToken);
  sandbox.db.run("DELETE FROM threads_callbacks");
  sandbox.db.run("INSERT INTO threads_callbacks (url, fields) VALUES (?, ?)", url, fields ?? FIELDS);
}

/** Where replies go: to the app, as long as the account has a login there that works. */
function callbackFor(sandbox: Sandbox, accountId: string): string | null {
  const callback = sandbox.db.first<{ url: string; fields: string }>("SELECT url, fields FROM threads_callbacks");
  if (!callback?.fields.split(",").includes("replies")) return null;
  const grant = "SELECT 1 FROM meta_grants WHERE app_id = ? AND subjects = ? AND dead_subcode IS NULL LIMIT 1";
  return sandbox.db.first(grant, APP_ID, JSON.stringify([accountId])) ? callback.url : null;
}

/**
 * Tells of a reply; of what answers nothing, or something of nobody's whom the app knows, there is nothing to
 * tell.
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
    timestamp: time(reply.live_at),
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
