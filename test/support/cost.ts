import type { ExpectStatic } from "vitest";

/**
 * Checks that a pure function takes CPU time in line with the length of its input.
 *
 * Beside other tests, memory and caches are slower. So work over its budget passes if it grows in line with
 * its input: four times the input takes at most nine times as long. Linear work takes about four times as
 * long, quadratic work sixteen times. `npm run bench -- --only cpu` runs the same tests alone and refuses any
 * work over its budget.
 */
export interface CostCase {
  /** Prepares the input of the given size and returns the work to measure. */
  readonly prepare: (size: number) => () => unknown;
  /** The largest input that the service accepts. */
  readonly size: number;
  /** Milliseconds of CPU time that the largest input may take on an idle machine. */
  readonly budgetMs: number;
}

const REFUSES_OVER_BUDGET = process.env.CPU_BUDGETS === "strict";
const MOST_GROWTH = 9;
const MOST_RUNS = 40;
const WARM_UPS = 5;

/** The fastest of several runs counts: the first ones are not compiled yet, and any may collect garbage. */
export function expectLinearTime(expect: ExpectStatic, label: string, { prepare, size, budgetMs }: CostCase): void {
  const [small, full] = [prepare(Math.ceil(size / 4)), prepare(size)];
  let fullMs = Number.POSITIVE_INFINITY;
  let smallMs: number | null = null;
  const isLinear = () => smallMs !== null && fullMs <= MOST_GROWTH * smallMs;
  const isWithinLimits = () => fullMs <= budgetMs || (!REFUSES_OVER_BUDGET && isLinear());
  for (let run = 0; run < MOST_RUNS && !isWithinLimits(); run++) {
    fullMs = Math.min(fullMs, timeOf(full));
    // Slow small runs would hide how the work grows.
    if (run >= WARM_UPS) smallMs = Math.min(smallMs ?? timeOf(small), timeOf(small));
  }
  expect(isWithinLimits(), `${label}: ${fullMs} ms for ${size}, ${smallMs} ms for a quarter of it`).toBe(true);
}

/** Milliseconds of CPU time of this thread: what other processes take does not count. */
function timeOf(work: () => unknown): number {
  const begun = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1_000;
}
