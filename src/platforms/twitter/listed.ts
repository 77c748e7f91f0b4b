import { z } from "zod";
import { PlatformId } from "../json.ts";
import { lenient, lenientList, parseItems, shownText, shownTime } from "../lists.ts";
import type { Answered, Lost } from "../request.ts";
import { isMisspelt } from "./api.ts";

/** Posts as X lists them, with the field names before and since OpenAPI 2.167. */

const References = lenientList(z.object({ type: z.string(), id: PlatformId }));
export const Entities = lenient(
  z.object({
    urls: lenientList(z.object({ url: z.string(), expanded_url: lenient(z.string()), media_key: lenient(z.string()) })),
  }),
);
const Note = lenient(z.object({ text: z.string(), entities: Entities }));
const Ids = lenientList(PlatformId);
const ListedPost = z.object({
  id: PlatformId.refine((id) => /^\d+$/.test(id)),
  /** Null if its form cannot be compared. */
  text: shownText,
  author_id: lenient(PlatformId),
  created_at: shownTime,
  conversation_id: lenient(PlatformId),
  entities: Entities,
  referenced_posts: References,
  referenced_tweets: References,
  edit_history_post_ids: Ids,
  edit_history_tweet_ids: Ids,
  note_post: Note,
  note_tweet: Note,
});
export type ListedPost = z.output<typeof ListedPost>;

export const User = z.object({ id: PlatformId, name: lenient(z.string()), username: lenient(z.string()) });
export type User = z.output<typeof User>;

/**
 * A list of X. Without hits `data` is absent; with a partial error `meta` may be absent too, and such an
 * answer proves nothing.
 */
export const listOf = <S extends z.ZodType>(item: S) =>
  z
    .object({
      data: z.array(z.unknown()).nullish(),
      includes: lenient(z.object({ users: lenientList(User) })),
      meta: lenient(z.object({ next_token: lenient(z.string()) })),
    })
    .refine(({ data, meta }) => Boolean(data) || meta !== undefined)
    .transform(({ data, includes, meta }) => ({
      ...parseItems(item, data ?? []),
      users: includes?.users ?? [],
      next: meta?.next_token ?? null,
    }));

export const Listing = listOf(ListedPost);

export type Spelling = Readonly<Record<string, string>>;

/**
 * Calls with the first spelling that X accepts. X answers 400 to unknown names, and which names an app gets
 * is not documented. Returns the spellings that were not refused, the accepted one first.
 */
export async function callSpelt(
  spellings: readonly Spelling[],
  call: (spelling: Spelling) => Promise<Answered | Lost>,
): Promise<{ readonly answer: Answered | Lost; readonly left: readonly Spelling[] }> {
  const [spelling = {}, ...others] = spellings;
  const answer = await call(spelling);
  return isMisspelt(answer) && others.length > 0 ? callSpelt(others, call) : { answer, left: spellings };
}

export function referencesOf({ referenced_posts, referenced_tweets }: ListedPost) {
  return [...(referenced_posts ?? []), ...(referenced_tweets ?? [])];
}

/** The post that it replies to; undefined if it is no reply, or X does not show the parent. */
export function parentOf(post: ListedPost): string | undefined {
  return referencesOf(post).find(({ type }) => type === "replied_to")?.id;
}

/** Its ids: each edit adds another one; the first is the original post's. */
export function versionsOf({ id, edit_history_post_ids, edit_history_tweet_ids }: ListedPost): readonly string[] {
  return [...(edit_history_post_ids ?? edit_history_tweet_ids ?? []), id];
}

/**
 * The full text of a post that lists show truncated; undefined if it was not truncated, or X does not show
 * it.
 */
export function noteOf({ note_post, note_tweet }: ListedPost) {
  return note_post ?? note_tweet;
}

/** Epoch milliseconds. Ids are snowflakes: they contain the milliseconds since X's epoch. */
export function madeAt({ created_at, id }: Pick<ListedPost, "created_at" | "id">): number {
  return Number.isFinite(created_at) ? created_at : Number((BigInt(id) >> 22n) + 1_288_834_974_657n);
}
