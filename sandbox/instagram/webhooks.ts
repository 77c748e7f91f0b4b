// Webhooks of comments on an account's posts, including the account's own. Edits and deletions trigger no
// webhooks.

import type { JsonObject } from "../meta/fields";
import { includesField, notify } from "../meta/webhooks";
import type { Sandbox } from "../sandbox";
import { type CommentRow, findAccount, findMedia, insertComment, type MediaRow } from "./store";
import { APP_SECRET, LOGIN_APP } from "./tokens";

const SUBSCRIPTION = "SELECT callback_url, fields FROM instagram_subscriptions WHERE subject = ?";
type Subscription = { callback_url: string | null; fields: string };

/**
 * The callback and signing secret of events. The app must have subscribed to the field, and the Page or
 * account must be subscribed.
 */
export function receiverFor(
  sandbox: Sandbox,
  account: { id: string; page_id: string },
  field: "comments" | "messages",
) {
  const find = (subject: string) => sandbox.db.first<Subscription>(SUBSCRIPTION, subject);
  const app = find("instagram");
  if (!app?.callback_url || !includesField(app.fields, field)) return null;
  // Any subscribed field of a Page is enough: the app is then installed on it.
  if (find(account.page_id)) return { url: app.callback_url, secret: APP_SECRET };
  const own = find(account.id);
  if (!own || !includesField(own.fields, field)) return null;
  const isLogins = sandbox.settings.all.instagram_login_webhook_secret === "login";
  return { url: app.callback_url, secret: isLogins ? LOGIN_APP.secret : APP_SECRET };
}

export function writeComment(sandbox: Sandbox, comment: Parameters<typeof insertComment>[1]): CommentRow {
  const row = insertComment(sandbox, comment);
  announce(sandbox, row);
  return row;
}

function announce(sandbox: Sandbox, comment: CommentRow): void {
  const isOwn = comment.author_id === comment.account_id;
  if (sandbox.settings.all.instagram_app_mode === "development" && !isOwn) return;
  const account = findAccount(sandbox, comment.account_id);
  const media = findMedia(sandbox, comment.media_id);
  const receiver = account && receiverFor(sandbox, account, "comments");
  if (!receiver || !media) return;
  const { instagram_webhook_shape, instagram_webhook_twins } = sandbox.settings.all;
  for (const one of [mediaInNews(media), ...(instagram_webhook_twins ? [boosted(media)] : [])]) {
    const news = { field: "comments", value: { ...commentInNews(comment), media: one } };
    const inside = instagram_webhook_shape === "flat" ? news : { changes: [news] };
    const entry = [{ id: comment.account_id, time: Math.floor(sandbox.now() / 1000), ...inside }];
    notify(sandbox, { platform: "instagram", ...receiver, payload: { object: "instagram", entry } });
  }
}

function commentInNews(comment: CommentRow): JsonObject {
  const isOwn = comment.author_id === comment.account_id;
  return {
    id: comment.id,
    text: comment.text,
    from: {
      id: comment.author_id,
      username: comment.author_name,
      ...(isOwn ? { self_ig_scoped_id: `92${comment.account_id.slice(2)}` } : {}),
    },
    ...(comment.parent_id === null ? {} : { parent_id: comment.parent_id }),
  };
}

const productType = (media: MediaRow) => (media.kind === "REELS" || media.kind === "STORIES" ? media.kind : "FEED");

/** Albums are not named. */
const mediaInNews = (media: MediaRow): JsonObject => ({
  ...(media.kind === "CAROUSEL" ? {} : { id: media.id }),
  media_product_type: productType(media),
});

/** The same post as its ad, with a separate id. */
const boosted = (media: MediaRow): JsonObject => ({
  id: `1809${media.id.slice(4)}`,
  media_product_type: "AD",
  ad_id: `1202${media.id.slice(4)}`,
  ad_title: "Boosted post",
  original_media_id: media.id,
});
