import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { EXAMPLE_POST_INSIGHTS } from "../examples.ts";
import { readPostInsights } from "../read.ts";
import { PostIdParam, PostInsightsView, toPostInsightsView } from "../schema.ts";
import { COMMON } from "./common.ts";

export const GetPostInsights = operation({
  ...COMMON,
  id: "getPostInsights",
  method: "get",
  path: "/social/get-post-insights/{post_id}",
  summary: "What a post achieved",
  description:
    "Views, likes, comments and so on, in one shape for all platforms. They are read an hour after the post, then less and less often, for 90 days; this call reads nothing at the platform. A missing number is null, with the reason.",
  params: PostIdParam,
  answer: z.object({ insights: PostInsightsView, status: Done }),
  answerDescription: "The latest numbers, and those of each day.",
  example: { insights: EXAMPLE_POST_INSIGHTS, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("post", params.post_id);
    const insights = toPostInsightsView(await readPostInsights(deps, caller, id));
    return { insights, status: true } as const;
  },
});
