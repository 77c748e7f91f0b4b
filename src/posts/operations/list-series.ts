import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { UpcomingQuery } from "../schema.ts";
import { EXAMPLE_SERIES, SeriesView, toSeriesView } from "../series/series-schema.ts";
import { listSeries } from "../series/store.ts";
import { COMMON } from "./series-common.ts";

export const ListSeries = operation({
  ...COMMON,
  id: "listSeries",
  method: "get",
  path: "/social/get-series",
  permission: "social-read-posts",
  permits: "to read posts",
  summary: "List series",
  description: "The newest first.",
  query: UpcomingQuery,
  answer: z.object({ series: z.array(SeriesView), status: z.literal(true) }),
  answerDescription: "The series.",
  example: { series: [EXAMPLE_SERIES], status: true },
  run: async ({ deps, caller }, { query }) => {
    const rows = await listSeries(deps.db, caller.projectId, query.limit);
    return { series: rows.map(toSeriesView), status: true } as const;
  },
});
