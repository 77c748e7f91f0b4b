import { z } from "@hono/zod-openapi";
import { optionalText } from "../../core/text-field.ts";
import { isoUtc, isoUtcOrNull } from "../../core/time.ts";
import { timelineView } from "../../events/view-schema.ts";
import { pathId } from "../../http/page.ts";
import { UncheckedFields } from "../many/many-schema.ts";
import { CreatePostBody } from "../schema.ts";
import { SERIES_EVENTS } from "./events.ts";
import { MAX_RULE } from "./rule.ts";
import type { Series } from "./store.ts";
import { SERIES_STATES } from "./table.ts";

/** Shapes of the operations for posts that repeat. */

export const SeriesParam = z.object({ series_id: pathId("series_id") });

const { schedule_time, time_zone } = CreatePostBody.shape;

export const CreateSeriesBody = z
  .object({
    name: optionalText(100).optional().openapi({ example: "Monday offers" }),
    rule: z.string().min(1).max(MAX_RULE).openapi({
      example: "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=20",
      description:
        "A recurrence rule of RFC 5545 with FREQ (DAILY, WEEKLY, MONTHLY), INTERVAL, BYDAY (in a month also 1MO or -1FR), BYMONTHDAY (-1: the last day), BYHOUR, BYMINUTE, BYSETPOS, WKST (default MO), and COUNT or UNTIL. Dates that do not exist are left out.",
    }),
    start_time: schedule_time.unwrap().openapi({
      example: "2030-03-04 09:00",
      description: "From when the rule counts, `YYYY-MM-DD HH:mm`; also its time of day unless the rule has BYHOUR.",
    }),
    time_zone: time_zone.openapi({ description: "Default: the project's.", example: "Europe/Berlin" }),
    post: UncheckedFields.openapi({ description: "The body of create-post without a time." }),
    variants: z
      .array(UncheckedFields)
      .max(50)
      .optional()
      .openapi({ description: "Fields that replace those of `post`: the first occurrence has the first, in turn." }),
  })
  .openapi("CreateSeries", {
    example: {
      name: "Monday offers",
      rule: "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=20",
      start_time: "2030-03-04 09:00",
      time_zone: "Europe/Berlin",
      post: {
        channel_type: "facebook",
        channel_id: 12,
        post_type: "post",
        caption_text: "Fresh rolls",
        media_urls: [],
      },
      variants: [{ caption_text: "Fresh rolls" }, { caption_text: "Rolls, still warm" }],
    },
  });

export const UpdateSeriesBody = z
  .object({ state: z.enum(["active", "paused"]).openapi({ example: "paused" }) })
  .openapi("UpdateSeries", { example: { state: "paused" } });

export const SeriesView = z
  .object({
    series_id: z.int(),
    name: z.string(),
    state: z.enum(SERIES_STATES),
    rule: z.string(),
    start_time: z.string(),
    time_zone: z.string(),
    next_at: z.string().nullable().openapi({ description: "When the next post is due. Null: there is none." }),
    made: z.int().openapi({ description: "Occurrences that became posts." }),
    skipped: z.int().openapi({ description: "Occurrences whose time was over before they could have a post." }),
    last_post_id: z.int().nullable(),
    pause_reason: z.string().nullable(),
    wait_reason: z.string().nullable().openapi({
      description: "Why the next occurrence waits: create-post refuses it for now, such as by a full quota.",
    }),
    created_at: z.string(),
  })
  .openapi("Series");

/** The timeline (events.ts). */
export const SeriesEventView = timelineView(SERIES_EVENTS, "SeriesEvent");

export const EXAMPLE_SERIES = {
  series_id: 3,
  name: "Monday offers",
  state: "active",
  rule: "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=20",
  start_time: "2030-03-04 09:00",
  time_zone: "Europe/Berlin",
  next_at: "2030-03-04T08:00:00.000+00:00",
  made: 0,
  skipped: 0,
  last_post_id: null,
  pause_reason: null,
  wait_reason: null,
  created_at: "2030-03-01T09:00:00.000+00:00",
} as const satisfies z.input<typeof SeriesView>;

export function toSeriesView(series: Series): z.output<typeof SeriesView> {
  const { id: series_id, name, state, rule, made, skipped } = series;
  return {
    series_id,
    name,
    state,
    rule,
    start_time: series.startTime,
    time_zone: series.timeZone,
    next_at: isoUtcOrNull(series.nextAt),
    made,
    skipped,
    last_post_id: series.lastPostId,
    pause_reason: series.pauseReason,
    wait_reason: series.waitReason,
    created_at: isoUtc(series.createdAt),
  };
}
