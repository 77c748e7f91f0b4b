import { interpretRead } from "../answers.ts";
import type { AccountContext, Failure, Unknown } from "../context.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, type Listed, nearestTo, readList } from "../lists.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import type { Content, FindOutcome, FindRequest } from "../publishing.ts";
import type { Likeness } from "../similar-text.ts";
import { interpret, request } from "./api.ts";
import { errorOf, X } from "./errors.ts";
import { likenessTo, type Shown } from "./likeness.ts";
import {
  callSpelt,
  type ListedPost,
  Listing,
  madeAt,
  noteOf,
  parentOf,
  referencesOf,
  type Spelling,
  versionsOf,
} from "./listed.ts";
import { toPost } from "./permalink.ts";
import { weightedLength } from "./text.ts";

/**
 * Looks up a post whose answer was lost, among the account's latest posts: X has no idempotency key.
 *
 * A post is ours if it is new, belongs to no other item, has the right position in its thread and has our
 * text. The result is `unknown` if a post may be ours (text altered, parent not visible) or the list was not
 * read to its end. It is `absent` only if nothing in the list resembles the post.
 */
const MAX_PAGES = 3;
const FIELDS = ["created_at", "text", "entities", "conversation_id"];

/**
 * The query parameters to try in turn: those since OpenAPI 2.167, those before it, and none. Without any,
 * links and parents are not shown: a post can then be proven absent, but never found.
 */
function spellings(isLong: boolean): readonly Spelling[] {
  // Only long posts have a note, and each additional field may be unknown to an API version.
  const current = isLong ? [...FIELDS, "note_post"] : FIELDS;
  const former = [...FIELDS, "referenced_tweets", ...(isLong ? ["note_tweet"] : [])];
  return [
    { "post.fields": current.join(","), expansions: "referenced_posts" },
    { "tweet.fields": former.join(",") },
    {},
  ];
}

export async function find(context: AccountContext, content: Content, attempt: FindRequest): Promise<FindOutcome> {
  const item = content.items[attempt.index];
  if (!item) return { kind: "absent" };
  const taken = new Set([...attempt.taken, ...attempt.previous.map(({ id }) => id)]);
  const parent = attempt.previous.at(-1)?.id;
  const wanted = { text: item.text, hasMedia: item.media.length > 0, parent };
  return findItem(context, wanted, { since: attempt.since, taken });
}

interface Wanted {
  readonly text: string;
  readonly hasMedia: boolean;
  /** The post that it replies to. */
  readonly parent: string | undefined;
}

/** Finds one post of the account by its text and its position. */
export async function findItem(
  context: AccountContext,
  { text, hasMedia, parent }: Wanted,
  attempt: Pick<FindRequest, "since" | "taken">,
): Promise<FindOutcome> {
  const since = attempt.since - CLOCK_SLACK_MS;
  const isLong = weightedLength(text) > 280;
  const listed = await list(context, new Date(since).toISOString(), isLong);
  if (listed.kind !== "ok") return listed;

  const likeness = likenessTo({ text, hasMedia });
  // An unreadable text may be any text.
  const likenessOf = (post: Shown | null): Likeness => (post === null ? "similar" : likeness(post));
  const isAlike = (shown: string) => likeness({ id: "", text: shown, links: [], isCut: false }) !== "different";
  const candidates = listed.items
    .filter(({ id }) => !attempt.taken.has(id))
    .filter((post) => madeAt(post) >= since)
    .map((post) => ({ post, verdict: verdictOf(parentageOf(post, parent), () => likenessOf(shown(post, isLong))) }));
  const ours = candidates.filter(({ verdict }) => verdict === "ours").map(({ post }) => post);
  const nearest = nearestTo(attempt.since, ours, madeAt);
  if (nearest) return { kind: "found", post: toPost(context, nearest.id) };
  const isPerhaps = candidates.some(({ verdict }) => verdict === "perhaps");
  if (isPerhaps || hasPerhapsOurs(listed.odd, { oldest: since, taken: attempt.taken, isAlike })) {
    return perhapsLive("A new post of the account at X may be this one; X does not show enough of it to decide.");
  }
  return listed.isWhole ? { kind: "absent" } : unknown("The account has more new posts at X than were read.");
}

/** The account's posts since then, with the first spelling that X accepts. */
function list(
  context: AccountContext,
  start_time: string,
  isLong: boolean,
): Promise<Listed<ListedPost> | Failure | Unknown> {
  let known = spellings(isLong);
  return readList(MAX_PAGES, async (pagination_token) => {
    const { answer, left } = await callSpelt(known, (spelling) => {
      const query = { max_results: 100, start_time, ...spelling, pagination_token };
      return request(context, { method: "GET", path: `users/${context.account.id}/tweets`, query });
    });
    // The spelling of the first page is used for the others.
    known = left.slice(0, 1);
    // A refused read is final, whether or not X documents that refusal for publishing calls.
    const isRefused = answer.kind === "answered" && answer.status < 500 && errorOf(answer) !== null;
    const timeline = isRefused ? interpretRead(X, answer, Listing, context.now) : interpret(context, answer, Listing);
    if (timeline.kind === "duplicate") return unknown(timeline.message);
    if (timeline.kind !== "ok") return timeline;
    const { items, odd, next } = timeline.value;
    return { kind: "page", items, odd, isLast: next === null, next };
  });
}

type Parentage =
  | "right"
  | "wrong"
  /** X does not show the parent. */
  | "unseen";

/** Whether a post has our position: in reply to `wanted`, or to nothing. */
function parentageOf(post: ListedPost, wanted: string | undefined): Parentage {
  if (referencesOf(post).some(({ type }) => type === "retweeted")) return "wrong";
  const parent = parentOf(post);
  if (parent !== undefined) return parent === wanted ? "right" : "wrong";
  if (post.conversation_id === undefined) return "unseen";
  // The first post gives the conversation its id, even if it was edited later and has another id.
  if (versionsOf(post).includes(post.conversation_id)) return wanted === undefined ? "right" : "wrong";
  return wanted === undefined ? "wrong" : "unseen";
}

function verdictOf(parentage: Parentage, likeness: () => Likeness): "ours" | "perhaps" | "not ours" {
  const text = parentage === "wrong" ? "different" : likeness();
  if (text === "different") return "not ours";
  return text === "same" && parentage === "right" ? "ours" : "perhaps";
}

/** Null if the text's form cannot be compared. */
function shown(post: ListedPost, isLong: boolean): Shown | null {
  const note = noteOf(post);
  const { text, entities } = note ?? post;
  if (text === null) return null;
  return { id: post.id, text, links: entities?.urls ?? [], isCut: isLong && note === undefined };
}
