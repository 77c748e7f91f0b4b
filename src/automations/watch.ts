import { accessAs } from "../acting/acting.ts";
import type { Line } from "../acting/pace.ts";
import { takeOrWait } from "../acting/rate-leases.ts";
import { jitter, UNUSABLE_MS, waitAfter } from "../acting/read-failure.ts";
import type { GrantVersion } from "../channels/grant-store.ts";
import { activeLimit } from "../channels/rate-limits.ts";
import type { Actor } from "../channels/store.ts";
import { idOf, type PostId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Recurrence, RecurringHandler, RunOfTask } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { ReadComment } from "../platforms/commenting.ts";
import type { AccountContext, Failure } from "../platforms/context.ts";
import type { Deps } from "../service/deps.ts";
import { SLOWER } from "../usage/billing.ts";
import { withinCeiling } from "../usage/ceiling.ts";
import { intakeWait } from "../usage/intake.ts";
import { afterReading, beginReading, isThrough, type ScanState } from "./comment-scan.ts";
import { ingestComments } from "./ingest.ts";
import { COMMENTS, WATCH_INTERVAL } from "./jobs.ts";
import { commonPoll, hasEnded, nextPoll } from "./poll-interval.ts";
import { type CommentPoll, lineOfPoll, pollOf, pollTogether, type SharedPoll } from "./shared-poll.ts";
import { readWatched, readWatchedOf, type Watched } from "./watch-store.ts";

/**
 * Polls for new comments under one post, for all its automations and the list of comments: the recurring
 * task `comments:<post id>`. Without new comments it costs one D1 call to read, one platform call, and the
 * write of its next time. Posts of a channel that are due together share the first, and the second where the
 * platform has a call for several (shared-poll.ts). It ends with its post, its channel or the last who wants
 * its comments, and 30 days after the last comment. An automation or a webhook starts it again
 * (watch-store.ts).
 */
export const commentWatches: RecurringHandler<Deps> = {
  kind: COMMENTS,
  queue: "replies",
  run: async (deps, _subject, task) => watch(deps, task, await readWatched(deps.db, postOf(task))),
  together,
};

/** The most pages of one run: a thousand comments and more. */
const MAX_PAGES = 20;
/** How long the result of a shared call is used. */
const FRESH_MS = 10 * SECOND;

const postOf = ({ key }: RecurringTask): PostId => idOf<PostId>(Number(key.slice(COMMENTS.length + 1)));

async function together(deps: Deps, tasks: readonly RecurringTask[]): Promise<RunOfTask> {
  const readAt = Date.now();
  const all = await readWatchedOf(deps.db, tasks.map(postOf));
  const polls = tasks.flatMap((task) => {
    const watched = all.get(postOf(task));
    return (watched && pollOf(task, watched, readAt)) ?? [];
  });
  const [{ takenToday } = { takenToday: 0 }] = all.values();
  const isFull = intakeWait(deps.config, "comments", takenToday, readAt) !== null;
  const sharedPolls = await pollTogether(deps, isFull ? [] : polls);
  // Later polls must see the rate limits and failures that the shared call has stored.
  let isStale = polls.some(({ reading }) => reading.several !== undefined);
  return async (task) => {
    const id = postOf(task);
    const shared = sharedPolls.get(task.key);
    const isGood = shared !== undefined || (!isStale && Date.now() - readAt < FRESH_MS);
    const watched = (isGood && all.get(id)) || (await readWatched(deps.db, id));
    const onFailure = () => {
      isStale = true;
    };
    return watch(deps, task, watched, { shared, onFailure });
  };
}

interface Round {
  readonly shared?: SharedPoll | undefined;
  onFailure?(): void;
}

