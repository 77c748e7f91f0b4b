// Writes on X: posts and replies with all validation rules, deletion, and hiding of replies.

import { Hono } from "hono";
import { z } from "zod";
import { randomText } from "../random";
import type { Sandbox } from "../sandbox";
import {
  forbidden,
  id,
  invalid,
  missing,
  NOT_PERMITTED,
  Problem,
  readJson,
  type TwitterContext,
  type TwitterEnv,
} from "./api";
import { PLAIN } from "./dialect";
import { endpoint } from "./endpoint";
import { postView, type UrlEntity } from "./fields";
import { attachable } from "./media-states";
import {
  findMedia,
  findPost,
  findUser,
  isPremium,
  type PostRow,
  snowflake,
  snowflakeTime,
  type UserRow,
} from "./store";
import { cashtags, findUrls, mentions, weightedLength } from "./text";
import { announcePost } from "./webhooks";

const Create = z.strictObject({
  text: z.string().optional(),
  media: z
    .strictObject({
      media_ids: z.array(id).min(1).max(4),
      tagged_user_ids: z.array(id).max(10).optional(),
      preview_media_id: id.optional(),
      title: z.string().optional(),
      description: z.string().optional(),
      embeddable: z.boolean().optional(),
    })
    .optional(),
  reply: z
    .strictObject({
      in_reply_to_tweet_id: id,
      exclude_reply_user_ids: z.array(id).optional(),
      auto_populate_reply_metadata: z.boolean().optional(),
    })
    .optional(),
  quote_tweet_id: id.optional(),
  poll: z
    .strictObject({
      options: z.array(z.string().min(1).max(25)).min(2).max(4),
      duration_minutes: z.number().int().min(5).max(10_080),
      reply_settings: z.enum(["following", "mentionedUsers", "subscribers", "verified"]).optional(),
    })
    .optional(),
  reply_settings: z.enum(["following", "mentionedUsers", "subscribers", "verified"]).optional(),
  community_id: id.optional(),
  share_with_followers: z.boolean().optional(),
  geo: z.strictObject({ place_id: z.string().regex(/^[0-9a-f]{1,32}$/) }).optional(),
  nullcast: z.boolean().optional(),
  card_uri: z.string().optional(),
  direct_message_deep_link: z.string().optional(),
  for_super_followers_only: z.boolean().optional(),
  made_with_ai: z.boolean().optional(),
  paid_partnership: z.boolean().optional(),
  edit_options: z.strictObject({ previous_post_id: id }).optional(),
});
type Create = z.infer<typeof Create>;

const LABELS = ["made_with_ai", "paid_partnership"] as const;

export function publishRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();

  const create = endpoint(sandbox, {
    name: "POST /2/tweets",
    limit: 100,
    operation: (c) => operationOf(sandbox, c),
    scopes: ["tweet.read", "tweet.write", "users.read"],
  });
  app.post("/2/tweets", ...create, async (c) => {
    const input = await readJson(c, Create);
    const author = findUser(sandbox, c.var.caller.userId);
    if (!author) throw forbidden("user-suspended");
    const parent = checkPost(sandbox, c, author, input);
    const post = insertPost(sandbox, {
      author,
      text: input.text ?? "",
      mediaIds: input.media?.media_ids ?? [],
      parent,
      input,
    });
    const { id: postId, text, ...rest } = postView(sandbox, post, PLAIN);
    return c.json({ data: { id: postId, text, ...rest } }, 201);
  });

  const remove = endpoint(sandbox, {
    name: "DELETE /2/tweets/:id",
    limit: 50,
    operation: "delete",
    scopes: ["tweet.read", "tweet.write", "users.read"],
  });
  app.delete("/2/tweets/:id", ...remove, (c) => {
    const post = findPost(sandbox, c.req.param("id"));
    if (!post) throw missing("tweet", c.req.param("id"));
    if (post.author_id !== c.var.caller.userId) throw forbidden("You are not authorized to delete this Tweet.");
    sandbox.db.run("DELETE FROM twitter_posts WHERE id = ?", post.id);
    return c.json({ data: { deleted: true } });
  });

  const hide = endpoint(sandbox, {
    name: "PUT /2/tweets/:id/hidden",
    limit: 50,
    operation: "reply",
    scopes: ["tweet.read", "users.read", "tweet.moderate.write"],
  });
  app.put("/2/tweets/:id/hidden", ...hide, async (c) => {
    const { hidden } = await readJson(c, z.strictObject({ hidden: z.boolean() }));
    const post = findPost(sandbox, c.req.param("id"));
    if (!post) throw missing("tweet", c.req.param("id"));
    const root = findPost(sandbox, post.conversation_id);
    if (!post.reply_to || root?.author_id !== c.var.caller.userId) throw forbidden(NOT_PERMITTED);
    sandbox.db.run("UPDATE twitter_posts SET is_hidden = ? WHERE id = ?", hidden ? 1 : 0, post.id);
    return c.json({ data: { hidden } });
  });

  return app;
}

