import { Parts } from "./parts.ts";

export interface Limits {
  readonly bytes: number;
  readonly ms: number;
  /** Of files, as parts.ts counts them; by default as many as one may have. */
  readonly parts?: number;
}

/** A limit that was reached, and of which budget. */
export interface Spent {
  readonly what: "bytes" | "time";
  readonly limits: Limits;
}

/**
 * What reading files may still cost, shared by all requests that are given it. A budget within another one
 * spends of both, and ends with the first. Bytes are counted as they arrive, so the last piece may exceed
 * them.
 */
export class Budget {
  readonly limits: Limits;
  readonly parts: Parts;
  readonly #outer: Budget | null;
  readonly #now: () => number;
  readonly #endsAt: number;
  #bytes: number;

  /** `now` is a clock in milliseconds; the default one does not follow changes of the date. */
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

  /** Whole ones, as timers take them: what ends by such a timer finds the budget spent. */
  get msLeft(): number {
    const own = Math.floor(this.#endsAt - this.#now());
    return Math.max(0, Math.min(own, this.#outer?.msLeft ?? own));
  }

  /** Null while there is something left of both. */
  get spent(): Spent | null {
    if (this.bytesLeft === 0) return this.nearest("bytes");
    return this.msLeft === 0 ? this.nearest("time") : null;
  }

  /** Of this budget and those around it, the limit that is reached first. */
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