async function watch(deps: Deps, task: RecurringTask, watched: Watched, round: Round = {}): Promise<Recurrence> {
  const now = Date.now();
  const poll = pollOf(task, watched, now);
  if (!poll) return { kind: "stop" };
  const { post, automations, actor, reading, begunAt } = poll;
  const limit = activeLimit(actor.limits, "replies", now);
  if (limit) return { kind: "again", afterMs: limit.until - now + jitter(deps) };
  const full = intakeWait(deps.config, "comments", watched.takenToday, now);
  // The scan goes on there tomorrow: what is not stored today is not known.
  if (full !== null) return { kind: "again", afterMs: full + jitter(deps) };
  const access = round.shared?.access ?? (await accessAs(deps, actor, "replies"));
  if (access.kind !== "ready") round.onFailure?.();
  if (access.kind === "later") return { kind: "again", afterMs: access.seconds * SECOND };
  if (access.kind !== "ready")
    return access.code === "channel_disconnected" ? { kind: "stop" } : { kind: "again", afterMs: UNUSABLE_MS };
  const outcome = await withinCeiling(
    () => scan(deps, poll, access.context, round.shared),
    () => null,
  );
  // The ceiling may be raised, and a check of it costs nothing.
  if (outcome === null) return { kind: "again", afterMs: UNUSABLE_MS };
  if (outcome.kind === "failed") {
    round.onFailure?.();
    return afterFailure(deps, actor, access.grant, { failure: outcome, state: poll.state });
  }
  const stored = JSON.stringify(outcome.state);
  if (outcome.waitMs !== null) return { kind: "again", afterMs: outcome.waitMs, state: stored };
  const startedAt = Math.max(task.createdAt, poll.collectsSince ?? 0, ...automations.map((bot) => bot.activeSince));
  if (hasEnded(outcome.state, startedAt, Date.now())) return { kind: "stop" };
  const usual = nextPoll(outcome, { begunAt, now: Date.now() }, reading, poll.hasWebhooks);
  const own = access.billing.isNearCeiling ? usual * SLOWER : usual;
  const afterMs = reading.several ? commonPoll(own, Date.now(), post.channelId) : own;
  const isPrompt = outcome.state.scan === null && afterMs < WATCH_INTERVAL.minMs;
  return { kind: "again", afterMs, state: stored, isPrompt };
}

interface Looked {
  readonly kind: "read";
  readonly state: ScanState;
  /** Pages of the whole scan. */
  readonly pages: number;
  /** Milliseconds until its turn at the pace, as far as known; null if it has read everything it may. */
  readonly waitMs: number | null;
}

/**
 * Reads to the frontier, or as far as one run may. The comments of a page are stored before the next page is
 * requested.
 */
async function scan(
  deps: Deps,
  poll: CommentPoll,
  context: AccountContext,
  shared: SharedPoll | undefined,
): Promise<Looked | Failure> {
  const { post, automations, reading, state } = poll;
  const line = lineOfPoll(deps, poll);
  const from = shared?.from ?? beginReading(state, poll.oldest, Date.now());
  let { cursor } = from;
  let newsAt = state.newsAt;
  let calls = 0;
  let waitMs: number | null = null;
  for (;;) {
    if (!shared) waitMs = line && (await turnWait(deps, line));
    if (waitMs !== null) break;
    const page = shared?.page ?? (await reading.list(context, post.platformPosts, { cursor, since: from.since }));
    if (page.kind === "failed") return page;
    calls++;
    // Of two comments of the same second the older one first.
    const comments = reading.isNewestFirst ? page.comments.toReversed() : page.comments;
    const fresh = await ingestComments(deps, post, { automations, collectsSince: poll.collectsSince }, comments);
    newsAt = Math.max(newsAt, fresh > 0 ? Date.now() : newestOf(comments, Date.now()));
    // Without a new cursor the list ends.
    const isOver = isThrough(page, from.since, reading.isNewestFirst) || page.next === cursor;
    cursor = isOver ? null : page.next;
    if (cursor === null || calls >= MAX_PAGES || isNearlySpent(deps.meter)) break;
  }
  // Nothing was read: the scan has not begun.
  if (calls === 0) return { kind: "read", state, pages: from.pages, waitMs };
  const pages = from.pages + calls;
  return { kind: "read", state: afterReading(state, from, { cursor, newsAt, pages }, Date.now()), pages, waitMs };
}

/** Milliseconds until its turn, as far as known; null if it may read now. */
async function turnWait(deps: Deps, line: Line): Promise<number | null> {
  const now = Date.now();
  const standing = await takeOrWait(deps, line, now);
  switch (standing.kind) {
    case "taken":
      return null;
    case "free":
      return SECOND;
    case "waits":
      return Math.max(SECOND, standing.at - now);
  }
}

/** When the newest comment of other people was written. */
function newestOf(comments: readonly ReadComment[], now: number): number {
  const times = comments.flatMap(({ isOwn, createdAt }) => (isOwn === true || createdAt > now ? [] : [createdAt]));
  return Math.max(0, ...times);
}

async function afterFailure(
  deps: Deps,
  actor: Actor,
  grant: GrantVersion,
  { failure, state }: { readonly failure: Failure; readonly state: ScanState },
): Promise<Recurrence> {
  const { id: channelId, platform } = actor.channel;
  deps.log.event("comment_poll_failed", { channelId, platform, reason: failure.reason });
  const afterMs = await waitAfter(deps, { actor, grant, capability: "replies" }, failure);
  // The post was deleted there, or its comments are turned off. Both may change.
  return afterMs === null ? afterRejection(state) : { kind: "again", afterMs };
}

/** A scan that continues is restarted first, because platforms forget cursors. */
function afterRejection(state: ScanState): Recurrence {
  if (state.scan === null) return { kind: "again", afterMs: UNUSABLE_MS };
  return { kind: "again", afterMs: MINUTE, state: JSON.stringify({ ...state, scan: null }) };
}
