import { DAY, HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { CommentReading } from "../platforms/commenting.ts";
import { WATCH_INTERVAL } from "./jobs.ts";
import type { ScanState } from "./scan.ts";
import type { Automation } from "./table.ts";

/** How often a post is polled for comments, and when that ends. Pure. */

/** The interval is this share of the time since something happened. */
const SHARE = 1 / 30;
/** Of a post whose comments are all read each time, so many pages a minute at most. */
const PAGE_MS = MINUTE / 6;
/** After this time the polls of a post that gets no comment end. */
export const POLL_LIFE_MS = 30 * DAY;
/** After this time polls of channels with webhooks are a safety net only. */
const FRESH_MS = 6 * HOUR;

/**
 * When what may bring comments began last, epoch milliseconds: the post was published, an automation that
 * covers it began, or its polls did, as when its channel is connected again. One for whole channels is no
 * news to posts of long ago: a channel may have thousands.
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

/** `startedAt`: the polls, or any of the automations, began. */
export function hasEnded(
  { scan, newsAt }: Pick<ScanState, "scan" | "newsAt">,
  startedAt: number,
  now: number,
): boolean {
  return scan === null && now - Math.max(newsAt, startedAt) >= POLL_LIFE_MS;
}

/** Below this the sweep brings the polls of a channel together by itself. */
const COMMON_FROM_MS = 2 * MINUTE;

/**
 * For posts of one channel that are listed by one call: moves the next poll to a moment that they have in
 * common. Moments are about as far apart as the interval, in steps of which each is half of the next: those
 * of a long interval are also moments of every shorter one. Channels have different ones. Pure.
 */
export function commonPoll(afterMs: number, now: number, channelId: number): number {
  if (afterMs < COMMON_FROM_MS) return afterMs;
  const { maxMs, netMs } = WATCH_INTERVAL;
  const step = maxMs * 2 ** Math.round(Math.log2(afterMs / maxMs));
  const since = now - ((channelId * 7919 * SECOND) % netMs);
  return step * (Math.floor(since / step) + 1) - since;
}

/**
 * A minute while something has just happened, out to hours; the later, the more pages there are to read. What
 * the platform shows late is polled after half a minute, or it would be answered too late. Where the platform
 * reports comments by itself, once a day.
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
