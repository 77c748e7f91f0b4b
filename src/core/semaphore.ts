/**
 * Places for deeds that cost something while they last: at most so many are under way at once. Who leaves
 * gives the place back; that of one who died is free again when its time is over. Pure: time comes in as an
 * argument.
 */
export type SemaphoreEntry =
  | { readonly kind: "entered"; readonly place: number }
  /** `retryAfterMs`: when the first of them must have left. */
  | { readonly kind: "full"; readonly retryAfterMs: number };

export class Semaphore {
  readonly #heldUntil = new Map<number, number>();
  #next: number;

  /** Numbers of places start at `first`, so that what one life gave is nothing in the next. */
  constructor(first = 1) {
    this.#next = first;
  }

  enter(limit: number, holdMs: number, now: number): SemaphoreEntry {
    for (const [place, until] of this.#heldUntil) if (until <= now) this.#heldUntil.delete(place);
    if (this.#heldUntil.size >= limit) {
      return { kind: "full", retryAfterMs: Math.max(1, Math.min(...this.#heldUntil.values()) - now) };
    }
    const place = this.#next++;
    this.#heldUntil.set(place, now + holdMs);
    return { kind: "entered", place };
  }

  leave(place: number): void {
    this.#heldUntil.delete(place);
  }
}
