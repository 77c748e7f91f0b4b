import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { exportCsv } from "../read.ts";
import { ExportQuery } from "../schema.ts";
import { COMMON, periodOf } from "./common.ts";

export const ExportInsights = operation({
  ...COMMON,
  id: "exportInsights",
  method: "get",
  path: "/social/export-insights",
  summary: "Export numbers as CSV",
  description:
    "The numbers of the posts of a period as comma-separated values (RFC 4180): a line for each post and day, of the newest 2,000 posts. An empty cell is a number that the platform does not say.",
  query: ExportQuery,
  answer: z.object({ file_name: z.string(), csv: z.string(), status: Done }),
  answerDescription: "The file's name and content.",
  example: { file_name: "insights.csv", csv: "post_id,channel_id,…\r\n", status: true },
  run: async ({ deps, caller }, { query }) => {
    const csv = await exportCsv(deps, periodOf(caller, query));
    return { file_name: "insights.csv", csv, status: true } as const;
  },
});
