import { z } from "zod";
import type {
  AccountContext,
  Commit,
  CommitOutcome,
  Content,
  Failure,
  FindOutcome,
  FindRequest,
  Json,
  PlatformPost,
  Publishing,
  RemoveOutcome,
} from "./platform.ts";
import { call, duplicateOf, isGone, isParentMissing, judge, settle } from "./twitter-api.ts";
import { mediaIds, prepare } from "./twitter-media.ts";
import { comparableAnswered, comparableOwn, weightedLength } from "./twitter-text.ts";

/**
 * Publishing at X: one request an item, the items of a thread each in reply to the one before.
 *
 * X knows no idempotency key. A post whose answer was lost is looked up among the account's latest by text, parent and
 * time. The text comes back with t.co links and escapes in it, and an answer without hits has no `data` at all.
 */

/** The spelling in which we ask for fields. The newer one: `post.fields`, `referenced_posts`, `note_post`. */
const ASK = { fields: "tweet.fields", references: "referenced_tweets", note: "note_tweet" } as const;

/** Timelines were seen to lag up to fourteen minutes (twitter.md §3.8); plain texts are protected all the while. */
const LIST_LAG_SECONDS = 600;
const CLOCK_SLACK_MS = 60_000;
const MAX_LIST_PAGES = 3;

const Created = z.object({ data: z.object({ id: z.string() }) });

async function commit(
  context: AccountContext,
  content: Content,
  progress: Json,
  { index, previous }: Commit,
): Promise<CommitOutcome> {
  const item = content.items[index];
  const media_ids = mediaIds(content, progress, index);
  if (!item || media_ids === null) return rejected("The media of this post were not uploaded.");
  const parent = previous.at(-1);
  const json = {
    ...(item.text === "" ? {} : { text: item.text }),
    ...(media_ids.length === 0 ? {} : { media: { media_ids } }),
    ...(parent ? { reply: { in_reply_to_tweet_id: parent.id } } : {}),
  };
  const answer = await call(context, { method: "POST", path: "tweets", json });
  const duplicate = answer.kind === "answered" ? duplicateOf(answer) : null;
  if (duplicate !== null) return duplicate;
  if (parent && answer.kind === "answered" && isParentMissing(answer)) {
    const message = "X does not show the previous post of the thread yet.";
    return { kind: "failed", reason: "down", message, retryAfterSeconds: 2 };
  }
  const outcome = judge(answer, Created, context.now);
  return outcome.kind === "ok" ? { kind: "published", post: toPost(context, outcome.value.data.id) } : outcome;
}

const Reference = z.object({ type: z.string(), id: z.string() });
const Entities = z.object({
  urls: z
    .array(
      z.object({
        url: z.string(),
        expanded_url: z.string().optional(),
        display_url: z.string().optional(),
        media_key: z.string().optional(),
      }),
    )
    .optional(),
});
const Note = z.object({ text: z.string(), entities: Entities.optional() });
const Listed = z.object({
  id: z.string(),
  text: z.string(),
  created_at: z.string().optional(),
  entities: Entities.optional(),
  referenced_tweets: z.array(Reference).optional(),
  referenced_posts: z.array(Reference).optional(),
  note_tweet: Note.optional(),
  note_post: Note.optional(),
});
type Listed = z.output<typeof Listed>;
// Without hits `data` is absent, with a partial error both may be: such an answer proves nothing.
const Timeline = z
  .object({ data: z.array(Listed).optional(), meta: z.object({ next_token: z.string().optional() }).optional() })
  .refine(({ data, meta }) => data !== undefined || meta !== undefined);

async function find(context: AccountContext, content: Content, request: FindRequest): Promise<FindOutcome> {
  const item = content.items[request.index];
  if (!item) return { kind: "absent" };
  const since = request.since - CLOCK_SLACK_MS;
  const wanted = comparableOwn(item.text);
  const parent = request.previous.at(-1)?.id;
  const isTaken = (id: string) => request.taken.has(id) || request.previous.some((post) => post.id === id);
  const isWanted = (post: Listed) =>
    !isTaken(post.id) &&
    createdAt(post) >= since &&
    parentOf(post) === parent &&
    comparableText(post, item.media.length > 0) === wanted;

  const matches: Listed[] = [];
  const fields = ["created_at", "text", "entities", "conversation_id", ASK.references, "in_reply_to_user_id"];
  // Only long posts have a note, and each field asked for is one that an API version may not know.
  if (weightedLength(item.text) > 280) fields.push(ASK.note);
  let pagination_token: string | undefined;
  for (let round = 0; round < MAX_LIST_PAGES; round += 1) {
    const start_time = new Date(since).toISOString();
    const query = { max_results: 100, start_time, [ASK.fields]: fields.join(","), pagination_token };
    const answer = await call(context, { method: "GET", path: `users/${context.account.id}/tweets`, query });
    const outcome = judge(answer, Timeline, context.now);
    if (outcome.kind !== "ok") return outcome;
    matches.push(...(outcome.value.data ?? []).filter(isWanted));
    pagination_token = outcome.value.meta?.next_token;
    if (pagination_token === undefined) break;
  }
  const distance = (post: Listed) => Math.abs(createdAt(post) - request.since);
  const [nearest] = matches.toSorted((a, b) => distance(a) - distance(b));
  return nearest ? { kind: "found", post: toPost(context, nearest.id) } : { kind: "absent" };
}

function comparableText({ text, entities, note_tweet, note_post }: Listed, hasMedia: boolean): string {
  const whole = note_post ?? note_tweet ?? { text, entities };
  return comparableAnswered(whole.text, whole.entities?.urls ?? [], hasMedia);
}

function parentOf({ referenced_posts, referenced_tweets }: Listed): string | undefined {
  return [...(referenced_posts ?? []), ...(referenced_tweets ?? [])].find((one) => one.type === "replied_to")?.id;
}

/** Ids are snowflakes: they carry the milliseconds since X's epoch. */
function createdAt({ created_at, id }: Listed): number {
  return created_at === undefined ? Number((BigInt(id) >> 22n) + 1_288_834_974_657n) : Date.parse(created_at);
}

const Deleted = z.object({ data: z.object({ deleted: z.boolean() }) });

async function remove(context: AccountContext, { id }: PlatformPost): Promise<RemoveOutcome> {
  const answer = await call(context, { method: "DELETE", path: `tweets/${id}` });
  if (answer.kind === "answered" && isGone(answer)) return { kind: "removed" };
  const outcome = settle(judge(answer, Deleted, context.now));
  if (outcome.kind === "failed") return outcome;
  return outcome.value.data.deleted ? { kind: "removed" } : rejected("X did not delete the post. Delete it at x.com.");
}

function toPost({ account }: AccountContext, id: string): PlatformPost {
  const path = account.username === null ? "i/web" : account.username;
  return { id, permalink: `https://x.com/${path}/status/${id}` };
}

function rejected(message: string): Failure {
  return { kind: "failed", reason: "rejected", message };
}

export const posts: Publishing = {
  lists: {
    lagSeconds: LIST_LAG_SECONDS,
    // X refuses a text that the account has posted before; with media it does not always.
    refusesRepeat: ({ items }, index) => items[index]?.media.length === 0,
  },
  prepare,
  commit,
  // A post is live as soon as X has given it an id.
  confirm: async (_context, _content, _progress, { post }) => ({ kind: "live", post }),
  find: (context, content, _progress, request) => find(context, content, request),
  permalink: async (context, { id }) => toPost(context, id).permalink,
  remove: (context, _type, post) => remove(context, post),
};
