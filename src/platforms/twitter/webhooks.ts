import { z } from "zod";
import { hmac, isHmac } from "../../core/hmac.ts";
import type { AppCredentials } from "../context.ts";
import { PlatformId } from "../json.ts";
import { lenientList, shownTime } from "../lists.ts";
import { type HandshakeSecrets, type InboundComment, isChallenge, type Webhooks } from "../webhooks.ts";
import { unescaped } from "./likeness.ts";
import { madeAt, User } from "./listed.ts";
import { toAuthor } from "./replies.ts";
import { subscribe } from "./subscriptions.ts";

/**
 * Webhooks of X (twitter.md §4.4): the Activity API's `post.reply.create`, for direct replies to the
 * account's posts.
 *
 * - X signs with the consumer secret of our app, which is not the secret of its OAuth 2 client. Without
 *   X_CONSUMER_SECRET no event is accepted, and replies are found by polling only.
 * - X verifies our address (CRC) at registration and every hour. The same secret signs the answer and the
 *   events. So only texts that cannot be events are signed, and no text that can be signed is accepted as an
 *   event.
 * - Events use the older field names, and do not distinguish other items of a thread from our own replies. An
 *   event that does not reply to the first post of its conversation is ignored; reading finds it.
 */
const consumerSecret = ({ options }: AppCredentials): string | null => options?.consumer_secret || null;

async function handshake(query: URLSearchParams, { app }: HandshakeSecrets) {
  const token = query.get("crc_token");
  const secret = consumerSecret(app);
  if (token === null || !isChallenge(token) || secret === null) return null;
  const signature = btoa(String.fromCharCode(...(await hmac(secret, token))));
  const body = JSON.stringify({ response_token: `sha256=${signature}` });
  return { contentType: "application/json", body } as const;
}

async function verify(body: Uint8Array, headers: Headers, { app }: HandshakeSecrets): Promise<boolean> {
  const secret = consumerSecret(app);
  const sent = /^sha256=([A-Za-z0-9+/]{43}=)$/.exec(headers.get("x-twitter-webhooks-signature") ?? "")?.[1];
  if (secret === null || sent === undefined || isChallenge(new TextDecoder().decode(body))) return false;
  return isHmac(
    secret,
    body,
    Uint8Array.from(atob(sent), (char) => char.charCodeAt(0)),
  );
}

/** The full text of a truncated post. */
const Note = z.object({ text: z.string() }).optional().catch(undefined);
const References = z
  .array(z.object({ type: z.string(), id: PlatformId }))
  .optional()
  .catch(undefined);
const Replied = z.object({
  data: z.object({
    event_type: z.literal("post.reply.create"),
    filter: z.object({ user_id: PlatformId }),
    payload: z.object({
      id: PlatformId.refine((id) => /^\d{1,19}$/.test(id)),
      text: z.string(),
      author_id: PlatformId.optional(),
      created_at: shownTime,
      conversation_id: PlatformId,
      in_reply_to_tweet_id: PlatformId.optional(),
      in_reply_to_post_id: PlatformId.optional(),
      referenced_tweets: References,
      referenced_posts: References,
      note_tweet: Note,
      note_post: Note,
    }),
    includes: z
      .object({ users: lenientList(User) })
      .optional()
      .catch(undefined),
  }),
  includes: z
    .object({ users: lenientList(User) })
    .optional()
    .catch(undefined),
});

function parse(body: unknown): readonly InboundComment[] {
  const event = Replied.safeParse(body).data;
  if (!event) return [];
  const { data } = event;
  const { payload, filter } = data;
  const references = [...(payload.referenced_tweets ?? []), ...(payload.referenced_posts ?? [])];
  const parentId = payload.in_reply_to_tweet_id ?? payload.in_reply_to_post_id;
  const parent = parentId ?? references.find(({ type }) => type === "replied_to")?.id;
  if (parent !== payload.conversation_id) return [];
  const users = [...(data.includes?.users ?? []), ...(event.includes?.users ?? [])];
  const { id, author_id: author, conversation_id: postId } = payload;
  const comment = {
    id,
    author:
      author === undefined
        ? null
        : toAuthor(
            author,
            users.find((user) => user.id === author),
          ),
    createdAt: madeAt(payload),
    text: unescaped((payload.note_tweet ?? payload.note_post)?.text ?? payload.text),
    isTopLevel: true,
    isOwn: author === undefined ? null : author === filter.user_id,
  };
  return [{ accountId: filter.user_id, postId, comment }];
}

export const webhooks: Webhooks = {
  app: "twitter",
  setup: () => ({
    isByHand: false,
    setting: "registered with X_BEARER_TOKEN",
    fields: ["post.reply.create"],
    hasVerifyToken: false,
  }),
  handshake,
  verify,
  parse,
  subscribe,
};
