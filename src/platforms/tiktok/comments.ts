import { z } from "zod";
import type {
  CommentActs,
  Commenting,
  CommentOutcome,
  CommentReading,
  CommentTarget,
  FindComment,
  FindCommentOutcome,
  ReadComment,
} from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import {
  CLOCK_SLACK_MS,
  lenient,
  lenientList,
  nearestTo,
  type Page,
  parseItems,
  readList,
  shownText,
  shownTime,
} from "../lists.ts";
import { okAs, rejected, unknown } from "../outcomes.ts";
import type { TextRules } from "../rules.ts";
import { foldText } from "../similar-text.ts";
import { applyBusiness, readBusiness, writeBusiness } from "./business-api.ts";
import { awaitId, isTask } from "./task.ts";

/**
 * Comments under the account's own posts (tiktok.md, part B), by the grant for comments: business-login.ts.
 *
 * - A post is named by its own id, which exists after moderation, for public posts only.
 * - TikTok accepts the same comment twice. A lost one is looked up by author, text and time. Its absence
 *   proves nothing, because texts may come back altered: the outcome stays unknown, and the comment is not
 *   sent again.
 * - Lists have an order of TikTok's own unless one is requested, under either of two names: documentation and
 *   official client differ.
 */

const text: TextRules = { max: 150, measure: (value) => value.length, unit: "characters" };
const LIST_LAG_SECONDS = 600;
const PAGE_SIZE = 30;
/** TikTok allows 40 list calls per minute and account. */
const MAX_PAGES = 10;

const Shown = z.object({
  comment_id: PlatformId,
  parent_comment_id: lenient(PlatformId),
  unique_identifier: lenient(PlatformId),
  username: lenient(z.string()),
  text: shownText,
  create_time: shownTime,
  owner: lenient(z.boolean()),
});
type Shown = z.output<typeof Shown>;
const Thread = Shown.extend({ reply_list: lenientList(Shown) });
const Listed = z.object({
  comments: z.array(z.unknown()).nullish(),
  cursor: lenient(z.coerce.string()),
  has_more: lenient(z.boolean()),
});
const Created = z.object({ comment_id: PlatformId });

const NEWEST_FIRST = { sort_field: "create_time", sort_order: "desc", sort_type: "desc" };

const madeAt = ({ create_time }: Shown): number => create_time;

function businessOf({ credentials, account }: AccountContext) {
  return { business_id: credentials.accountId ?? account.id };
}

const prepare: Commenting["prepare"] = async (_context, { post }, _text, progress) =>
  awaitId(post, progress) ?? { kind: "ready", progress: null };

async function create(
  context: AccountContext,
  { post, comment }: CommentTarget,
  words: string,
): Promise<CommentOutcome> {
  if (isTask(post.id)) return rejected("TikTok has no id for this post. Only public posts get one, after moderation.");
  const path = comment === null ? "business/comment/create" : "business/comment/reply/create";
  const under = { ...businessOf(context), video_id: post.id, ...(comment === null ? {} : { comment_id: comment.id }) };
  const answer = await writeBusiness(context, path, { ...under, text: words }, Created);
  return answer.kind === "ok" ? { kind: "published", id: answer.value.comment_id } : answer;
}

async function find(
  context: AccountContext,
  { post, comment }: CommentTarget,
  request: FindComment,
): Promise<FindCommentOutcome> {
  const oldest = request.since - CLOCK_SLACK_MS;
  const isOld = (shown: Shown) => madeAt(shown) < oldest;
  const listed = await readList<Shown, Failure>(MAX_PAGES, async (cursor) => {
    const page = await readPage(context, post.id, comment?.id ?? null, { status: "ALL", cursor });
    // In replies the newest may come last.
    const isPast = comment === null && page.kind === "page" && page.items.length > 0 && page.items.every(isOld);
    return isPast ? { ...page, isLast: true } : page;
  });
  if (listed.kind === "failed") return listed;
  const alike = listed.items
    .filter((shown) => shown.owner === true && !request.taken.has(shown.comment_id) && !isOld(shown))
    .filter((shown) => foldText(shown.text ?? "") === foldText(request.text));
  const ours = nearestTo(request.since, alike, madeAt);
  if (ours) return { kind: "found", id: ours.comment_id };
  return unknown("TikTok does not list the comment, but it may exist.");
}

