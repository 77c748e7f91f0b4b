import type { SQL } from "drizzle-orm";
import { SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { renewLease } from "./claim-store.ts";
import { whileLeased } from "./heartbeat.ts";
import { LeaseLost, RetryLater } from "./outcomes.ts";
import { type Job, leasedBy } from "./store.ts";

/** The time limit of one outside call; the lease is renewed when less than this remains. */
export const ACT_LIMIT_MS = 30 * SECOND;

/** The time that may pass between renewing a lease and the act that needs it. */
const MARGIN_MS = 5 * SECOND;

/** The delivery that holds the job. */
export interface Holder {
  readonly db: Db;
  readonly owner: string;
  readonly leaseMs: number;
  /** Whether the invocation has used its share of subrequests: the job then continues in another one. */
  readonly isSpent: () => boolean;
  /** `JobHandler.isPunctual`. */
  readonly isPunctual: boolean;
  /** `JobDeps.takeCounts`. */
  readonly takeCounts: () => readonly Statement[];
}

/** The period for which a delivery owns its job. */
export class Lease {
  readonly #holder: Holder;
  readonly #key: string;
  #until: number;

  constructor(holder: Holder, { key, leaseUntil }: Pick<Job, "key" | "leaseUntil">) {
    this.#holder = holder;
    this.#key = key;
    this.#until = leaseUntil ?? 0;
  }

  /** A condition for every statement that the delivery writes. */
  get hasLease(): SQL {
    return leasedBy(this.#key, this.#holder.owner);
  }

  /**
   * Call before every outside act: ensures that the lease outlasts the act and that the invocation has
   * subrequests left. Throws `LeaseLost` if another delivery took over, `RetryLater` to continue in another
   * invocation.
   */
  async checkpoint(): Promise<void> {
    if (this.#holder.isSpent()) {
      throw new RetryLater(0, { code: null, message: "The work continues in another delivery." });
    }
    if (this.#until - Date.now() > ACT_LIMIT_MS + MARGIN_MS) return;
    await this.renew();
  }

  /**
   * Call right before an act that must not run in two deliveries: throws `LeaseLost` if the lease might end
   * before it.
   */
  require(): void {
    if (this.#until - Date.now() < ACT_LIMIT_MS) throw new LeaseLost(this.#key);
  }

  async renew(): Promise<void> {
    const { db, owner, leaseMs } = this.#holder;
    const until = Date.now() + leaseMs;
    if (!(await renewLease(db, this.#key, owner, until))) throw new LeaseLost(this.#key);
    this.#until = until;
  }

  /** Runs an act, and renews the lease meanwhile if the act may outlast it. */
  during<T>(limitMs: number, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return limitMs <= ACT_LIMIT_MS ? this.#run(limitMs, null, act) : this.runLong(limitMs, act);
  }

  /** Runs repeatable work, and renews the lease meanwhile. */
  runLong<T>(limitMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#run(limitMs, this.#holder.leaseMs / 3, run);
  }

  #run<T>(limitMs: number, everyMs: number | null, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return whileLeased({ limitMs, everyMs }, () => this.renew(), run);
  }
}
