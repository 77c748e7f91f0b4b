import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { EXAMPLE_FEED, FeedView, toFeedView } from "../feeds/feed-schema.ts";
import { listFeeds } from "../feeds/store.ts";
import { UpcomingQuery } from "../schema.ts";
import { COMMON, READING } from "./feed-common.ts";

export const GetFeeds = operation({
  ...COMMON,
  ...READING,
  id: "getFeeds",
  method: "get",
  path: "/social/get-feeds",
  summary: "List feeds",
  description: "The newest first.",
  query: UpcomingQuery,
  answer: z.object({ feeds: z.array(FeedView), status: z.literal(true) }),
  answerDescription: "The feeds.",
  example: { feeds: [EXAMPLE_FEED], status: true },
  run: async ({ deps, caller }, { query }) => {
    const rows = await listFeeds(deps.db, caller.projectId, query.limit);
    return { feeds: rows.map(toFeedView), status: true } as const;
  },
});
