import { partsOf } from "../core/parts.ts";
import { writeTogether } from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import type { ReadComment } from "../platforms/commenting.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Post } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import { BotKeywords } from "./bot-keywords.ts";
import { type Abilities, type Decision, type DecisionContext, decide } from "./decision.ts";
import { CLOCK_SLACK_MS, RECORDED_MS } from "./jobs.ts";
import { findKnown, storeIngested } from "./reply-store.ts";
import type { Automation } from "./table.ts";

/**
 * Stores comments from a poll or a webhook. Each comment is stored once and decided once by every automation
 * of its post, and each answer gets its job, all in one transaction. Decisions are stored per comment and
 * automation: an automation that was created meanwhile decides with the next poll. Two deliveries of the same
 * comment are harmless: the rows of the first stay.
 */

/** Decisions in one transaction. */
const ROWS_AT_ONCE = 500;
/**
 * Comments in one transaction: with every character escaped as `\u0000`, the kept texts stay below the two
 * megabytes of a D1 parameter.
 */
const COMMENTS_AT_ONCE = 150;

export type WatchedPost = Pick<
  Post,
  "id" | "projectId" | "channelId" | "channelType" | "firstComment" | "platformPosts"
>;

/** Who wants the comments of a post: its bots, and the list of comments, since the channel collects them. */
export interface Wanting {
  readonly automations: readonly Automation[];
  readonly collectsSince: number | null;
}

/** The number of new comments. */
export async function ingestComments(
  deps: Deps,
  post: WatchedPost,
  wanting: Wanting,
  comments: readonly ReadComment[],
): Promise<number> {
  const { automations } = wanting;
  const now = Date.now();
  const candidates = unique(comments).filter((comment) => isCandidate(comment, post, wanting, now));
  if (candidates.length === 0) return 0;
  const ids = candidates.map(({ id }) => id);
  const known = await findKnown(deps.db, post.id, ids);
  // Oldest first: of two comments of one author the first is answered.
  const open = candidates
    .flatMap((comment): Undecided[] => {
      const seen = known.get(comment.id);
      if (seen?.isOwn) return [];
      const undecided = automations.filter((bot) => concerns(bot, comment) && !seen?.decidedBy.includes(bot.id));
      return undecided.length === 0 && seen ? [] : [{ comment, automations: undecided }];
    })
    .toSorted((a, b) => a.comment.createdAt - b.comment.createdAt);
  const circumstances = { abilities: abilitiesOf(post), keywords: new BotKeywords(automations), now };
  const most = Math.floor(ROWS_AT_ONCE / Math.max(1, automations.length));
  const perBatch = Math.max(1, Math.min(COMMENTS_AT_ONCE, most));
  for (const some of partsOf(open, perBatch)) {
    const decisions = await decideAll(some, circumstances);
    const found = some.map(({ comment }) => comment);
    const taken = { post, comments: found, decisions, now };
    const { jobs } = await writeTogether(deps.db, storeIngested(deps.db, taken));
    await enqueueJobs(deps, jobs);
  }
  return ids.filter((id) => !known.has(id)).length;
}

/** A comment, with the automations that have not decided it. */
interface Undecided {
  readonly comment: ReadComment;
  readonly automations: readonly Automation[];
}

/** Whether it was written after the automation became active. */
function concerns({ activeSince }: Pick<Automation, "activeSince">, { createdAt }: ReadComment): boolean {
  return createdAt >= activeSince - CLOCK_SLACK_MS;
}

/** One after the other: each decision may be long work, between which other requests run. */
async function decideAll(undecided: readonly Undecided[], circumstances: DecisionContext): Promise<Decision[]> {
  const decisions: Decision[] = [];
  for (const { comment, automations } of undecided) {
    for (const bot of automations) {
      const decision = await decide(bot, comment, circumstances);
      if (decision !== null) decisions.push(decision);
    }
  }
  return decisions;
}

/** Whether anyone wants it; otherwise it is not looked up. */
function isCandidate(
  comment: ReadComment,
  post: WatchedPost,
  { automations, collectsSince }: Wanting,
  now: number,
): boolean {
  if (comment.isOwn === true || isOwnText(comment, post)) return false;
  if (post.platformPosts.some(({ id, secondaryId }) => id === comment.id || secondaryId === comment.id)) return false;
  if (comment.createdAt < now - RECORDED_MS) return false;
  const isCollected = collectsSince !== null && concerns({ activeSince: collectsSince }, comment);
  return isCollected || automations.some((bot) => concerns(bot, comment));
}

/** Where the platform does not show authors, the channel's own first comment looks like any other. */
function isOwnText({ isOwn, text }: ReadComment, { firstComment }: WatchedPost): boolean {
  return isOwn === null && firstComment !== null && text.trim() === firstComment.trim();
}

/** A platform may list a comment twice when its pages shift. */
function unique(comments: readonly ReadComment[]): ReadComment[] {
  return [...new Map(comments.map((comment) => [comment.id, comment])).values()];
}

export function abilitiesOf({ channelType }: Pick<Post, "channelType">): Abilities {
  const messages = findPlatform(channelType)?.messages;
  if (!messages) return { platform: channelType };
  const { windowSeconds } = messages;
  return { platform: channelType, messageWindowMs: windowSeconds === null ? null : windowSeconds * 1000 };
}
