import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { isoUtc } from "../../core/time.ts";
import { operation } from "../../http/operation.ts";
import { SeriesEventView, SeriesParam } from "../series/series-schema.ts";
import { readSeriesTimeline } from "../series/store.ts";
import { COMMON, idIn } from "./series-common.ts";

const EXAMPLE_EVENT = {
  id: 7,
  type: "series.paused",
  message: "Post 42 failed. Post it again or dismiss it, then continue the series.",
  detail: { name: "Monday offers", reason: "post_failed", post_id: 42 },
  created_at: "2030-03-05T09:00:01.000+00:00",
} as const;

export const GetSeriesEvents = operation({
  ...COMMON,
  id: "getSeriesEvents",
  method: "get",
  path: "/social/get-series-events/{series_id}",
  permission: "social-read-posts",
  permits: "to read posts",
  summary: "Timeline of a series",
  description: "When and why it paused, continued and ended, oldest first. Its posts have timelines of their own.",
  params: SeriesParam,
  answer: z.object({ events: z.array(SeriesEventView), status: z.literal(true) }),
  answerDescription: "The timeline.",
  example: { events: [EXAMPLE_EVENT], status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = idIn(params.series_id);
    const found = await readSeriesTimeline(deps.db, caller.projectId, id);
    if (!found) throw absent("series", id);
    const events = found.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
    return { events, status: true } as const;
  },
});
