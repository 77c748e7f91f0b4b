import { z } from "zod";
import type { AccountContext, Failure } from "../context.ts";
import {
  addTo,
  dayOf,
  type Insights,
  type MeasuredPost,
  type Missing,
  numbersIn,
  type OwnNumbers,
} from "../insights.ts";
import { lenient } from "../lists.ts";
import { get } from "../meta/graph.ts";
import { daysOf, eachPost, GONE, type OnePost, readMetrics, toSeconds, totalsOf } from "../meta/insights.ts";
import { graphOf } from "./api.ts";
import { READ_SCOPE } from "./oauth.ts";

/**
 * What posts of a Page achieved.
 *
 * - Which names a Page still has differs by Page and year: meta/insights.ts.
 * - Reactions and comments are counted in fields of the post, with a permission of their own.
 * - A video has its times under its own id, everything else under the id of its post.
 */
const OF_POST = {
  views: "post_media_view",
  reach: "post_total_media_view_unique",
  likes: "reactions",
  comments: "comments",
  shares: "shares",
  clicks: "post_clicks",
  link_clicks: "post_clicks_by_type.link clicks",
} as const;
const OF_STORY = {
  views: "story_media_view",
  reach: "story_total_media_view_unique",
  comments: "pages_fb_story_replies",
  shares: "pages_fb_story_shares",
  engagements: "story_interaction",
} as const;
const OF_VIDEO = {
  watch_time_ms: "total_video_view_total_time",
  avg_watch_ms: "total_video_avg_time_watched",
} as const;
const ASKED_OF_POST = ["post_media_view", "post_total_media_view_unique", "post_clicks", "post_clicks_by_type"];
const OF_PAGE = {
  followers: "followers_count",
  follows: "page_daily_follows_unique",
  unfollows: "page_daily_unfollows_unique",
  views: "page_media_view",
  reach: "page_total_media_view_unique",
  interactions: "page_post_engagements",
  profile_visits: "page_views_total",
} as const;

const Summary = lenient(z.object({ summary: lenient(z.object({ total_count: z.number() })) }));
const Counted = z.object({
  reactions: Summary,
  comments: Summary,
  shares: lenient(z.object({ count: z.number() })),
});
const SUMMED = "reactions.summary(true).limit(0),comments.summary(true).limit(0),shares";

async function readOne(
  context: AccountContext,
  { type, post: { id, secondaryId } }: MeasuredPost,
  dead: ReadonlySet<string>,
): Promise<OnePost | Failure> {
  const graph = graphOf(context);
  const isStory = type === "story";
  const names = isStory ? Object.values(OF_STORY) : ASKED_OF_POST;
  const own = await readMetrics(graph, { path: `${id}/insights`, names }, dead);
  if (own.kind === "gone") return GONE;
  if (own.kind === "failed") return own;
  const ended = [...dead, ...own.dead];
  const values = totalsOf(own.metrics);
  const missing: Record<string, Missing> = Object.fromEntries(ended.map((name) => [name, "not_offered"]));
  if (isStory) return { kind: "one", values, missing, dead: own.dead };
  const counted = await readCounts(context, id);
  if (counted.kind === "failed") return counted;
  const whole = { ...values, ...counted.values };
  const all = { ...missing, ...counted.missing };
  if (secondaryId === null) return { kind: "one", values: whole, missing: all, dead: own.dead };
  const video = { path: `${secondaryId}/video_insights`, names: Object.values(OF_VIDEO) };
  const times = await readMetrics(graph, video, dead);
  if (times.kind === "failed") return times;
  const [seen, refused] = times.kind === "gone" ? [[], []] : [times.metrics, times.dead];
  return { kind: "one", values: { ...whole, ...totalsOf(seen) }, missing: all, dead: [...own.dead, ...refused] };
}

async function readCounts(
  context: AccountContext,
  id: string,
): Promise<({ readonly kind: "counts" } & OwnNumbers) | Failure> {
  const maySum = context.credentials.scopes.includes(READ_SCOPE);
  const counted = await graphOf(context).read(get(id, { fields: maySum ? SUMMED : "shares" }), Counted);
  if (counted.kind === "failed") return counted;
  const { reactions, comments, shares } = counted.value;
  const values = numbersIn({
    reactions: reactions?.summary?.total_count,
    comments: comments?.summary?.total_count,
    shares: shares?.count,
  });
  const missing = maySum ? {} : ({ reactions: "no_permission", comments: "no_permission" } as const);
  return { kind: "counts", values, missing };
}

const Followers = z.object({ followers_count: lenient(z.number()) });

export const insights: Insights = {
  most: 10,
  scope: "total",
  names: (type) => (type === "story" ? OF_STORY : { ...OF_POST, ...OF_VIDEO }),
  definitions: { views: "2025-11", reach: "2026-06" },
  read: eachPost(readOne),
  accountNames: OF_PAGE,
  mostDays: 90,
  async readAccount(context, range, dead) {
    const graph = graphOf(context);
    const { id } = context.account;
    const page = await graph.read(get(id, { fields: "followers_count" }), Followers);
    if (page.kind === "failed") return page;
    const names = Object.values(OF_PAGE).filter((name) => name !== "followers_count");
    const query = { period: "day", ...toSeconds(range) };
    const read = await readMetrics(graph, { path: `${id}/insights`, names, query }, dead);
    if (read.kind === "failed") return read;
    const [metrics, refused] = read.kind === "gone" ? [[], []] : [read.metrics, read.dead];
    const days = addTo(daysOf(metrics, range), dayOf(context.now), page.value);
    return { kind: "days", days, dead: refused };
  },
};
