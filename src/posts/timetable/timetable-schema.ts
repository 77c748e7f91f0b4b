import { z } from "@hono/zod-openapi";
import { type StoredTimetable, timetableOf } from "../../channels/timetable.ts";
import { timesOn, WEEKDAYS, type WeeklySlots } from "../../channels/weekly-slots.ts";
import { isTimeZone, zoneName } from "../../core/time.ts";
import type { TimetableChange } from "./timetable.ts";

/** Schemas of the timetable of a channel's queue, an extension. */

const MAX_TIMES_A_DAY = 48;

const EXAMPLE_SLOTS = {
  monday: ["09:00", "13:00"],
  tuesday: ["09:00"],
  wednesday: [],
  thursday: ["09:00"],
  friday: ["09:00", "16:30"],
  saturday: [],
  sunday: [],
};

export const EXAMPLE_TIMETABLE = {
  slots: EXAMPLE_SLOTS,
  time_zone: "Europe/Berlin",
  paused: false,
  is_default: false,
};

const TimeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day, HH:mm, from 00:00 to 23:59")
  .openapi({ example: "09:00" });
const Times = z.array(TimeOfDay).max(MAX_TIMES_A_DAY);

const Slots = z
  .strictObject({
    monday: Times.optional(),
    tuesday: Times.optional(),
    wednesday: Times.optional(),
    thursday: Times.optional(),
    friday: Times.optional(),
    saturday: Times.optional(),
    sunday: Times.optional(),
  })
  .refine((slots) => WEEKDAYS.some((day) => slots[day]?.length), {
    error: "must not be without a time: to stop the queue, set paused to true.",
  })
  .openapi("WeeklySlots", {
    description: `Times of day, \`HH:mm\`, by weekday, at most ${MAX_TIMES_A_DAY} a day. Replaces the whole week: a day without an entry has no slots.`,
    example: EXAMPLE_SLOTS,
  });

export const UpdateTimetableBody = z
  .strictObject({
    slots: Slots.nullable().optional().openapi({ description: "Null: the default slots." }),
    time_zone: z
      .string()
      .max(64, { abort: true })
      .refine(isTimeZone, "must be an IANA time zone name (e.g. Europe/Berlin)")
      .overwrite(zoneName)
      .nullable()
      .optional()
      .openapi({ example: "Europe/Berlin", description: "Any IANA zone name. Null: the project's." }),
    paused: z.boolean().optional().openapi({ description: "Whether the queue is paused." }),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: "must not be empty: send at least one field to change.",
    when: ({ issues }) => issues.length === 0,
  })
  .openapi("UpdateTimetable", { example: { slots: EXAMPLE_SLOTS, time_zone: "Europe/Berlin" } });

const TimesView = z.array(z.string().openapi({ example: "09:00" })).readonly();

export const TimetableView = z
  .object({
    slots: z.object({
      monday: TimesView,
      tuesday: TimesView,
      wednesday: TimesView,
      thursday: TimesView,
      friday: TimesView,
      saturday: TimesView,
      sunday: TimesView,
    }),
    time_zone: z.string(),
    paused: z.boolean(),
    is_default: z.boolean().openapi({ description: "Whether the slots are the default ones." }),
  })
  .openapi("Timetable", { example: EXAMPLE_TIMETABLE });

export function toTimetableView(stored: StoredTimetable, projectZone: string): z.output<typeof TimetableView> {
  const { slots, timeZone } = timetableOf(stored, projectZone);
  return {
    slots: {
      monday: timesOn(slots, 1),
      tuesday: timesOn(slots, 2),
      wednesday: timesOn(slots, 3),
      thursday: timesOn(slots, 4),
      friday: timesOn(slots, 5),
      saturday: timesOn(slots, 6),
      sunday: timesOn(slots, 7),
    },
    time_zone: timeZone,
    paused: stored.queuePausedAt !== null,
    is_default: slots === null,
  };
}

/** The requested change with its times sorted and without duplicates. */
export function toTimetableChange({
  slots,
  time_zone: zone,
  paused: isPaused,
}: z.output<typeof UpdateTimetableBody>): TimetableChange {
  return {
    ...(slots === undefined ? {} : { slots: slots && toWeeklySlots(slots) }),
    ...(zone === undefined ? {} : { zone }),
    ...(isPaused === undefined ? {} : { isPaused }),
  };
}

function toWeeklySlots(slots: z.output<typeof Slots>): WeeklySlots {
  return Object.fromEntries(
    WEEKDAYS.flatMap((day, index) => {
      const times = [...new Set(slots[day])].sort();
      return times.length > 0 ? [[String(index + 1), times]] : [];
    }),
  );
}
