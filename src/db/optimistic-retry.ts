import { AppError } from "../core/errors.ts";
import { isChangedSince } from "./client.ts";

const TRIES = 40;
const PAUSE_MS = 15;
const LONGEST_PAUSES = 10;

/**
 * Optimistic concurrency: `plan` reads rows, decides, and writes in a transaction that fails if the rows
 * changed meanwhile. It is retried until the transaction succeeds. `plan` reports a conflict by null or by an
 * outdated error. Throws `rate_limited`, with the sentence `busy`, after many attempts.
 */
export async function retryOnConflict<T>(
  plan: () => Promise<T | null>,
  busy: string,
  isOutdated: (error: unknown) => boolean = isChangedSince,
): Promise<T> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      const done = await plan();
      if (done !== null) return done;
    } catch (error) {
      if (!isOutdated(error)) throw error;
    }
    await pauseAfter(attempt);
  }
  throw new AppError("rate_limited", `${busy} Try again.`, { retryAfterSeconds: 1 });
}

/** Random pauses that grow with each attempt keep conflicting callers from colliding again. */
function pauseAfter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * Math.min(attempt, LONGEST_PAUSES)));
}
