import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { Done, operation } from "../../http/operation.ts";
import { requireAdAccess } from "../ad-account.ts";
import { estimateReach } from "../estimate.ts";
import { ReachBody } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetReachEstimate = operation({
  ...COMMON,
  id: "getReachEstimate",
  method: "post",
  path: "/boost-campaigns/get-reach-estimate",
  summary: "Estimate the reach",
  description: "The platform's estimate of how many people such a boost could reach.",
  body: ReachBody,
  answer: z.object({
    lower: z.int().nullable().openapi({ description: "Null if the platform hides it." }),
    upper: z.int().nullable(),
    ready: z.boolean().openapi({ description: "False: the platform is still counting. Request it again later." }),
    status: Done,
  }),
  answerDescription: "The estimate.",
  example: { lower: 210_000, upper: 240_000, ready: true, status: true },
  run: async (as, { body }) => {
    const advertiser = await requireAdAccess(as, idOf<ChannelId>(body.channel_id), "channel_id");
    const { lower, upper, isReady } = await estimateReach(advertiser, body);
    return { lower, upper, ready: isReady, status: true } as const;
  },
});
