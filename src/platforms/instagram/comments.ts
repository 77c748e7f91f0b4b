import { z } from "zod";
import type {
  Commenting,
  CommentOutcome,
  CommentTarget,
  FindComment,
  FindCommentOutcome,
  ReadComment,
} from "../commenting.ts";
import type { AccountContext, AccountRef, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, lenient, lenientList, nearestTo, shownText, shownTime } from "../lists.ts";
import { readComments } from "../meta/comment-pages.ts";
import { get, post } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import { foldText } from "../similar-text.ts";
import { graphOf } from "./api.ts";
import { caption } from "./text.ts";

/**
 * Comments under an account's posts: its own, its answers to others, and what others write; a story takes
 * none. They go with their post.
 *
 * - Older documentation allows 300 characters, 4 hashtags and one link, newer says nothing: what Instagram
 *   refuses is told.
 * - What a lost answer did is found among the comments by author, text and time. Who wrote one is shown with
 *   the permission for comments only; one of our text whose author is not shown cannot be told from ours.
 * - A hidden comment, with its answers, is left out of lists by Facebook Login and listed as hidden by
 *   Instagram Login.
 * - One level is all there is: an answer to an answer hangs under the comment that was answered first.
 */
const LAG_SECONDS = 300;
const MAX_LIST_PAGES = 4;
/** More are not given at once. */
const PAGE = 50;

/** `self_ig_scoped_id` was seen on what an account itself wrote, in webhooks. */
export const Writer = z.object({
  id: PlatformId.nullish(),
  username: z.string().nullish(),
  self_ig_scoped_id: PlatformId.nullish().catch(null),
});
const Written = z.object({
  id: PlatformId,
  text: shownText,
  timestamp: shownTime,
  username: lenient(z.string()),
  from: lenient(Writer),
  hidden: lenient(z.boolean()),
});
type Written = z.output<typeof Written>;
const Comment = Written.extend({ replies: lenient(z.object({ data: lenientList(Written) })) });

const FIELDS = "id,text,timestamp,username,from{id,username},hidden";

/**
 * Who wrote it, and whether that is the account itself: by its id or its name, of which either may be another
 * to others.
 */
export function authorOf(
  account: Pick<AccountRef, "id" | "username">,
  { from, username }: Partial<Pick<Written, "from" | "username">>,
): Pick<ReadComment, "author" | "isOwn"> {
  const name = from?.username ?? username ?? null;
  const id = from?.id ?? name;
  if (id === null) return { author: null, isOwn: null };
  const author = { id, name };
  if (id === account.id || (name !== null && name === account.username)) return { author, isOwn: true };
  const isComparable = name !== null && account.username !== null && !from?.self_ig_scoped_id;
  return { author, isOwn: isComparable ? false : null };
}

async function create(context: AccountContext, target: CommentTarget, message: string): Promise<CommentOutcome> {
  const path = target.comment === null ? `${target.post.id}/comments` : `${target.comment.id}/replies`;
  const answer = await graphOf(context).write(post(path, { message }), z.object({ id: PlatformId }));
  return answer.kind === "ok" ? { kind: "published", id: answer.value.id } : answer;
}

async function find(
  context: AccountContext,
  target: CommentTarget,
  { text, since, taken }: FindComment,
): Promise<FindCommentOutcome> {
  const graph = graphOf(context);
  const path = await listOf(context, target);
  if (typeof path !== "string") return path;
  const readPage = (after: string | undefined) => graph.request(get(path, { fields: FIELDS, limit: PAGE, after }));
  const listed = await graph.list(readPage, Written, MAX_LIST_PAGES);
  if (listed.kind === "failed") return listed;
  const oldest = since - CLOCK_SLACK_MS;
  const isAlike = (shown: string) => foldText(shown) === foldText(text);
  const same = listed.items.filter(
    (one) =>
      !taken.has(one.id) &&
      !(one.timestamp < oldest) &&
      (one.text === null || isAlike(one.text)) &&
      authorOf(context.account, one).isOwn !== false,
  );
  const ours = nearestTo(
    since,
    same.filter((one) => one.text !== null && authorOf(context.account, one).isOwn),
    ({ timestamp }) => timestamp,
  );
  if (ours) return { kind: "found", id: ours.id };
  if (same.length > 0 || hasPerhapsOurs(listed.odd, { oldest, taken, isAlike }))
    return perhapsLive("Instagram shows a comment that may be this one, but not enough of it to decide.");
  return listed.isWhole ? { kind: "absent" } : unknown("The post has more comments than the look-up reads.");
}

const Answered = z.object({ parent_id: PlatformId.nullish() });

/** Where what was written under the target is listed. */
async function listOf(context: AccountContext, { post: of, comment }: CommentTarget): Promise<string | Failure> {
  if (comment === null) return `${of.id}/comments`;
  const answered = await graphOf(context).read(get(comment.id, { fields: "parent_id" }), Answered);
  return answered.kind === "failed" ? answered : `${answered.value.parent_id ?? comment.id}/replies`;
}

/**
 * Null of one that is hidden, which takes no answers, and without a time: what may be done with a comment
 * depends on its age.
 */
function toRead({ account }: AccountContext, one: Written, isTopLevel: boolean): ReadComment | null {
  const createdAt = one.timestamp;
  if (one.hidden || Number.isNaN(createdAt)) return null;
  return { id: one.id, ...authorOf(account, one), createdAt, text: one.text ?? "", isTopLevel };
}

export const comments = {
  types: ["post", "reel"],
  text: () => caption,
  lagSeconds: LAG_SECONDS,
  // No number is documented; accounts that answered faster were blocked from commenting for a while.
  pace: { most: 30, perSeconds: 60, scope: "account" },
  create,
  find,
  reading: {
    // Newest first by hearsay only; and a new answer stands with the comment that it answers, however old
    // that is.
    isNewestFirst: false,
    async list(context, [of], { cursor }) {
      if (!of) return { kind: "page", comments: [], next: null };
      const query = { fields: `${FIELDS},replies.limit(${PAGE}){${FIELDS}}`, limit: PAGE };
      const call = (after: string | undefined) => get(`${of.id}/comments`, { ...query, after });
      return readComments(graphOf(context), cursor, call, Comment, (one) => [
        toRead(context, one, true),
        // What answers a hidden comment is hidden with it.
        ...(one.hidden ? [] : (one.replies?.data ?? [])).map((reply) => toRead(context, reply, false)),
      ]);
    },
  },
} satisfies Commenting;
