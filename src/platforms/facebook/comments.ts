import { z } from "zod";
import type {
  AnsweredComment,
  Commenting,
  CommentTarget,
  FindComment,
  FindCommentOutcome,
  ReadComment,
} from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, lenient, nearestTo, shownText, shownTime } from "../lists.ts";
import { readComments } from "../meta/comment-pages.ts";
import { get, post } from "../meta/graph.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import { graphOf } from "./api.ts";
import { acts } from "./comment-acts.ts";
import { MAX_LIST_PAGES } from "./feed.ts";
import { likeness } from "./likeness.ts";

/**
 * Comments under a Page's posts: its own comments, its answers, and comments of others (facebook.md §4).
 * Deleting a post deletes its comments. Stories have no comments.
 *
 * - Facebook has no idempotency key for comments. A lost comment is looked up by author, text and time.
 * - Facebook may omit a comment's author. A comment with our text may then be ours or not.
 * - Comments have one level: an answer to an answer belongs to the first comment.
 */

/** The limit of Facebook's own pages (seen 2026-11; not documented for the API). */
const MAX_CHARACTERS = 8_000;
/** The lag of Facebook's other lists. */
const LIST_LAG_SECONDS = 600;

const Created = z.object({ id: PlatformId });
const Parent = lenient(z.object({ id: PlatformId }));
const Comment = z.object({
  id: PlatformId,
  message: shownText,
  created_time: shownTime,
  from: lenient(z.object({ id: PlatformId, name: lenient(z.string()) })),
  parent: Parent,
});
type Comment = z.output<typeof Comment>;

const seconds = (ms: number): number => Math.floor(ms / 1000);

async function find(
  context: AccountContext,
  { post: { id }, comment }: CommentTarget,
  { text, since, taken }: FindComment,
): Promise<FindCommentOutcome> {
  const oldest = since - CLOCK_SLACK_MS;
  const query = {
    fields: "id,message,from{id},created_time,parent{id}",
    filter: comment === null ? "toplevel" : "stream",
    order: "reverse_chronological",
    since: seconds(oldest),
    limit: 100,
  };
  const graph = graphOf(context);
  const readPage = (after: string | undefined) => graph.request(get(`${id}/comments`, { ...query, after }));
  const listed = await graph.list(readPage, Comment, MAX_LIST_PAGES);
  if (listed.kind === "failed") return listed;
  const ofOurText = listed.items
    // A time that cannot be read is no proof of age.
    .filter((one) => !taken.has(one.id) && !(one.created_time < oldest))
    .filter(({ from }) => !from || from.id === context.account.id)
    .map((one) => ({
      comment: one,
      likeness: one.message === null ? ("similar" as const) : likeness(text, one.message),
    }))
    .filter((one) => one.likeness !== "different");
  const alike = comment === null ? ofOurText : await under(context, comment, ofOurText);
  if ("kind" in alike) return alike;
  const same = alike.filter((one) => one.likeness === "same" && one.comment.from).map((one) => one.comment);
  const ours = nearestTo(since, same, ({ created_time }) => created_time);
  if (ours) return { kind: "found", id: ours.id };
  const isAlike = (shown: string) => likeness(text, shown) !== "different";
  if (alike.length > 0 || hasPerhapsOurs(listed.odd, { oldest, taken, isAlike }))
    return perhapsLive("Facebook shows a new comment that may be this one, but not enough of it to decide.");
  return listed.isWhole ? { kind: "absent" } : unknown("The post has more comments than the look-up reads.");
}

/** The answers to the comment, as far as Facebook separates answers within a thread. */
async function under<T extends { readonly comment: Comment }>(
  context: AccountContext,
  { id }: AnsweredComment,
  comments: readonly T[],
): Promise<readonly T[] | Failure> {
  const answers = comments.filter(({ comment: { parent } }) => parent);
  const direct = answers.filter(({ comment: { parent } }) => parent?.id === id);
  if (direct.length === answers.length) return direct;
  const answered = await graphOf(context).read(get(id, { fields: "parent{id}" }), z.object({ parent: Parent }));
  if (answered.kind === "failed") return answered;
  const root = answered.value.parent?.id ?? id;
  return answers.filter(({ comment: { parent } }) => parent?.id === id || parent?.id === root);
}

/** Null without a time: a comment's age decides what may be done with it. */
function toRead({ account }: AccountContext, comment: Comment): ReadComment | null {
  const { id, from, message, parent } = comment;
  const createdAt = comment.created_time;
  if (Number.isNaN(createdAt)) return null;
  return {
    id,
    author: from ? { id: from.id, name: from.name ?? null } : null,
    createdAt,
    text: message ?? "",
    isTopLevel: !parent,
    isOwn: from ? from.id === account.id : null,
  };
}

export const comments = {
  types: ["post", "reel"],
  text: () => ({ max: MAX_CHARACTERS, measure: (value) => [...value].length, unit: "characters" }),
  lagSeconds: LIST_LAG_SECONDS,
  // No limit is documented. A person stays below one a second, and automatic blocks start above it.
  pace: { most: 60, perSeconds: 60, scope: "account" },
  async create(context, target, message) {
    const { id } = target.comment ?? target.post;
    const answer = await graphOf(context).write(post(`${id}/comments`, { message }), Created);
    return answer.kind === "ok" ? { kind: "published", id: answer.value.id } : answer;
  },
  find,
  reading: {
    isNewestFirst: true,
    async list(context, [of], { cursor, since }) {
      if (!of) return { kind: "page", comments: [], next: null };
      const query = {
        fields: "id,message,from{id,name},created_time,parent{id}",
        // Lists answers beside the other comments, not inside the comments that they answer.
        filter: "stream",
        order: "reverse_chronological",
        since: seconds(since),
        limit: 100,
      };
      const call = (after: string | undefined) => get(`${of.id}/comments`, { ...query, after });
      return readComments(graphOf(context), cursor, call, {
        item: Comment,
        toComments: (one) => [toRead(context, one)],
      });
    },
  },
  acts,
} satisfies Commenting;
