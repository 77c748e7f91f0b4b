/**
 * The tests' clock. It moves `Date.now` by an offset (it keeps ticking) and tells the sandbox, so that both sides agree on
 * the time; KV expiry does not follow.
 */
import { sandbox } from "./sandbox.ts";

const realNow = Date.now.bind(Date);
let offsetMs = 0;
Date.now = () => realNow() + offsetMs;

export async function advance(ms: number): Promise<void> {
  offsetMs += ms;
  await sandbox.control("POST", "clock", { offset_ms: offsetMs });
}

/** Back to the present: only where nothing that was made meanwhile is looked at any more. */
export async function rewind(): Promise<void> {
  await advance(-offsetMs);
}

/** Moves to an instant that is still ahead; does nothing when it has passed. */
export async function advanceTo(instant: number): Promise<void> {
  const ahead = instant - Date.now();
  if (ahead > 0) await advance(ahead);
}
