import fc from "fast-check";
import { expect, test } from "vitest";
import { decideAfterAbsent, type RecheckPolicy, shouldStopChecking } from "../../src/jobs/recheck-policy.ts";
import { HOUR, MINUTE } from "../support/times.ts";

/**
 * After a look-up without a result: an act that may have been done is never repeated too early.
 */

const certainty: fc.Arbitrary<RecheckPolicy> = fc.record({
  lagMs: fc.integer({ min: 0, max: HOUR }),
  refusesRepeat: fc.boolean(),
  checksUntilDeadline: fc.boolean(),
});
const step = fc.record({
  state: fc.constantFrom("unknown" as const, "duplicate" as const),
  attempts: fc.integer({ min: 1, max: 3 }),
  checks: fc.integer({ min: 1, max: 40 }),
  attemptedAt: fc.constant<number>(0),
  result: fc.constant("The answer was lost."),
});

test("nothing is sent again before the lists have caught up, unless the platform refuses the repeat", () => {
  fc.assert(
    fc.property(step, certainty, fc.integer({ min: 0, max: 3 * HOUR }), (seen, sure, now) => {
      if (decideAfterAbsent(seen, sure, now).kind !== "act") return;
      expect(sure.refusesRepeat || now >= sure.lagMs).toBe(true);
      expect(seen.state).toBe("unknown");
      expect(seen.attempts).toBeLessThan(3);
    }),
  );
});

test("checking always ends, in bounded time and with few checks", () => {
  fc.assert(
    fc.property(step, certainty, (seen, sure) => {
      let now = 0;
      let current = { ...seen, checks: 0 };
      for (let turns = 0; turns < 200; turns++) {
        current = { ...current, checks: current.checks + 1 };
        const verdict = decideAfterAbsent(current, sure, now);
        if (verdict.kind === "give_up") {
          expect(now).toBeLessThanOrEqual(3 * (sure.lagMs + 10 * MINUTE));
          return;
        }
        if (verdict.kind === "act")
          current = { ...current, attempts: current.attempts + 1, checks: 0, attemptedAt: now };
        else {
          expect(verdict.seconds).toBeGreaterThan(0);
          now += verdict.seconds * 1_000;
        }
      }
      throw new Error("It was checked without end.");
    }),
  );
});

test("checks of a duplicate that no act of this service explains stop soon; one that a lost act explains is checked for longer", () => {
  const sure = { lagMs: 10 * MINUTE, refusesRepeat: true, checksUntilDeadline: false };
  const seen = { state: "duplicate", attempts: 1, checks: 3, attemptedAt: 0, result: "It says so." } as const;
  expect(decideAfterAbsent(seen, sure, MINUTE)).toEqual({ kind: "give_up", reason: "It says so." });
  expect(decideAfterAbsent({ ...seen, attempts: 2 }, sure, MINUTE).kind).toBe("wait");
  expect(decideAfterAbsent({ ...seen, attempts: 2 }, sure, 11 * MINUTE).kind).toBe("give_up");
});

test("a look-up that is refused ends after some tries; a patient job never stops checking", () => {
  const seen = { state: "unknown", attempts: 1, checks: 0, attemptedAt: 0, result: null } as const;
  const sure = { lagMs: 10 * MINUTE, refusesRepeat: false, checksUntilDeadline: false };
  const refused = (retries: number) => ({ isRefused: true, isUnclear: false, retries });
  expect(shouldStopChecking(seen, refused(7), sure, HOUR)).toBe(false);
  expect(shouldStopChecking(seen, refused(8), sure, MINUTE)).toBe(false);
  expect(shouldStopChecking(seen, refused(8), sure, HOUR)).toBe(true);
  expect(shouldStopChecking(seen, refused(80), { ...sure, checksUntilDeadline: true }, 100 * HOUR)).toBe(false);
  // The platform was down: that is no answer at all.
  expect(shouldStopChecking(seen, { isRefused: false, isUnclear: false, retries: 80 }, sure, 100 * HOUR)).toBe(false);
});
