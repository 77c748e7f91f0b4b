import fc from "fast-check";
import { test } from "vitest";
import type { Channel } from "../../../src/channels/store.ts";
import { placeInQueue } from "../../../src/posts/timetable/due-time.ts";
import { QueuePlans } from "../../../src/posts/timetable/queue-plan.ts";
import type { Reservation } from "../../../src/posts/timetable/slots.ts";

const NOW = Date.parse("2030-03-04T10:00:00Z");
const SLOTS = ["2030-03-04T13:00Z", "2030-03-04T17:00Z", "2030-03-05T09:00Z", "2030-03-05T13:00Z"].map(Date.parse);
const caller = { timeZone: "UTC" };

const someQueue = fc.record({
  taken: fc.subarray(SLOTS),
  sent: fc.subarray(SLOTS, { maxLength: 1 }),
  modes: fc.array(fc.constantFrom("queued" as const, "share_next" as const), { maxLength: 6 }),
  isPaused: fc.boolean(),
});

/** Several posts of one request have the places that as many requests give them, one after the other. */
test("posts that are placed together have the slots of posts that are placed one by one", ({ expect }) => {
  fc.assert(
    fc.property(someQueue, ({ taken, sent, modes, isPaused }) => {
      const read = taken.map((slotAt, index): Reservation => {
        return { id: index + 1, slotAt, isQueued: !sent.includes(slotAt) };
      });
      // Only what the placement reads.
      const channel = { id: 1, name: "Fern", slots: null, slotsZone: null, queuePausedAt: isPaused ? NOW : null };
      const its = channel as unknown as Channel;
      let stored: readonly Reservation[] = read;
      const plans = new QueuePlans(new Map([[its.id, read]]));
      const placements = modes.map((mode, number) => {
        const one = placeInQueue(its, caller, { mode, reservations: stored, now: NOW });
        const to = new Map(one.moves.map((move) => [move.id, move.to]));
        const moved = stored.map((each) => ({ ...each, slotAt: to.get(each.id) ?? each.slotAt }));
        stored = [...moved, { id: 100 + number, slotAt: one.slot, isQueued: true }];
        const reservations = plans.reservationsOf(its.id);
        const placement = placeInQueue(its, caller, { mode, reservations, now: NOW });
        plans.add(number, placement);
        return placement;
      });
      const [room] = plans.rooms();
      const to = new Map(room?.moves.map((move) => [move.id, move.to]));
      const after = [
        ...read.map(({ id, slotAt }) => [id, to.get(id) ?? slotAt]),
        ...placements.map((placement, number) => [100 + number, plans.placeOf(number, placement).slot]),
      ];
      expect(after).toEqual(stored.map(({ id, slotAt }) => [id, slotAt]));
      expect(new Set(after.map(([, slotAt]) => slotAt)).size).toBe(after.length);
      expect(room?.added ?? 0).toBe(modes.length);
      expect(room?.moves.every(({ id, from }) => read.find((each) => each.id === id)?.slotAt === from) ?? true).toBe(
        true,
      );
    }),
  );
});
