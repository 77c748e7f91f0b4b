/**
 * The tests' clock. It moves `Date.now` by an offset (it keeps running) and informs the sandbox, so that both
 * sides agree on the time; KV expiry does not follow.
 */
import { sandbox } from "./sandbox.ts";

const realNow = Date.now.bind(Date);

/**
 * Every file begins at the next ten o'clock, UTC: away from midnight and the usual slots, whenever the tests
 * are run.
 */
const DAY_MS = 86_400_000;
const BEGIN_MS = 10 * 3_600_000;
const beginAfterMs = (BEGIN_MS - (realNow() % DAY_MS) + DAY_MS) % DAY_MS;

let offsetMs = beginAfterMs;
let stoppedAt: number | null = null;
Date.now = () => (stoppedAt ?? realNow()) + offsetMs;

/** Runs it with a stopped clock: what must happen within a second does, on a busy machine too. */
export async function atOnce<T>(work: () => Promise<T>): Promise<T> {
  stoppedAt = realNow();
  try {
    return await work();
  } finally {
    stoppedAt = null;
  }
}

export async function advance(ms: number): Promise<void> {
  offsetMs += ms;
  await sandbox.control("POST", "clock", { offset_ms: offsetMs });
}

/**
 * Back to where the file began, and as long after it as it has taken: only where nothing that was made
 * meanwhile is used later.
 */
export async function rewind(): Promise<void> {
  await advance(beginAfterMs - offsetMs);
}

/** Moves to an instant that is still ahead; does nothing when it has passed. */
export async function advanceTo(instant: number): Promise<void> {
  const ahead = instant - Date.now();
  if (ahead > 0) await advance(ahead);
}

/** Sets the sandbox's clock alone, to so long after where the tests' clock began. */
export async function setSandboxClock(laterMs: number): Promise<void> {
  await sandbox.control("POST", "clock", { offset_ms: beginAfterMs + laterMs });
}

/** A sandbox without a past or a setting, at the tests' time. */
export async function resetSandbox(): Promise<void> {
  await sandbox.control("POST", "reset");
  await advance(0);
}
