import { z } from "zod";
import type { Channel } from "../../channels/store.ts";
import { isTimetableStill, timetableOf } from "../../channels/timetable.ts";
import type { Timetable } from "../../channels/weekly-slots.ts";
import type { Caller } from "../../core/caller.ts";
import { type Check, said, type Warning } from "../../core/checks.ts";
import { type AppError, invalidFields } from "../../core/errors.ts";
import { must, shown } from "../../core/sentences.ts";
import { DAY, localTime, MINUTE, parseLocalTime, SECOND } from "../../core/time.ts";
import { type Db, requireStill, type Statement } from "../../db/client.ts";
import { NEVER } from "../../jobs/reschedule.ts";
import type { CreatePostBody } from "../schema.ts";
import type { PostState } from "../table.ts";
import { moveJobsOf, movePosts } from "./queue-store.ts";
import { earliestSlot, freeSlot, placeInPaused, type QueuePosition, type Reservation } from "./slots.ts";

/** When a post is due: now, at the time of the request, or in a slot of its channel's queue. */

/** When a post is due, and its slot if it is queued. */
export interface Timing {
  readonly state: PostState;
  readonly publishAt: number;
  readonly placement: Placement | null;
}

/** When a new post is due. Throws the 422 of a time or a queue that does not allow it. */
export function planTiming(
  body: Pick<CreatePostBody, "publish_mode" | "schedule_time" | "time_zone">,
  caller: Pick<Caller, "timeZone">,
  channel: Channel,
  { reservations, now }: { readonly reservations: readonly Reservation[]; readonly now: number },
): Timing {
  const mode = body.publish_mode;
  switch (mode) {
    case "now":
      return { state: "pending", publishAt: now, placement: null };
    case "draft":
      return { state: "draft", publishAt: now, placement: null };
    case "scheduled": {
      const publishAt = readSchedule(body.schedule_time ?? "", body.time_zone ?? caller.timeZone, now);
      return { state: "scheduled", publishAt, placement: null };
    }
    case "queued":
    case "share_next": {
      const placement = placeInQueue(channel, caller, { mode, reservations, now });
      return { state: "queued", publishAt: placement.slot, placement };
    }
  }
}

/** A time that passed less than this ago counts as now: clocks differ and requests take time. */
const LATE_MS = 5 * MINUTE;
const AHEAD_MS = 5 * 366 * DAY;

/** A post due sooner than this gets its message at once; the minute sweep sends later ones. */
export const SEND_AT_ONCE_MS = 90 * SECOND;

/**
 * The instant of `schedule_time` in `time_zone`. Rejects invalid dates, past times and times too far ahead.
 */
export function readSchedule(scheduleTime: string, timeZone: string, now: number): number {
  const local = parseLocalTime(scheduleTime, timeZone);
  if (local.kind === "not_a_date") {
    throw refused("be a real date and time", shown(scheduleTime), { kind: "datetime" });
  }
  if (local.at < now - LATE_MS) {
    const check = { kind: "past", parts: [scheduleTime, timeZone] } as const;
    throw refused("be in the future", `${scheduleTime} in ${timeZone}, which is past`, check);
  }
  if (local.at > now + AHEAD_MS) {
    throw refused("be at most five years ahead", scheduleTime, { kind: "far_ahead", parts: [] });
  }
  return local.at;
}

function refused(allowed: string, found: string, check: Check): AppError {
  const field = "schedule_time";
  return invalidFields([{ field, code: "schedule_invalid", message: must(field, allowed, found), check }]);
}

/** Warnings for an accepted schedule: a time that a clock change skips was moved. */
export function scheduleWarnings(wanted: {
  readonly schedule_time?: string | undefined;
  readonly time_zone?: string | undefined;
}): Warning[] {
  const { schedule_time, time_zone } = wanted;
  if (schedule_time === undefined || time_zone === undefined) return [];
  const local = parseLocalTime(schedule_time, time_zone);
  if (local.kind === "not_a_date" || local.movedTo === null) return [];
  const message = `schedule_time ${schedule_time} does not exist in ${time_zone}, because clocks go forward then. It was moved to ${local.movedTo}.`;
  const sentence = said(message, "clock_change", schedule_time, time_zone, local.movedTo);
  return [{ field: "schedule_time", ...sentence }];
}

export interface JobTiming {
  readonly runAt: number;
  readonly deadlineAt: number;
  /** When the message that is sent now arrives. Null: too far ahead, the sweep sends it. */
  readonly messageAt: number | null;
}

