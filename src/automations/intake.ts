import { runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { wakeJobs } from "../jobs/wake.ts";
import type { ReadComment } from "../platforms/commenting.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Post } from "../posts/store.ts";
import { BotKeywords } from "./bot-keywords.ts";
import { type Abilities, type Circumstances, decide, type Verdict } from "./decide.ts";
import { CLOCK_SLACK_MS, RECORDED_MS } from "./jobs.ts";
import { findSeen, takeIn } from "./reply-store.ts";
import type { Automation } from "./table.ts";

/**
 * Where comments come in, read by a watch or told by the platform itself: each is stored once, decided once by every automation of its
 * post, and what is to be answered gets its job, all in one transaction. Two that bring the same comment at once do no harm: the rows
 * of the first stay.
 */

/** What automations make of comments, in one transaction. */
const ROWS_AT_ONCE = 500;
/** And comments: what is kept of the longest, each character written as `\u0000`, stays below the two megabytes of a D1 parameter. */
const COMMENTS_AT_ONCE = 150;

export type WatchedPost = Pick<Post, "id" | "projectId" | "channelType" | "firstComment" | "platformPosts">;

/** How many of the comments were new. */
export async function takeComments(
  deps: Deps,
  post: WatchedPost,
  automations: readonly Automation[],
  comments: readonly ReadComment[],
): Promise<number> {
  const now = Date.now();
  const candidates = unique(comments).filter((comment) => isCandidate(comment, post, automations, now));
  if (candidates.length === 0) return 0;
  const seen = await findSeen(
    deps.db,
    post.id,
    candidates.map(({ id }) => id),
  );
  // The oldest first: who comments twice at once is answered the first time.
  const fresh = candidates.filter(({ id }) => !seen.has(id)).toSorted((a, b) => a.createdAt - b.createdAt);
  const circumstances = { abilities: abilitiesOf(post), keywords: new BotKeywords(), now };
  const most = Math.floor(ROWS_AT_ONCE / Math.max(1, automations.length));
  const perBatch = Math.max(1, Math.min(COMMENTS_AT_ONCE, most));
  for (let at = 0; at < fresh.length; at += perBatch) {
    const some = fresh.slice(at, at + perBatch);
    const verdicts = await decideAll(automations, some, circumstances);
    const statements = takeIn(deps.db, { projectId: post.projectId, postId: post.id, comments: some, verdicts, now });
    const results = await runBatch(deps.db, statements);
    await wakeJobs(deps, results.at(-1));
  }
  return fresh.length;
}

/** One after the other: each may be long work, after which other requests have their turn. */
async function decideAll(
  automations: readonly Automation[],
  comments: readonly ReadComment[],
  circumstances: Circumstances,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const comment of comments) {
    for (const bot of automations) {
      const verdict = await decide(bot, comment, circumstances);
      if (verdict !== null) verdicts.push(verdict);
    }
  }
  return verdicts;
}

/** Whether it concerns any of the automations at all: what does not is not even looked up. */
function isCandidate(
  comment: ReadComment,
  post: WatchedPost,
  automations: readonly Automation[],
  now: number,
): boolean {
  if (comment.isOwn === true || isOwnText(comment, post)) return false;
  if (post.platformPosts.some(({ id, secondaryId }) => id === comment.id || secondaryId === comment.id)) return false;
  if (comment.createdAt < now - RECORDED_MS) return false;
  return automations.some(({ activeSince }) => comment.createdAt >= activeSince - CLOCK_SLACK_MS);
}

/** Where the platform does not show who wrote it, our own first comment looks like anybody's. */
function isOwnText({ isOwn, text }: ReadComment, { firstComment }: WatchedPost): boolean {
  return isOwn === null && firstComment !== null && text.trim() === firstComment.trim();
}

/** A platform may list one twice, where pages shift. */
function unique(comments: readonly ReadComment[]): ReadComment[] {
  return [...new Map(comments.map((comment) => [comment.id, comment])).values()];
}

export function abilitiesOf({ channelType }: Pick<Post, "channelType">): Abilities {
  const messages = findPlatform(channelType)?.messages;
  if (!messages) return { platform: channelType };
  const { windowSeconds } = messages;
  return { platform: channelType, messageWindowMs: windowSeconds === null ? null : windowSeconds * 1000 };
}
