import { z } from "zod";
import { PlatformId } from "../json.ts";
import type { Answered, Lost } from "../request.ts";
import { isMisspelt } from "./api.ts";

/** Posts as X lists them, in the names of either document: those since 2.167 and those before it. */

const References = z.array(z.object({ type: z.string(), id: PlatformId })).optional();
const Entities = z.object({
  urls: z
    .array(z.object({ url: z.string(), expanded_url: z.string().optional(), media_key: z.string().optional() }))
    .optional(),
});
const Note = z.object({ text: z.string(), entities: Entities.optional() }).optional();
const Ids = z.array(PlatformId).optional();
const ListedPost = z.object({
  id: PlatformId.refine((id) => /^\d+$/.test(id)),
  text: z.string(),
  author_id: PlatformId.optional(),
  created_at: z.string().optional(),
  conversation_id: PlatformId.optional(),
  entities: Entities.optional(),
  referenced_posts: References,
  referenced_tweets: References,
  edit_history_post_ids: Ids,
  edit_history_tweet_ids: Ids,
  note_post: Note,
  note_tweet: Note,
});
export type ListedPost = z.output<typeof ListedPost>;

export const User = z.object({ id: PlatformId, name: z.string().optional(), username: z.string().optional() });
export type User = z.output<typeof User>;

// Without hits `data` is absent, with a partial error both may be: such an answer proves nothing.
export const Listing = z
  .object({
    data: z.array(ListedPost).optional(),
    includes: z
      .object({ users: z.array(User).optional() })
      .optional()
      .catch(undefined),
    meta: z.object({ next_token: z.string().optional() }).optional(),
  })
  .refine(({ data, meta }) => data !== undefined || meta !== undefined);

export type Spelling = Readonly<Record<string, string>>;

/**
 * Asks in the first of the spellings that X does not refuse: it answers 400 to names that it does not know, and which an app
 * gets is not documented. Tells the spellings that were not refused by then, the one that answered first.
 */
export async function askSpelt(
  spellings: readonly Spelling[],
  ask: (spelling: Spelling) => Promise<Answered | Lost>,
): Promise<{ readonly answer: Answered | Lost; readonly left: readonly Spelling[] }> {
  const [spelling = {}, ...others] = spellings;
  const answer = await ask(spelling);
  return isMisspelt(answer) && others.length > 0 ? askSpelt(others, ask) : { answer, left: spellings };
}

export function referencesOf({ referenced_posts, referenced_tweets }: ListedPost) {
  return [...(referenced_posts ?? []), ...(referenced_tweets ?? [])];
}

/** The post that it answers; undefined where it answers none, or X does not show it. */
export function parentOf(post: ListedPost): string | undefined {
  return referencesOf(post).find(({ type }) => type === "replied_to")?.id;
}

/** Its ids, for each edit gives it another one; the first is that of the post as it was made. */
export function versionsOf({ id, edit_history_post_ids, edit_history_tweet_ids }: ListedPost): readonly string[] {
  return [...(edit_history_post_ids ?? edit_history_tweet_ids ?? []), id];
}

/** The whole of a text that lists show the beginning of; undefined where it was not cut, or X does not show it. */
export function noteOf({ note_post, note_tweet }: ListedPost) {
  return note_post ?? note_tweet;
}

/** Epoch milliseconds. Ids are snowflakes: they carry the milliseconds since X's epoch. */
export function madeAt({ created_at, id }: Pick<ListedPost, "created_at" | "id">): number {
  const told = Date.parse(created_at ?? "");
  return Number.isFinite(told) ? told : Number((BigInt(id) >> 22n) + 1_288_834_974_657n);
}
