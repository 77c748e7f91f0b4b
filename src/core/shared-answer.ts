export interface AnswerUntil<T> {
  readonly value: T;
  readonly keepMs: number;
}

/** After 2 s a waiter makes its own call; the first caller may have gone away. */
const PATIENCE_MS = 2_000;
const PAUSE_MS = 10;

/**
 * A cached answer that an isolate requests at most once per period. A request that comes during another's
 * call polls for that call's result. No request awaits a promise of another: if the client of the first
 * cancels it, the others would hang with it.
 */
export class SharedAnswer<T> {
  #known: { readonly value: T; readonly from: number; readonly until: number } | null = null;
  #askingSince: number | null = null;

  /**
   * `ask` returns the answer and how long to keep it. An error that it throws reaches only its own caller.
   */
  async get(ask: () => Promise<AnswerUntil<T>>): Promise<T> {
    for (;;) {
      const now = Date.now();
      // A clock that was set back must not keep an answer for hours.
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
