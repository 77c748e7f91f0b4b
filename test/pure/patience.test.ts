import fc from "fast-check";
import { expect, test } from "vitest";
import { afterAbsent, type Certainty, isHopeless } from "../../src/jobs/patience.ts";

/**
 * After a look that did not find it: what an act may still have done is never done a second time too early.
 */
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const certainty: fc.Arbitrary<Certainty> = fc.record({
  lagMs: fc.integer({ min: 0, max: HOUR }),
  refusesRepeat: fc.boolean(),
  isPatient: fc.boolean(),
});
const step = fc.record({
  state: fc.constantFrom("unsure" as const, "duplicate" as const),
  acts: fc.integer({ min: 1, max: 3 }),
  looks: fc.integer({ min: 1, max: 40 }),
  actedAt: fc.constant<number>(0),
  result: fc.constant("The answer was lost."),
});

test("nothing is sent again before the lists have caught up, unless the platform refuses the repeat", () => {
  fc.assert(
    fc.property(step, certainty, fc.integer({ min: 0, max: 3 * HOUR }), (seen, sure, now) => {
      if (afterAbsent(seen, sure, now).kind !== "act") return;
      expect(sure.refusesRepeat || now >= sure.lagMs).toBe(true);
      expect(seen.state).toBe("unsure");
      expect(seen.acts).toBeLessThan(3);
    }),
  );
});

test("looking always ends, in bounded time and with few looks", () => {
  fc.assert(
    fc.property(step, certainty, (seen, sure) => {
      let now = 0;
      let current = { ...seen, looks: 0 };
      for (let turns = 0; turns < 200; turns++) {
        current = { ...current, looks: current.looks + 1 };
        const verdict = afterAbsent(current, sure, now);
        if (verdict.kind === "give_up") {
          expect(now).toBeLessThanOrEqual(3 * (sure.lagMs + 10 * MINUTE));
          return;
        }
        if (verdict.kind === "act") current = { ...current, acts: current.acts + 1, looks: 0, actedAt: now };
        else {
          expect(verdict.seconds).toBeGreaterThan(0);
          now += verdict.seconds * 1_000;
        }
      }
      throw new Error("It was looked for without end.");
    }),
  );
});

test("a duplicate that nothing of ours explains is given up soon; one that a lost act explains is looked for longer", () => {
  const sure = { lagMs: 10 * MINUTE, refusesRepeat: true, isPatient: false };
  const seen = { state: "duplicate", acts: 1, looks: 3, actedAt: 0, result: "It says so." } as const;
  expect(afterAbsent(seen, sure, MINUTE)).toEqual({ kind: "give_up", reason: "It says so." });
  expect(afterAbsent({ ...seen, acts: 2 }, sure, MINUTE).kind).toBe("wait");
  expect(afterAbsent({ ...seen, acts: 2 }, sure, 11 * MINUTE).kind).toBe("give_up");
});

test("a look-up that is refused ends after some tries; a patient job never stops looking", () => {
  const seen = { state: "unsure", acts: 1, looks: 0, actedAt: 0, result: null } as const;
  const sure = { lagMs: 10 * MINUTE, refusesRepeat: false, isPatient: false };
  const refused = { isRefused: true, isUnclear: false };
  expect(isHopeless(seen, refused, sure, 7, HOUR)).toBe(false);
  expect(isHopeless(seen, refused, sure, 8, MINUTE)).toBe(false);
  expect(isHopeless(seen, refused, sure, 8, HOUR)).toBe(true);
  expect(isHopeless(seen, refused, { ...sure, isPatient: true }, 80, 100 * HOUR)).toBe(false);
  // The platform was down: that is no answer at all.
  expect(isHopeless(seen, { isRefused: false, isUnclear: false }, sure, 80, 100 * HOUR)).toBe(false);
});
