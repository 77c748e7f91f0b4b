import { type Timetable, timesOn } from "../../channels/weekly-slots.ts";
import { addDays, localDate, parseLocalTime, weekdayOf } from "../../core/time.ts";

/** How far ahead the search for a free slot goes, in days and in slots, so that a queue is bounded. */
const HORIZON_DAYS = 730;
export const MAX_SLOTS = 2_500;
/** A queue that is laid out again later than it was filled must still fit. */
const LAYOUT_DAYS = 2 * HORIZON_DAYS;

/** The timetable's slots after `from`, in order. Empty if the timetable is. */
export function* slotsAfter(
  timetable: Timetable,
  from: number,
  { days = HORIZON_DAYS, most = MAX_SLOTS }: { readonly days?: number; readonly most?: number } = {},
): Generator<number> {
  const firstDay = localDate(from, timetable.timeZone);
  let last = from;
  let count = 0;
  for (let day = 0; day <= days; day++) {
    const date = addDays(firstDay, day);
    for (const time of [...timesOn(timetable.slots, weekdayOf(date))].sort()) {
      const local = parseLocalTime(`${date} ${time}`, timetable.timeZone);
      // Two local times can be the same instant where a clock change skips an hour.
      if (local.kind === "instant" && local.at > last) {
        if (++count > most) return;
        last = local.at;
        yield local.at;
      }
    }
  }
}

export interface Reservation {
  readonly id: number;
  readonly slotAt: number;
  /** Whether the post is still waiting and may be moved. */
  readonly isQueued: boolean;
}

export interface Move {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/** A slot for a post, and the posts that move to make room for it. */
export interface QueuePosition {
  readonly slot: number;
  readonly moves: readonly Move[];
}

/**
 * The first free slot after `from`. Null if the timetable has none within two years, or the queue is full.
 */
export function freeSlot(
  timetable: Timetable,
  from: number,
  reservations: readonly Reservation[],
): QueuePosition | null {
  const taken = new Set(reservations.map(({ slotAt }) => slotAt));
  for (const slot of slotsAfter(timetable, from)) {
    if (!taken.has(slot)) return { slot, moves: [] };
  }
  return null;
}

/** The earliest slot. Queued posts move back by one slot each, up to the first gap. */
export function earliestSlot(
  timetable: Timetable,
  from: number,
  reservations: readonly Reservation[],
): QueuePosition | null {
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

/**
 * The queued posts laid out again: in their order, each on the next slot after `from` that no other post
 * holds. Null if the timetable has no room for all of them.
 */
export function layOut(
  timetable: Timetable,
  from: number,
  reservations: readonly Reservation[],
): readonly Move[] | null {
  const order = inOrder(reservations);
  const slots = nextSlots(timetable, from, order.length, reservations);
  return slots && movesTo(order, slots);
}

/**
 * A place in a paused queue. Its posts are laid out as if it resumed at `from`, with the new post first or
 * last. Null if the timetable has no room for all of them.
 */
export function placeInPaused(
  timetable: Timetable,
  from: number,
  reservations: readonly Reservation[],
  end: "first" | "last",
): QueuePosition | null {
  const order = inOrder(reservations);
  if (order.length >= MAX_SLOTS) return null;
  const slots = nextSlots(timetable, from, order.length + 1, reservations);
  const slot = slots?.at(end === "first" ? 0 : -1);
  if (!slots || slot === undefined) return null;
  return { slot, moves: movesTo(order, end === "first" ? slots.slice(1) : slots) };
}

function inOrder(reservations: readonly Reservation[]): Reservation[] {
  return reservations.filter(({ isQueued }) => isQueued).sort((a, b) => a.slotAt - b.slotAt);
}

function nextSlots(
  timetable: Timetable,
  from: number,
  count: number,
  reservations: readonly Reservation[],
): number[] | null {
  const kept = new Set(reservations.flatMap(({ isQueued, slotAt }) => (isQueued ? [] : [slotAt])));
  const slots: number[] = [];
  const candidates = slotsAfter(timetable, from, { days: LAYOUT_DAYS, most: count + kept.size });
  for (const slot of candidates) if (!kept.has(slot) && slots.length < count) slots.push(slot);
  return slots.length < count ? null : slots;
}

function movesTo(order: readonly Reservation[], slots: readonly number[]): Move[] {
  return order.flatMap(({ id, slotAt }, index) => {
    const to = slots[index];
    return to === undefined || to === slotAt ? [] : [{ id, from: slotAt, to }];
  });
}
