import type { WeeklySlots } from "../channels/table.ts";
import { addDays, localDate, parseLocalTime, weekdayOf } from "../core/time.ts";

/** 09:00, 13:00 and 17:00 every day (decisions.md, Posts). */
const DEFAULT_TIMES = ["09:00", "13:00", "17:00"] as const;

export interface Timetable {
  /** Null = the default. */
  readonly slots: WeeklySlots | null;
  readonly timeZone: string;
}

/** How far ahead a free slot is looked for. */
const HORIZON_DAYS = 730;

/** The timetable's instants after `from`, in order. Empty when the timetable is. */
export function* slotsAfter(timetable: Timetable, from: number): Generator<number> {
  const firstDay = localDate(from, timetable.timeZone);
  let last = from;
  for (let day = 0; day <= HORIZON_DAYS; day++) {
    const date = addDays(firstDay, day);
    const times = timetable.slots ? (timetable.slots[String(weekdayOf(date))] ?? []) : DEFAULT_TIMES;
    for (const time of [...times].sort()) {
      const local = parseLocalTime(`${date} ${time}`, timetable.timeZone);
      // Two times can be one instant where a clock change skips an hour.
      if (local.kind === "instant" && local.at > last) {
        last = local.at;
        yield local.at;
      }
    }
  }
}

/** The first slot after `from` that nobody holds; null when the timetable has none within two years. */
export function freeSlot(timetable: Timetable, from: number, taken: ReadonlySet<number>): number | null {
  for (const slot of slotsAfter(timetable, from)) {
    if (!taken.has(slot)) return slot;
  }
  return null;
}

export interface Reservation {
  readonly id: number;
  readonly slotAt: number;
  /** Whether it is still waiting and may be moved. */
  readonly isQueued: boolean;
}

export interface Move {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

export interface NextShare {
  readonly slot: number;
  /** Who makes room: everyone is moved to the slot after their own, up to the first gap. */
  readonly moves: readonly Move[];
}

/** The earliest slot, and how the queued posts are pushed back by one for it. */
export function earliestSlot(
  timetable: Timetable,
  from: number,
  reservations: readonly Reservation[],
): NextShare | null {
  const bySlot = new Map(reservations.map((reservation) => [reservation.slotAt, reservation]));
  const moves: Move[] = [];
  let slot: number | null = null;
  let displaced: Reservation | null = null;
  for (const candidate of slotsAfter(timetable, from)) {
    const reservation = bySlot.get(candidate);
    // A post that is being published keeps its slot.
    if (reservation && !reservation.isQueued) continue;
    if (slot === null) slot = candidate;
    else if (displaced) moves.push({ id: displaced.id, from: displaced.slotAt, to: candidate });
    displaced = reservation ?? null;
    if (displaced === null) return { slot, moves };
  }
  return null;
}
