import { z } from "zod";
import { interpretWrite } from "../answers.ts";
import type {
  AnsweredComment,
  Commenting,
  CommentOutcome,
  CommentTarget,
  FindComment,
  FindCommentOutcome,
} from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { CLOCK_SLACK_MS, hasPerhapsOurs, type Listed, nearestTo, readList } from "../lists.ts";
import { perhapsLive, unknown } from "../outcomes.ts";
import { foldText } from "../similar-text.ts";
import { read, request } from "./api.ts";
import { acts } from "./comment-acts.ts";
import { YOUTUBE } from "./errors.ts";
import { reading } from "./replies.ts";
import { authorOf, type Comment, Comments, madeAt, Threads, textOf } from "./shown-comment.ts";

/**
 * The channel's own comments, under its videos and as answers to others (youtube.md §4). Deleting a video
 * deletes its comments. A comment costs 50 units. YouTube refuses it where comments are turned off.
 *
 * - YouTube accepts the same comment twice. A comment whose answer was lost is looked up among the visible
 *   ones and, directly under a video, among those held for review, which the owner may list.
 * - Answers are one level deep. An answer to an answer goes under the same comment and names its author.
 * - An answer that YouTube holds for review is not listed anywhere: a missing one may still exist.
 */

/** YouTube does not document its limit; it refuses other clients above this. */
const MAX_CHARACTERS = 10_000;
const LIST_LAG_SECONDS = 600;
const MAX_PAGES = 5;
const STATES = ["published", "heldForReview", "likelySpam"] as const;

const Created = z.object({ id: z.string().min(1) });

async function create(
  context: AccountContext,
  { post, comment }: CommentTarget,
  text: string,
): Promise<CommentOutcome> {
  const call = comment === null ? underVideo(context, post.id, text) : underComment(comment, text);
  const sent = { method: "POST", query: { part: "snippet" }, ...call } as const;
  const answer = interpretWrite(YOUTUBE, await request(context, sent), Created, context.now);
  return answer.kind === "ok" ? { kind: "published", id: answer.value.id } : answer;
}

function underVideo({ account }: AccountContext, videoId: string, text: string) {
  const topLevelComment = { snippet: { textOriginal: text } };
  return { path: "commentThreads", json: { snippet: { channelId: account.id, videoId, topLevelComment } } };
}

function underComment(comment: AnsweredComment, text: string) {
  return { path: "comments", json: { snippet: { parentId: topOf(comment), textOriginal: answerOf(comment, text) } } };
}

/** The id of an answer starts with the id of the top-level comment and a dot. */
function topOf({ id }: AnsweredComment): string {
  return id.split(".")[0] ?? id;
}

/** An answer to an answer starts with the name of its author. */
function answerOf(comment: AnsweredComment, text: string): string {
  const name = comment.author?.name ?? null;
  if (topOf(comment) === comment.id || name === null || text.startsWith(`@${name}`)) return text;
  const named = `@${name} ${text}`;
  return [...named].length > MAX_CHARACTERS ? text : named;
}

async function find(
  context: AccountContext,
  { post, comment }: CommentTarget,
  request: FindComment,
): Promise<FindCommentOutcome> {
  const oldest = request.since - CLOCK_SLACK_MS;
  if (comment !== null) {
    const listed = await listAnswers(context, topOf(comment));
    if (listed.kind === "failed") return listed;
    const recent = listed.items.filter((one) => !(madeAt(one) < oldest));
    const found = among(context, { ...listed, items: recent }, { ...request, text: answerOf(comment, request.text) });
    return found ?? unknown("YouTube does not show the answer. It may hold it for review, which it does not report.");
  }
  let isWhole = true;
  for (const state of STATES) {
    const listed = await list(context, post.id, state, oldest);
    if (listed.kind === "failed") return listed;
    const found = among(context, listed, request);
    if (found) return found;
    isWhole = isWhole && listed.isWhole;
  }
  return isWhole ? { kind: "absent" } : unknown("The video has more comments than the look-up reads.");
}

/** Null if none of them can be ours. */
function among(
  { account }: AccountContext,
  { items, odd }: Listed<Comment>,
  { text, since, taken }: FindComment,
): FindCommentOutcome | null {
  const isAlike = (shown: string) => foldText(shown) === foldText(text);
  const alike = items
    .filter((comment) => !taken.has(comment.id))
    .filter((comment) => isAlike(textOf(comment)))
    .filter((comment) => (authorOf(comment) ?? account.id) === account.id);
  const signed = alike.filter((comment) => authorOf(comment) !== undefined);
  const ours = nearestTo(since, signed, madeAt);
  if (ours) return { kind: "found", id: ours.id };
  const isPerhaps = alike.length > 0 || hasPerhapsOurs(odd, { oldest: since - CLOCK_SLACK_MS, taken, isAlike });
  return isPerhaps ? perhapsLive("YouTube shows a new comment with this text, but not whose it is.") : null;
}

const LIST_OPTIONS = { maxResults: 100, textFormat: "plainText" } as const;

/** Comments directly under the video, newest first, back to the attempt. */
function list(
  context: AccountContext,
  videoId: string,
  moderationStatus: (typeof STATES)[number],
  oldest: number,
): Promise<Listed<Comment> | Failure> {
  const isNew = (comment: Comment) => !(madeAt(comment) < oldest);
  return readList<Comment, Failure>(MAX_PAGES, async (pageToken) => {
    const query = { part: "id,snippet", videoId, order: "time", ...LIST_OPTIONS, moderationStatus, pageToken };
    const answer = await read(context, "commentThreads", query, Threads);
    if (answer.kind === "failed") return answer;
    const { items: threads, odd, nextPageToken: next = null } = answer.value;
    const items = threads.map(({ id, snippet }) => ({ ...snippet.topLevelComment, id }));
    return { kind: "page", items: items.filter(isNew), odd, isLast: next === null || !items.every(isNew), next };
  });
}

/** All answers of a thread; their order is not documented. */
function listAnswers(context: AccountContext, parentId: string): Promise<Listed<Comment> | Failure> {
  return readList<Comment, Failure>(MAX_PAGES, async (pageToken) => {
    const query = { part: "id,snippet", parentId, ...LIST_OPTIONS, pageToken };
    const answer = await read(context, "comments", query, Comments);
    if (answer.kind === "failed") return answer;
    const { items, odd, nextPageToken: next = null } = answer.value;
    return { kind: "page", items, odd, isLast: next === null, next };
  });
}

export const comments: Commenting = {
  types: ["post", "reel"],
  text: () => ({ max: MAX_CHARACTERS, measure: (value) => [...value].length, unit: "characters" }),
  lagSeconds: LIST_LAG_SECONDS,
  // 50 units each: 4,000 of the app's 10,000 units a day, as many as reading may use.
  pace: { most: 80, perSeconds: 24 * 3600, scope: "app" },
  create,
  find,
  reading,
  acts,
};
