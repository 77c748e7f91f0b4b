import { type AppError, invalid } from "../../core/errors.ts";
import { must, shown } from "../../core/sentences.ts";
import { DAY, MINUTE, parseLocalTime, SECOND } from "../../core/time.ts";

/** A time that passed less than this ago counts as now: clocks differ and requests take time. */
const LATE_MS = 5 * MINUTE;
const AHEAD_MS = 5 * 366 * DAY;

/** A post due sooner than this gets its message at once; the minute sweep sends later ones. */
export const SEND_AT_ONCE_MS = 90 * SECOND;

/**
 * The instant of `schedule_time` in `time_zone`. Rejects invalid dates, past times and times too far ahead
 * (decisions.md, Posts).
 */
export function readSchedule(scheduleTime: string, timeZone: string, now: number): number {
  const local = parseLocalTime(scheduleTime, timeZone);
  if (local.kind === "not_a_date") {
    throw refused("be a real date and time", shown(scheduleTime));
  }
  if (local.at < now - LATE_MS) {
    throw refused("be in the future", `${scheduleTime} in ${timeZone}, which is past`);
  }
  if (local.at > now + AHEAD_MS) {
    throw refused("be at most five years ahead", scheduleTime);
  }
  return local.at;
}

function refused(allowed: string, found: string): AppError {
  return invalid({ schedule_time: [must("schedule_time", allowed, found)] }, "schedule_invalid");
}

/** Warnings for an accepted schedule: a time that a clock change skips was moved. */
export function scheduleWarnings(wanted: {
  readonly schedule_time?: string | undefined;
  readonly time_zone?: string | undefined;
}): string[] {
  const { schedule_time, time_zone } = wanted;
  if (schedule_time === undefined || time_zone === undefined) return [];
  const local = parseLocalTime(schedule_time, time_zone);
  if (local.kind === "not_a_date" || local.movedTo === null) return [];
  return [
    `schedule_time ${schedule_time} does not exist in ${time_zone}, because clocks go forward then. It was moved to ${local.movedTo}.`,
  ];
}

export interface JobTiming {
  readonly runAt: number;
  readonly deadlineAt: number;
  /** When the message that is sent now arrives. Null: too far ahead, the sweep sends it. */
  readonly messageAt: number | null;
}

/** The times of the publish job of a post that is due at `publishAt`. */
export function jobTiming(publishAt: number, now: number, deadlineMs: number): JobTiming {
  const isSoon = publishAt - now <= SEND_AT_ONCE_MS;
  return {
    runAt: publishAt,
    deadlineAt: Math.max(publishAt, now) + deadlineMs,
    messageAt: isSoon ? Math.max(publishAt, now) : null,
  };
}