/** A reply to another user is `reply`; a post or the next part of the account's own thread is `publish`. */
async function operationOf(sandbox: Sandbox, c: TwitterContext): Promise<"publish" | "reply"> {
  const body: unknown = await c.req.json().catch(() => null);
  const replied = z.object({ reply: z.object({ in_reply_to_tweet_id: z.string() }) }).safeParse(body);
  const parent = replied.success ? findPost(sandbox, replied.data.reply.in_reply_to_tweet_id) : null;
  return parent?.is_comment ? "reply" : "publish";
}

/** Throws the error that X would return; otherwise returns the parent post, if any. */
function checkPost(sandbox: Sandbox, c: TwitterContext, author: UserRow, input: Create): PostRow | null {
  const text = input.text ?? "";
  const settings = sandbox.settings.all;
  const isSelfServe = settings.twitter_plan === "self_serve";
  if (text.trim() === "" && !input.media) throw invalid("One of text and media is required.", "text", text);
  const exclusive = [input.media, input.poll, input.quote_tweet_id, input.card_uri].filter((one) => one !== undefined);
  if (exclusive.length > 1) throw invalid("media, poll, quote_tweet_id and card_uri exclude one another.", "media");
  const handles = input.reply ? (/^(?:@\w{1,15}\s+)+/.exec(text)?.[0] ?? "") : "";
  if (weightedLength(text.slice(handles.length)) > (isPremium(author) ? 25_000 : 280)) {
    throw forbidden(
      "Your Tweet text is too long. For more information on how Twitter determines text length see https://github.com/twitter/twitter-text.",
    );
  }
  if (isSelfServe && cashtags(text).length > 1) throw forbidden(NOT_PERMITTED);
  if (input.edit_options || input.community_id || input.nullcast || input.card_uri || input.for_super_followers_only) {
    throw forbidden(NOT_PERMITTED);
  }
  attachable(sandbox, c, input.media?.media_ids ?? [], "tweet");
  if (input.quote_tweet_id !== undefined) {
    if (isSelfServe) throw forbidden(NOT_PERMITTED);
    if (!findPost(sandbox, input.quote_tweet_id))
      throw forbidden("Attempting to quote a Tweet that is deleted or not visible to you.");
  }
  const parent = input.reply ? replyable(sandbox, author, input.reply.in_reply_to_tweet_id) : null;
  const twin = sandbox.db.first<{ id: string }>(
    "SELECT id FROM twitter_posts WHERE author_id = ? AND text = ? AND created_at > ?",
    author.id,
    text,
    sandbox.now() - settings.twitter_duplicate_window_ms,
  );
  if (twin && text !== "") throw forbidden("You are not allowed to create a Tweet with duplicate content.");
  return parent;
}

