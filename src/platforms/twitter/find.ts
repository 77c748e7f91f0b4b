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
  askSpelt,
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
 * Looking for a post whose answer was lost, among the account's latest: X knows no idempotency key.
 *
 * A post is ours when it is new, nobody else's, stands in the right place of its thread and has our text. One
 * that may be ours (text altered, parent not to be seen) or a list that was not read to its end makes the
 * answer `unknown`: only a list in which nothing resembles it says `absent`.
 */
const MAX_PAGES = 3;
const FIELDS = ["created_at", "text", "entities", "conversation_id"];

/**
 * The query parameters to try in turn: those of the document since 2.167, those before it, and none. Without
 * any, neither links nor parents are shown: a post can then be absent for sure, but never found.
 */
function spellings(isLong: boolean): readonly Spelling[] {
  // Only long posts have a note, and each field is one more that an API version may not know.
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
  /** The post that it answers. */
  readonly parent: string | undefined;
}

/** One post of the account by what it says and where it stands. */
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
  // A text that cannot be read may be any.
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

/** The account's posts since then, in the first spelling that X does not refuse. */
function list(
  context: AccountContext,
  start_time: string,
  isLong: boolean,
): Promise<Listed<ListedPost> | Failure | Unknown> {
  let known = spellings(isLong);
  return readList(MAX_PAGES, async (pagination_token) => {
    const { answer, left } = await askSpelt(known, (spelling) => {
      const query = { max_results: 100, start_time, ...spelling, pagination_token };
      return request(context, { method: "GET", path: `users/${context.account.id}/tweets`, query });
    });
    // The spelling of the first page serves for the others.
    known = left.slice(0, 1);
    // A question that X refuses is refused, whether or not it documents that of a publishing call.
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
  /** X does not show it. */
  | "unseen";

/** Whether a post stands where ours does: in reply to `wanted`, or to nothing. */
function parentageOf(post: ListedPost, wanted: string | undefined): Parentage {
  if (referencesOf(post).some(({ type }) => type === "retweeted")) return "wrong";
  const parent = parentOf(post);
  if (parent !== undefined) return parent === wanted ? "right" : "wrong";
  if (post.conversation_id === undefined) return "unseen";
  // The first post of a conversation gives it its id, also after it was edited and has another one.
  if (versionsOf(post).includes(post.conversation_id)) return wanted === undefined ? "right" : "wrong";
  return wanted === undefined ? "wrong" : "unseen";
}

function verdictOf(parentage: Parentage, likeness: () => Likeness): "ours" | "perhaps" | "not ours" {
  const text = parentage === "wrong" ? "different" : likeness();
  if (text === "different") return "not ours";
  return text === "same" && parentage === "right" ? "ours" : "perhaps";
}

/** Null where the text is in no form that could be compared. */
function shown(post: ListedPost, isLong: boolean): Shown | null {
  const note = noteOf(post);
  const { text, entities } = note ?? post;
  if (text === null) return null;
  return { id: post.id, text, links: entities?.urls ?? [], isCut: isLong && note === undefined };
}
