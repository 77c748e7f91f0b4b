import { Parts } from "./parts.ts";

export interface Limits {
  readonly bytes: number;
  readonly ms: number;
  /** Parts of files, as parts.ts counts them; defaults to the limit of one file. */
  readonly parts?: number;
}

/** A limit that was reached, and the budget it belongs to. */
export interface Spent {
  readonly what: "bytes" | "time";
  readonly limits: Limits;
}

/**
 * The remaining cost of reading files, shared by all requests that receive it. A nested budget also spends
 * from its outer budget, and is exhausted with the first of the two. Bytes are counted as they arrive, so the
 * last chunk may exceed the limit.
 */
export class Budget {
  readonly limits: Limits;
  readonly parts: Parts;
  readonly #outer: Budget | null;
  readonly #now: () => number;
  readonly #endsAt: number;
  #bytes: number;

  /** `now` is a clock in milliseconds; the default is monotonic. */
  constructor(limits: Limits, now: () => number = () => performance.now(), outer: Budget | null = null) {
    this.limits = limits;
    this.parts = new Parts(limits.parts, outer?.parts);
    this.#outer = outer;
    this.#now = now;
    this.#endsAt = now() + limits.ms;
    this.#bytes = limits.bytes;
  }

  within(limits: Limits): Budget {
    return new Budget(limits, this.#now, this);
  }

  get bytesLeft(): number {
    return Math.max(0, Math.min(this.#bytes, this.#outer?.bytesLeft ?? this.#bytes));
  }

  /** Whole milliseconds, as timers take them: when such a timer fires, the budget is spent. */
  get msLeft(): number {
    const own = Math.floor(this.#endsAt - this.#now());
    return Math.max(0, Math.min(own, this.#outer?.msLeft ?? own));
  }

  /** Null while both budgets have something left. */
  get spent(): Spent | null {
    if (this.bytesLeft === 0) return this.nearest("bytes");
    return this.msLeft === 0 ? this.nearest("time") : null;
  }

  /** The lowest limit of this budget and its outer budgets. */
  nearest(what: Spent["what"]): Spent {
    const outer = this.#outer;
    const isOuter = outer !== null && (what === "bytes" ? outer.#bytes < this.#bytes : outer.#endsAt < this.#endsAt);
    return outer !== null && isOuter ? outer.nearest(what) : { what, limits: this.limits };
  }

  spend(bytes: number): void {
    this.#bytes -= bytes;
    this.#outer?.spend(bytes);
  }
}
