import { z } from "zod";
import type { Commenting, CommentOutcome, CommentTarget, FindComment, FindCommentOutcome } from "../commenting.ts";
import type { AccountContext } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, nearestTo } from "../lists.ts";
import { get, post } from "../meta/graph.ts";
import { unknown } from "../outcomes.ts";
import { foldText } from "../similar-text.ts";
import { graphOf } from "./api.ts";
import { madeAt } from "./find.ts";
import { caption } from "./text.ts";

/**
 * Comments of an account under its own posts; a story takes none. They go with their post.
 *
 * - Older documentation allows 300 characters, 4 hashtags and one link, newer says nothing: what Instagram refuses is told.
 * - What a lost answer did is found among the comments by author, text and time. Who wrote one is shown with the permission
 *   for comments only; one of our text whose author is not shown cannot be told from ours.
 */
const LAG_SECONDS = 300;
const MAX_LIST_PAGES = 4;

const Created = z.object({ id: PlatformId });
const Comment = z.object({
  id: PlatformId,
  text: z.string().nullish(),
  timestamp: z.string().nullish(),
  username: z.string().nullish(),
  from: z.object({ id: PlatformId.optional(), username: z.string().nullish() }).nullish(),
});
type Comment = z.output<typeof Comment>;

async function create(
  context: AccountContext,
  { post: { id } }: CommentTarget,
  message: string,
): Promise<CommentOutcome> {
  const answer = await graphOf(context).write(post(`${id}/comments`, { message }), Created);
  return answer.kind === "ok" ? { kind: "published", id: answer.value.id } : answer;
}

async function find(
  context: AccountContext,
  { post: { id } }: CommentTarget,
  { text, since, taken }: FindComment,
): Promise<FindCommentOutcome> {
  const graph = graphOf(context);
  const query = { fields: "id,text,timestamp,username,from{id,username}", limit: 50 };
  const readPage = (after: string | undefined) => graph.request(get(`${id}/comments`, { ...query, after }));
  const listed = await graph.list(readPage, Comment, MAX_LIST_PAGES);
  if (listed.kind === "failed") return listed;
  const same = listed.items.filter(
    (one) =>
      !taken.has(one.id) &&
      !(madeAt(one) < since - CLOCK_SLACK_MS) &&
      foldText(one.text ?? "") === foldText(text) &&
      isOurs(context, one) !== false,
  );
  const ours = nearestTo(
    since,
    same.filter((one) => isOurs(context, one)),
    madeAt,
  );
  if (ours) return { kind: "found", id: ours.id };
  if (same.length > 0) return unknown("Instagram shows a comment of this text, but not who has written it.");
  return listed.isWhole ? { kind: "absent" } : unknown("The post has more comments than could be looked through.");
}

/** Null: that is not shown. */
function isOurs({ account }: AccountContext, { username, from }: Comment): boolean | null {
  if (from?.id === account.id) return true;
  const name = username ?? from?.username ?? null;
  return name === null || account.username === null ? null : name === account.username;
}

export const comments: Commenting = {
  types: ["post", "reel"],
  text: () => caption,
  lagSeconds: LAG_SECONDS,
  // No number is documented; accounts that answered faster were blocked from commenting for a while.
  pace: { most: 30, perSeconds: 60, scope: "account" },
  create,
  find,
};
