export interface AnswerUntil<T> {
  readonly value: T;
  readonly keepMs: number;
}

/** Then whoever waits asks for itself: the request that was asking may have been given up. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 10;

/**
 * An answer that one isolate asks for at most once in a while. Who comes while another request is asking
 * waits for what that is told, by looking again: a promise of one request is never awaited by another, for a
 * request that its client gave up on would take the others with it.
 */
export class SharedAnswer<T> {
  #known: { readonly value: T; readonly from: number; readonly until: number } | null = null;
  #askingSince: number | null = null;

  /** `fetchText` tells with its answer how long that may be kept. What it throws is its caller's alone. */
  async get(ask: () => Promise<AnswerUntil<T>>): Promise<T> {
    for (;;) {
      const now = Date.now();
      // A clock that was set back must not make an answer last for hours.
      if (this.#known && now >= this.#known.from && now < this.#known.until) return this.#known.value;
      if (this.#askingSince === null || Math.abs(now - this.#askingSince) > PATIENCE_MS) return this.#ask(ask, now);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async #ask(ask: () => Promise<AnswerUntil<T>>, now: number): Promise<T> {
    this.#askingSince = now;
    try {
      const { value, keepMs } = await ask();
      const from = Date.now();
      this.#known = { value, from, until: from + keepMs };
      return value;
    } finally {
      this.#askingSince = null;
    }
  }
}
