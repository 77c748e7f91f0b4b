import { interpretRead, interpretWrite } from "../answers.ts";
import type { Commenting, CommentOutcome, CommentTarget, FindComment, FindCommentOutcome } from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, type Listed, nearestTo, readList } from "../lists.ts";
import { perhapsLive, unknown, unreadable } from "../outcomes.ts";
import { parseBody } from "../request.ts";
import { foldText } from "../similar-text.ts";
import { whyUnreadable } from "./account.ts";
import { ANY_BODY, request, tableOf } from "./api.ts";
import { acts } from "./comment-acts.ts";
import { COMMENT_PAGE, Comments, commentsPath, reading } from "./replies.ts";
import { madeAt, objectIn, ShownComment, textOf, urnOf } from "./shown-comment.ts";

/**
 * Comments of a person or a page, under their own posts and as answers to others (linkedin.md §4). Deleting a
 * post deletes its comments.
 *
 * - Comments are plain text, unlike a post's commentary. LinkedIn accepts the same comment twice, and about
 *   one a minute.
 * - An answer is created under the comment's URN, and names it again as its parent.
 * - The `*_social_feed` scopes require the Community Management API and the administrator role. Comments
 *   under a person's posts cannot be read, so a lost one cannot be looked up.
 */
const MAX_UNITS = 1_250;
const LIST_LAG_SECONDS = 600;
const MAX_PAGES = 10;

async function create(
  context: AccountContext,
  { post, comment }: CommentTarget,
  text: string,
): Promise<CommentOutcome> {
  const answered = comment === null ? {} : { parentComment: comment.id };
  const object = (comment && objectIn(comment.id)) ?? post.id;
  const json = { actor: context.account.id, object, message: { text }, ...answered };
  const answer = await request(context, { method: "POST", path: commentsPath((comment ?? post).id), json });
  const outcome = interpretWrite(tableOf(context), answer, ANY_BODY, context.now);
  if (outcome.kind !== "ok") return outcome;
  if (answer.kind !== "answered") return unknown(NO_ID);
  const made = parseBody(ShownComment, answer);
  const id = (made && urnOf(made)) ?? answer.headers.get("x-restli-id") ?? made?.id ?? null;
  return id === null ? unknown(NO_ID) : { kind: "published", id };
}

const NO_ID = "LinkedIn accepted the comment, but did not return its id.";

async function find(
  context: AccountContext,
  { post, comment }: CommentTarget,
  { text, since, taken }: FindComment,
): Promise<FindCommentOutcome> {
  const why = whyUnreadable(context.account);
  if (why !== null) return unreadable(why);
  const listed = await list(context, (comment ?? post).id);
  if (listed.kind === "failed") {
    // A missing permission to read does not prove that the comment was not written.
    return listed.reason === "permission_missing" ? unknown(listed.message) : listed;
  }
  const oldest = since - CLOCK_SLACK_MS;
  const recent = listed.items.filter(
    (one) => !taken.has(one.id) && !taken.has(urnOf(one) ?? one.id) && !(madeAt(one) < oldest),
  );
  const isAlike = (shown: string) => foldText(shown) === foldText(text);
  const same = recent.filter((one) => isAlike(textOf(one)));
  const own = same.filter(({ actor }) => actor === context.account.id);
  const ours = nearestTo(since, own, madeAt);
  if (ours) return { kind: "found", id: urnOf(ours) ?? ours.id };
  const isPerhaps = same.some(({ actor }) => actor === undefined);
  if (isPerhaps || hasPerhapsOurs(listed.odd, { oldest, taken, isAlike }))
    return perhapsLive("LinkedIn shows a new comment with this text, but not whose it is.");
  return listed.isWhole ? { kind: "absent" } : unknown("The post has more comments than the look-up reads.");
}

/** Reads all pages: the order of comments is not documented. */
function list(context: AccountContext, target: string): Promise<Listed<ShownComment> | Failure> {
  return readList<ShownComment, Failure>(MAX_PAGES, async (cursor) => {
    const start = Number(cursor ?? 0);
    const call = { method: "GET", path: commentsPath(target), query: { start, count: COMMENT_PAGE } } as const;
    const page = interpretRead(tableOf(context), await request(context, call), Comments, context.now);
    if (page.kind === "failed") return page;
    const { items, odd, count } = page.value;
    return { kind: "page", items, odd, isLast: count < COMMENT_PAGE, next: String(start + COMMENT_PAGE) };
  });
}

export const comments: Commenting = {
  types: ["post"],
  text: () => ({ max: MAX_UNITS, measure: (value) => value.length, unit: "characters" }),
  lagSeconds: LIST_LAG_SECONDS,
  // About one a minute, for a person and their pages together. LinkedIn refuses earlier ones for over a
  // minute.
  pace: { most: 1, perSeconds: 75, scope: "account" },
  create,
  find,
  reading,
  acts,
};
