export const MINUTE = 60_000;

/** Wall-clock UTC, as create-post wants it, of an instant. */
export function wallClock(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
