import { z } from "zod";

/** When a channel's queue publishes: times of day by weekday, in a time zone. Pure. */

/** In ISO order: Monday is 1. */
export const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;

/** 09:00, 13:00 and 17:00 every day. */
const DEFAULT_TIMES = ["09:00", "13:00", "17:00"] as const;

/** Times of day (`HH:mm`) by ISO weekday, "1" = Monday; a missing day has none. */
export const WeeklySlots = z.record(z.string(), z.array(z.string()).readonly()).readonly();
export type WeeklySlots = z.output<typeof WeeklySlots>;

export interface Timetable {
  /** Null: the default. */
  readonly slots: WeeklySlots | null;
  readonly timeZone: string;
}

/** The times of an ISO weekday, 1 = Monday. */
export function timesOn(slots: WeeklySlots | null, weekday: number): readonly string[] {
  return slots ? (slots[String(weekday)] ?? []) : DEFAULT_TIMES;
}