function replyable(sandbox: Sandbox, author: UserRow, parentId: string): PostRow {
  const settings = sandbox.settings.all;
  const parent = findPost(sandbox, parentId);
  if (!parent || parent.created_at > sandbox.now() - settings.twitter_replication_lag_ms) {
    throw forbidden("You attempted to reply to a Tweet that is deleted or not visible to you.");
  }
  const isOwn = parent.author_id === author.id;
  const isSummoned =
    parent.in_reply_to_user_id === author.id || mentions(parent.text).includes(author.username.toLowerCase());
  if (isOwn || isSummoned || settings.twitter_plan === "enterprise") return parent;
  throw settings.twitter_not_summoned_shape === "blank"
    ? forbidden(
        "Reply to this conversation is not allowed because you have not been mentioned or otherwise engaged by the author of the post you are replying to.",
      )
    : new Problem(
        403,
        "Authorization Error",
        "You can only reply to or quote posts where you are mentioned or are the author.",
        { type: "https://api.x.com/2/problems/not-authorized-for-resource" },
      );
}

interface NewPost {
  author: UserRow;
  text: string;
  mediaIds: string[];
  parent: PostRow | null;
  input?: Create;
  /** Creation time; now by default. */
  at?: number;
}

/** Stores a post as X does: links shortened, and a media link appended. */
export function insertPost(sandbox: Sandbox, { author, text, mediaIds, parent, input, at }: NewPost): PostRow {
  const postId = snowflake(sandbox, at);
  const { rendered, urls } = render(sandbox, { text, author, mediaIds }, postId);
  const isOwnThread = parent === null || (parent.author_id === author.id && parent.is_comment === 0);
  sandbox.db.insert("twitter_posts", {
    id: postId,
    author_id: author.id,
    text,
    rendered,
    urls: JSON.stringify(urls),
    media_ids: JSON.stringify(mediaIds),
    reply_to: parent?.id ?? null,
    in_reply_to_user_id: parent?.author_id ?? null,
    conversation_id: parent?.conversation_id ?? postId,
    quote_of: input?.quote_tweet_id ?? null,
    reply_settings: input?.reply_settings ?? "everyone",
    is_comment: author.is_account && isOwnThread ? 0 : 1,
    labels: JSON.stringify(LABELS.filter((name) => input?.[name])),
    created_at: snowflakeTime(postId),
  });
  const post = findPost(sandbox, postId);
  if (!post) throw new Error("a post was lost");
  announcePost(sandbox, post, parent);
  return post;
}

function render(
  sandbox: Sandbox,
  { text, author, mediaIds }: Pick<NewPost, "text" | "author" | "mediaIds">,
  postId: string,
) {
  const escaped = (part: string) => part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const urls: UrlEntity[] = [];
  let rendered = "";
  let at = 0;
  for (const found of findUrls(text)) {
    const url = `https://t.co/${randomText(10)}`;
    const expanded = /^https?:\/\//i.test(found.text) ? found.text : `http://${found.text}`;
    const display = expanded.replace(/^https?:\/\/(www\.)?/i, "");
    urls.push({ url, expanded_url: expanded, display_url: display.length > 27 ? `${display.slice(0, 26)}…` : display });
    rendered += escaped(text.slice(at, found.start)) + url;
    at = found.end;
  }
  rendered += escaped(text.slice(at));
  if (mediaIds.length > 0) {
    const url = `https://t.co/${randomText(10)}`;
    const media = mediaIds.flatMap((mediaId) => findMedia(sandbox, mediaId) ?? []);
    const kind = media[0]?.category.endsWith("video") ? "video" : "photo";
    for (const one of media) {
      const expanded_url = `https://x.com/${author.username}/status/${postId}/${kind}/1`;
      urls.push({ url, expanded_url, display_url: `pic.x.com/${url.slice(-10)}`, media_key: one.media_key });
    }
    rendered += rendered === "" ? url : ` ${url}`;
  }
  return { rendered, urls };
}
