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
import { acts } from "./comment-acts.ts";
import { caption } from "./text.ts";

/**
 * Comments under an account's posts: its own comments, its answers, and comments of others. Stories have no
 * comments. Deleting a post deletes its comments.
 *
 * - Older documentation allows 300 characters, 4 hashtags and one link; newer documentation names no limit.
 *   Instagram's refusal is passed on.
 * - A lost comment is looked up by author, text and time. Authors are visible only with the permission for
 *   comments; a comment with our text but without an author is ambiguous.
 * - Facebook Login omits a hidden comment and its answers; Instagram Login lists them as hidden.
 * - Comments have one level: an answer to an answer belongs to the first comment.
 */
const LAG_SECONDS = 300;
const MAX_LIST_PAGES = 4;
/** The maximum page size. */
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

/** The author, and whether it is the account itself: by id or name. Other accounts may see a different id. */
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

/** The list that has the comments under the target. */
async function listOf(context: AccountContext, { post: of, comment }: CommentTarget): Promise<string | Failure> {
  if (comment === null) return `${of.id}/comments`;
  const answered = await graphOf(context).read(get(comment.id, { fields: "parent_id" }), Answered);
  return answered.kind === "failed" ? answered : `${answered.value.parent_id ?? comment.id}/replies`;
}

/** Null for a hidden comment, which accepts no answers, and without a time, which decides what is allowed. */
function toRead({ account }: AccountContext, one: Written, isTopLevel: boolean): ReadComment | null {
  const createdAt = one.timestamp;
  if (one.hidden || Number.isNaN(createdAt)) return null;
  return { id: one.id, ...authorOf(account, one), createdAt, text: one.text ?? "", isTopLevel };
}

export const comments = {
  types: ["post", "reel"],
  text: () => caption,
  lagSeconds: LAG_SECONDS,
  // No limit is documented. Accounts that answered faster were temporarily blocked from commenting.
  pace: { most: 30, perSeconds: 60, scope: "account" },
  create,
  find,
  reading: {
    // Newest first is not documented, and a new answer is listed with its comment, however old that is.
    isNewestFirst: false,
    async list(context, [of], { cursor }) {
      if (!of) return { kind: "page", comments: [], next: null };
      const query = { fields: `${FIELDS},replies.limit(${PAGE}){${FIELDS}}`, limit: PAGE };
      const call = (after: string | undefined) => get(`${of.id}/comments`, { ...query, after });
      return readComments(graphOf(context), cursor, call, {
        item: Comment,
        toComments: (one) => [
          toRead(context, one, true),
          // Answers to a hidden comment are hidden too.
          ...(one.hidden ? [] : (one.replies?.data ?? [])).map((reply) => toRead(context, reply, false)),
        ],
      });
    },
  },
  acts,
} satisfies Commenting;
