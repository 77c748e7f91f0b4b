import { HOUR, SECOND } from "./time.ts";

/**
 * Milliseconds to wait before try number `attempt` (1 = the first repeat): doubling from two seconds up to an
 * hour, with a jitter of a quarter either way so that a crowd does not come back at once. `random` is 0 to 1.
 */
export function backoff(attempt: number, random: number = Math.random()): number {
  const base = Math.min(2 * SECOND * 2 ** Math.max(0, attempt - 1), HOUR);
  return Math.round(base * (0.75 + random / 2));
}
