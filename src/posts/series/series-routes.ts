import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import type { SeriesId } from "../../core/ids.ts";
import { isoUtc } from "../../core/time.ts";
import type { IdempotencyRecord } from "../../db/client.ts";
import type { Api } from "../../http/api.ts";
import { idempotently } from "../../http/idempotency.ts";
import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { UpcomingQuery } from "../schema.ts";
import { createSeries, getSeries, recallSeries, removeSeries, setSeriesState } from "./series.ts";
import {
  CreateSeriesBody,
  EXAMPLE_SERIES,
  SeriesEventView,
  SeriesParam,
  SeriesView,
  toSeriesView,
  UpdateSeriesBody,
} from "./series-schema.ts";
import { listSeries, readSeriesTimeline } from "./store.ts";

const COMMON = { tag: "Posts", extension: true } as const;
const Answered = z.object({ series: SeriesView, status: z.literal(true) });
const EXAMPLE = { series: EXAMPLE_SERIES, status: true } as const;

/** The extension for posts that repeat. */
export function seriesRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "createSeries",
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
    }),
    async (c) => {
      const body = c.req.valid("json");
      const { deps, caller } = c.var;
      const {
        name = "",
        rule,
        start_time: startTime,
        time_zone: timeZone = caller.timeZone,
        post,
        variants = [],
      } = body;
      const wanted = { name, rule, startTime, timeZone, post, variants };
      const create = (record: IdempotencyRecord | null) => createSeries(deps, caller, wanted, record);
      const id = await idempotently(c, body, create, recallSeries);
      const series = toSeriesView(await getSeries(deps, caller, id));
      return c.json({ series, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "updateSeries",
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
    }),
    async (c) => {
      const { state } = c.req.valid("json");
      const series = await setSeriesState(c.var.deps, c.var.caller, idIn(c.req.valid("param").series_id), state);
      return c.json({ series: toSeriesView(series), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getSeries",
      method: "get",
      path: "/social/series/{series_id}",
      permission: "social-read-posts",
      permits: "to read posts",
      summary: "Get a series",
      description: "Its state, its next time, and how many posts it has created.",
      params: SeriesParam,
      answer: Answered,
      answerDescription: "The series.",
      example: EXAMPLE,
    }),
    async (c) => {
      const series = await getSeries(c.var.deps, c.var.caller, idIn(c.req.valid("param").series_id));
      return c.json({ series: toSeriesView(series), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "listSeries",
      method: "get",
      path: "/social/series",
      permission: "social-read-posts",
      permits: "to read posts",
      summary: "List series",
      description: "The newest first.",
      query: UpcomingQuery,
      answer: z.object({ series: z.array(SeriesView), status: z.literal(true) }),
      answerDescription: "The series.",
      example: { series: [EXAMPLE_SERIES], status: true },
    }),
    async (c) => {
      const { deps, caller } = c.var;
      const rows = await listSeries(deps.db, caller.projectId, c.req.valid("query").limit);
      return c.json({ series: rows.map(toSeriesView), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "seriesEvents",
      method: "get",
      path: "/social/series/{series_id}/events",
      permission: "social-read-posts",
      permits: "to read posts",
      summary: "Timeline of a series",
      description: "When and why it paused, continued and ended, oldest first. Its posts have timelines of their own.",
      params: SeriesParam,
      answer: z.object({ events: z.array(SeriesEventView), status: z.literal(true) }),
      answerDescription: "The timeline.",
      example: { events: [EXAMPLE_EVENT], status: true },
    }),
    async (c) => {
      const id = idIn(c.req.valid("param").series_id);
      const found = await readSeriesTimeline(c.var.deps.db, c.var.caller.projectId, id);
      if (!found) throw absent("series", id);
      const events = found.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
      return c.json({ events, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "deleteSeries",
      method: "delete",
      path: "/social/delete-series/{series_id}",
      permission: "social-delete-post",
      summary: "Delete a series",
      description: "No further post is created. Posts that exist stay.",
      params: SeriesParam,
      answer: z.object({ message: z.string(), status: z.literal(true) }),
      answerDescription: "The series is deleted.",
      example: { message: "Series 3 is deleted. Its posts stay.", status: true },
    }),
    async (c) => {
      const id = idIn(c.req.valid("param").series_id);
      await removeSeries(c.var.deps, c.var.caller, id);
      return c.json({ message: `Series ${id} is deleted. Its posts stay.`, status: true } as const, 200);
    },
  );
}

const EXAMPLE_EVENT = {
  id: 7,
  type: "series.paused",
  message: "Post 42 failed. Post it again or dismiss it, then continue the series.",
  detail: { name: "Monday offers", reason: "post_failed", post_id: 42 },
  created_at: "2030-03-05T09:00:01.000+00:00",
} as const;

const idIn = (text: string): SeriesId => readPathId("series", text);
