import { z } from "zod";
import { interpretRead } from "../answers.ts";
import type { CommentPage, CommentReading, ListComments, ReadComment } from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { parseItems } from "../lists.ts";
import type { PlatformPost } from "../publishing.ts";
import { whyUnreadable } from "./account.ts";
import { encodeUrn, request, tableOf } from "./api.ts";
import { madeAt, ShownComment, textOf, urnOf } from "./shown-comment.ts";

/**
 * Comments under a page's posts (linkedin.md §4.1). LinkedIn shows no author names. Answers to comments are
 * not read: they would cost one call per comment.
 */

export const COMMENT_PAGE = 50;
/** Offsets count from the start: deletions move items up, and this overlap keeps them from being skipped. */
const OVERLAP = 5;

/** `count` includes unreadable items: it shows whether the page is full. */
export const Comments = z
  .object({ elements: z.array(z.unknown()) })
  .transform(({ elements }) => ({ count: elements.length, ...parseItems(ShownComment, elements) }));

/** The comments under a post, or the answers to a comment, by URN. */
export const commentsPath = (urn: string): string => `rest/socialActions/${encodeUrn(urn)}/comments`;

async function list(
  context: AccountContext,
  [post]: readonly PlatformPost[],
  { cursor }: ListComments,
): Promise<CommentPage | Failure> {
  if (!post) return { kind: "page", comments: [], next: null };
  const message = whyUnreadable(context.account);
  if (message !== null) return { kind: "failed", reason: "permission_missing", message };
  const start = Number(cursor ?? 0);
  const call = { method: "GET", path: commentsPath(post.id), query: { start, count: COMMENT_PAGE } } as const;
  const page = interpretRead(tableOf(context), await request(context, call), Comments, context.now);
  if (page.kind === "failed") return page;
  const { items, count } = page.value;
  const comments = items.flatMap((one) => toComment(one, post, context.account.id) ?? []);
  const isLast = count < COMMENT_PAGE;
  return { kind: "page", comments, next: isLast ? null : String(start + COMMENT_PAGE - OVERLAP) };
}

/** Null if LinkedIn does not show its time. */
function toComment(comment: ShownComment, post: PlatformPost, accountId: string): ReadComment | null {
  const createdAt = madeAt(comment);
  if (!Number.isFinite(createdAt)) return null;
  const { actor } = comment;
  return {
    id: urnOf({ ...comment, object: comment.object ?? post.id }) ?? comment.id,
    author: actor === undefined ? null : { id: actor, name: null },
    createdAt,
    text: textOf(comment),
    isTopLevel: comment.parentComment === undefined,
    isOwn: actor === undefined ? null : actor === accountId,
  };
}

export const reading: CommentReading = {
  // Half of a person's daily calls in LinkedIn's Development tier; posts and answers need the rest.
  budget: { most: 50, perSeconds: 24 * 3600, scope: "account" },
  isNewestFirst: false,
  list,
};
