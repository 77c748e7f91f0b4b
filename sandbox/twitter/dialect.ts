// X's read endpoints have two naming schemes: that of API version 2.167 and the earlier one. A setting
// selects which of them the sandbox accepts and returns. Internally only the newer names are used.

import type { z } from "zod";
import type { Sandbox } from "../sandbox";
import { invalid, readQuery, type TwitterContext } from "./api";

export type View = Record<string, unknown>;

const list = (names: string) => names.split(" ");

/** All names that a read accepts in one scheme. */
interface Vocabulary {
  postFields: readonly string[];
  userFields: readonly string[];
  postExpansions: readonly string[];
  userExpansions: readonly string[];
}

const NEW: Vocabulary = {
  postFields: list(
    "article article_title attachments card_uri community_id context_annotations conversation_id created_at " +
      "display_text_range edit_controls entities geo id lang matched_media_notes media_metadata non_public_metrics " +
      "note_post note_request_suggestions organic_metrics paid_partnership possibly_sensitive promoted_metrics " +
      "public_metrics reply_settings scopes source suggested_source_links suggested_source_links_with_counts text withheld",
  ),
  userFields: list(
    "confirmed_email connection_status created_at description entities id is_identity_verified location name parody " +
      "profile_banner_url profile_image_url protected public_metrics receives_your_dm subscribes_to_you subscription " +
      "subscription_type url username verified verified_followers_count verified_type withheld",
  ),
  postExpansions: list(
    "article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet " +
      "attachments.poll_ids author_id edit_history_post_ids entities.mentions.username geo.place_id in_reply_to_user_id " +
      "referenced_posts username",
  ),
  userExpansions: list("affiliation most_recent_post_id pinned_post_id"),
};

const OLD: Vocabulary = {
  postFields: list(
    "article attachments author_id card_uri community_id context_annotations conversation_id created_at " +
      "display_text_range edit_controls edit_history_tweet_ids entities geo id in_reply_to_user_id lang " +
      "matched_media_notes media_metadata non_public_metrics note_request_suggestions note_tweet organic_metrics " +
      "paid_partnership possibly_sensitive promoted_metrics public_metrics referenced_tweets reply_settings scopes source " +
      "suggested_source_links suggested_source_links_with_counts text withheld",
  ),
  userFields: list(
    "affiliation confirmed_email connection_status created_at description entities id is_identity_verified location " +
      "most_recent_tweet_id name parody pinned_tweet_id profile_banner_url profile_image_url protected public_metrics " +
      "receives_your_dm subscription subscription_type url username verified verified_followers_count verified_type withheld",
  ),
  postExpansions: list(
    "article.cover_media article.media_entities attachments.media_keys attachments.media_source_tweet " +
      "attachments.poll_ids author_id edit_history_tweet_ids entities.mentions.username geo.place_id in_reply_to_user_id " +
      "entities.note.mentions.username referenced_tweets.id referenced_tweets.id.attachments.media_keys " +
      "referenced_tweets.id.author_id",
  ),
  userExpansions: list("affiliation most_recent_tweet_id pinned_tweet_id"),
};

/** Old and new names together, also new names in the old positions. */
const BOTH: Vocabulary = {
  postFields: [...NEW.postFields, ...OLD.postFields, "referenced_posts", "edit_history_post_ids"],
  userFields: [...NEW.userFields, ...OLD.userFields, "pinned_post_id", "most_recent_post_id"],
  postExpansions: [
    ...NEW.postExpansions,
    ...OLD.postExpansions,
    "referenced_posts.id",
    "referenced_posts.id.author_id",
    "referenced_posts.id.attachments.media_keys",
  ],
  userExpansions: [...NEW.userExpansions, ...OLD.userExpansions],
};

const VOCABULARIES = { new: NEW, old: OLD, both: BOTH } as const;
const POST_PARAMS = { new: ["post.fields"], old: ["tweet.fields"], both: ["post.fields", "tweet.fields"] } as const;

const MEDIA_FIELDS = list(
  "alt_text duration_ms height media_key non_public_metrics organic_metrics preview_image_url promoted_metrics " +
    "public_metrics type url variants width",
);
const POLL_FIELDS = list("duration_minutes end_datetime id options voting_status");
const PLACE_FIELDS = list("contained_within country country_code full_name geo id name place_type");

