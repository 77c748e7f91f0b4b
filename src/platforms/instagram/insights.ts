import { z } from "zod";
import { DAY } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import { addTo, dayOf, type Insights, type MeasuredPost, type Missing } from "../insights.ts";
import { lenient } from "../lists.ts";
import { isGone } from "../meta/errors.ts";
import { get } from "../meta/graph.ts";
import {
  type AccountCall,
  deadNamesOf,
  eachPost,
  GONE,
  type Metric,
  NOT_OFFERED,
  type OnePost,
  readAccountCalls,
  readMetrics,
  toSeconds,
  totalsOf,
} from "../meta/insights.ts";
import type { PostType } from "../names.ts";
import { graphOf, loginOf } from "./api.ts";

/**
 * What media of an account achieved.
 *
 * - The metrics depend on the product that Instagram made of the media: a video in the feed is a reel.
 * - `views` and the others count organic distribution only; nothing here mixes them with the `total_…` ones.
 * - Numbers appear up to two days late, those of a story end after a day.
 */
const COMMON = { views: "views", reach: "reach", shares: "shares", engagements: "total_interactions" } as const;
const POSTED = { ...COMMON, likes: "likes", comments: "comments", saves: "saved" } as const;
const FEED = { ...POSTED, follows: "follows", profile_visits: "profile_visits" } as const;
const REELS = {
  ...POSTED,
  watch_time_ms: "ig_reels_video_view_total_time",
  avg_watch_ms: "ig_reels_avg_watch_time",
} as const;
const STORY = {
  ...COMMON,
  comments: "replies",
  follows: "follows",
  profile_visits: "profile_visits",
  link_clicks: "link_clicks",
} as const;
/** Of Facebook Login only. */
const REPOSTS = { reposts: "reposts" } as const;
const OF_ACCOUNT = {
  followers: "followers_count",
  follows: "follows_and_unfollows.FOLLOWER",
  unfollows: "follows_and_unfollows.NON_FOLLOWER",
  views: "views",
  reach: "reach",
  interactions: "total_interactions",
} as const;
/** Requested without a breakdown: one that does not fit a name fails the whole call. */
const TOTALS = ["views", "reach", "total_interactions"];

const Media = z.object({ media_product_type: lenient(z.string()) });

/** What a post of this type may become. */
function namesOf(type: PostType, attributes: AccountContext["account"]["attributes"]) {
  if (type === "story") return STORY;
  const reposts = attributes.login === "instagram" ? {} : REPOSTS;
  return type === "reel" ? { ...REELS, ...reposts } : { ...FEED, ...REELS, ...reposts };
}

async function readOne(
  context: AccountContext,
  { type, post: { id } }: MeasuredPost,
  dead: ReadonlySet<string>,
): Promise<OnePost | Failure> {
  const graph = graphOf(context);
  // A story is known as one; what a post in the feed became is not.
  const product = type === "story" ? "STORY" : await readProduct(context, id);
  if (product === null) return GONE;
  if (typeof product === "object") return product;
  const of = product === "STORY" ? STORY : product === "REELS" ? REELS : FEED;
  const names = Object.values(
    product === "STORY" || loginOf(context.account) === "instagram" ? of : { ...of, ...REPOSTS },
  );
  const own = await readMetrics(graph, { path: `${id}/insights`, kind: product, names }, dead);
  if (own.kind === "gone") return GONE;
  if (own.kind === "refused") return NOT_OFFERED;
  // Fewer than five people saw the story: only this post has no numbers.
  if (own.kind === "failed" && /not enough viewers/i.test(own.message))
    return { kind: "one", values: {}, rest: "too_small", dead: [] };
  if (own.kind === "failed") return own;
  const others = Object.values({ ...FEED, ...REELS }).filter((name) => !names.includes(name));
  const ended = deadNamesOf(product, [...dead, ...own.dead]);
  const missing = Object.fromEntries([...others, ...ended].map((name) => [name, "not_offered" as Missing]));
  return { kind: "one", values: totalsOf(own.metrics), missing, dead: own.dead };
}

async function readProduct(context: AccountContext, id: string): Promise<string | null | Failure> {
  const graph = graphOf(context);
  const answer = await graph.request(get(id, { fields: "media_product_type" }));
  if (isGone(answer)) return null;
  const media = graph.interpretRead(answer, Media);
  return media.kind === "failed" ? media : (media.value.media_product_type ?? "FEED");
}

const Followers = z.object({ followers_count: lenient(z.number()) });

/** Of a total by relation: gained and lost followers. */
function withRelations(metrics: readonly Metric[]): Record<string, number> {
  const related = metrics.flatMap(({ name, total_value: total }) =>
    (total?.breakdowns ?? []).flatMap(({ results = [] }) =>
      results.map(({ dimension_values, value }) => [`${name}.${dimension_values[0]}`, value] as const),
    ),
  );
  return { ...totalsOf(metrics), ...Object.fromEntries(related) };
}

export const insights: Insights = {
  most: 10,
  scope: "organic",
  names: namesOf,
  definitions: { views: "2025-04" },
  read: eachPost(readOne),
  accountNames: OF_ACCOUNT,
  // Totals have no series: each day takes two calls.
  mostDays: 3,
  async *readAccount(context, range, dead) {
    const graph = graphOf(context);
    const { id } = context.account;
    const account = await graph.read(get(id, { fields: "followers_count" }), Followers);
    if (account.kind === "failed") return yield account;
    yield { kind: "days", days: addTo({}, dayOf(context.now), account.value) };
    const calls: AccountCall[] = [];
    for (let day = range.since; day < range.until; day += DAY) {
      const of = { since: day, until: Math.min(day + DAY, range.until) };
      const query = { period: "day", metric_type: "total_value", ...toSeconds(of) };
      const daysIn = (metrics: readonly Metric[]) => addTo({}, dayOf(day), withRelations(metrics));
      calls.push({ names: TOTALS, query, daysIn });
      calls.push({ names: ["follows_and_unfollows"], query: { ...query, breakdown: "follow_type" }, daysIn });
    }
    yield* readAccountCalls(graph, { path: `${id}/insights`, kind: "account" }, calls, dead);
  },
};