interface Wanted {
  readonly status: "ALL" | "PUBLIC";
  readonly cursor: string | undefined;
}

/**
 * Comments under the post or, with `commentId`, the replies to that comment. May be few, or none, while more
 * follow.
 */
async function readPage(
  context: AccountContext,
  videoId: string,
  commentId: string | null,
  { status, cursor }: Wanted,
): Promise<Page<z.output<typeof Thread>> | Failure> {
  const path = commentId === null ? "business/comment/list" : "business/comment/reply/list";
  const query = {
    ...businessOf(context),
    video_id: videoId,
    ...(commentId === null ? { include_replies: true } : { comment_id: commentId }),
    status,
    ...NEWEST_FIRST,
    cursor: Number(cursor ?? 0),
    max_count: PAGE_SIZE,
  };
  const page = await readBusiness(context, path, query, Listed);
  if (page.kind === "failed") return page;
  const { comments, cursor: next = null, has_more } = page.value;
  return { kind: "page", ...parseItems(Thread, comments ?? []), isLast: !has_more, next };
}

const reading: CommentReading = {
  // All accounts together have 600 calls of any kind a minute.
  budget: { most: 300, perSeconds: 60, scope: "app" },
  isNewestFirst: true,
  async list(context, [post], { cursor, since }) {
    // Without its own id the post cannot be read yet.
    if (!post || isTask(post.id)) return { kind: "page", comments: [], next: null };
    const page = await readPage(context, post.id, null, { status: "PUBLIC", cursor: cursor ?? undefined });
    if (page.kind === "failed") return page;
    const isPast = page.items.length > 0 && page.items.every((shown) => madeAt(shown) < since);
    // A comment with an unreadable time is left out: it cannot be known to be new.
    const comments = page.items
      .flatMap((thread) => [
        toComment(thread, true),
        ...(thread.reply_list ?? []).map((reply) => toComment(reply, false)),
      ])
      .filter(({ createdAt }) => Number.isFinite(createdAt));
    // A page whose cursor is its own would repeat forever.
    return { kind: "page", comments, next: page.isLast || isPast || page.next === cursor ? null : page.next };
  },
};

function toComment(shown: Shown, isTop: boolean): ReadComment {
  const { comment_id, parent_comment_id, unique_identifier, username, text: words, owner } = shown;
  return {
    id: comment_id,
    author: unique_identifier === undefined ? null : { id: unique_identifier, name: username || null },
    createdAt: madeAt(shown),
    text: words ?? "",
    isTopLevel: isTop && parent_comment_id === undefined,
    isOwn: owner ?? null,
  };
}

const Changed = z.unknown();

/** Acts on other people's comments; each sets a value, so it may be repeated. */
const acts = {
  async hide(context, { id, post }, isOn) {
    const json = { ...businessOf(context), video_id: post.id, comment_id: id, action: isOn ? "HIDE" : "UNHIDE" };
    return okAs(await applyBusiness(context, "business/comment/hide", json, Changed), "done");
  },
  async like(context, { id }, isOn) {
    const json = { ...businessOf(context), comment_id: id, action: isOn ? "LIKE" : "UNLIKE" };
    return okAs(await applyBusiness(context, "business/comment/like", json, Changed), "done");
  },
  remove: "TikTok does not let an account delete other people's comments. Hide it instead.",
} satisfies CommentActs;

export const comments: Commenting = {
  types: ["post", "reel"],
  text: () => text,
  lagSeconds: LIST_LAG_SECONDS,
  // Of 40 calls per minute and account.
  pace: { most: 30, perSeconds: 60, scope: "account" },
  prepare,
  create,
  find,
  reading,
  acts,
};