/** Old field names and their replacements. */
const RENAMED: Readonly<Record<string, string>> = {
  referenced_tweets: "referenced_posts",
  edit_history_tweet_ids: "edit_history_post_ids",
  note_tweet: "note_post",
  pinned_tweet_id: "pinned_post_id",
  most_recent_tweet_id: "most_recent_post_id",
  retweet_count: "repost_count",
  tweets: "posts",
};
const OLD_NAMES = new Map(Object.entries(RENAMED).map(([old, current]) => [current, old]));

/** Expansions that have another name in the views. */
const SAME_EXPANSION: Readonly<Record<string, string>> = {
  "referenced_tweets.id": "referenced_posts",
  "referenced_posts.id": "referenced_posts",
  "referenced_tweets.id.author_id": "referenced_posts.id.author_id",
};

/** The field that each expansion includes. */
const EXPANDED_FIELD: Readonly<Record<string, string>> = {
  author_id: "author_id",
  in_reply_to_user_id: "in_reply_to_user_id",
  referenced_posts: "referenced_posts",
  "referenced_posts.id.author_id": "referenced_posts",
  "attachments.media_keys": "attachments",
};

export interface Wanted {
  post: Set<string>;
  user: Set<string>;
  media: Set<string>;
  expansions: Set<string>;
}

/** The default fields of a post. */
export const PLAIN: Wanted = {
  post: new Set(["id", "text", "edit_history_post_ids"]),
  user: new Set(["id", "name", "username"]),
  media: new Set(["media_key", "type"]),
  expansions: new Set(),
};

/** Parses a read query: its own parameters and the requested fields. Names outside the scheme return 400. */
export function readAsked<S extends z.ZodObject>(
  sandbox: Sandbox,
  c: TwitterContext,
  schema: S,
  about: "post" | "user" = "post",
): { query: z.infer<S>; want: Wanted } {
  const dialect = sandbox.settings.all.twitter_dialect;
  const words = VOCABULARIES[dialect];
  const postParams = POST_PARAMS[dialect];
  const others = about === "post" ? ["media.fields", "poll.fields", "place.fields"] : [];
  const query = readQuery(c, schema, [...postParams, "user.fields", "expansions", ...others]);
  const read = (param: string, known: readonly string[]) => readNames(c.req.query(param), param, known);
  const expansions = read("expansions", about === "post" ? words.postExpansions : words.userExpansions).map(
    (name) => SAME_EXPANSION[name] ?? RENAMED[name] ?? name,
  );
  const wanted = postParams.flatMap((param) => read(param, words.postFields)).map((name) => RENAMED[name] ?? name);
  const user = read("user.fields", words.userFields).map((name) => RENAMED[name] ?? name);
  const media = read("media.fields", MEDIA_FIELDS);
  read("poll.fields", POLL_FIELDS);
  read("place.fields", PLACE_FIELDS);
  const brought = expansions.flatMap((name) => EXPANDED_FIELD[name] ?? []);
  const want: Wanted = {
    post: new Set([...PLAIN.post, ...wanted, ...brought]),
    user: new Set([...PLAIN.user, ...user]),
    media: new Set([...PLAIN.media, ...media]),
    expansions: new Set(expansions),
  };
  return { query, want };
}

function readNames(sent: string | undefined, param: string, known: readonly string[]): string[] {
  const names = (sent ?? "").split(",").filter(Boolean);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return names;
  const all = [...new Set(known)].join(",");
  throw invalid(`The \`${param}\` query parameter value [${unknown}] is not one of [${all}]`, param, unknown);
}

/** Renames the fields of a response to the selected scheme; in `both`, returns both names. */
export function inDialect(sandbox: Sandbox, view: View): View {
  const dialect = sandbox.settings.all.twitter_dialect;
  if (dialect === "new") return view;
  const old = Object.fromEntries(Object.entries(view).map(([name, value]) => [OLD_NAMES.get(name) ?? name, value]));
  return dialect === "old" ? old : { ...view, ...old };
}
