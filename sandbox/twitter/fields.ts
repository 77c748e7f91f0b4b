// Views of posts, users and media with the requested fields, in the configured naming scheme.

import { z } from "zod";
import { type Books, followersAt, openBooks, shownCounts } from "../books";
import type { Sandbox } from "../sandbox";
import { inDialect, type View, type Wanted } from "./dialect";
import { findMedia, findPost, findUser, isPremium, type MediaRow, type PostRow, strings, type UserRow } from "./store";
import { weightedLength } from "./text";

const pick = (view: View, names: Set<string>): View =>
  Object.fromEntries(Object.entries(view).filter(([name, value]) => names.has(name) && value !== undefined));

export const UrlEntity = z.object({
  url: z.string(),
  expanded_url: z.string(),
  display_url: z.string(),
  media_key: z.string().optional(),
});
export type UrlEntity = z.infer<typeof UrlEntity>;
const UrlEntities = z.array(UrlEntity);

/** Private metrics: of own posts, for thirty days. */
const PRIVATE = ["non_public_metrics", "organic_metrics", "promoted_metrics"];
const PRIVATE_MS = 30 * 86_400_000;

/** The partial errors of private metrics that the caller may not see. */
export function privateErrors(sandbox: Sandbox, posts: PostRow[], want: Wanted, userId: string): View[] {
  const refused = posts.filter((post) => !showsPrivate(sandbox, post, userId));
  return refused.flatMap(({ id }) =>
    PRIVATE.filter((field) => want.post.has(field)).map((field) => ({
      resource_id: id,
      parameter: field,
      resource_type: "tweet",
      section: "data",
      title: "Field Authorization Error",
      detail: `Sorry, you are not authorized to access '${field}' on the Tweet with ids : [${id}].`,
      type: "https://api.twitter.com/2/problems/not-authorized-for-field",
    })),
  );
}

const showsPrivate = (sandbox: Sandbox, post: PostRow, userId: string | null) =>
  post.author_id === userId && sandbox.now() - post.created_at <= PRIVATE_MS;

/** Whose token it is, which only private metrics depend on, and the numbers of all posts. */
interface Reading {
  readonly userId: string | null;
  readonly countsOf: Books;
}

function metricsOf(sandbox: Sandbox, post: PostRow, want: Wanted, { userId, countsOf }: Reading): View {
  if (![...PRIVATE, "public_metrics"].some((field) => want.post.has(field))) return {};
  const counts = shownCounts(countsOf(post.id) ?? {});
  const { views = 0, likes = 0, comments = 0, reposts = 0, clicks = 0, link_clicks = 0, profile_visits = 0 } = counts;
  const { quotes = 0, saves = 0 } = counts;
  const own = {
    impression_count: views,
    url_link_clicks: link_clicks,
    user_profile_clicks: profile_visits,
    engagements: likes + comments + reposts + clicks,
  };
  return {
    public_metrics: inDialect(sandbox, {
      repost_count: reposts,
      reply_count: comments,
      like_count: likes,
      quote_count: quotes,
      bookmark_count: saves,
      impression_count: views,
    }),
    ...(showsPrivate(sandbox, post, userId) ? { non_public_metrics: own } : {}),
  };
}

export const postView = (sandbox: Sandbox, post: PostRow, want: Wanted): View =>
  viewOf(sandbox, post, want, { userId: null, countsOf: openBooks(sandbox, "twitter") });

/** `userId`: whose token it is; only private metrics depend on it. */
export function postViews(
  sandbox: Sandbox,
  posts: readonly PostRow[],
  want: Wanted,
  userId: string | null = null,
): View[] {
  const reading = { userId, countsOf: openBooks(sandbox, "twitter") };
  return posts.map((post) => viewOf(sandbox, post, want, reading));
}

