import type { IdempotencyRecord } from "../../db/client.ts";
import { operation } from "../../http/operation.ts";
import { createSeries, getSeries, recallSeries } from "../series/series.ts";
import { CreateSeriesBody, toSeriesView } from "../series/series-schema.ts";
import { Answered, COMMON, EXAMPLE } from "./series-common.ts";

export const CreateSeries = operation({
  ...COMMON,
  id: "createSeries",
  audited: true,
  method: "post",
  path: "/social/create-series",
  permission: "social-create-post",
  summary: "Repeat a post",
  description:
    "Creates a post at each time of a rule, in a time zone: an ordinary scheduled post, ten minutes before it is due. `variants` take turns. A series pauses when its last post failed, or when create-post would refuse the next one; `pause_reason` says why. A local time that a clock change skips moves forward. Uploaded files of the series are kept in the media library.",
  idempotent: true,
  quotas: "series",
  body: CreateSeriesBody,
  answer: Answered,
  answerDescription: "The series.",
  example: EXAMPLE,
  run: async ({ deps, caller, once }, { body }) => {
    const { name = "", rule, start_time: startTime, time_zone: timeZone = caller.timeZone, post, variants = [] } = body;
    const wanted = { name, rule, startTime, timeZone, post, variants };
    const create = (record: IdempotencyRecord | null) => createSeries(deps, caller, wanted, record);
    const id = await once(body, create, recallSeries);
    const series = toSeriesView(await getSeries(deps, caller, id));
    return { series, status: true } as const;
  },
});
