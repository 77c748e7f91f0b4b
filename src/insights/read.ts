import { isCapabilityOffered } from "../channels/capabilities.ts";
import { healthOf, impossibleReason } from "../channels/health.ts";
import { scheduleInsights } from "../channels/insights-task.ts";
import { type ChannelState, findChannel, selectChannel, setPaidInsights } from "../channels/store.ts";
import { absent } from "../core/errors.ts";
import type { ChannelId, PostId, ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { readTogether, runBatch } from "../db/client.ts";
import { dayOf, type Insights, type Missing } from "../platforms/insights.ts";
import { microsPer } from "../platforms/pricing.ts";
import { findPlatform } from "../platforms/registry.ts";
import { type PostTitle, selectTitlesIn } from "../posts/lists/titles.ts";
import { findWholePost, type Post } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import { type BestTime, bestTimes } from "./best-times.ts";
import { toCsv } from "./csv.ts";
import { readsOf } from "./plan.ts";
import { type Period, type PostInsights, selectDays, selectMeasured, selectPost, selectTop, topIds } from "./store.ts";

/** What is known about posts and channels: the API, the console and agents call the same. */

export interface Asking {
  readonly projectId: ProjectId;
  readonly isTest: boolean;
}

/** Why numbers are missing as a whole, and when they are read next. */
export interface Availability {
  readonly state: "waiting" | "current" | "final" | "gone" | "off" | "no_permission" | "not_published" | "not_offered";
  readonly reason: string | null;
  readonly nextReadAt: number | null;
  /** The reason of each number that was never read. */
  readonly missing: Missing;
}

export interface PostNumbers {
  readonly post: Pick<Post, "id" | "channelId" | "channelType" | "postType" | "publishedAt">;
  readonly row: PostInsights | null;
  readonly availability: Availability;
  readonly platform: Insights | null;
  readonly attributes: ChannelState["attributes"];
}

/** Two D1 calls. */
export async function readPostInsights(deps: Deps, asking: Asking, id: PostId): Promise<PostNumbers> {
  const post = await findWholePost(deps, asking.projectId, id);
  if (!post) throw absent("post", id);
  return readNumbersOf(deps, asking, post);
}

/** One D1 call. */
export async function readNumbersOf(
  deps: Deps,
  asking: Asking,
  post: PostNumbers["post"] & Pick<Post, "state">,
): Promise<PostNumbers> {
  const { db } = deps;
  const { rows, channels } = await readTogether(db, {
    rows: selectPost(db, asking.projectId, post.id),
    channels: selectChannel(db, { projectId: asking.projectId, id: post.channelId }),
  });
  const row = rows[0] ?? null;
  const channel = channels[0] ?? null;
  const platform = findPlatform(post.channelType)?.insights ?? null;
  const blocked = whyNot(deps, asking, channel, platform);
  return {
    post,
    row,
    availability: availabilityOf(post, row, { blocked, platform }),
    platform,
    attributes: channel?.attributes ?? {},
  };
}

function availabilityOf(
  post: Pick<Post, "state">,
  row: PostInsights | null,
  { blocked, platform }: { readonly blocked: Availability | null; readonly platform: Insights | null },
): Availability {
  if (post.state !== "published")
    return availability("not_published", "Only published posts have numbers.", "not_ready");
  if (row?.numbers?.isGone) return availability("gone", "The post is not to be seen at the platform any more.", "gone");
  const isPartly = Object.values(row?.numbers?.missing ?? {}).includes("no_permission");
  const partly = isPartly ? (platform?.whenNotPermitted ?? null) : null;
  if (row && row.dueAt === null && row.observedAt !== null) return availability("final", partly, "not_ready");
  if (blocked) return blocked;
  const nextReadAt = row?.dueAt ?? null;
  if (!row?.numbers)
    return {
      ...availability("waiting", "The numbers of a post are read an hour after it at the earliest.", "not_ready"),
      nextReadAt,
    };
  return { ...availability("current", partly, "not_ready"), nextReadAt };
}

const availability = (state: Availability["state"], reason: string | null, missing: Missing): Availability => ({
  state,
  reason,
  missing,
  nextReadAt: null,
});

/** Why a channel's numbers are not read; null if they are. */
function whyNot(
  deps: Deps,
  asking: Asking,
  channel: ChannelState | null,
  platform: Insights | null,
): Availability | null {
  if (!platform) return availability("not_offered", "This platform has no numbers of posts.", "not_offered");
  if (!channel) return availability("no_permission", "The channel is disconnected. Connect it again.", "no_permission");
  const never = impossibleReason(channel, "insights");
  if (never !== null) return availability("not_offered", never, "not_offered");
  if (platform.isPaid && channel.paidInsightsAt === null) return availability("off", OFF, "not_ready");
  const { code, reason } = healthOf(channel, channel.grants, "insights", Date.now());
  if (code === null) return null;
  const isOffered = isCapabilityOffered(deps, asking, channel.platform, "insights");
  return availability(
    "no_permission",
    isOffered ? reason : "This service has no app that may read them.",
    "no_permission",
  );
}

const OFF = "The platform charges for each read. Switch it on for the channel, after its price was seen.";

export interface ChannelNumbers {
  readonly channel: ChannelState;
  readonly availability: Availability;
  readonly platform: Insights | null;
  readonly days: readonly { readonly day: string; readonly numbers: Readonly<Record<string, number>> }[];
  readonly measured: readonly PostInsights[];
  readonly price: { readonly postMicros: number; readonly accountMicros: number } | null;
}

/** One D1 call. */
export async function readChannelInsights(
  deps: Deps,
  asking: Asking,
  id: ChannelId,
  range: { readonly since: number; readonly until: number },
): Promise<ChannelNumbers> {
  const { db } = deps;
  const { projectId } = asking;
  const { channels, days, measured } = await readTogether(db, {
    channels: selectChannel(db, { projectId, id }),
    days: selectDays(db, projectId, id, { from: dayOf(range.since), to: dayOf(range.until - 1) }),
    measured: selectMeasured(db, { projectId, channelId: id, ...range }),
  });
  const channel = channels[0];
  if (!channel) throw absent("channel", id);
  return numbersOf(deps, asking, channel, { days, measured, isWaiting: days.length === 0 });
}

function numbersOf(
  deps: Deps,
  asking: Asking,
  channel: ChannelState,
  { isWaiting, ...read }: Pick<ChannelNumbers, "days" | "measured"> & { readonly isWaiting: boolean },
): ChannelNumbers {
  const platform = findPlatform(channel.platform)?.insights ?? null;
  const known = availability(isWaiting ? "waiting" : "current", null, "not_ready");
  const blocked = whyNot(deps, asking, channel, platform);
  return { channel, availability: blocked ?? known, platform, ...read, price: priceOf(channel) };
}

export interface Overview extends ChannelNumbers {
  readonly top: readonly PostInsights[];
  readonly titles: readonly PostTitle[];
  readonly times: readonly BestTime[];
}

export interface OverviewRange {
  readonly since: number;
  readonly until: number;
  readonly timeZone: string;
}

const SHOWN_POSTS = 10;
/** Posts of so many days say something about the next ones. */
const recentUntil = (until: number) => ({ since: until - 90 * DAY, until });

/** Everything about a channel on one page. One D1 call. */
export async function readOverview(
  deps: Deps,
  asking: Asking,
  channel: ChannelState,
  { timeZone, ...range }: OverviewRange,
): Promise<Overview> {
  const { db } = deps;
  const { projectId } = asking;
  const channelId = channel.id;
  const period = { projectId, channelId, ...range };
  const recent = { ...period, ...recentUntil(range.until) };
  const { days, measured, top, titles, latest } = await readTogether(db, {
    days: selectDays(db, projectId, channelId, { from: dayOf(range.since), to: dayOf(range.until - 1) }),
    measured: selectMeasured(db, period),
    top: selectTop(db, period, "likes", SHOWN_POSTS),
    titles: selectTitlesIn(db, projectId, topIds(period, "likes", SHOWN_POSTS)),
    latest: selectMeasured(db, recent),
  });
  const isWaiting = days.length === 0 && measured.length === 0;
  const numbers = numbersOf(deps, asking, channel, { days, measured, isWaiting });
  return { ...numbers, top, titles, times: bestTimes(latest, timeZone) };
}

/** What the reads of a post, and of the account in a month, cost; null if they cost nothing. */
export function priceOf({ platform }: Pick<ChannelState, "platform">): ChannelNumbers["price"] {
  const adapter = findPlatform(platform);
  if (!adapter?.insights?.isPaid) return null;
  const of = (operation: string) => microsPer(adapter.pricing, operation) ?? 0;
  return { postMicros: readsOf("post", true) * of("post_read"), accountMicros: 5 * of("user_read") };
}

/** Switches reading on or off where the platform charges for it. */
export async function collectPaidInsights(
  deps: Deps,
  { projectId }: Asking,
  id: ChannelId,
  collects: boolean,
): Promise<void> {
  if (!(await findChannel(deps.db, projectId, id))) throw absent("channel", id);
  const now = Date.now();
  await runBatch(deps.db, [
    setPaidInsights(deps.db, { projectId, id, at: collects ? now : null }),
    ...(collects ? scheduleInsights(deps.db, [id], now, 0) : []),
  ]);
}

/** Of a channel, or of the project's channels together. */
export async function readBestTimes(
  { db }: Deps,
  { projectId, timeZone }: Asking & { readonly timeZone: string },
  channelId: ChannelId | null,
): Promise<readonly BestTime[]> {
  const period = { projectId, channelId, ...recentUntil(Date.now()) };
  return bestTimes(await selectMeasured(db, period), timeZone);
}

/** Of the newest measured posts of the period. */
export async function exportCsv(deps: Deps, period: Period): Promise<string> {
  return toCsv(await selectMeasured(deps.db, period));
}
