import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { CommentReading } from "../platforms/commenting.ts";
import type { ScanState } from "./comment-scan.ts";
import { WATCH_INTERVAL } from "./jobs.ts";
import type { Automation } from "./table.ts";

/** How often a post is polled for comments, and when polling ends. Pure. */

/** The interval is this share of the time since the last event. */
const SHARE = 1 / 30;
/** Limits the pages per minute for a post whose comments are all read each time. */
const PAGE_MS = MINUTE / 6;
/** Polling ends after this time without a comment. */
const POLL_LIFE_MS = 30 * DAY;
/** After this time, polls of channels with webhooks are only a safety net. */
const FRESH_MS = 6 * HOUR;

/**
 * When the latest reason for comments began, epoch milliseconds: the post was published, an automation that
 * covers it began, or its polls started, for example after a reconnection. An automation for whole channels
 * does not count for old posts, because a channel may have thousands.
 */
export function lastBeginning(
  publishedAt: number,
  automations: readonly Pick<Automation, "activeSince" | "targetType">[],
  polledSince: number,
): number {
  const begun = automations.flatMap(({ activeSince, targetType }) => {
    const since = Math.max(activeSince, polledSince);
    return targetType !== "all" || since - publishedAt < POLL_LIFE_MS ? [since] : [];
  });
  return Math.max(publishedAt, ...begun);
}

/** `startedAt`: when the polls, or any of the automations, began. */
export function hasEnded(
  { scan, newsAt }: Pick<ScanState, "scan" | "newsAt">,
  startedAt: number,
  now: number,
): boolean {
  return scan === null && now - Math.max(newsAt, startedAt) >= POLL_LIFE_MS;
}

/** Below this interval the sweep already runs the polls of a channel together. */
const COMMON_FROM_MS = 2 * MINUTE;

/**
 * For posts of one channel that one call lists: moves the next poll to a common moment. The moments are about
 * one interval apart, in steps that double, so moments of a long interval are also moments of every shorter
 * one. Each channel has its own. Pure.
 */
export function commonPoll(afterMs: number, now: number, channelId: number): number {
  if (afterMs < COMMON_FROM_MS) return afterMs;
  const { maxMs, netMs } = WATCH_INTERVAL;
  const step = maxMs * 2 ** Math.round(Math.log2(afterMs / maxMs));
  const since = now - ((channelId * 7919 * SECOND) % netMs);
  return step * (Math.floor(since / step) + 1) - since;
}

/**
 * From a minute right after an event, up to hours; later if there are more pages to read. Comments that the
 * platform shows late are polled after half a minute. Where the platform sends webhooks, once a day.
 */
export function nextPoll(
  { state, pages }: { readonly state: Pick<ScanState, "scan" | "newsAt">; readonly pages: number },
  { begunAt, now }: { readonly begunAt: number; readonly now: number },
  { lagSeconds }: Pick<CommentReading, "lagSeconds">,
  hasWebhooks: boolean,
): number {
  if (state.scan) return SECOND;
  const { minMs, lateMs, maxMs, netMs } = WATCH_INTERVAL;
  const soonest = lagSeconds === undefined ? minMs : lateMs;
  const quietMs = now - Math.max(state.newsAt, begunAt);
  if (quietMs >= (hasWebhooks ? FRESH_MS : POLL_LIFE_MS)) return netMs;
  return Math.round(Math.min(maxMs, Math.max(soonest, quietMs * SHARE, pages * PAGE_MS)));
}
