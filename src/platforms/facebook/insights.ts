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
import {
  daysOf,
  deadNamesOf,
  eachPost,
  GONE,
  type Metric,
  type OnePost,
  readAccountCalls,
  readMetrics,
  toSeconds,
  totalsOf,
} from "../meta/insights.ts";
import { graphOf } from "./api.ts";
import { READ_SCOPE } from "./oauth.ts";

/**
 * What posts of a Page achieved.
 *
 * - Which names a Page still has differs by Page and year: meta/insights.ts.
 * - Reactions and comments are counted in fields of the post, with a permission of their own.
 * - A video has its times under its own id, everything else under the id of its post. Reels and other videos
 *   have different names for them.
 * - A Page with fewer than 100 likes has no insights: its lists are empty.
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
const OF_VIDEO = ["total_video_view_total_time", "total_video_avg_time_watched"];
const OF_REEL = ["post_video_view_time", "post_video_avg_time_watched"];
/** Facebook makes reels of videos, also of those that were posted as a video. */
const WATCHED = {
  watch_time_ms: { name: "total_video_view_total_time", otherwise: "post_video_view_time" },
  avg_watch_ms: { name: "total_video_avg_time_watched", otherwise: "post_video_avg_time_watched" },
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
  const kind = isStory ? "story" : "post";
  const names = isStory ? Object.values(OF_STORY) : ASKED_OF_POST;
  const own = await readMetrics(graph, { path: `${id}/insights`, kind, names }, dead);
  if (own.kind === "gone") return GONE;
  if (own.kind === "failed") return own;
  const [metrics, refused] = own.kind === "refused" ? [[], []] : [own.metrics, own.dead];
  const ended = own.kind === "refused" ? names : deadNamesOf(kind, [...dead, ...refused]);
  const values = totalsOf(metrics);
  const missing: Record<string, Missing> = Object.fromEntries(ended.map((name) => [name, "not_offered"]));
  if (isStory) return { kind: "one", values, missing, dead: refused };
  const counted = await readCounts(context, id);
  if (counted.kind === "failed") return counted;
  const whole = { ...values, ...counted.values };
  const all = { ...missing, ...counted.missing };
  if (secondaryId === null) return { kind: "one", values: whole, missing: all, dead: refused };
  const watched = await readWatched(context, { id: secondaryId, isReel: type === "reel" }, dead);
  if (watched.kind === "failed") return watched;
  return {
    kind: "one",
    values: { ...whole, ...watched.values },
    missing: all,
    dead: [...refused, ...watched.dead],
  };
}

/** The times of a video: by the names of its kind, or by the other kind's if Facebook refuses all of them. */
async function readWatched(
  context: AccountContext,
  { id, isReel }: { readonly id: string; readonly isReel: boolean },
  dead: ReadonlySet<string>,
): Promise<OnePost | Failure> {
  const reel = { kind: "reel", names: OF_REEL };
  const video = { kind: "video", names: OF_VIDEO };
  for (const asked of isReel ? [reel, video] : [video, reel]) {
    const read = await readMetrics(graphOf(context), { path: `${id}/video_insights`, ...asked }, dead);
    if (read.kind === "failed") return read;
    if (read.kind === "gone") break;
    if (read.kind === "metrics") return { kind: "one", values: totalsOf(read.metrics), dead: read.dead };
  }
  return { kind: "one", values: {}, dead: [] };
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
  names: (type) => (type === "story" ? OF_STORY : { ...OF_POST, ...WATCHED }),
  whenNotPermitted:
    "Likes and comments need the permission pages_read_user_content. Connect the Page again and allow it; the app must have it too.",
  definitions: { views: "2025-11", reach: "2026-06" },
  read: eachPost(readOne),
  accountNames: OF_PAGE,
  mostDays: 90,
  async *readAccount(context, range, dead) {
    const graph = graphOf(context);
    const { id } = context.account;
    const page = await graph.read(get(id, { fields: "followers_count" }), Followers);
    if (page.kind === "failed") return yield page;
    yield { kind: "days", days: addTo({}, dayOf(context.now), page.value) };
    const names = Object.values(OF_PAGE).filter((name) => name !== "followers_count");
    const query = { period: "day", ...toSeconds(range) };
    const call = { names, query, daysIn: (metrics: readonly Metric[]) => daysOf(metrics, range) };
    yield* readAccountCalls(graph, { path: `${id}/insights`, kind: "page" }, [call], dead);
  },
};
