// X's webhook notifications of posts that reply to or mention an account. Each matching subscription gets one
// notification, with the earlier field names.

import type { Sandbox } from "../sandbox";
import type { Signature } from "../webhooks";
import { CONSUMER_SECRET } from "./app-api";
import { findUser, findUserNamed, type PostRow } from "./store";
import { mentions } from "./text";

export type WebhookRow = { id: string; url: string; valid: number; created_at: number };

export type SubscriptionRow = {
  id: string;
  event_type: string;
  user_id: string;
  keyword: string | null;
  direction: string | null;
  tag: string | null;
  webhook_id: string | null;
  created_at: number;
  updated_at: number;
};

const SIGNATURES: readonly Signature[] = [
  { header: "x-twitter-webhooks-signature", hash: "SHA-256", encoding: "base64", prefix: "sha256=" },
];

export const listWebhooks = (sandbox: Sandbox) =>
  sandbox.db.all<WebhookRow>("SELECT * FROM twitter_webhooks ORDER BY created_at, id");
export const findWebhook = (sandbox: Sandbox, id: string) =>
  sandbox.db.first<WebhookRow>("SELECT * FROM twitter_webhooks WHERE id = ?", id);

export const filterOf = ({ user_id, keyword, direction }: SubscriptionRow) => ({
  user_id,
  ...(keyword === null ? {} : { keyword }),
  ...(direction === null ? {} : { direction }),
});

/** Notifies of a new post. Only a direct reply counts as a reply to the parent's author. */
export function announcePost(sandbox: Sandbox, post: PostRow, parent: PostRow | null): void {
  const mentioned = mentions(post.text).flatMap((name) => findUserNamed(sandbox, name)?.id ?? []);
  const concerned = [post.author_id, ...mentioned, ...(parent ? [parent.author_id] : [])];
  const subscriptions = sandbox.db.all<SubscriptionRow>(
    `SELECT * FROM twitter_subscriptions WHERE user_id IN (SELECT value FROM json_each(?))
     AND event_type IN ('post.reply.create', 'post.mention.create') AND webhook_id IS NOT NULL`,
    JSON.stringify(concerned),
  );
  for (const subscription of subscriptions) {
    const { user_id, event_type, keyword, direction, webhook_id } = subscription;
    const isReply = event_type === "post.reply.create";
    const isIn = isReply ? parent?.author_id === user_id : mentioned.includes(user_id);
    const isOut = post.author_id === user_id && (isReply ? parent !== null : mentioned.length > 0);
    const isMet = (isIn && direction !== "outbound") || (isOut && direction !== "inbound");
    const hasWord = keyword === null || post.text.toLowerCase().includes(keyword.toLowerCase());
    const webhook = webhook_id === null ? null : findWebhook(sandbox, webhook_id);
    if (isMet && hasWord && webhook?.valid) send(sandbox, webhook.url, subscription, post);
  }
}

function send(sandbox: Sandbox, url: string, subscription: SubscriptionRow, post: PostRow): void {
  const author = findUser(sandbox, post.author_id);
  const data = {
    event_uuid: crypto.randomUUID(),
    event_type: subscription.event_type,
    ...(subscription.tag === null ? {} : { tag: subscription.tag }),
    filter: filterOf(subscription),
    payload: {
      id: post.id,
      text: post.rendered,
      author_id: post.author_id,
      conversation_id: post.conversation_id,
      ...(post.reply_to === null
        ? {}
        : {
            in_reply_to_tweet_id: post.reply_to,
            referenced_tweets: [{ type: "replied_to", id: post.reply_to }],
          }),
    },
    includes: { users: author ? [{ id: author.id, username: author.username }] : [] },
  };
  const body = JSON.stringify({ data });
  sandbox.webhooks.add({ platform: "twitter", url, body, secret: CONSUMER_SECRET, signatures: SIGNATURES });
}
