import { interpretRead } from "../answers.ts";
import type { CommentPage, CommentReading, ListComments, ReadComment, SharedPage, WantedPost } from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { wholeAfter } from "../lists.ts";
import type { PlatformPost } from "../publishing.ts";
import type { Answered, Lost } from "../request.ts";
import { request } from "./api.ts";
import { errorOf, YOUTUBE } from "./errors.ts";
import { authorOf, type Comment, madeAt, type Thread, Threads, textOf } from "./shown-comment.ts";

/**
 * Comments under a video (youtube.md §4.1): its threads, newest first, each with some of its answers. A page
 * costs one unit. A new answer does not move its thread up: answers are read only under the newest threads.
 */
const NEWEST = { part: "id,snippet,replies", order: "time", maxResults: 100, textFormat: "plainText" } as const;

async function list(
  context: AccountContext,
  [video]: readonly PlatformPost[],
  { cursor, since }: ListComments,
): Promise<CommentPage | Failure> {
  if (!video) return { kind: "page", comments: [], next: null };
  const readPage = (pageToken: string | undefined) =>
    request(context, { method: "GET", path: "commentThreads", query: { ...NEWEST, videoId: video.id, pageToken } });
  let answer = await readPage(cursor ?? undefined);
  // The list restarts if YouTube no longer knows the cursor.
  if (cursor !== null && isCursorRefused(answer)) answer = await readPage(undefined);
  const page = interpretRead(YOUTUBE, answer, Threads, context.now);
  if (page.kind === "failed") return page;
  const { items: threads, nextPageToken = null } = page.value;
  const isOld = threads.some((thread) => madeAt(topOf(thread)) < since);
  return { kind: "page", comments: commentsOf(threads, context), next: isOld ? null : nextPageToken };
}

/** The newest threads of the whole channel, for one unit. A thread without a video id may be under any. */
async function listOfChannel(context: AccountContext, wanted: readonly WantedPost[]): Promise<SharedPage | Failure> {
  const query = { ...NEWEST, allThreadsRelatedToChannelId: context.account.id };
  const answer = await request(context, { method: "GET", path: "commentThreads", query });
  const page = interpretRead(YOUTUBE, answer, Threads, context.now);
  if (page.kind === "failed") return page;
  const { items: threads, nextPageToken = null } = page.value;
  const byVideo = Map.groupBy(threads, ({ snippet }) => snippet.videoId);
  const timesOf = (some: readonly Thread[]) => some.map((thread) => madeAt(topOf(thread)));
  return {
    kind: "page",
    comments: wanted.map(({ posts: [video] }) => commentsOf((video && byVideo.get(video.id)) ?? [], context)),
    wholeAfter: Math.max(
      wholeAfter(timesOf(threads), nextPageToken),
      ...timesOf(byVideo.get(undefined) ?? []).filter(Number.isFinite),
    ),
  };
}

const topOf = ({ id, snippet }: Thread): Comment => ({ ...snippet.topLevelComment, id });

/** Each thread with the answers that YouTube shows. */
function commentsOf(threads: readonly Thread[], { account }: AccountContext): readonly ReadComment[] {
  return threads
    .flatMap((thread) => [
      toComment(topOf(thread), account.id, true),
      ...(thread.replies?.comments ?? []).map((answer) => toComment(answer, account.id, false)),
    ])
    .filter((one) => one !== null);
}

function isCursorRefused(answer: Answered | Lost): boolean {
  return answer.kind === "answered" && (errorOf(answer)?.reasons.includes("invalidPageToken") ?? false);
}

/** Null if YouTube does not show its time. */
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
  // One unit per page, of the app's 10,000 units a day.
  budget: { most: 4_000, perSeconds: 24 * 3600, scope: "app" },
  isNewestFirst: true,
  list,
  several: {
    most: 50,
    // Whether the channel's list includes unlisted and private videos is not documented.
    covers: (extra) => extra?.privacyStatus === "public",
    list: listOfChannel,
  },
};
