/**
 * A semaphore for costly operations: at most a fixed number run at once. An operation releases its slot when
 * it completes; the slot of one that died is free after its time limit. Pure: the time is an argument.
 */
export type SemaphoreEntry =
  | { readonly kind: "entered"; readonly place: number }
  /** `retryAfterMs`: when the first of the slots expires. */
  | { readonly kind: "full"; readonly retryAfterMs: number };

export class Semaphore {
  readonly #heldUntil = new Map<number, number>();
  #next: number;

  /** Slot numbers start at `first`, so that a slot from before a restart is not valid after it. */
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
