import { sql } from "drizzle-orm";
import { selectHasToken } from "../../accounts/store.ts";
import { standardCeiling } from "../../boosts/ceiling.ts";
import { selectRefused, selectSpend } from "../../boosts/store.ts";
import { healthOf } from "../../channels/health.ts";
import { listChannelsByCursor } from "../../channels/list.ts";
import { type ChannelState, hasChannels } from "../../channels/store.ts";
import { spoken } from "../../core/money.ts";
import { grouped } from "../../core/sentences.ts";
import { readTogether } from "../../db/client.ts";
import { selectFileBytes } from "../../files/store.ts";
import { selectBegunToday } from "../../generations/store.ts";
import { spokenMicros } from "../../platforms/pricing.ts";
import { listWaiting } from "../../posts/approval/waiting.ts";
import { selectUsage, toUsage } from "../../posts/create/quota.ts";
import { selectStoppedFeeds } from "../../posts/feeds/store.ts";
import { ATTENTION_MS, selectBlocked, selectFailed, selectNextOfChannels } from "../../posts/lists/attention.ts";
import { selectPausedSeries } from "../../posts/series/store.ts";
import type { Deps } from "../../service/deps.ts";
import { selectUnanswered } from "../../spending/store.ts";
import { ceilingOf, selectStanding } from "../../usage/ceiling.ts";
import { selectDisabled } from "../../webhooks/store.ts";
import type { ProjectVisit } from "../definition.ts";

/** What of a project needs a person. Two D1 calls, bounded however much the project has. */

const MOST_SHOWN = 10;
/** From this share on, a limit is near. */
const NEAR = 0.8;

export type Needs = Awaited<ReturnType<typeof readNeeds>>;

export async function readNeeds({ deps, project, now }: Pick<ProjectVisit, "deps" | "project" | "now">) {
  const { db, config } = deps;
  const { id } = project;
  const health = ["expiring", "reconnect_needed"] as const;
  const filter = { userRef: null, platforms: null, health, limit: MOST_SHOWN };
  const [{ items }, read] = await Promise.all([
    listChannelsByCursor(db, id, { filter, now, after: null }),
    readTogether(db, {
      tokens: deps.database === 0 ? selectHasToken(db, id, now) : null,
      own: db.select({ hasChannel: hasChannels(sql`${id}`).mapWith(Boolean).as("has_channel") }).from(sql`(SELECT 1)`),
      failed: selectFailed(db, id, now),
      blocked: selectBlocked(db, id),
      unapproved: listWaiting(db, id, MOST_SHOWN + 1),
      spending: selectUnanswered(db, id, now, MOST_SHOWN),
      next: selectNextOfChannels(db, id),
      webhooks: selectDisabled(db, id),
      campaigns: selectRefused(db, id, now - ATTENTION_MS, MOST_SHOWN + 1),
      series: selectPausedSeries(db, id, MOST_SHOWN + 1),
      feeds: selectStoppedFeeds(db, id, MOST_SHOWN + 1),
      cost: selectStanding(db, ceilingOf(config, id, now)),
      spend: selectSpend(db, id),
      posts: selectUsage(db, { projectId: id }),
      files: selectFileBytes(db, id),
      generations: selectBegunToday(db, id, now),
    }),
  ]);
  const hasChannel = read.own[0]?.hasChannel === true;
  // Tokens are in the directory: one more call, for a project elsewhere that has no channel yet.
  const tokens = read.tokens ?? (hasChannel ? [] : await selectHasToken(deps.directory, id, now));
  return {
    /** Nothing is set up: no token is valid, and no channel was ever connected. */
    isNew: !hasChannel && tokens[0]?.hasToken !== 1,
    failed: firstOf(read.failed),
    blocked: firstOf(read.blocked),
    unapproved: firstOf(read.unapproved),
    spending: read.spending,
    paused: read.next.filter(({ pausedCount }) => pausedCount > 0),
    channels: items.map((channel) => channelNeed(channel, read.next, now)),
    webhooks: read.webhooks,
    series: firstOf(read.series),
    feeds: firstOf(read.feeds),
    campaigns: firstOf(read.campaigns),
    limits: limitsOf(deps, read).filter(({ share }) => share >= NEAR),
  };
}

/** The rows that are shown, and whether there are more. */
function firstOf<Row>(rows: readonly Row[]) {
  return { rows: rows.slice(0, MOST_SHOWN), hasMore: rows.length > MOST_SHOWN };
}

function channelNeed(
  channel: ChannelState,
  next: readonly { readonly channelId: number; readonly publishAt: number }[],
  now: number,
) {
  const { health, reason, code } = healthOf(channel, channel.grants, "publish", now);
  const nextAt = next.find(({ channelId }) => channelId === channel.id)?.publishAt ?? null;
  return { id: channel.id, name: channel.name, platform: channel.platform, health, reason, code, nextAt };
}

interface Used {
  readonly cost: readonly { readonly spentMicros: number; readonly mostMicros: number | null }[];
  readonly spend: Awaited<ReturnType<typeof selectSpend>>;
  readonly posts: Awaited<ReturnType<typeof selectUsage>>;
  readonly files: readonly { readonly bytes: number }[];
  readonly generations: readonly { readonly begun: number }[];
}

export interface Limit {
  readonly kind: "platformCost" | "spend" | "waitingPosts" | "texts" | "files" | "generations";
  readonly share: number;
  readonly used: string;
  readonly most: string;
}

function limitsOf({ config }: Pick<Deps, "config">, { cost, spend, posts, files, generations }: Used): Limit[] {
  const { quotas } = config;
  const { waitingPosts, storedBytes } = toUsage(posts);
  const limit = (kind: Limit["kind"], used: number, most: number, write = grouped): Limit => {
    return { kind, share: most > 0 ? used / most : 0, used: write(used), most: write(most) };
  };
  const [standing] = cost;
  const platformCost =
    standing?.mostMicros == null
      ? []
      : [limit("platformCost", standing.spentMicros, standing.mostMicros, spokenMicros)];
  return [
    ...platformCost,
    ...spend.map(({ currency, decimals, committedMinor, mostMinor }) => {
      const most = mostMinor ?? standardCeiling({ config }, { currency, decimals });
      return limit("spend", committedMinor, most, (minor) => spoken(minor, currency, decimals));
    }),
    limit("waitingPosts", waitingPosts, quotas.waitingPosts),
    limit("texts", storedBytes, quotas.storedBytes, megabytes),
    limit("files", files[0]?.bytes ?? 0, quotas.uploadedBytes, megabytes),
    limit("generations", generations[0]?.begun ?? 0, quotas.generationsADay),
  ];
}

const megabytes = (bytes: number): string => `${grouped(Math.round(bytes / 1_000_000))} MB`;
