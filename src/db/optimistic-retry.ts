import { AppError } from "../core/errors.ts";
import { isChangedSince } from "./client.ts";

const TRIES = 40;
const PAUSE_MS = 15;
const LONGEST_PAUSES = 10;

/**
 * Does what is decided on rows that were read, and holds only while they are as they were: `plan` reads and
 * decides anew, on what others have made of the rows, until its transaction is taken. It is not where `plan`
 * answers null or throws an outdated error. Throws `rate_limited`, with the sentence `busy`, after many
 * tries.
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

/** Those who met must not meet again, so each waits a moment of its own, longer with every time. */
function pauseAfter(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * PAUSE_MS * Math.min(attempt, LONGEST_PAUSES)));
}
