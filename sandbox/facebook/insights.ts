// Insights of a Page, of its posts, stories and videos. Written from Meta's documentation.

import { Hono } from "hono";
import { z } from "zod";
import { accountDay, type Counts, followersAt, openBooks, shownCounts, startOfDay } from "../books";
import { badParameter, GraphError, missingObject } from "../meta/errors";
import type { JsonObject } from "../meta/fields";
import { daysIn, lifetime, metricsIn, series } from "../meta/insights";
import { type GraphEnv, moment, parse, text } from "../meta/params";
import { operation } from "../operation";
import type { Sandbox } from "../sandbox";
import { findPage, findPost, findVideo, isLive, isStory, type PostRow } from "./store";
import { authenticate, misbehaviour, type Token } from "./tokens";

/** Total views count those of ads. */
const totalViews = (counts: Partial<Record<string, number>>) => (counts.views ?? 0) + (counts.paid_views ?? 0);

type Offered = Readonly<Record<string, (counts: Partial<Record<string, number>>) => unknown>>;

const OF_POST: Offered = {
  post_media_view: totalViews,
  post_total_media_view_unique: ({ reach }) => reach,
  post_clicks: ({ clicks }) => clicks,
  // Types without a click are left out.
  post_clicks_by_type: ({ link_clicks = 0 }) => (link_clicks > 0 ? { "link clicks": link_clicks } : {}),
  post_reactions_by_type_total: ({ likes = 0 }) => (likes > 0 ? { like: likes } : {}),
  post_reactions_like_total: ({ likes }) => likes,
  post_video_views: totalViews,
};
const OF_STORY: Offered = {
  story_media_view: totalViews,
  story_total_media_view_unique: ({ reach }) => reach,
  story_interaction: ({ likes = 0, comments = 0 }) => likes + comments,
  pages_fb_story_replies: ({ comments }) => comments,
  pages_fb_story_shares: ({ shares }) => shares,
};
const averageWatch = ({ watch_ms = 0, views = 0 }: Partial<Record<string, number>>) =>
  views === 0 ? 0 : Math.round(watch_ms / views);
const OF_VIDEO: Offered = {
  total_video_views: totalViews,
  total_video_view_total_time: ({ watch_ms }) => watch_ms,
  total_video_avg_time_watched: averageWatch,
};
/** Reels have other names than the other videos. */
const OF_REEL: Offered = {
  blue_reels_play_count: totalViews,
  post_video_view_time: ({ watch_ms }) => watch_ms,
  post_video_avg_time_watched: averageWatch,
};
/** A Page that fewer people like has no insights. */
const LEAST_LIKES = 100;
const OF_PAGE = {
  page_media_view: "views",
  page_total_media_view_unique: "reach",
  page_post_engagements: "interactions",
  page_views_total: "profile_visits",
  page_daily_follows_unique: "follows",
  page_daily_unfollows_unique: "unfollows",
} as const;

const Asked = z.object({
  metric: text.optional(),
  period: z.enum(["day", "week", "days_28", "month", "lifetime", "total_over_range"]).optional(),
  since: moment.optional(),
  until: moment.optional(),
});

