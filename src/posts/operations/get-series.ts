import { operation } from "../../http/operation.ts";
import { getSeries } from "../series/series.ts";
import { SeriesParam, toSeriesView } from "../series/series-schema.ts";
import { Answered, COMMON, EXAMPLE, idIn } from "./series-common.ts";

export const GetSeries = operation({
  ...COMMON,
  id: "getSeries",
  method: "get",
  path: "/social/get-series/{series_id}",
  permission: "social-read-posts",
  permits: "to read posts",
  summary: "Get a series",
  description: "Its state, its next time, and how many posts it has created.",
  params: SeriesParam,
  answer: Answered,
  answerDescription: "The series.",
  example: EXAMPLE,
  run: async ({ deps, caller }, { params }) => {
    const series = await getSeries(deps, caller, idIn(params.series_id));
    return { series: toSeriesView(series), status: true } as const;
  },
});
