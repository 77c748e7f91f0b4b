import { operation } from "../../http/operation.ts";
import { setSeriesState } from "../series/series.ts";
import { EXAMPLE_SERIES, SeriesParam, toSeriesView, UpdateSeriesBody } from "../series/series-schema.ts";
import { Answered, COMMON, idIn } from "./series-common.ts";

export const UpdateSeries = operation({
  ...COMMON,
  id: "updateSeries",
  audited: true,
  method: "put",
  path: "/social/update-series/{series_id}",
  permission: "social-create-post",
  summary: "Pause or continue a series",
  description: "A continued series goes on with its next time in the future. Posts that exist stay.",
  params: SeriesParam,
  body: UpdateSeriesBody,
  answer: Answered,
  answerDescription: "The series.",
  example: { series: { ...EXAMPLE_SERIES, state: "paused", pause_reason: "Paused by a request." }, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const { state } = body;
    const series = await setSeriesState(deps, caller, idIn(params.series_id), state);
    return { series: toSeriesView(series), status: true } as const;
  },
});
