import { z } from "@hono/zod-openapi";
import { ChannelIdParam } from "../../channels/schema.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { EXAMPLE_CHANNEL_INSIGHTS } from "../examples.ts";
import { collectPaidInsights, readChannelInsights } from "../read.ts";
import { ChannelInsightsView, CollectBody, rangeOf, toChannelInsightsView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const CollectChannelInsights = operation({
  ...COMMON,
  id: "collectChannelInsights",
  audited: true,
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
  run: async ({ deps, caller }, { body, params }) => {
    const id = readPathId("channel", params.channel_id);
    const range = rangeOf({}, Date.now());
    await collectPaidInsights(deps, caller, id, body.collect);
    const insights = toChannelInsightsView(await readChannelInsights(deps, caller, id, range));
    return { insights, status: true } as const;
  },
});
