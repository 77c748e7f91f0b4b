import type { Channel } from "../../channels/store.ts";
import type { Caller } from "../../core/caller.ts";
import { invalid } from "../../core/errors.ts";
import { isRequired } from "../../core/sentences.ts";
import { localTime } from "../../core/time.ts";
import type { UpdatePostBody } from "../schema.ts";
import type { Post } from "../store.ts";
import type { PublishMode } from "../table.ts";
import { type Placement, placeInQueue, readSchedule } from "../timetable/due-time.ts";
import type { Reservation } from "../timetable/slots.ts";

/** The new schedule of a waiting post or a draft. */
export interface ScheduleChange {
  readonly change: Pick<Post, "state" | "publishMode" | "publishAt" | "timeZone" | "slotAt">;
  /** The post's place in the queue; null if it does not enter the queue. */
  readonly placement: Placement | null;
}

interface ScheduleRequest {
  readonly post: Post;
  readonly body: UpdatePostBody;
  readonly channel: Channel;
  readonly caller: Pick<Caller, "timeZone">;
  /** The reservations in the channel's queue, without the post's own. */
  readonly reservations: readonly Reservation[];
  readonly now: number;
}

/** Whether the request puts the post into the queue, so that the queue must be read. */
export function needsQueue(post: Post, body: UpdatePostBody): boolean {
  return body.publish_mode === "share_next" || (body.publish_mode === "queued" && post.state !== "queued");
}

/** The body without the schedule that the post has: what a read returns can be sent back. */
export function withoutRepeatedSchedule<Body extends UpdatePostBody>(post: Post, body: Body): Body {
  const { publish_mode, schedule_time, time_zone } = body;
  const isSameMode = publish_mode === post.publishMode;
  const isSameZone = time_zone === undefined || time_zone === post.timeZone;
  if (schedule_time === undefined) {
    const isDraft = publish_mode === "draft" && post.state === "draft";
    return {
      ...body,
      ...(isSameZone && isSameMode ? { time_zone: undefined } : {}),
      ...(isDraft ? { publish_mode: undefined } : {}),
    };
  }
  const isQueued = publish_mode === "queued" || publish_mode === "share_next";
  const isSameTime = isSameZone && schedule_time === localTime(post.publishAt, post.timeZone);
  if (!isQueued || !isSameMode || !isSameTime) return body;
  return { ...body, publish_mode: undefined, schedule_time: undefined, time_zone: undefined };
}

/** Null if the request leaves the schedule unchanged. Throws a 422 for fields that contradict each other. */
export function planScheduleChange(wanted: ScheduleRequest): ScheduleChange | null {
  const { post, body, channel, caller, reservations, now } = wanted;
  const mode = modeOf(post, body);
  if (mode === null) return null;
  const { timeZone } = post;
  const unplaced = { slotAt: null, timeZone } as const;
  switch (mode) {
    case "now":
      return { change: { ...unplaced, state: "pending", publishMode: mode, publishAt: now }, placement: null };
    case "draft":
      if (post.state === "draft") return null;
      return { change: { ...unplaced, state: "draft", publishMode: mode, publishAt: post.publishAt }, placement: null };
    case "scheduled":
      return {
        change: { ...unplaced, ...scheduleOf(post, body, now), state: "scheduled", publishMode: mode },
        placement: null,
      };
    case "queued":
    case "share_next": {
      if (mode === "queued" && post.state === "queued") return null;
      const placement = placeInQueue(channel, caller, { mode, reservations, now });
      const { slot } = placement;
      return { change: { state: "queued", publishMode: mode, publishAt: slot, timeZone, slotAt: slot }, placement };
    }
  }
}

/**
 * A time of its own takes a waiting post out of the queue. For a draft, a time alone does not schedule it.
 */
function modeOf(post: Post, { publish_mode, schedule_time, time_zone }: UpdatePostBody): PublishMode | null {
  if (schedule_time === undefined && time_zone !== undefined) {
    throw invalid({ schedule_time: [isRequired("schedule_time", "with time_zone, a time as YYYY-MM-DD HH:mm")] });
  }
  if (schedule_time === undefined) return publish_mode ?? null;
  const mode = publish_mode ?? (post.state === "draft" ? "draft" : "scheduled");
  if (mode !== "scheduled") {
    throw invalid({
      schedule_time: [`schedule_time must not be sent when publish_mode is ${mode}: only scheduled takes it.`],
    });
  }
  return mode;
}

function scheduleOf(post: Post, body: UpdatePostBody, now: number) {
  const timeZone = body.time_zone ?? post.timeZone;
  if (body.schedule_time !== undefined) {
    return { publishAt: readSchedule(body.schedule_time, timeZone, now), timeZone };
  }
  if (post.state === "scheduled") return { publishAt: post.publishAt, timeZone: post.timeZone };
  throw invalid({
    schedule_time: ["schedule_time is required when publish_mode is scheduled: a time as YYYY-MM-DD HH:mm."],
  });
}
