import { interpretRead } from "../answers.ts";
import type { CommentPage, CommentReading, ListComments, ReadComment } from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import type { PlatformPost } from "../publishing.ts";
import type { Answered, Lost } from "../request.ts";
import { request } from "./api.ts";
import { problemOf, YOUTUBE } from "./errors.ts";
import { authorOf, type Comment, madeAt, Threads, textOf } from "./shown-comment.ts";

/**
 * What others write under a video (youtube.md §4.1): its threads, the newest first, each with some of its answers. A page costs a
 * unit. A new answer does not move its thread up, so answers are seen while their thread is among the newest only.
 */
async function list(
  context: AccountContext,
  [video]: readonly PlatformPost[],
  { cursor, since }: ListComments,
): Promise<CommentPage | Failure> {
  if (!video) return { kind: "page", comments: [], next: null };
  const asked = {
    part: "id,snippet,replies",
    videoId: video.id,
    order: "time",
    maxResults: 100,
    textFormat: "plainText",
  };
  const ask = (pageToken: string | undefined) =>
    request(context, { method: "GET", path: "commentThreads", query: { ...asked, pageToken } });
  let answer = await ask(cursor ?? undefined);
  // The list begins anew where YouTube no longer knows the place in it.
  if (cursor !== null && isCursorRefused(answer)) answer = await ask(undefined);
  const page = interpretRead(YOUTUBE, answer, Threads, context.now);
  if (page.kind === "failed") return page;
  const { items: threads, nextPageToken = null } = page.value;
  const tops = threads.map(({ id, snippet }) => ({ ...snippet.topLevelComment, id }));
  const comments = threads.flatMap(({ replies }, index) => {
    const top = tops[index];
    const answers = (replies?.comments ?? []).map((one) => toComment(one, context.account.id, false));
    return top ? [toComment(top, context.account.id, true), ...answers] : answers;
  });
  const isOld = tops.some((top) => madeAt(top) < since);
  return { kind: "page", comments: comments.filter((one) => one !== null), next: isOld ? null : nextPageToken };
}

function isCursorRefused(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && (problemOf(answer)?.reasons.includes("invalidPageToken") ?? false);
}

/** Null where YouTube does not tell when it was written. */
function toComment(comment: Comment, channelId: string, isTopLevel: boolean): ReadComment | null {
  const createdAt = madeAt(comment);
  if (!Number.isFinite(createdAt)) return null;
  const author = authorOf(comment);
  const name = comment.snippet.authorDisplayName?.replace(/^@/, "") ?? null;
  return {
    id: comment.id,
    author: author === undefined ? null : { id: author, name },
    createdAt,
    text: textOf(comment),
    isTopLevel,
    isOwn: author === undefined ? null : author === channelId,
  };
}

export const reading: CommentReading = {
  // A unit a page, of the 10,000 a day that everything of our app shares.
  budget: { most: 4_000, perSeconds: 24 * 3600, scope: "app" },
  isNewestFirst: true,
  list,
};
