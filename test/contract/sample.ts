import fc from "fast-check";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** What runs of suites with many cases (vitest.config.ts); `seed` is null for the usual one. */
    readonly contract: {
      readonly isWhole: boolean;
      readonly isCrossed: boolean;
      readonly isCalm: boolean;
      readonly seed: number | null;
      readonly runs: number;
    };
  }
}

/**
 * What of a suite with many cases runs: the seed's choice, `TEST_RUNS` times as many, or everything
 * (environment variables `CONTRACT_SEED`, `TEST_RUNS`, `CONTRACT=all`, handed on by vitest.config.ts). One
 * seed draws the same everywhere; what is drawn for one label does not depend on others.
 */
const { isWhole, isCrossed, isCalm, seed, runs } = inject("contract");

export const IS_WHOLE = isWhole;
/** Whether every case runs that repeats a promise elsewhere (`crossed`). */
export const IS_CROSSED = isCrossed;
/**
 * Whether the sandbox's platforms show their moods only where a test sets them (environment variable
 * `REALISM`).
 */
export const IS_CALM = isCalm;
export const SEED = seed ?? 20_261_121;
if (!Number.isInteger(SEED)) throw new Error("CONTRACT_SEED must be a whole number.");

/** In names and messages of tests: with it a failure is met again. */
export const DRAWN = isWhole ? "all" : `drawn by CONTRACT_SEED=${SEED}`;

/** So many of them (times `TEST_RUNS`), in their order; all of them in a whole run. */
export function drawn<T>(label: string, from: readonly T[], count: number): readonly T[] {
  return isWhole ? from : draw(SEED, label, from, runsOf(count));
}

/**
 * The same for cases that try one promise on another platform, or in another size: `TESTS=all`, and every run
 * that names its files, has all of them.
 */
export function crossed<T>(label: string, from: readonly T[], count: number): readonly T[] {
  return isCrossed ? from : draw(SEED, label, from, runsOf(count));
}

/** How often a random history is tried: times `TEST_RUNS`, at least once, and twenty times in a whole run. */
export const runsOf = (count: number): number => Math.ceil(count * (isWhole ? 20 : runs));

export function draw<T>(seed: number, label: string, from: readonly T[], count: number): readonly T[] {
  const length = Math.min(count, from.length);
  const choice = fc.subarray([...from], { minLength: length, maxLength: length });
  return fc.sample(choice, { seed: mixed(seed, label), numRuns: 1 })[0] ?? [];
}

/** FNV-1a: another seed for each label. */
function mixed(seed: number, label: string): number {
  let hash = seed ^ 0x811c9dc5;
  for (const byte of new TextEncoder().encode(label)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
