import { accessAs } from "../acting/acting.ts";
import { type Line, lineOf } from "../acting/pace.ts";
import { takeOrWait } from "../acting/rate-leases.ts";
import { limitOf } from "../acting/read-failure.ts";
import { activeLimit } from "../channels/rate-limits.ts";
import type { Actor } from "../channels/store.ts";
import { isNearlySpent } from "../core/meter.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { CommentPage, CommentReading, SharedReading } from "../platforms/commenting.ts";
import type { Failure } from "../platforms/context.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Post } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import { withinCeiling } from "../usage/ceiling.ts";
import { beginReading, type Reading, readState, type ScanState } from "./comment-scan.ts";
import { RECORDED_MS } from "./jobs.ts";
import { lastBeginning } from "./poll-interval.ts";
import type { Automation } from "./table.ts";
import type { Watched } from "./watch-store.ts";

/**
 * Polls several posts of a channel by one call, where the platform has one. A post is served if the list
 * shows everything that its own call would: it reads no deeper than usual, and the list is complete as far
 * back as needed. Every other post is read by its own call.
 */

/** A post that is polled now. */
export interface CommentPoll {
  readonly task: RecurringTask;
  readonly post: Post;
  readonly automations: readonly Automation[];
  /** Since when the channel collects comments without a bot; null: it does not. */
  readonly collectsSince: number | null;
  readonly actor: Actor;
  readonly hasWebhooks: boolean;
  readonly reading: CommentReading;
  /** When the post or a bot for it last began, from which the poll interval grows (`lastBeginning`). */
  readonly begunAt: number;
  readonly state: ScanState;
  /** Epoch milliseconds: comments from before concern no automation. */
  readonly oldest: number;
}

/** Null for a post that is not polled any more. */
export function pollOf(task: RecurringTask, watched: Watched, now: number): CommentPoll | null {
  const { post, automations, actor, hasWebhooks } = watched;
  const comments = post && findPlatform(post.channelType)?.comments;
  const isWatchable = post?.state === "published" && comments?.reading && comments.types.includes(post.postType);
  const collectsSince = actor?.channel.collectsCommentsAt ?? null;
  const watchers = [
    ...automations,
    ...(collectsSince === null ? [] : [{ activeSince: collectsSince, targetType: "all" } as const]),
  ];
  if (!isWatchable || !actor || watchers.length === 0) return null;
  const activeSince = Math.min(...watchers.map((watcher) => watcher.activeSince));
  const begunAt = lastBeginning(post.publishedAt ?? 0, watchers, task.createdAt);
  const state = readState(task.state, { activeSince, newsAt: begunAt, now });
  const oldest = Math.max(activeSince, now - RECORDED_MS);
  return {
    task,
    post,
    automations,
    collectsSince,
    actor,
    hasWebhooks,
    reading: comments.reading,
    begunAt,
    state,
    oldest,
  };
}

/** The access with which the channel was read. */
type Access = Extract<Awaited<ReturnType<typeof accessAs>>, { readonly kind: "ready" }>;

/** What a call for several posts returned for one of them. */
export interface SharedPoll {
  readonly access: Access;
  readonly from: Reading;
  readonly page: CommentPage | Failure;
}

/** By the keys of the tasks; posts that were not served are absent. */
export async function pollTogether(
  deps: Deps,
  polls: readonly CommentPoll[],
): Promise<ReadonlyMap<string, SharedPoll>> {
  const results = new Map<string, SharedPoll>();
  const [first] = polls;
  const several = first?.reading.several;
  const now = Date.now();
  if (!several || activeLimit(first.actor.limits, "replies", now)) return results;
  const wanted = polls.flatMap((poll) => wantedOf(poll, several, now) ?? []);
  if (wanted.length < 2) return results;
  const access = await accessAs(deps, first.actor, "replies");
  if (access.kind !== "ready") return results;
  for (let at = 0; at < wanted.length && !isNearlySpent(deps.meter); at += several.most) {
    const some = wanted.slice(at, at + several.most);
    if (!(await takeTurnOf(deps, some))) break;
    for (const [key, poll] of await readSeveral(deps, several, access, some)) results.set(key, poll);
  }
  return results;
}

interface Wanted {
  readonly poll: CommentPoll;
  readonly from: Reading;
}

/** Null for a post that needs its own call: its scan continues, or it reads back for late comments. */
function wantedOf(poll: CommentPoll, several: SharedReading, now: number): Wanted | null {
  const from = beginReading(poll.state, poll.oldest, now);
  return from.cursor === null && !from.isDeep && several.covers(poll.post.extra) ? { poll, from } : null;
}

/**
 * Whether they may be read together now. One post alone may not. While there is no room, each waits in line
 * by itself.
 */
async function takeTurnOf(deps: Deps, [first, ...others]: readonly Wanted[]): Promise<boolean> {
  if (!first || others.length === 0) return false;
  const line = lineOfPoll(deps, first.poll);
  if (!line) return true;
  const serves = others.map(({ poll }) => poll.task.key);
  return (await takeOrWait(deps, line, Date.now(), serves)).kind === "taken";
}

async function readSeveral(
  deps: Deps,
  several: SharedReading,
  access: Access,
  wanted: readonly Wanted[],
): Promise<readonly (readonly [string, SharedPoll])[]> {
  const posts = wanted.map(({ poll, from }) => ({ posts: poll.post.platformPosts, since: from.since }));
  const page = await withinCeiling(
    () => several.list(access.context, posts),
    () => null,
  );
  // Each poll then waits by itself.
  if (page === null) return [];
  if (page.kind === "failed") {
    const { reason } = page;
    deps.log.event("shared_comment_poll_failed", { channelId: wanted[0]?.poll.actor.channel.id, reason });
    // A rate limit applies to every call. Another refusal may concern this call only.
    return reason === "throttled" ? wanted.map(({ poll, from }) => [poll.task.key, { access, from, page }]) : [];
  }
  return wanted.flatMap(({ poll, from }, index) => {
    const comments = page.comments[index];
    if (!comments || from.since <= page.wholeAfter) return [];
    return [[poll.task.key, { access, from, page: { kind: "page", comments, next: null } }] as const];
  });
}

/** The line in which reading the post waits, where reads are paced. */
export function lineOfPoll(
  deps: Pick<Deps, "config" | "database" | "databases">,
  { reading, actor, post, task }: CommentPoll,
): Line | null {
  const { key } = task;
  const by = { waiter: key, projectId: post.projectId, party: key };
  return reading.budget ? lineOf(deps, limitOf(actor, "replies"), reading.budget, by) : null;
}
