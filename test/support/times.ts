export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Wall-clock UTC, as create-post wants it, of an instant. */
export function wallClock(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