export function insightsRoutes(sandbox: Sandbox) {
  const app = new Hono<GraphEnv>();
  const faulty = operation<GraphEnv>(sandbox, "facebook", "insights", misbehaviour(sandbox));

  app.get("/:id/insights", faulty, async (c) => {
    const token = await authenticate(sandbox, c, ["page"]);
    const { metric, ...range } = parse(c, Asked);
    requireInsights(token);
    const id = c.req.param("id") === "me" ? (token.pageId ?? "") : c.req.param("id");
    if (findPage(sandbox, id)) return c.json(pageInsights(sandbox, id, metric, range));
    const post = findPost(sandbox, id);
    if (!post && findVideo(sandbox, id)) throw badParameter(nonexisting("insights"));
    if (post?.page_id !== token.pageId || !post || !isLive(post, sandbox.now())) throw missingObject(id);
    const offered = isStory(post.kind) ? OF_STORY : OF_POST;
    const names = wanted(sandbox, metric?.toLowerCase(), Object.keys(offered));
    if (hasNoNumbers(sandbox, post.live_at)) return c.json({ data: [] });
    return c.json(lifetime(post.id, names, valuesOf(offered, countsOf(sandbox, post))));
  });

  app.get("/:video/video_insights", faulty, async (c) => {
    const token = await authenticate(sandbox, c, ["page"]);
    const { metric } = parse(c, Asked);
    requireInsights(token);
    const video = findVideo(sandbox, c.req.param("video"));
    const post = video?.post_id ? findPost(sandbox, video.post_id) : null;
    if (!video || !post || video.page_id !== token.pageId) throw missingObject(c.req.param("video"));
    const offered = video.kind === "reel" ? OF_REEL : OF_VIDEO;
    const names = wanted(sandbox, metric, Object.keys(offered));
    if (hasNoNumbers(sandbox, post.live_at)) return c.json({ data: [] });
    return c.json(lifetime(video.id, names, valuesOf(offered, countsOf(sandbox, post))));
  });
  return app;
}

const nonexisting = (field: string) => `Tried accessing nonexisting field (${field}) on node type (Video)`;

function requireInsights({ scopes }: Token): void {
  const lacking = ["read_insights", "pages_read_engagement"].find((scope) => !scopes.includes(scope));
  if (lacking) throw new GraphError(10, `(#10) This endpoint requires the '${lacking}' permission.`);
}

function wanted(sandbox: Sandbox, metric: string | undefined, offered: readonly string[]): string[] {
  const dead = sandbox.settings.all.facebook_dead_metrics.split(",");
  const alive = offered.filter((name) => !dead.includes(name));
  return metricsIn(metric, alive, () => "The value must be a valid insights metric");
}

function hasNoNumbers(sandbox: Sandbox, since: number | null): boolean {
  const { facebook_page_likes: likes, facebook_insights_lag_ms: lagMs } = sandbox.settings.all;
  return likes < LEAST_LIKES || (since ?? 0) + lagMs > sandbox.now();
}

const countsOf = (sandbox: Sandbox, { id }: PostRow) => openBooks(sandbox, "facebook")(id);

function valuesOf(offered: Offered, counts: Counts | null): Record<string, unknown> {
  const shown = shownCounts(counts ?? {});
  return Object.fromEntries(Object.entries(offered).map(([name, of]) => [name, of(shown)]));
}

function pageInsights(
  sandbox: Sandbox,
  id: string,
  metric: string | undefined,
  range: { since?: number | undefined; until?: number | undefined },
): JsonObject {
  const names = wanted(sandbox, metric, [...Object.keys(OF_PAGE), "page_follows"]);
  const days = daysIn(range, sandbox.now()).filter((day) => !hasNoNumbers(sandbox, startOfDay(day)));
  if (days.length === 0) return { data: [] };
  return {
    data: names.map((name) => {
      const counter = OF_PAGE[name as keyof typeof OF_PAGE];
      return series(id, name, days, (day) =>
        counter ? accountDay(id, day, sandbox.now())[counter] : followersAt(id, startOfDay(day + 1)),
      );
    }),
  };
}

/** What a post's own fields count: the first two of them need a further permission. */
export function countFields(sandbox: Sandbox, token: Token, post: PostRow, fields: string): JsonObject {
  const isSummed = /\b(reactions|comments)\b[^,]*summary/.test(fields);
  if (!isSummed && !/\bshares\b/.test(fields)) return {};
  if (isSummed && !token.scopes.includes("pages_read_user_content")) {
    throw new GraphError(10, "(#10) This endpoint requires the 'pages_read_user_content' permission.");
  }
  const { likes, comments, shares = 0 } = shownCounts(countsOf(sandbox, post) ?? {});
  return {
    reactions: { data: [], ...(likes === undefined ? {} : { summary: { total_count: likes } }) },
    comments: { data: [], ...(comments === undefined ? {} : { summary: { total_count: comments } }) },
    ...(shares > 0 ? { shares: { count: shares } } : {}),
  };
}
