import fc from "fast-check";
import { describe, test } from "vitest";
import { earliestSlot, freeSlot, type Reservation, slotsAfter, type Timetable } from "../src/posts/slots.ts";

const FROM = Date.parse("2030-03-04T10:00:00Z");
const DEFAULT: Timetable = { slots: null, timeZone: "UTC" };

function at(text: string): number {
  return Date.parse(`${text}:00Z`);
}

describe("the timetable", () => {
  test("has 09:00, 13:00 and 17:00 every day unless told otherwise", ({ expect }) => {
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
    expect(freeSlot({ slots: {}, timeZone: "UTC" }, FROM, new Set())).toBeNull();
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
