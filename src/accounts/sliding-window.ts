/**
 * The sliding window of the rate limit: exactly at most `limit` permits in any `windowMs`, over all isolates.
 * Pure: the time is an argument, so that a property test can drive many isolates through it.
 *
 * An isolate holds a *lease*: permits that it may use until `validMs` after its call. Until the isolate
 * reports their use (with its next call), all of them count as used at the last possible moment. Reported
 * times are upper bounds in this object's clock (rate-limit-lease.ts). So the window never counts less than
 * the actual use.
 *
 * A restart loses the window, so the object stores, infrequently, until when permits may be granted
 * (`WindowHistory`). A window that starts before or soon after that time counts all permits as held. It does
 * so until the last lease from before the restart is out of the window.
 */
export interface WindowHistory {
  /** When the object last started. */
  readonly now: number;
  /** The last stored value; null if no permit was ever granted. */
  readonly grantsUntil: number | null;
  /** Stores the value; no permit may leave the object before the value is durable. */
  keep(grantsUntil: number): void;
}

export interface Settlement {
  readonly leaseId: number;
  /** When each used permit was used, in the object's clock; permits that are not listed were not used. */
  readonly usedAt: readonly number[];
}

export interface PermitRequest {
  readonly settled: readonly Settlement[];
  /**
   * The request needs one permit now; up to this many may be granted, so that the isolate calls less often.
   */
  readonly atMost: number;
}

export interface PermitAnswer {
  readonly leaseId: number;
  readonly granted: number;
  /** The object's clock at the grant. */
  readonly now: number;
  readonly validMs: number;
  /** Permits that no isolate holds, after this grant. */
  readonly free: number;
  /** If nothing is granted: the earliest time until a permit can become free. */
  readonly retryAfterMs: number;
  /** Whether nothing is granted only because permits from before a restart may still be used. */
  readonly isRestarted: boolean;
}

interface Lease {
  readonly granted: number;
  readonly grantedAt: number;
  readonly lastUseBefore: number;
}

/** Permits older than this are settled by the clock; also the longest time a lease can be used. */
const LEASE_VALID_MS = 1000;

/**
 * The divisor for one lease's share of the free permits: a large share for a quiet token, a single permit
 * near the limit.
 */
const LEASE_SHARE = 5;
const LEASE_MAX = 20;

/**
 * How far ahead `grantsUntil` is stored: one write covers this long. With two seconds for the leases, it
 * stays below the ten idle seconds after which the platform evicts an object. A start after an eviction
 * therefore finds all permits free.
 */
const KEEP_AHEAD_MS = 6000;

export class SlidingWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  /** Times of use, unordered, at most a few hundred. */
  #used: number[] = [];
  readonly #leases = new Map<number, Lease>();
  #nextLeaseId: number;
  #grantsUntil: number;
  /** When the last permit from before this start is out of the window. */
  readonly #restartedUntil: number;
  readonly #past: WindowHistory;

  constructor(limit: number, windowMs: number, past: WindowHistory, firstLeaseId = 1) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#nextLeaseId = firstLeaseId;
    this.#past = past;
    this.#grantsUntil = past.grantsUntil ?? Number.NEGATIVE_INFINITY;
    const lastGrant = Math.min(past.now, this.#grantsUntil);
    this.#used = Array.from({ length: limit }, () => lastGrant + LEASE_VALID_MS);
    this.#restartedUntil = lastGrant + LEASE_VALID_MS + windowMs;
  }

  acquire(request: PermitRequest, now: number): PermitAnswer {
    for (const settlement of request.settled) this.#settle(settlement);
    this.#forget(now);
    let held = this.#used.length;
    for (const lease of this.#leases.values()) held += lease.granted;
    const free = Math.max(0, this.#limit - held);
    const size = Math.min(LEASE_MAX, Math.max(1, Math.floor(free / LEASE_SHARE)), Math.max(1, request.atMost));
    const granted = Math.min(free, size);
    const leaseId = this.#nextLeaseId++;
    if (granted > 0) {
      this.#keep(now);
      this.#leases.set(leaseId, { granted, grantedAt: now, lastUseBefore: now + LEASE_VALID_MS });
    }
    return {
      leaseId,
      granted,
      now,
      validMs: LEASE_VALID_MS,
      free: free - granted,
      retryAfterMs: granted > 0 ? 0 : Math.max(1, this.#nextFreeAt() - now),
      isRestarted: granted === 0 && now < this.#restartedUntil,
    };
  }

  #keep(now: number): void {
    if (now < this.#grantsUntil) return;
    this.#grantsUntil = now + KEEP_AHEAD_MS;
    this.#past.keep(this.#grantsUntil);
  }

  #settle(settlement: Settlement): void {
    const lease = this.#leases.get(settlement.leaseId);
    if (!lease) return;
    this.#leases.delete(settlement.leaseId);
    const used = settlement.usedAt.slice(0, lease.granted);
    // A lease cannot be used after it expired, whatever the isolate's clock says.
    for (const at of used) this.#used.push(Math.min(at, lease.lastUseBefore));
  }

  #forget(now: number): void {
    this.#used = this.#used.filter((at) => at > now - this.#windowMs);
    for (const [id, lease] of this.#leases) {
      if (lease.lastUseBefore <= now - this.#windowMs) this.#leases.delete(id);
    }
  }

  #nextFreeAt(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const at of this.#used) first = Math.min(first, at + this.#windowMs);
    // Its permits may have been used at the moment of the grant.
    for (const lease of this.#leases.values()) first = Math.min(first, lease.grantedAt + this.#windowMs);
    return first;
  }
}
