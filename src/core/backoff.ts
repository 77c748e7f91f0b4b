import { HOUR, SECOND } from "./time.ts";

/**
 * Milliseconds to wait before retry number `attempt` (1 = the first retry): doubles from two seconds up to an
 * hour. A jitter of ±25 % prevents simultaneous retries. `random` is 0 to 1.
 */
export function backoff(attempt: number, random: number = Math.random()): number {
  const base = Math.min(2 * SECOND * 2 ** Math.max(0, attempt - 1), HOUR);
  return Math.round(base * (0.75 + random / 2));
}