/** The times of the publish job of a post that is due at `publishAt`. */
function jobTiming(publishAt: number, now: number, deadlineMs: number): JobTiming {
  const isSoon = publishAt - now <= SEND_AT_ONCE_MS;
  return {
    runAt: publishAt,
    deadlineAt: Math.max(publishAt, now) + deadlineMs,
    messageAt: isSoon ? Math.max(publishAt, now) : null,
  };
}

/** When the job of a post is due; the job of a paused queue rests. */
export function timesOf(
  { publishAt, placement }: Pick<Timing, "publishAt" | "placement">,
  channel: Pick<Channel, "queuePausedAt">,
  now: number,
  deadlineMs: number,
): JobTiming {
  if (placement === null || channel.queuePausedAt === null) return jobTiming(publishAt, now, deadlineMs);
  return { runAt: NEVER, deadlineAt: NEVER, messageAt: null };
}

/** A post's place in its channel's queue, based on the timetable and the queue as they were read. */
export interface Placement extends QueuePosition {
  readonly channel: Channel;
  readonly timetable: Timetable;
}

type QueueMode = "queued" | "share_next";

interface NewPlace {
  readonly mode: QueueMode;
  readonly reservations: readonly Reservation[];
  readonly now: number;
}

/** The place of a new post. Throws if there is no free slot. */
export function placeInQueue(channel: Channel, { timeZone }: Pick<Caller, "timeZone">, wanted: NewPlace): Placement {
  const timetable = timetableOf(channel, timeZone);
  const place = findPlace(channel, timetable, wanted);
  if (!place) throw noSlot(channel);
  return { ...place, channel, timetable };
}

function findPlace(
  { queuePausedAt }: Channel,
  timetable: Timetable,
  { mode, reservations, now }: NewPlace,
): QueuePosition | null {
  const isOverdue = reservations.some(({ isQueued, slotAt }) => isQueued && slotAt <= now);
  // In a paused queue some slots may have passed: its order counts, not its times.
  if (queuePausedAt !== null && isOverdue) {
    return placeInPaused(timetable, now, reservations, mode === "share_next" ? "first" : "last");
  }
  return mode === "share_next" ? earliestSlot(timetable, now, reservations) : freeSlot(timetable, now, reservations);
}

function noSlot({ name }: Channel): AppError {
  const sentence = `publish_mode cannot be applied: the timetable of ${name} has no free slot within two years. Add more times.`;
  return invalidFields([{ field: "publish_mode", code: "slot_unavailable", ...said(sentence, "no_slot", name) }]);
}

/** The context in which a placement changes the queue. */
export interface Queueing {
  readonly db: Db;
  readonly caller: Pick<Caller, "projectId">;
  readonly deadlineMs: number;
  readonly now: number;
}

/**
 * Statements that make room by moving other posts. They precede, in the same batch, the statement that gives
 * the post its slot. The batch fails if the timetable changed (`isChangedSince`) or another post took the
 * slot (a unique violation). The caller then plans again.
 */
export function makeRoom(
  { db, caller, deadlineMs, now }: Queueing,
  { channel, moves, added = 1 }: Pick<Placement, "channel" | "moves"> & { readonly added?: number },
): Statement[] {
  const because = added === 1 ? "Moved back by one slot: another post is published first." : MOVED_FOR_SEVERAL;
  const moved = movePosts(db, { projectId: caller.projectId, moves, because, now });
  const jobs = moves.length > 0 && channel.queuePausedAt === null ? [moveJobsOf(db, moves, deadlineMs)] : [];
  return [requireStill(db, isTimetableStill(channel.id, channel)), ...moved, ...jobs];
}

const MOVED_FOR_SEVERAL = "Moved back: other posts are published first.";

/** The slot of a queued post, as the response shows it. */
export const SlotAnswer = z.object({ at: z.number(), timeZone: z.string(), isPaused: z.boolean() });
export type SlotAnswer = z.output<typeof SlotAnswer>;

export function slotAnswer({ slot, timetable, channel }: Placement): SlotAnswer {
  return { at: slot, timeZone: timetable.timeZone, isPaused: channel.queuePausedAt !== null };
}

/** For example `Its slot is 2030-03-05 09:00 (Europe/Berlin).` */
export function slotSentence({ at, timeZone, isPaused }: SlotAnswer): string {
  const text = `${localTime(at, timeZone)} (${timeZone})`;
  return isPaused
    ? `The queue is paused. The post gets a new slot when the queue resumes; it would be ${text}.`
    : `Its slot is ${text}.`;
}
