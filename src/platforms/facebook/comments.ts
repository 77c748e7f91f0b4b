import { z } from "zod";
import type { Commenting, CommentTarget, FindComment, FindCommentOutcome } from "../commenting.ts";
import type { AccountContext } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, nearestTo } from "../lists.ts";
import { get, post } from "../meta/graph.ts";
import { unknown } from "../outcomes.ts";
import { graphOf } from "./api.ts";
import { MAX_LIST_PAGES, madeAt } from "./feed.ts";
import { likeness } from "./likeness.ts";

/**
 * The Page's own comments (facebook.md §4). They go with their post. Nobody may comment on a story.
 *
 * - Facebook knows no idempotency key here either: a lost one is looked for by author, text and time.
 * - Who wrote a comment may be left out: one with our text may then be ours, or not.
 */

/** What Facebook's pages refuse longer ones at (seen 2026-11; not documented for the API). */
const MAX_CHARACTERS = 8_000;
/** As late as its other lists. */
const LIST_LAG_SECONDS = 600;

const Created = z.object({ id: PlatformId });
const Comment = z.object({
  id: PlatformId,
  message: z.string().nullish(),
  created_time: z.string(),
  from: z.object({ id: PlatformId }).nullish(),
});

async function find(
  context: AccountContext,
  { post: { id } }: CommentTarget,
  { text, since, taken }: FindComment,
): Promise<FindCommentOutcome> {
  const oldest = since - CLOCK_SLACK_MS;
  const query = {
    fields: "id,message,from{id},created_time",
    filter: "toplevel",
    order: "reverse_chronological",
    since: Math.floor(oldest / 1000),
    limit: 100,
  };
  const graph = graphOf(context);
  const readPage = (after: string | undefined) => graph.request(get(`${id}/comments`, { ...query, after }));
  const listed = await graph.list(readPage, Comment, MAX_LIST_PAGES);
  if (listed.kind === "failed") return listed;
  const alike = listed.items
    // A time that cannot be read is no proof of age.
    .filter((comment) => !taken.has(comment.id) && !(madeAt(comment) < oldest))
    .filter(({ from }) => !from || from.id === context.account.id)
    .map((comment) => ({ comment, likeness: likeness(text, comment.message ?? "") }))
    .filter((one) => one.likeness !== "different");
  const same = alike.filter((one) => one.likeness === "same" && one.comment.from).map(({ comment }) => comment);
  const ours = nearestTo(since, same, madeAt);
  if (ours) return { kind: "found", id: ours.id };
  if (alike.length > 0) return unknown("Facebook shows a new comment that may be this one, but not enough to tell.");
  return listed.isWhole ? { kind: "absent" } : unknown("The post has more comments than could be looked through.");
}

export const comments: Commenting = {
  types: ["post", "reel"],
  text: () => ({ max: MAX_CHARACTERS, measure: (value) => [...value].length, unit: "characters" }),
  lagSeconds: LIST_LAG_SECONDS,
  // No number is documented: one a second is what a person at a keyboard never reaches, and automation blocks start above.
  pace: { most: 60, perSeconds: 60, scope: "account" },
  async create(context, { post: { id } }, message) {
    const answer = await graphOf(context).write(post(`${id}/comments`, { message }), Created);
    return answer.kind === "ok" ? { kind: "published", id: answer.value.id } : answer;
  },
  find,
};
