import { eq, type SQL, sql } from "drizzle-orm";
import type { ChannelId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import { channelsTable } from "./table.ts";
import type { Timetable, WeeklySlots } from "./weekly-slots.ts";

/** The timetable, as stored with a channel. */
export interface StoredTimetable {
  /** Null: the default. */
  readonly slots: WeeklySlots | null;
  /** Null: the project's. */
  readonly slotsZone: string | null;
  /** Since when the queue is paused; null: it runs. */
  readonly queuePausedAt: number | null;
}

/** The timetables of all channels, for a join. */
export function selectTimetables(db: Db) {
  const { id, slots, slotsZone, queuePausedAt } = channelsTable;
  return db.select({ id, slots, slotsZone, queuePausedAt }).from(channelsTable).as("timetables");
}

export function timetableOf({ slots, slotsZone }: Omit<StoredTimetable, "queuePausedAt">, zone: string): Timetable {
  return { slots, timeZone: slotsZone ?? zone };
}

/** A condition: the channel's timetable is unchanged since the read. */
export function isTimetableStill(id: ChannelId, { slots, slotsZone, queuePausedAt }: StoredTimetable): SQL {
  const text = slots === null ? null : JSON.stringify(slots);
  return sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND json(channels.slots) IS json(${text})
    AND channels.slots_zone IS ${slotsZone} AND channels.queue_paused_at IS ${queuePausedAt})`;
}

/** A condition: the queue of the channel, given by a value or a column, is paused. */
export function isQueuePaused(id: ChannelId | SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM channels WHERE channels.id = ${id} AND channels.queue_paused_at IS NOT NULL)`;
}

export function storeTimetable(db: Db, id: ChannelId, timetable: StoredTimetable, now: number): Statement {
  const { slots, slotsZone, queuePausedAt } = timetable;
  const stored = { slots, slotsZone, queuePausedAt, updatedAt: now };
  return db.update(channelsTable).set(stored).where(eq(channelsTable.id, id));
}
