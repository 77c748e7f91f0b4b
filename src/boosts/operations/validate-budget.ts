import { z } from "@hono/zod-openapi";
import { type ChannelId, idOf } from "../../core/ids.ts";
import { Done, operation } from "../../http/operation.ts";
import { requireAdAccess } from "../ad-account.ts";
import { estimateCost } from "../estimate.ts";
import { ValidateBudgetBody } from "../schema.ts";
import { COMMON } from "./common.ts";

export const ValidateBudget = operation({
  ...COMMON,
  id: "validateBudget",
  method: "post",
  path: "/boost-campaigns/validate-budget",
  summary: "Check a budget",
  description:
    "Checks whether the account may spend, and whether the budget meets the platform's minimum. Creates nothing.",
  body: ValidateBudgetBody,
  answer: z.object({
    valid: Done,
    currency: z.string(),
    minimum: z.number().openapi({ description: "The minimum budget of this `duration_type` and `duration`." }),
    most: z.number().openapi({ description: "The maximum cost of the campaign." }),
    status: Done,
  }),
  answerDescription: "The budget is enough. If it is not, a 422 states the minimum.",
  example: { valid: true, currency: "EUR", minimum: 7, most: 15.5, status: true },
  run: async (as, { body }) => {
    const advertiser = await requireAdAccess(as, idOf<ChannelId>(body.channel_id), "channel_id");
    const { currency, minimum, most } = await estimateCost(advertiser, body);
    return { valid: true, currency, minimum, most, status: true } as const;
  },
});
