import { accessAs, hastened, settleConnection } from "../channels/acting.ts";
import type { GrantVersion } from "../channels/grant-store.ts";
import { type LimitOf, limitNow, standingFrom, storeLimit } from "../channels/limits.ts";
import { reserve } from "../channels/pace.ts";
import type { Actor } from "../channels/store.ts";
import { idOf, type PostId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import type { RecurringTask } from "../jobs/recurring-store.ts";
import type { CommentReading } from "../platforms/commenting.ts";
import type { AccountContext, Failure } from "../platforms/context.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Post } from "../posts/store.ts";
import { takeComments } from "./intake.ts";
import { COMMENTS, WATCH_INTERVAL } from "./jobs.ts";
import { afterReading, beginReading, isThrough, readState, type ScanState } from "./scan.ts";
import type { Automation } from "./table.ts";
import { readWatched } from "./watch-store.ts";

/**
 * Looking for new comments under one post, for all its automations at once: the recurring task `comments:<post id>`. Without news it
 * costs one D1 call to read, one call to the platform, and the write of its next time. It ends with its post, its channel, or its last
 * automation; whoever begins one of them again begins the watch (watch-store.ts).
 */
export const commentWatches: RecurringHandler<Deps> = { kind: COMMENTS, queue: "replies", run: watch };

/** Pages that one run reads at most: a thousand comments and more. */
const MAX_PAGES = 20;
/** Until a channel is asked again that only its person can mend; a reconnection wakes its watches. */
const UNUSABLE_MS = 6 * HOUR;
const TROUBLE_MS = 5 * MINUTE;
/** As often as this share of the time since something happened. */
const SHARE = 1 / 30;
/** Of a post whose comments are all read each time, so many pages a minute at most. */
const PAGE_MS = MINUTE / 6;
/** A post of so long ago waits for its comments as it did before, when an automation begins for its whole channel. */
const RECENT_MS = 30 * DAY;

async function watch(deps: Deps, subject: string, task: RecurringTask): Promise<Recurrence> {
  const { post, automations, actor } = await readWatched(deps.db, idOf<PostId>(Number(subject)));
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
  const begunAt = lastBeginning(post.publishedAt ?? 0, automations);
  const state = readState(task.state, { activeSince, newsAt: begunAt, now });
  const look = { deps, post, automations, reading: comments.reading, context: access.context };
  const outcome = await scan(look, state, activeSince);
  if (outcome.kind === "failed") return afterFailure(deps, actor, access.grant, { failure: outcome, state });
  const next = nextLook(outcome, begunAt, comments.reading, Date.now());
  const afterMs = await withinBudget(deps, actor, comments.reading, { afterMs: next, calls: outcome.calls });
  const isPrompt = outcome.state.scan === null && afterMs < WATCH_INTERVAL.minMs;
  return { kind: "again", afterMs, state: JSON.stringify(outcome.state), isPrompt };
}

interface Look {
  readonly deps: Deps;
  readonly post: Post;
  readonly automations: readonly Automation[];
  readonly reading: CommentReading;
  readonly context: AccountContext;
}

interface Looked {
  readonly kind: "read";
  readonly state: ScanState;
  /** Pages of this run, and of the whole scan. */
  readonly calls: number;
  readonly pages: number;
}

/** Reads on to the frontier, or as far as one run may. What a page brings is taken in before the next one is asked for. */
async function scan(
  { deps, post, automations, reading, context }: Look,
  state: ScanState,
  oldest: number,
): Promise<Looked | Failure> {
  const from = beginReading(state, oldest, Date.now());
  let { cursor } = from;
  let hasNews = false;
  let calls = 0;
  for (;;) {
    const page = await reading.list(context, post.platformPosts, { cursor, since: from.since });
    if (page.kind === "failed") return page;
    calls++;
    // Of two of the same second the older one first.
    const comments = reading.isNewestFirst ? page.comments.toReversed() : page.comments;
    const news = await takeComments(deps, post, automations, comments);
    hasNews ||= news > 0;
    // Without a new cursor there is no way on.
    const isOver = isThrough(page, from.since, reading.isNewestFirst) || page.next === cursor;
    cursor = isOver ? null : page.next;
    if (cursor === null || calls >= MAX_PAGES || isNearlySpent(deps.meter)) break;
  }
  const pages = from.pages + calls;
  return { kind: "read", state: afterReading(state, from, { cursor, hasNews, pages }, Date.now()), calls, pages };
}

/**
 * When what may bring comments began last, epoch milliseconds: the post went live, or an automation began that is for it. One for whole
 * channels is no news to posts of long ago: of a channel's thousands, each would be looked at every minute. Pure.
 */
export function lastBeginning(
  publishedAt: number,
  automations: readonly Pick<Automation, "activeSince" | "targetType">[],
): number {
  const begun = automations.filter(
    ({ activeSince, targetType }) => targetType !== "all" || activeSince - publishedAt < RECENT_MS,
  );
  return Math.max(publishedAt, ...begun.map(({ activeSince }) => activeSince));
}

/**
 * A minute while something has just happened, out to hours; the later, the more pages there are to read. What the platform shows late is
 * looked at after half a minute, or it would be answered too late. Pure.
 */
export function nextLook(
  { state, pages }: { readonly state: Pick<ScanState, "scan" | "newsAt">; readonly pages: number },
  begunAt: number,
  { lagSeconds }: Pick<CommentReading, "lagSeconds">,
  now: number,
): number {
  if (state.scan) return SECOND;
  const { minMs, lateMs, maxMs } = WATCH_INTERVAL;
  const soonest = lagSeconds === undefined ? minMs : lateMs;
  const quietMs = now - Math.max(state.newsAt, begunAt);
  return Math.round(Math.min(maxMs, Math.max(soonest, quietMs * SHARE, pages * PAGE_MS)));
}

/** Where reading takes from what other things need too, looks are spread: one write more. What was read more than one page counts too. */
async function withinBudget(
  deps: Deps,
  actor: Actor,
  { budget }: CommentReading,
  { afterMs, calls }: { readonly afterMs: number; readonly calls: number },
): Promise<number> {
  if (!budget) return afterMs;
  const now = Date.now();
  return (await reserve(deps, limitOf(actor), budget, now + afterMs, calls)) - now;
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
