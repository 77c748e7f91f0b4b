import { z } from "zod";
import { interpretWrite } from "../answers.ts";
import type { Commenting, CommentOutcome, CommentTarget, FindComment, FindCommentOutcome } from "../commenting.ts";
import type { AccountContext, Failure } from "../context.ts";
import { CLOCK_SLACK_MS, type Listed, nearestTo, readList } from "../lists.ts";
import { unknown } from "../outcomes.ts";
import { foldText } from "../similar-text.ts";
import { read, request } from "./api.ts";
import { YOUTUBE } from "./errors.ts";

/**
 * The channel's own comments under its videos (youtube.md §4). They go with their video. Writing one costs 50 units, and is
 * refused where comments are turned off.
 *
 * YouTube takes the same comment twice, so a lost one is looked for: among those that are shown, and those that YouTube holds
 * back, which the owner may list.
 */

/** YouTube does not tell its limit; other clients are refused above this. */
const MAX_CHARACTERS = 10_000;
const LIST_LAG_SECONDS = 600;
const MAX_PAGES = 5;
const STATES = ["published", "heldForReview", "likelySpam"] as const;

const Created = z.object({ id: z.string().min(1) });
const Thread = z.object({
  id: z.string().min(1),
  snippet: z.object({
    topLevelComment: z.object({
      snippet: z.object({
        // Given to the author only.
        textOriginal: z.string().optional(),
        textDisplay: z.string().optional(),
        authorChannelId: z.object({ value: z.string() }).optional().catch(undefined),
        publishedAt: z.string(),
      }),
    }),
  }),
});
type Thread = z.output<typeof Thread>;
const Threads = z.object({ items: z.array(Thread).optional(), nextPageToken: z.string().optional() });

const commentOf = ({ snippet }: Thread) => snippet.topLevelComment.snippet;
const madeAt = (thread: Thread): number => Date.parse(commentOf(thread).publishedAt);

async function create(context: AccountContext, { post }: CommentTarget, text: string): Promise<CommentOutcome> {
  const topLevelComment = { snippet: { textOriginal: text } };
  const json = { snippet: { channelId: context.account.id, videoId: post.id, topLevelComment } };
  const call = { method: "POST", path: "commentThreads", query: { part: "snippet" }, json } as const;
  const answer = interpretWrite(YOUTUBE, await request(context, call), Created, context.now);
  return answer.kind === "ok" ? { kind: "published", id: answer.value.id } : answer;
}

async function find(
  context: AccountContext,
  { post: { id } }: CommentTarget,
  { text, since, taken }: FindComment,
): Promise<FindCommentOutcome> {
  let isWhole = true;
  for (const state of STATES) {
    const listed = await list(context, id, state, since - CLOCK_SLACK_MS);
    if (listed.kind === "failed") return listed;
    const alike = listed.items
      .filter((thread) => !taken.has(thread.id))
      .filter((thread) => foldText(textOf(thread)) === foldText(text))
      .filter((thread) => (authorOf(thread) ?? context.account.id) === context.account.id);
    const ours = nearestTo(
      since,
      alike.filter((thread) => authorOf(thread) !== undefined),
      madeAt,
    );
    if (ours) return { kind: "found", id: ours.id };
    if (alike.length > 0) return unknown("YouTube shows a new comment with this text, but not whose it is.");
    isWhole = isWhole && listed.isWhole;
  }
  return isWhole ? { kind: "absent" } : unknown("The video has more comments than could be looked through.");
}

/** The newest first, as far back as the attempt. */
function list(
  context: AccountContext,
  videoId: string,
  moderationStatus: (typeof STATES)[number],
  oldest: number,
): Promise<Listed<Thread> | Failure> {
  const isNew = (thread: Thread) => !(madeAt(thread) < oldest);
  return readList<Thread, Failure>(MAX_PAGES, async (pageToken) => {
    const asked = { part: "id,snippet", videoId, order: "time", maxResults: 100, textFormat: "plainText" };
    const answer = await read(context, "commentThreads", { ...asked, moderationStatus, pageToken }, Threads);
    if (answer.kind === "failed") return answer;
    const { items = [], nextPageToken: next = null } = answer.value;
    return { kind: "page", items: items.filter(isNew), isLast: next === null || !items.every(isNew), next };
  });
}

function textOf(thread: Thread): string {
  const { textOriginal, textDisplay = "" } = commentOf(thread);
  return textOriginal ?? textDisplay;
}

function authorOf(thread: Thread): string | undefined {
  return commentOf(thread).authorChannelId?.value;
}

export const comments: Commenting = {
  types: ["post", "reel"],
  text: () => ({ max: MAX_CHARACTERS, measure: (value) => [...value].length, unit: "characters" }),
  lagSeconds: LIST_LAG_SECONDS,
  // 50 units each, of the 10,000 a day that everything of our app shares.
  pace: { most: 80, perSeconds: 24 * 3600, scope: "app" },
  create,
  find,
};
