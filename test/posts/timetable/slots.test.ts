import fc from "fast-check";
import { describe, test } from "vitest";
import type { Timetable } from "../../../src/channels/weekly-slots.ts";
import {
  earliestSlot,
  freeSlot,
  layOut,
  placeInPaused,
  type Reservation,
  slotsAfter,
} from "../../../src/posts/timetable/slots.ts";

const FROM = Date.parse("2030-03-04T10:00:00Z");
const DEFAULT: Timetable = { slots: null, timeZone: "UTC" };

function at(text: string): number {
  return Date.parse(`${text}:00Z`);
}

describe("the timetable", () => {
  test("has 09:00, 13:00 and 17:00 every day by default", ({ expect }) => {
    const slots = slotsAfter(DEFAULT, FROM);
    const first = [slots.next().value, slots.next().value, slots.next().value, slots.next().value];
    expect(first).toEqual([
      at("2030-03-04T13:00"),
      at("2030-03-04T17:00"),
      at("2030-03-05T09:00"),
      at("2030-03-05T13:00"),
    ]);
  });

  test("follows the zone through a clock change", ({ expect }) => {
    const slots = slotsAfter({ slots: { "7": ["02:30"] }, timeZone: "America/New_York" }, at("2030-03-09T12:00"));
    expect(new Date(slots.next().value ?? 0).toISOString()).toBe("2030-03-10T07:30:00.000Z");
    expect(new Date(slots.next().value ?? 0).toISOString()).toBe("2030-03-17T06:30:00.000Z");
  });

  test("without any time has no slot", ({ expect }) => {
    expect(freeSlot({ slots: {}, timeZone: "UTC" }, FROM, [])).toBeNull();
    expect(earliestSlot({ slots: {}, timeZone: "UTC" }, FROM, [])).toBeNull();
  });
});

describe("share next", () => {
  const reservation = (id: number, slotAt: number, isQueued = true): Reservation => ({ id, slotAt, isQueued });

  test("takes the earliest slot and pushes the queued ones back by one, up to the first gap", ({ expect }) => {
    const next = earliestSlot(DEFAULT, FROM, [
      reservation(1, at("2030-03-04T13:00")),
      reservation(2, at("2030-03-04T17:00")),
      reservation(3, at("2030-03-05T13:00")),
    ]);
    expect(next).toEqual({
      slot: at("2030-03-04T13:00"),
      moves: [
        { id: 1, from: at("2030-03-04T13:00"), to: at("2030-03-04T17:00") },
        { id: 2, from: at("2030-03-04T17:00"), to: at("2030-03-05T09:00") },
      ],
    });
  });

  test("passes over a slot whose post is going out", ({ expect }) => {
    const next = earliestSlot(DEFAULT, FROM, [reservation(1, at("2030-03-04T13:00"), false)]);
    expect(next).toEqual({ slot: at("2030-03-04T17:00"), moves: [] });
  });

  test("never gives a slot to two posts and keeps the order of the queue", ({ expect }) => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ gap: fc.integer({ min: 1, max: 3 }), isQueued: fc.boolean() }), { maxLength: 30 }),
        (spec) => {
          const slots = slotsAfter(DEFAULT, FROM);
          const reservations: Reservation[] = [];
          spec.forEach(({ gap, isQueued }, index) => {
            let slotAt = 0;
            for (let i = 0; i < gap; i++) slotAt = slots.next().value ?? 0;
            reservations.push({ id: index, slotAt, isQueued });
          });
          const next = earliestSlot(DEFAULT, FROM, reservations);
          const moved = new Map(next?.moves.map((move) => [move.id, move.to]));
          const after = reservations.map((one) => ({ ...one, slotAt: moved.get(one.id) ?? one.slotAt }));
          const all = [next?.slot, ...after.map((one) => one.slotAt)];
          expect(new Set(all).size).toBe(reservations.length + 1);
          const queued = after.filter((one) => one.isQueued).map((one) => one.slotAt);
          expect(queued).toEqual([...queued].sort((a, b) => a - b));
          expect(queued.every((slotAt) => slotAt > (next?.slot ?? 0))).toBe(true);
          for (const one of reservations) if (!one.isQueued) expect(moved.has(one.id)).toBe(false);
        },
      ),
    );
  });
});

