import { accessAs, hastened, settleConnection } from "../channels/acting.ts";
import type { GrantVersion } from "../channels/grant-store.ts";
import { type LimitOf, limitNow, standingFrom, storeLimit } from "../channels/limits.ts";
import { type Line, lineOf, takeOrJoin } from "../channels/pace.ts";
import type { Actor } from "../channels/store.ts";
import { idOf, type PostId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { CommentReading, ReadComment } from "../platforms/commenting.ts";
import type { AccountContext, Failure } from "../platforms/context.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Post } from "../posts/store.ts";
import { takeComments } from "./intake.ts";
import { COMMENTS, RECORDED_MS, WATCH_INTERVAL } from "./jobs.ts";
import { hasEnded, lastBeginning, nextPoll } from "./poll-interval.ts";
import { afterReading, beginReading, isThrough, readState, type ScanState } from "./scan.ts";
import type { Automation } from "./table.ts";
import { readWatched } from "./watch-store.ts";

/**
 * Polls for new comments under one post, for all its automations at once: the recurring task `comments:<post id>`. Without news it costs
 * one D1 call to read, one call to the platform, and the write of its next time. It ends with its post, its channel or its last
 * automation, and 30 days after the last comment; an automation or a webhook starts it again (watch-store.ts).
 */
export const commentWatches: RecurringHandler<Deps> = { kind: COMMENTS, queue: "replies", run: watch };

/** Pages that one run reads at most: a thousand comments and more. */
const MAX_PAGES = 20;
/** Until the next poll of a channel that only its owner can fix; a reconnection wakes its polls. */
const UNUSABLE_MS = 6 * HOUR;
const TROUBLE_MS = 5 * MINUTE;

async function watch(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const { post, automations, actor, hasWebhooks } = await readWatched(deps.db, idOf<PostId>(Number(subject)));
  const comments = post && findPlatform(post.channelType)?.comments;
  const [first] = automations;
  const isWatchable = post?.state === "published" && comments?.reading && comments.types.includes(post.postType);
  if (!isWatchable || !actor || !first) return { kind: "stop" };
  const now = Date.now();
  const limit = limitNow(actor.limits, "replies", now);
  if (limit) return { kind: "again", afterMs: limit.until - now + jitter(deps) };
  const access = await accessAs(deps, actor, "replies");
  if (access.kind === "later") return { kind: "again", afterMs: access.seconds * SECOND };
  if (access.kind !== "ready")
    return access.code === "channel_disconnected" ? { kind: "stop" } : { kind: "again", afterMs: UNUSABLE_MS };
  const activeSince = Math.min(...automations.map((bot) => bot.activeSince));
  const begunAt = lastBeginning(post.publishedAt ?? 0, automations, task.createdAt);
  const state = readState(task.state, { activeSince, newsAt: begunAt, now });
  const line =
    comments.reading.budget &&
    lineOf(deps.config, limitOf(actor), comments.reading.budget, {
      waiter: task.key,
      projectId: post.projectId,
      party: task.key,
    });
  const look = { deps, post, automations, reading: comments.reading, context: access.context, line: line ?? null };
  const outcome = await scan(look, state, Math.max(activeSince, now - RECORDED_MS));
  if (outcome.kind === "failed") return afterFailure(deps, actor, access.grant, { failure: outcome, state });
  const stored = JSON.stringify(outcome.state);
  if (outcome.waitMs !== null) return { kind: "again", afterMs: outcome.waitMs, state: stored };
  const startedAt = Math.max(task.createdAt, ...automations.map((bot) => bot.activeSince));
  if (hasEnded(outcome.state, startedAt, Date.now())) return { kind: "stop" };
  const afterMs = nextPoll(outcome, { begunAt, now: Date.now() }, comments.reading, hasWebhooks);
  const isPrompt = outcome.state.scan === null && afterMs < WATCH_INTERVAL.minMs;
  return { kind: "again", afterMs, state: stored, isPrompt };
}

interface Look {
  readonly deps: Deps;
  readonly post: Post;
  readonly automations: readonly Automation[];
  readonly reading: CommentReading;
  readonly context: AccountContext;
  /** Where calls to read are paced. */
  readonly line: Line | null;
}

interface Looked {
  readonly kind: "read";
  readonly state: ScanState;
  /** Pages of the whole scan. */
  readonly pages: number;
  /** Until its turn at the pace comes, as far as is known; null when it has read as far as it may. */
  readonly waitMs: number | null;
}

/** Reads on to the frontier, or as far as one run may. What a page brings is taken in before the next one is requested. */
async function scan(
  { deps, post, automations, reading, context, line }: Look,
  state: ScanState,
  oldest: number,
): Promise<Looked | Failure> {
  const from = beginReading(state, oldest, Date.now());
  let { cursor } = from;
  let newsAt = state.newsAt;
  let calls = 0;
  let waitMs: number | null = null;
  for (;;) {
    waitMs = line && (await turnWait(deps, line));
    if (waitMs !== null) break;
    const page = await reading.list(context, post.platformPosts, { cursor, since: from.since });
    if (page.kind === "failed") return page;
    calls++;
    // Of two of the same second the older one first.
    const comments = reading.isNewestFirst ? page.comments.toReversed() : page.comments;
    const fresh = await takeComments(deps, post, automations, comments);
    newsAt = Math.max(newsAt, fresh > 0 ? Date.now() : newestOf(comments, Date.now()));
    // Without a new cursor there is no way on.
    const isOver = isThrough(page, from.since, reading.isNewestFirst) || page.next === cursor;
    cursor = isOver ? null : page.next;
    if (cursor === null || calls >= MAX_PAGES || isNearlySpent(deps.meter)) break;
  }
  // Nothing was read: the scan has not begun.
  if (calls === 0) return { kind: "read", state, pages: from.pages, waitMs };
  const pages = from.pages + calls;
  return { kind: "read", state: afterReading(state, from, { cursor, newsAt, pages }, Date.now()), pages, waitMs };
}

/** Milliseconds until its turn, as far as is known; null when it may read now. */
async function turnWait({ db }: Deps, line: Line): Promise<number | null> {
  const now = Date.now();
  const standing = await takeOrJoin(db, line, now);
  switch (standing.kind) {
    case "taken":
      return null;
    case "free":
      return SECOND;
    case "waits":
      return Math.max(SECOND, standing.at - now);
  }
}

/** When the newest comment of others was written. */
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
  const { reason, message, limit: scope, retryAfterSeconds } = hastened(deps, failure);
  const { channel } = actor;
  deps.log.event("comments_unread", { channelId: channel.id, platform: channel.platform, reason });
  const now = Date.now();
  const untoldMs = Math.ceil(TROUBLE_MS / deps.config.paceFactor);
  const waitMs = retryAfterSeconds === undefined ? untoldMs : Math.max(SECOND, retryAfterSeconds * SECOND);
  switch (reason) {
    case "throttled": {
      const standing = scope ? standingFrom({ scope, until: now + waitMs, message }, "replies", now) : null;
      if (standing) await runBatch(deps.db, [storeLimit(deps.db, limitOf(actor), standing)]);
      return { kind: "again", afterMs: waitMs + jitter(deps) };
    }
    case "down":
      return { kind: "again", afterMs: waitMs };
    // Of this post: it was deleted there, or its comments are turned off. That may change.
    case "rejected":
      return afterRejection(state);
    case "blocked":
      return { kind: "again", afterMs: untoldMs };
    case "token_expired":
    case "disconnected":
    case "permission_missing": {
      const { kind } = await settleConnection(deps, { channel, grant, capability: "replies" }, { reason, message });
      return { kind: "again", afterMs: kind === "renewed" ? SECOND : kind === "later" ? untoldMs : UNUSABLE_MS };
    }
  }
}

/** A scan that goes on somewhere begins anew first: platforms forget where. */
function afterRejection(state: ScanState): Recurrence {
  if (state.scan === null) return { kind: "again", afterMs: UNUSABLE_MS };
  return { kind: "again", afterMs: MINUTE, state: JSON.stringify({ ...state, scan: null }) };
}

function limitOf({ channel, project }: Actor): LimitOf {
  return { platform: channel.platform, accountId: channel.accountId, isTest: project.isTest, act: "replies" };
}

function jitter({ config }: Pick<Deps, "config">): number {
  return Math.round((Math.random() * MINUTE) / config.paceFactor);
}
