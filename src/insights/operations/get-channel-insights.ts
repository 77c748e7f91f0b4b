import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { EXAMPLE_CHANNEL_INSIGHTS } from "../examples.ts";
import { readChannelInsights } from "../read.ts";
import { ChannelInsightsView, RangeQuery, rangeOf, toChannelInsightsView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetChannelInsights = operation({
  ...COMMON,
  id: "getChannelInsights",
  method: "get",
  path: "/social/get-channel-insights/{channel_id}",
  summary: "What a channel achieved",
  description:
    "Followers, views and so on by day, and sums over the posts that were published in these days. Where the platform has no history, it begins with the connection.",
  params: ChannelIdParam,
  query: RangeQuery,
  answer: z.object({ insights: ChannelInsightsView, status: Done }),
  answerDescription: "The days of the range that are known.",
  example: { insights: EXAMPLE_CHANNEL_INSIGHTS, status: true },
  run: async ({ deps, caller }, { query, params }) => {
    const id = readPathId("channel", params.channel_id);
    const range = rangeOf(query, Date.now());
    const insights = toChannelInsightsView(await readChannelInsights(deps, caller, id, range));
    return { insights, status: true } as const;
  },
});
