import { z } from "@hono/zod-openapi";
import { adviceOn } from "../core/advice.ts";
import { ADVICE_VIEW, FailureCodeView } from "../core/code-schemas.ts";
import type { FailureCode } from "../core/failures.ts";
import { humanTime, isoUtc } from "../core/time.ts";
import { timelineView } from "../events/view-schema.ts";
import { PLATFORM_NAMES, type PlatformName } from "../platforms/names.ts";
import { POST_EVENTS } from "./events.ts";
import { shownState } from "./store.ts";
import type { PostState } from "./table.ts";

/** A post and its events in answers: spec 4.3 to 4.7. */

export const EXAMPLE_POST = {
  post_id: 42,
  channel_type: "facebook",
  channel_id: "12",
  STATUS: "published",
  permalink: "https://www.facebook.com/104000000000001/posts/122000000000011",
} as const;

export const PostView = z
  .object({
    post_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    channel_id: z.string(),
    STATUS: z.enum(["pending", "processing", "scheduled", "queued", "published", "failed", "draft"]),
    permalink: z.string().optional().openapi({ description: "Present when published." }),
    error: z.string().optional().openapi({ description: "The reason of a failed post, in one sentence." }),
    error_code: z.union([FailureCodeView, z.null()]).optional().openapi({
      description: "Of a failed post. With `include=content` always present, and null if it has not failed.",
    }),
    fix: ADVICE_VIEW.fix.optional(),
    again: ADVICE_VIEW.again.optional(),
    docs_url: ADVICE_VIEW.docs_url.optional(),
  })
  .openapi("Post", {
    example: EXAMPLE_POST,
  });

export const UpcomingView = z
  .object({
    post_id: z.int(),
    channel_type: z.enum(PLATFORM_NAMES),
    channel_id: z.string(),
    STATUS: z.enum(["queued", "scheduled"]),
    schedule_time: z.string().openapi({ example: "10AM, 5th of March, 2030" }),
    time_zone: z.string(),
    scheduled_at: z
      .string()
      .openapi({ description: "ISO 8601 with offset.", example: "2030-03-05T09:00:00.000+00:00" }),
  })
  .openapi("UpcomingPost");

/** The events of a post (events.ts). */
export const PostEventView = timelineView(POST_EVENTS, "PostEvent");

/** The columns that the views need. */
interface PostRow {
  readonly id: number;
  readonly channelType: PlatformName;
  readonly channelId: number;
  readonly state: PostState;
  readonly processingAt: number | null;
  readonly permalink: string | null;
  readonly error: string | null;
  readonly errorCode: FailureCode | null;
}

/** A failed post has its code and the advice on it. `origin` is the service's public origin. */
export function toPostView(row: PostRow, origin: string): z.output<typeof PostView> {
  const state = shownState(row);
  if (state === "deleted") throw new Error(`Post ${row.id} is deleted and must not be shown.`);
  return {
    post_id: row.id,
    channel_type: row.channelType,
    channel_id: String(row.channelId),
    STATUS: state,
    ...(row.state === "published" && row.permalink !== null ? { permalink: row.permalink } : {}),
    ...(row.state === "failed" ? failureOf(row, origin) : {}),
  };
}

function failureOf({ error, errorCode }: PostRow, origin: string) {
  const code = errorCode ?? "unexpected";
  return { error: error ?? "Publishing failed.", error_code: code, ...adviceOn(code, origin) };
}

interface UpcomingRow {
  readonly id: number;
  readonly channelType: PlatformName;
  readonly channelId: number;
  readonly state: "queued" | "scheduled";
  readonly publishAt: number;
  readonly timeZone: string;
}

export function toUpcomingView(row: UpcomingRow): z.output<typeof UpcomingView> {
  return {
    post_id: row.id,
    channel_type: row.channelType,
    channel_id: String(row.channelId),
    STATUS: row.state,
    schedule_time: humanTime(row.publishAt, row.timeZone),
    time_zone: row.timeZone,
    scheduled_at: isoUtc(row.publishAt),
  };
}
