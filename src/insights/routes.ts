import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../channels/schema.ts";
import type { Caller } from "../core/caller.ts";
import type { ChannelId } from "../core/ids.ts";
import type { Api } from "../http/api.ts";
import { operation } from "../http/operation.ts";
import { readPathId } from "../http/page.ts";
import { EXAMPLE_CHANNEL_INSIGHTS, EXAMPLE_POST_INSIGHTS, EXAMPLE_TOP_POST } from "./examples.ts";
import { collectPaidInsights, exportCsv, readBestTimes, readChannelInsights, readPostInsights } from "./read.ts";
import {
  BestTimesQuery,
  BestTimeView,
  ChannelInsightsView,
  CollectBody,
  ExportQuery,
  PostIdParam,
  PostInsightsView,
  RangeQuery,
  rangeOf,
  TopPostsQuery,
  TopPostView,
  toChannelInsightsView,
  toPostInsightsView,
  toTopPostView,
} from "./schema.ts";
import { selectTop } from "./store.ts";

const Done = z.literal(true);
const COMMON = { tag: "Insights", permission: "social-read-insights", extension: true } as const;

/** What posts and accounts achieved. */
export function insightRoutes(app: Api): void {
  postRoute(app);
  channelRoute(app);
  collectRoute(app);
  topPostsRoute(app);
  bestTimesRoute(app);
  exportRoute(app);
}

function postRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "getPostInsights",
    method: "get",
    path: "/social/post/{post_id}/insights",
    summary: "What a post achieved",
    description:
      "Views, likes, comments and so on, in one shape for all platforms. They are read an hour after the post, then less and less often, for 90 days; this call reads nothing at the platform. A missing number is null, with the reason.",
    params: PostIdParam,
    answer: z.object({ insights: PostInsightsView, status: Done }),
    answerDescription: "The latest numbers, and those of each day.",
    example: { insights: EXAMPLE_POST_INSIGHTS, status: true },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("post", c.req.valid("param").post_id);
    const insights = toPostInsightsView(await readPostInsights(c.var.deps, c.var.caller, id));
    return c.json({ insights, status: true } as const, 200);
  });
}

function channelRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "getChannelInsights",
    method: "get",
    path: "/social/channel/{channel_id}/insights",
    summary: "What a channel achieved",
    description:
      "Followers, views and so on by day, and sums over the posts that were published in these days. Where the platform has no history, it begins with the connection.",
    params: ChannelIdParam,
    query: RangeQuery,
    answer: z.object({ insights: ChannelInsightsView, status: Done }),
    answerDescription: "The days of the range that are known.",
    example: { insights: EXAMPLE_CHANNEL_INSIGHTS, status: true },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("channel", c.req.valid("param").channel_id);
    const range = rangeOf(c.req.valid("query"), Date.now());
    const insights = toChannelInsightsView(await readChannelInsights(c.var.deps, c.var.caller, id, range));
    return c.json({ insights, status: true } as const, 200);
  });
}

function collectRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "collectChannelInsights",
    method: "post",
    path: "/social/channel/{channel_id}/insights",
    permission: "add-channels",
    summary: "Switch paid insights on or off",
    description:
      "X charges for each post that is read. Its numbers are therefore read only for channels that ask for it; `price` says what it costs. The project's ceiling of platform cost applies. Elsewhere reading is free and always on, and this changes nothing.",
    params: ChannelIdParam,
    body: CollectBody,
    answer: z.object({ insights: ChannelInsightsView, status: Done }),
    answerDescription: "The channel's insights.",
    example: { insights: EXAMPLE_CHANNEL_INSIGHTS, status: true },
  });
  app.openapi(contract, async (c) => {
    const id = readPathId("channel", c.req.valid("param").channel_id);
    const { deps, caller } = c.var;
    const range = rangeOf({}, Date.now());
    await collectPaidInsights(deps, caller, id, c.req.valid("json").collect);
    const insights = toChannelInsightsView(await readChannelInsights(deps, caller, id, range));
    return c.json({ insights, status: true } as const, 200);
  });
}

interface Asked {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly channel_id?: ChannelId | undefined;
}

function periodOf({ projectId }: Pick<Caller, "projectId">, { channel_id, ...range }: Asked) {
  const channelId = channel_id ?? null;
  return { projectId, channelId, ...rangeOf(range, Date.now()) };
}

function topPostsRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "getTopPosts",
    method: "get",
    path: "/social/insights/top-posts",
    summary: "The posts that achieved most",
    description:
      "The posts of a period with the most of a number, the best first; of a period with more than 2,000 posts, the newest 2,000 count. Views and reach are counted differently by each platform: compare them within one.",
    query: TopPostsQuery,
    answer: z.object({ posts: z.array(TopPostView), status: Done }),
    answerDescription: "The posts; those without the number are left out.",
    example: { posts: [EXAMPLE_TOP_POST], status: true },
  });
  app.openapi(contract, async (c) => {
    const { metric, limit, ...asked } = c.req.valid("query");
    const rows = await selectTop(c.var.deps.db, periodOf(c.var.caller, asked), metric, limit);
    return c.json({ posts: rows.map((row) => toTopPostView(row, metric)), status: true } as const, 200);
  });
}

function bestTimesRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "getBestTimes",
    method: "get",
    path: "/social/insights/best-times",
    summary: "The best times to post",
    description:
      "The hours of the week, in the project's time zone, by what posts of the last 90 days that were published then achieved: likes, comments and shares on average. Hours with few posts say little.",
    query: BestTimesQuery,
    answer: z.object({ time_zone: z.string(), times: z.array(BestTimeView).readonly(), status: Done }),
    answerDescription: "The hours in which posts were published, the best first.",
    example: {
      time_zone: "Europe/Berlin",
      times: [{ weekday: 3, hour: 9, posts: 6, average: 42.5 }],
      status: true,
    },
  });
  app.openapi(contract, async (c) => {
    const { deps, caller } = c.var;
    const times = await readBestTimes(deps, caller, c.req.valid("query").channel_id ?? null);
    return c.json({ time_zone: caller.timeZone, times, status: true } as const, 200);
  });
}

function exportRoute(app: Api): void {
  const contract = operation({
    ...COMMON,
    id: "exportInsights",
    method: "get",
    path: "/social/insights/export",
    summary: "Export numbers as CSV",
    description:
      "The numbers of the posts of a period as comma-separated values (RFC 4180): a line for each post and day, of the newest 2,000 posts. An empty cell is a number that the platform does not say.",
    query: ExportQuery,
    answer: z.object({ file_name: z.string(), csv: z.string(), status: Done }),
    answerDescription: "The file's name and content.",
    example: { file_name: "insights.csv", csv: "post_id,channel_id,…\r\n", status: true },
  });
  app.openapi(contract, async (c) => {
    const csv = await exportCsv(c.var.deps, periodOf(c.var.caller, c.req.valid("query")));
    return c.json({ file_name: "insights.csv", csv, status: true } as const, 200);
  });
}
