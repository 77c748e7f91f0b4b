import type { AccountMetric, PostMetric } from "../../src/platforms/insights.ts";

/**
 * What each platform shows of a post, from the counters in the sandbox's books. From the contracts, not from
 * the adapters: the contract suite and `npm run soak` compare the service's numbers with it.
 */

/** The counters of a live item; null: the platform does not show it. */
export type Counts = Readonly<Record<string, number | null>>;
/** Null: nothing is known. */
type Shown = number | null;
export type Expected = Readonly<Partial<Record<PostMetric, (counts: Counts) => Shown>>>;

/** A sum; unknown as soon as one of them is. */
const of =
  (...counters: string[]) =>
  (counts: Counts): Shown =>
    counters.reduce<Shown>((sum, counter) => {
      const count = counts[counter] === undefined ? 0 : counts[counter];
      return sum === null || count === null ? null : sum + count;
    }, 0);
/** Platforms leave out what is zero: nothing is known then. */
const unlessZero = (counter: string) => (counts: Counts) => counts[counter] || null;

const average = (unitMs: number) => (counts: Counts) => {
  const [watched, views] = [counts.watch_ms ?? 0, counts.views ?? 0];
  return views === 0 ? 0 : Math.round(watched / views / unitMs) * unitMs;
};

/** What every post has there; videos have `OF_VIDEOS` too. */
export const OFFERED = {
  facebook: {
    views: of("views", "paid_views"),
    reach: of("reach"),
    likes: of("likes"),
    comments: of("comments"),
    shares: unlessZero("shares"),
    clicks: of("clicks"),
    link_clicks: unlessZero("link_clicks"),
  },
  instagram: {
    views: of("views"),
    reach: of("reach"),
    likes: of("likes"),
    comments: of("comments"),
    shares: of("shares"),
    reposts: of("reposts"),
    saves: of("saves"),
    profile_visits: of("profile_visits"),
    follows: of("follows"),
    engagements: of("likes", "comments", "shares", "saves"),
  },
  threads: {
    views: of("views"),
    likes: of("likes"),
    comments: of("comments"),
    shares: of("shares"),
    reposts: of("reposts"),
    quotes: of("quotes"),
  },
  youtube: {
    views: of("views", "paid_views"),
    likes: of("likes"),
    comments: of("comments"),
    shares: of("shares"),
    follows: of("follows"),
    watch_time_ms: (counts) => Math.floor((counts.watch_ms ?? 0) / 60_000) * 60_000,
    avg_watch_ms: average(1000),
  },
  linkedin: {
    impressions: of("views"),
    reach: of("reach"),
    likes: of("likes"),
    comments: of("comments"),
    shares: of("shares"),
    clicks: of("clicks"),
  },
  tiktok: { views: of("views"), likes: of("likes"), comments: of("comments"), shares: of("shares") },
  twitter: {
    impressions: of("views"),
    likes: of("likes"),
    comments: of("comments"),
    reposts: of("reposts"),
    quotes: of("quotes"),
    saves: of("saves"),
    link_clicks: of("link_clicks"),
    profile_visits: of("profile_visits"),
    engagements: of("likes", "comments", "reposts", "clicks"),
  },
  bluesky: {
    likes: of("likes"),
    comments: of("comments"),
    reposts: of("reposts"),
    quotes: of("quotes"),
    saves: of("saves"),
  },
} as const satisfies Readonly<Record<string, Expected>>;

/** Of a video in the place of some numbers; on Instagram a video in the feed is a reel. */
const { profile_visits: _, follows: __, ...ofReels } = OFFERED.instagram;
const WATCHED: Expected = { watch_time_ms: of("watch_ms"), avg_watch_ms: average(1) };
export const OF_VIDEOS: Readonly<Record<string, Expected>> = {
  facebook: { ...OFFERED.facebook, ...WATCHED },
  instagram: { ...ofReels, ...WATCHED },
};

/** The numbers of a post, of a thread the sums over its items. */
export function expectedOf(offered: Expected, items: readonly Counts[]): Record<string, Shown> {
  const entries = Object.entries(offered).map(([metric, tell]) => {
    const values = items.map(tell);
    return [metric, values.reduce<Shown>((sum, value) => (sum === null || value === null ? null : sum + value), 0)];
  });
  return Object.fromEntries(entries);
}

/** An account's counters of a day, all known; `followers` as the day begins. */
export type DayCounts = Readonly<Record<string, number>>;
type OfDay = (counts: DayCounts) => number;

const day =
  (counter: string): OfDay =>
  (counts) =>
    counts[counter] ?? Number.NaN;
/** Three digits are shown, rounded down. */
const rounded: OfDay = (counts) => {
  const count = day("followers")(counts);
  const step = 10 ** Math.max(0, String(count).length - 3);
  return Math.floor(count / step) * step;
};
const OF_PAGES: Readonly<Partial<Record<AccountMetric, OfDay>>> = {
  followers: day("followers"),
  follows: day("follows"),
  unfollows: day("unfollows"),
  views: day("views"),
  reach: day("reach"),
  interactions: day("interactions"),
  profile_visits: day("profile_visits"),
};

/** Its taps on links of the profile are no visits. */
const { profile_visits: ___, ...ofInstagram } = OF_PAGES;

/** What each platform shows of an account and day. */
export const OF_ACCOUNTS: Readonly<Record<string, Readonly<Partial<Record<AccountMetric, OfDay>>>>> = {
  facebook: OF_PAGES,
  instagram: ofInstagram,
  threads: { followers: day("followers"), views: day("views") },
  youtube: { followers: rounded, follows: day("follows"), unfollows: day("unfollows"), views: day("views") },
  linkedin: { followers: day("followers"), impressions: day("views"), reach: day("reach") },
  tiktok: { followers: day("followers") },
  twitter: { followers: day("followers") },
  bluesky: { followers: day("followers") },
};