describe("a queue that is laid out again", () => {
  /** Any week with at least one time. */
  const week = fc
    .dictionary(
      fc.constantFrom("1", "2", "3", "4", "5", "6", "7"),
      fc.uniqueArray(time(), { minLength: 1, maxLength: 6 }),
    )
    .filter((slots) => Object.keys(slots).length > 0);
  const zone = fc.constantFrom("UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia");
  const timetable = fc.record({ slots: fc.option(week), timeZone: zone });
  const reservations = fc
    .uniqueArray(fc.record({ minutes: fc.integer({ min: -20_000, max: 60_000 }), isQueued: fc.boolean() }), {
      selector: ({ minutes }) => minutes,
      maxLength: 60,
    })
    .map((list) => list.map(({ minutes, isQueued }, id) => ({ id, slotAt: FROM + minutes * 60_000, isQueued })));

  test("keeps its order, on free slots of the timetable, without a gap", ({ expect }) => {
    fc.assert(
      fc.property(timetable, reservations, (table, held) => {
        const order = queuedOf(held);
        const moves = layOut(table, FROM, held);
        expect(moves).not.toBeNull();
        const to = new Map(moves?.map((move) => [move.id, move.to]));
        const after = order.map(({ id, slotAt }) => to.get(id) ?? slotAt);
        const kept = new Set(held.flatMap(({ isQueued, slotAt }) => (isQueued ? [] : [slotAt])));
        const free: number[] = [];
        for (const slot of slotsAfter(table, FROM)) {
          if (free.length === after.length) break;
          if (!kept.has(slot)) free.push(slot);
        }
        expect(after).toEqual(free);
        for (const move of moves ?? []) expect(order.find(({ id }) => id === move.id)?.slotAt).toBe(move.from);
      }),
    );
  });

  test.for(["first", "last"] as const)("has room for a new one that goes %s", (end, { expect }) => {
    fc.assert(
      fc.property(timetable, reservations, (table, held) => {
        const place = placeInPaused(table, FROM, held, end);
        const to = new Map(place?.moves.map((move) => [move.id, move.to]));
        const after = queuedOf(held).map(({ id, slotAt }) => to.get(id) ?? slotAt);
        const all = end === "first" ? [place?.slot, ...after] : [...after, place?.slot];
        expect(all).toEqual([...new Set(all)].sort((a, b) => Number(a) - Number(b)));
        expect(all.every((slot) => Number(slot) > FROM)).toBe(true);
      }),
    );
  });

  test("is refused where the timetable has no room for it", ({ expect }) => {
    const held = Array.from({ length: 300 }, (_, id) => ({ id, slotAt: FROM + id, isQueued: true }));
    expect(layOut({ slots: { "1": ["09:00"] }, timeZone: "UTC" }, FROM, held)).toBeNull();
    expect(layOut({ slots: { "1": ["09:00", "10:00"] }, timeZone: "UTC" }, FROM, held)).toHaveLength(300);
  });

  test("a queue has an end: the next post finds no slot", ({ expect }) => {
    const times = Array.from({ length: 48 }, (_, i) => `${String(i >> 1).padStart(2, "0")}:${i % 2 ? "30" : "00"}`);
    const often = { slots: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((day) => [day, times])), timeZone: "UTC" };
    const full = [...slotsAfter(often, FROM)].map((slotAt, id) => ({ id, slotAt, isQueued: true }));
    expect(full).toHaveLength(2_500);
    expect(freeSlot(often, FROM, full)).toBeNull();
    expect(earliestSlot(often, FROM, full)).toBeNull();
    expect(placeInPaused(often, FROM, full, "last")).toBeNull();
    expect(freeSlot(often, FROM, full.slice(1))).toMatchObject({ slot: full[0]?.slotAt });
  });

  function time() {
    const part = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, "0"));
    return fc.tuple(part(23), part(59)).map(([hour, minute]) => `${hour}:${minute}`);
  }

  function queuedOf(held: readonly Reservation[]): Reservation[] {
    return held.filter(({ isQueued }) => isQueued).sort((a, b) => a.slotAt - b.slotAt);
  }
});
