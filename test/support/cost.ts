/** A loop of known work, and the milliseconds that it takes on the machine that the budgets were set on. */
const LOOP_MS = 10.8;
function loop(): number {
  let hash = 0;
  for (let step = 0; step < 10_000_000; step++) hash = Math.imul(hash ^ step, 0x01000193);
  return hash;
}

const RUNS = 20;

function once(run: () => unknown): number {
  const begun = performance.now();
  run();
  return performance.now() - begun;
}

/**
 * Milliseconds that a run takes where nothing else does, measured against the loop: as the fastest of twenty
 * runs tells, for on a busy machine any of them may be interrupted. The first within the budget ends the
 * measuring.
 */
export function costOf(run: () => unknown, budgetMs: number): number {
  let [least, slowness] = [Number.POSITIVE_INFINITY, 1];
  for (let count = 0; count < RUNS; count++) {
    least = Math.min(least, once(run));
    if (least / slowness <= budgetMs) break;
    slowness = Math.max(1, Math.min(once(loop), once(loop)) / LOOP_MS);
  }
  return least / slowness;
}
