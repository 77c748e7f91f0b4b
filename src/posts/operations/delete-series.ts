import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { removeSeries } from "../series/series.ts";
import { SeriesParam } from "../series/series-schema.ts";
import { COMMON, idIn } from "./series-common.ts";

export const DeleteSeries = operation({
  ...COMMON,
  id: "deleteSeries",
  audited: true,
  method: "delete",
  path: "/social/delete-series/{series_id}",
  permission: "social-delete-post",
  summary: "Delete a series",
  description: "No further post is created. Posts that exist stay.",
  params: SeriesParam,
  answer: z.object({ message: z.string(), status: z.literal(true) }),
  answerDescription: "The series is deleted.",
  example: { message: "Series 3 is deleted. Its posts stay.", status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = idIn(params.series_id);
    await removeSeries(deps, caller, id);
    return { message: `Series ${id} is deleted. Its posts stay.`, status: true } as const;
  },
});