function viewOf(sandbox: Sandbox, post: PostRow, want: Wanted, reading: Reading): View {
  const urls = located(post.rendered, UrlEntities.parse(JSON.parse(post.urls)));
  const isLong = weightedLength(post.text) > 280;
  const text = isLong ? `${[...post.rendered].slice(0, 270).join("")}…` : post.rendered;
  const references = [
    ...(post.reply_to ? [{ type: "replied_to", id: post.reply_to }] : []),
    ...(post.quote_of ? [{ type: "quoted", id: post.quote_of }] : []),
  ];
  const media = strings(post.media_ids).flatMap((id) => findMedia(sandbox, id) ?? []);
  const view: View = {
    id: post.id,
    text,
    edit_history_post_ids: [post.id],
    author_id: post.author_id,
    conversation_id: post.conversation_id,
    created_at: sandbox.iso(post.created_at),
    in_reply_to_user_id: post.in_reply_to_user_id ?? undefined,
    referenced_posts: references.length > 0 ? references : undefined,
    entities: urls.length > 0 ? { urls } : undefined,
    attachments: media.length > 0 ? { media_keys: media.map((one) => one.media_key) } : undefined,
    note_post: isLong ? { text: post.rendered, ...(urls.length > 0 ? { entities: { urls } } : {}) } : undefined,
    // There is no field that shows `made_with_ai`.
    paid_partnership: strings(post.labels).includes("paid_partnership"),
    reply_settings: post.reply_settings,
    lang: "en",
    possibly_sensitive: false,
    edit_controls: {
      edits_remaining: 5,
      is_edit_eligible: false,
      editable_until: sandbox.iso(post.created_at + 1_800_000),
    },
    ...metricsOf(sandbox, post, want, reading),
  };
  return inDialect(sandbox, pick(view, want.post));
}

/** The links with their positions in the rendered text, counted in code points. */
function located(rendered: string, urls: UrlEntity[]) {
  let from = 0;
  return urls.map((url) => {
    const at = rendered.indexOf(url.url, from);
    from = at + url.url.length;
    const start = [...rendered.slice(0, at)].length;
    return { start, end: start + url.url.length, ...url };
  });
}

export function userView(sandbox: Sandbox, user: UserRow, want: Wanted, origin: string): View {
  const view: View = {
    id: user.id,
    name: user.name,
    username: user.username,
    profile_image_url: `${origin}/_media/square.png`,
    verified: isPremium(user),
    verified_type: isPremium(user) ? "blue" : "none",
    subscription_type: user.subscription_type,
    protected: false,
    receives_your_dm: user.receives_dm === 1,
    created_at: "2016-03-04T09:00:00.000Z",
    description: "An account of the sandbox",
    public_metrics: {
      followers_count: followersAt(user.id, sandbox.now()),
      following_count: 80,
      tweet_count: 10,
      listed_count: 1,
    },
  };
  return inDialect(sandbox, pick(view, want.user));
}

function mediaView(media: MediaRow, want: Wanted, origin: string): View {
  const type = media.category.endsWith("video") ? "video" : media.category.endsWith("gif") ? "animated_gif" : "photo";
  const url = `${origin}/_blob/${media.blob_id}`;
  const view: View = {
    media_key: media.media_key,
    type,
    url: type === "photo" ? url : undefined,
    width: media.width ?? undefined,
    height: media.height ?? undefined,
    duration_ms: type === "video" ? (media.duration_ms ?? undefined) : undefined,
    alt_text: media.alt_text ?? undefined,
    variants: type === "photo" ? undefined : [{ content_type: media.type, url }],
  };
  return pick(view, want.media);
}

/** The `includes` of a response; nothing if no expansion was requested or none applies. */
export function includes(sandbox: Sandbox, posts: PostRow[], want: Wanted, origin: string): { includes?: View } {
  const users = new Map<string, UserRow>();
  const related = new Map<string, PostRow>();
  const media = new Map<string, MediaRow>();
  const addUser = (id: string | null) => {
    const user = id === null ? null : findUser(sandbox, id);
    if (user) users.set(user.id, user);
  };
  for (const post of posts) {
    if (want.expansions.has("author_id")) addUser(post.author_id);
    if (want.expansions.has("in_reply_to_user_id")) addUser(post.in_reply_to_user_id);
    if (want.expansions.has("referenced_posts")) {
      for (const id of [post.reply_to, post.quote_of]) {
        const found = id === null ? null : findPost(sandbox, id);
        if (found) related.set(found.id, found);
      }
    }
    if (want.expansions.has("attachments.media_keys")) {
      for (const id of strings(post.media_ids)) {
        const found = findMedia(sandbox, id);
        if (found) media.set(found.id, found);
      }
    }
  }
  if (want.expansions.has("referenced_posts.id.author_id"))
    for (const post of related.values()) addUser(post.author_id);
  const relatedViews = postViews(sandbox, [...related.values()], want);
  const out: View = {
    ...(users.size > 0 ? { users: [...users.values()].map((user) => userView(sandbox, user, want, origin)) } : {}),
    ...(relatedViews.length > 0 ? inDialect(sandbox, { posts: relatedViews }) : {}),
    ...(media.size > 0 ? { media: [...media.values()].map((one) => mediaView(one, want, origin)) } : {}),
  };
  return Object.keys(out).length > 0 ? { includes: out } : {};
}
