import type { PermitAnswer, PermitRequest, Settlement } from "./sliding-window.ts";

/** Where the token's project lives, if it has moved or is on its way. */
export interface TokenHome {
  readonly database: number;
  readonly isMoving: boolean;
}

/** The response of the limiter object: a grant, whether the token is revoked, and where its project is. */
export type LimiterAnswer = PermitAnswer & { readonly revoked: boolean; readonly home: TokenHome | null };
export type CallLimiter = (request: PermitRequest) => Promise<LimiterAnswer>;

export type Permit =
  /** `database` is null if the project has never moved. */
  | { readonly kind: "granted"; readonly remaining: number; readonly database: number | null }
  | { readonly kind: "moving" }
  | { readonly kind: "denied"; readonly retryAfterMs: number }
  | { readonly kind: "revoked" };

/** The most calls of one request when each response takes longer than its grant is valid. */
const MAX_TRIES = 3;

interface HeldLease {
  readonly id: number;
  readonly granted: number;
  /** Local clock. */
  readonly askedAt: number;
  readonly validUntil: number;
  /** The object's clock at the grant. */
  readonly objectNow: number;
  readonly usedAt: number[];
}

/**
 * One token's permits in this isolate. Every request makes its own call and awaits no promise of another: if
 * the client of the first cancels it, the others would hang with it.
 *
 * The grant happened at `objectNow` in the object's clock, which is some local moment between call and
 * response. A use at local time `t` is reported as `objectNow + (t - askedAt)`: never earlier than the actual
 * use.
 */
export class RateLimitLeases {
  #leases: HeldLease[] = [];
  #asking = 0;
  #deniedUntil = 0;
  #free = 0;
  #database: number | null = null;

  async take(now: () => number, ask: CallLimiter, pause: (ms: number) => Promise<void>, tries = 1): Promise<Permit> {
    const held = this.#use(now());
    if (held) return held;
    const wait = this.#deniedUntil - now();
    if (wait > 0) return { kind: "denied", retryAfterMs: wait };
    const askedAt = now();
    // While another request of this isolate is calling, a request takes one permit only, not a second batch.
    const atMost = this.#asking > 0 ? 1 : Number.MAX_SAFE_INTEGER;
    const settled = this.#settle(askedAt);
    this.#asking++;
    let answer: LimiterAnswer;
    try {
      answer = await ask({ settled, atMost });
    } finally {
      this.#asking--;
    }
    if (answer.revoked) {
      this.#leases = [];
      return { kind: "revoked" };
    }
    if (answer.home?.isMoving) {
      this.#leases = [];
      return { kind: "moving" };
    }
    this.#database = answer.home?.database ?? null;
    this.#free = answer.free;
    if (answer.granted > 0) {
      const validUntil = askedAt + answer.validMs;
      this.#leases.push({
        id: answer.leaseId,
        granted: answer.granted,
        askedAt,
        validUntil,
        objectNow: answer.now,
        usedAt: [],
      });
      const used = this.#use(now());
      if (used) return used;
      // The response took longer than the lease is valid: call again, because no permit was used.
      if (tries < MAX_TRIES) return this.take(now, ask, pause, tries + 1);
      return { kind: "denied", retryAfterMs: 1 };
    }
    // The caller has not reached its limit: the request waits, at most two seconds, instead of failing.
    if (answer.isRestarted && tries === 1) {
      await pause(answer.retryAfterMs);
      return this.take(now, ask, pause, tries + 1);
    }
    // Other requests of this isolate may be about to receive more permits than they need.
    for (let look = 0; look < 10 && this.#asking > 0; look++) {
      await pause(5);
      const late = this.#use(now());
      if (late) return late;
    }
    const late = this.#use(now());
    if (late) return late;
    this.#deniedUntil = now() + answer.retryAfterMs;
    return { kind: "denied", retryAfterMs: answer.retryAfterMs };
  }

  #use(now: number): Permit | null {
    for (const lease of this.#leases) {
      if (now >= lease.validUntil || lease.usedAt.length >= lease.granted) continue;
      lease.usedAt.push(lease.objectNow + (now - lease.askedAt));
      return { kind: "granted", remaining: this.#free + this.#unused(now), database: this.#database };
    }
    return null;
  }

  #unused(now: number): number {
    let unused = 0;
    for (const lease of this.#leases) {
      if (now < lease.validUntil) unused += lease.granted - lease.usedAt.length;
    }
    return unused;
  }

  /** Removes leases that are used up or expired; the next call reports them. */
  #settle(now: number): Settlement[] {
    const over = (lease: HeldLease): boolean => now >= lease.validUntil || lease.usedAt.length >= lease.granted;
    const settled = this.#leases.filter(over).map((lease) => ({ leaseId: lease.id, usedAt: lease.usedAt }));
    this.#leases = this.#leases.filter((lease) => !over(lease));
    return settled;
  }
}
