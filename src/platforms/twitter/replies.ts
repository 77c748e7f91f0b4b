import { DAY, MINUTE } from "../../core/time.ts";
import { interpretRead } from "../answers.ts";
import type {
  CommentAuthor,
  CommentPage,
  CommentReading,
  ListComments,
  ReadComment,
  SharedPage,
  WantedPost,
} from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { wholeAfter } from "../lists.ts";
import type { PlatformPost } from "../publishing.ts";
import { isMisspelt, request } from "./api.ts";
import { X } from "./errors.ts";
import { unescaped } from "./likeness.ts";
import {
  callSpelt,
  type ListedPost,
  Listing,
  madeAt,
  noteOf,
  parentOf,
  type Spelling,
  type User,
  versionsOf,
} from "./listed.ts";

/**
 * Other people's replies in the conversation of a post, by the search of the last seven days. For a thread,
 * the conversation has the id of its first item.
 *
 * - The newest appear half a minute late. An empty result has no `data`.
 * - Times outside the seven days, or within that half minute, are rejected, so requests stay between these
 *   limits.
 * - An edited reply is listed under another id: here it keeps its first one.
 * - A reply whose parent X does not show does not count as a reply to the post itself.
 */
const WINDOW_MS = 7 * DAY;
/** Margin for clock differences and the duration of a request. */
const MARGIN_MS = 5 * MINUTE;
const LAG_MS = MINUTE;
/** The conversations that fit in a query of 512 characters, with ids of 19 digits. */
const MOST = 12;

const USER = { "user.fields": "username,name" };
const SPELLINGS: readonly Spelling[] = [
  { "post.fields": "created_at,conversation_id,note_post", expansions: "author_id,referenced_posts", ...USER },
  {
    "tweet.fields": "author_id,created_at,conversation_id,referenced_tweets,note_tweet",
    expansions: "author_id",
    ...USER,
  },
];

async function list(
  context: AccountContext,
  posts: readonly PlatformPost[],
  { cursor, since }: ListComments,
): Promise<CommentPage | Failure> {
  const [root] = posts;
  if (!root) return { kind: "page", comments: [], next: null };
  const which = conversation(root);
  let { answer } = await search(context, which, since, cursor ?? undefined);
  // X no longer accepts the cursor: the list starts again.
  if (cursor !== null && isMisspelt(answer)) ({ answer } = await search(context, which, since));
  const listing = interpretRead(X, answer, Listing, context.now);
  if (listing.kind === "failed") return listing;
  const { items, users, next } = listing.value;
  return { kind: "page", comments: toComments(items, posts, users, context), next };
}

/** Replies in several conversations. One without a conversation id may be in any of them. */
async function listOfSeveral(context: AccountContext, wanted: readonly WantedPost[]): Promise<SharedPage | Failure> {
  const roots = wanted.flatMap(({ posts: [root] }) => (root ? [conversation(root)] : []));
  const since = Math.min(...wanted.map((one) => one.since));
  const { answer } = await search(context, `(${roots.join(" OR ")})`, since);
  const listing = interpretRead(X, answer, Listing, context.now);
  if (listing.kind === "failed") return listing;
  const { items, users, next } = listing.value;
  const byRoot = Map.groupBy(items, ({ conversation_id }) => conversation_id);
  return {
    kind: "page",
    comments: wanted.map(({ posts, since }) => {
      const replies = (posts[0] && byRoot.get(posts[0].id)) ?? [];
      const wantedOnes = replies.filter((reply) => madeAt(reply) >= since);
      return toComments(wantedOnes, posts, users, context);
    }),
    wholeAfter: Math.max(wholeAfter(items.map(madeAt), next), ...(byRoot.get(undefined) ?? []).map(madeAt)),
  };
}

const conversation = ({ id }: PlatformPost): string => `conversation_id:${id}`;

function search(context: AccountContext, which: string, since: number, next_token?: string) {
  const { now, account } = context;
  const from = Math.min(Math.max(since, now - WINDOW_MS + MARGIN_MS), now - LAG_MS);
  // By its numeric id: a name may change.
  const query = `${which} -from:${account.id}`;
  const requested = { query, max_results: 100, start_time: new Date(from).toISOString(), next_token };
  return callSpelt(SPELLINGS, (spelling) =>
    request(context, { method: "GET", path: "tweets/search/recent", query: { ...requested, ...spelling } }),
  );
}

function toComments(
  items: readonly ListedPost[],
  posts: readonly PlatformPost[],
  known: readonly User[],
  { account }: AccountContext,
): readonly ReadComment[] {
  const users = new Map(known.map((user) => [user.id, user]));
  const ids = new Set(posts.map(({ id }) => id));
  return items.map((post) => toComment(post, account.id, users, ids));
}

function toComment(
  post: ListedPost,
  accountId: string,
  users: ReadonlyMap<string, User>,
  items: ReadonlySet<string>,
): ReadComment {
  const { author_id } = post;
  const parent = parentOf(post);
  return {
    id: versionsOf(post)[0] ?? post.id,
    author: author_id === undefined ? null : toAuthor(author_id, users.get(author_id)),
    createdAt: madeAt(post),
    text: unescaped(noteOf(post)?.text ?? post.text ?? ""),
    isTopLevel: parent !== undefined && items.has(parent),
    isOwn: author_id === undefined ? null : author_id === accountId,
  };
}

export function toAuthor(id: string, user: Pick<User, "name" | "username"> | undefined): CommentAuthor {
  return { id, name: user?.name ?? user?.username ?? null };
}

export const reading: CommentReading = {
  lagSeconds: 30,
  // Half of the searches that X allows an account. Each reply that is read also costs money.
  budget: { most: 150, perSeconds: 15 * 60, scope: "account" },
  isNewestFirst: true,
  list,
  several: { most: MOST, covers: () => true, list: listOfSeveral },
};
