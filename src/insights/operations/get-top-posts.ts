import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { EXAMPLE_TOP_POST } from "../examples.ts";
import { TopPostsQuery, TopPostView, toTopPostView } from "../schema.ts";
import { selectTop } from "../store.ts";
import { COMMON, periodOf } from "./common.ts";

export const GetTopPosts = operation({
  ...COMMON,
  id: "getTopPosts",
  method: "get",
  path: "/social/get-top-posts",
  summary: "The posts that achieved most",
  description:
    "The posts of a period with the most of a number, the best first; of a period with more than 2,000 posts, the newest 2,000 count. Views and reach are counted differently by each platform: compare them within one.",
  query: TopPostsQuery,
  answer: z.object({ posts: z.array(TopPostView), status: Done }),
  answerDescription: "The posts; those without the number are left out.",
  example: { posts: [EXAMPLE_TOP_POST], status: true },
  run: async ({ deps, caller }, { query }) => {
    const { metric, limit, ...asked } = query;
    const rows = await selectTop(deps.db, periodOf(caller, asked), metric, limit);
    return { posts: rows.map((row) => toTopPostView(row, metric)), status: true } as const;
  },
});
