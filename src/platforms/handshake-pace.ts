import { MINUTE } from "../core/time.ts";

/**
 * How many handshakes of one address are answered. X checks an address when it is registered, when it is set
 * valid again, and once an hour. A caller that needs more than this is not X.
 */
const MAX_ANSWERS = 6;
const WINDOW_MS = 10 * MINUTE;
/** The maximum number of remembered addresses: bounds the memory that a flood from many addresses can use. */
const MAX_SOURCES = 1_000;

/**
 * Counts the handshakes that this isolate answered, by the address of the caller. Losing this state does no
 * harm.
 */
export class HandshakePace {
  readonly #answeredAt = new Map<string, readonly number[]>();

  /** Whether one more handshake may be answered for this address now; a yes counts. */
  take(source: string, now: number): boolean {
    const recent = (this.#answeredAt.get(source) ?? []).filter((at) => at > now - WINDOW_MS);
    if (recent.length >= MAX_ANSWERS) return false;
    // Deleted first, so that the order of the map is the order of use and the first entry is the oldest.
    this.#answeredAt.delete(source);
    this.#answeredAt.set(source, [...recent, now]);
    for (const oldest of this.#answeredAt.keys()) {
      if (this.#answeredAt.size <= MAX_SOURCES) break;
      this.#answeredAt.delete(oldest);
    }
    return true;
  }
}
