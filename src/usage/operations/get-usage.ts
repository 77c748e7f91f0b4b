import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { microsOf } from "../../platforms/pricing.ts";
import { monthOf } from "../month.ts";
import { readUsage } from "../read-usage.ts";
import {
  AmountView,
  EXAMPLE_LINE,
  IntakeView,
  ModelCallsView,
  toAmountView,
  toLineView,
  UsageLineView,
  UsageQuery,
} from "../schema.ts";

export const GetUsage = operation({
  id: "getUsage",
  method: "get",
  path: "/social/get-usage",
  tag: "Usage",
  permission: "social-read-posts",
  extension: true,
  summary: "Usage and platform cost of a month",
  description:
    "What the token's project has used in a calendar month (UTC), by service and operation: calls, bytes, generations, tokens, and what platforms charged. A call whose answer was lost counts as charged.",
  query: UsageQuery,
  answer: z.object({
    month: z.string(),
    usage: z.array(UsageLineView),
    platform_cost: AmountView.openapi({ description: "The sum of all platforms, and of models that have a price." }),
    ceiling: z.union([AmountView, z.null()]).openapi({
      description:
        "What platforms and models may cost in a month; calls of platforms beyond it wait, calls of models are not made. Null: no ceiling.",
    }),
    model_calls: ModelCallsView,
    intake: IntakeView,
    status: Done,
  }),
  answerDescription: "The lines of the month; empty if nothing was used.",
  example: {
    month: "2026-11",
    usage: [EXAMPLE_LINE],
    platform_cost: { amount: 1.5, currency: "USD" },
    ceiling: { amount: 100, currency: "USD" },
    model_calls: { today: 12, most: 2_000, most_of_automation: 500, trials_today: 3, most_trials: 100 },
    intake: { comments_today: 41, most_comments: 20_000, messages_today: 7, most_messages: 20_000 },
    status: true,
  },
  run: async ({ deps, caller }, { query }) => {
    const { month = monthOf(Date.now()) } = query;
    const { lines, mostMicros, modelCalls, intake } = await readUsage(deps, caller.projectId, month);
    const ceiling = mostMicros === null ? null : toAmountView(mostMicros);
    const platform_cost = toAmountView(microsOf(lines));
    const used = { month, usage: lines.map(toLineView), platform_cost, ceiling } as const;
    return { ...used, model_calls: modelCalls, intake, status: true } as const;
  },
});
