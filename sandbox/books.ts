// What is true of live posts and accounts: counters that grow with the clock, with comments and with ads. The
// platforms show them in their own words, and `/_control/insights` as they are. The same clock always gives
// the same numbers.

import { numberOf } from "./digest";
import type { LiveComment, SimulatedPlatform } from "./platform";
import type { Sandbox } from "./sandbox";

export const COUNTERS = [
  "views",
  "paid_views",
  "reach",
  "likes",
  "comments",
  "shares",
  "reposts",
  "quotes",
  "saves",
  "clicks",
  "link_clicks",
  "profile_visits",
  "follows",
  "watch_ms",
] as const;
export type Counter = (typeof COUNTERS)[number];
/** Null: the platform does not show this counter of this post. */
export type Counts = Readonly<Record<Counter, number | null>>;

export const DAY_MS = 86_400_000;
const HALF_OF_ALL_MS = 2 * DAY_MS;
/** After this, some posts lose a like that was spam. */
const CLEANED_MS = 3 * DAY_MS;

/** The numbers of a platform's posts by their ids; null for a post that is not live. */
export type Books = (id: string) => Counts | null;

/**
 * Open them once for a list: the first look-up reads all comments and ads of the platform. At an earlier
 * time everything had grown less; comments, ads and set counters are those of now.
 */
export function openBooks(sandbox: Sandbox, platform: string, at: number = sandbox.now()): Books {
  const simulated = sandbox.platforms.find(({ name }) => name === platform);
  let read: Totals | null = null;
  return (id) => {
    const posts = simulated?.posts(id) ?? [];
    const post = posts.find((one) => one.id === id);
    if (!post) return null;
    read ??= readTotals(simulated);
    const comments = (read.comments.get(id) ?? 0) + posts.filter(({ reply_to }) => reply_to === id).length;
    const paid = read.paidViews.get(id) ?? 0;
    const grown = grownOf(id, Math.max(0, at - Date.parse(post.created_at)));
    return { ...grown, comments, paid_views: paid, ...setCounts(sandbox, platform, id) };
  };
}

/** By post id. */
interface Totals {
  readonly comments: ReadonlyMap<string, number>;
  readonly paidViews: ReadonlyMap<string, number>;
}

function readTotals(simulated: SimulatedPlatform | undefined): Totals {
  // Only YouTube leaves out what is held for review.
  const isLeftOut = ({ hidden }: LiveComment) => hidden && simulated?.name === "youtube";
  const counted = (simulated?.comments() ?? []).filter((comment) => !isLeftOut(comment));
  const campaigns = (simulated?.ads?.() ?? []).filter(({ kind }) => kind === "campaign");
  return {
    comments: sumsOf(counted.map(({ post_id }) => [post_id, 1])),
    paidViews: sumsOf(campaigns.flatMap(({ post_id, impressions }) => (post_id ? [[post_id, impressions]] : []))),
  };
}

function sumsOf(added: readonly (readonly [id: string, by: number])[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [id, by] of added) sums.set(id, (sums.get(id) ?? 0) + by);
  return sums;
}

function grownOf(id: string, age: number): Omit<Counts, "comments" | "paid_views"> {
  const share = 1 - 0.5 ** (age / HALF_OF_ALL_MS);
  const upTo = (counter: string, most: number) => Math.floor((numberOf(`${counter} ${id}`) % most) * share);
  const views = upTo("views", 5000);
  const spam = age > CLEANED_MS && numberOf(id) % 4 === 0 ? 1 : 0;
  return {
    views,
    reach: Math.floor(views * 0.7),
    likes: Math.max(0, upTo("likes", 400) - spam),
    shares: upTo("shares", 60),
    reposts: upTo("reposts", 50),
    quotes: upTo("quotes", 20),
    saves: upTo("saves", 80),
    clicks: upTo("clicks", 200),
    link_clicks: upTo("link clicks", 90),
    profile_visits: upTo("visits", 70),
    follows: upTo("follows", 15),
    watch_ms: views * 4000,
  };
}

type Row = { counter: Counter; value: number | null };

function setCounts(sandbox: Sandbox, platform: string, id: string): Partial<Counts> {
  const rows = sandbox.db.all<Row>(
    "SELECT counter, value FROM set_counts WHERE platform = ? AND post_id = ?",
    platform,
    id,
  );
  return Object.fromEntries(rows.map(({ counter, value }) => [counter, value]));
}

/** From now on, these counters of a post have these values whatever the clock says. */
export function setCountsOf(sandbox: Sandbox, platform: string, id: string, counts: Partial<Counts>): void {
  for (const [counter, value = null] of Object.entries(counts)) {
    sandbox.db.replace("set_counts", { platform, post_id: id, counter, value });
  }
}

/** Its counters without those that the platform does not show. */
export function shownCounts(counts: Readonly<Record<string, number | null>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  );
}

/** What happened to an account on one UTC day. */
export interface AccountDay {
  readonly views: number;
  readonly reach: number;
  readonly interactions: number;
  readonly profile_visits: number;
  readonly follows: number;
  readonly unfollows: number;
}

/** Platforms count a day for another day after it. */
const COUNTED_MS = 2 * DAY_MS;

/** As it is counted at this time; by default the final numbers. */
export function accountDay(accountId: string, day: number, at = Number.POSITIVE_INFINITY): AccountDay {
  const share = Math.min(1, Math.max(0, (at - startOfDay(day)) / COUNTED_MS));
  const upTo = (counter: string, most: number) =>
    Math.floor((numberOf(`${counter} ${day} ${accountId}`) % most) * share);
  const views = upTo("views", 900);
  return {
    views,
    reach: Math.floor(views * 0.6),
    interactions: upTo("interactions", 120),
    profile_visits: upTo("visits", 60),
    follows: upTo("follows", 9),
    unfollows: upTo("unfollows", 4),
  };
}

const FIRST_DAY = Math.floor(Date.parse("2026-01-01T00:00:00Z") / DAY_MS);

/** Followers at this time: those of the first day, and what each day since has brought. */
export function followersAt(accountId: string, at: number): number {
  let followers = 200 + (numberOf(accountId) % 800);
  for (let day = FIRST_DAY; day < Math.floor(at / DAY_MS); day++) {
    const { follows, unfollows } = accountDay(accountId, day);
    followers += follows - unfollows;
  }
  return followers;
}

/** The final numbers of days such as `2026-11-26`, both included, with the followers on each of them. */
export function accountDays(accountId: string, from: string, to: string) {
  return daysBetween(Date.parse(from), Date.parse(to)).map((day) => ({
    day: new Date(startOfDay(day)).toISOString().slice(0, 10),
    counts: { ...accountDay(accountId, day), followers: followersAt(accountId, startOfDay(day)) },
  }));
}

/** The UTC days from the one of `since` to the one of `until`, as numbers. */
export function daysBetween(since: number, until: number): number[] {
  const first = Math.floor(since / DAY_MS);
  return Array.from({ length: Math.max(0, Math.floor(until / DAY_MS) - first + 1) }, (_, index) => first + index);
}

export const startOfDay = (day: number): number => day * DAY_MS;
