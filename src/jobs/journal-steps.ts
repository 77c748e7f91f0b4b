import { and, eq, type SQL, sql } from "drizzle-orm";
import { backoff } from "../core/backoff.ts";
import type { Cause } from "../core/failures.ts";
import { SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Claimed } from "./claim-store.ts";
import type { Lease } from "./lease.ts";
import { JobFailed, RetryLater } from "./outcomes.ts";
import type { JobStep } from "./store.ts";
import { jobStepsTable } from "./table.ts";

export interface Backoff {
  readonly retryAfterSeconds?: number;
  readonly maxRetries?: number;
}

/** The steps of a job: as read at the claim, and as written by this delivery. */
export class JournalSteps {
  readonly #db: Db;
  readonly #key: string;
  readonly #lease: Lease;
  readonly #steps: Map<string, JobStep>;

  constructor(db: Db, { job, steps }: Claimed, lease: Lease) {
    this.#db = db;
    this.#key = job.key;
    this.#lease = lease;
    this.#steps = new Map(steps.map((step) => [step.name, step]));
  }

  find(name: string): JobStep | undefined {
    return this.#steps.get(name);
  }

  findOrNew(name: string): JobStep {
    return this.find(name) ?? this.blank(name);
  }

  all(): JobStep[] {
    return [...this.#steps.values()];
  }

  blank(name: string): JobStep {
    const now = Date.now();
    const counts = { attempts: 1, checks: 0, retries: 0, unresolvedReason: null };
    return { jobKey: this.#key, name, state: "waiting", result: null, begunAt: now, attemptedAt: now, ...counts };
  }

  /** Stores a step, together with the given statements. */
  async save(step: JobStep, also: readonly Statement[] = []): Promise<void> {
    await runBatch(this.#db, [...also, this.upsert(step)]);
    this.noteStored(step);
  }

  /** Records a step that a statement of the caller has stored. */
  noteStored(step: JobStep): void {
    this.#steps.set(step.name, step);
  }

  /** Records that a statement of the caller has deleted a step. */
  noteForgotten(name: string): void {
    this.#steps.delete(name);
  }

  upsert(step: JobStep, unless?: SQL) {
    const { hasLease } = this.#lease;
    const condition = unless ? sql`${hasLease} AND NOT (${unless})` : hasLease;
    const values = { ...step, result: sql`${step.result}` };
    return insertWhere(this.#db, jobStepsTable, values, condition).onConflictDoUpdate({
      target: [jobStepsTable.jobKey, jobStepsTable.name],
      set: {
        state: sql`excluded.state`,
        result: sql`excluded.result`,
        begunAt: sql`excluded.begun_at`,
        attemptedAt: sql`excluded.attempted_at`,
        attempts: sql`excluded.attempts`,
        checks: sql`excluded.checks`,
        retries: sql`excluded.retries`,
        unresolvedReason: sql`excluded.unresolved_reason`,
      },
    });
  }

  deletion(name: string): Statement {
    return this.#db
      .delete(jobStepsTable)
      .where(and(eq(jobStepsTable.jobKey, this.#key), eq(jobStepsTable.name, name), this.#lease.hasLease));
  }

  /**
   * Ends the delivery and retries the step later; the delay grows with each retry. Throws `JobFailed` with
   * the cause after `maxRetries`.
   */
  retryWithBackoff(name: string, cause: Cause, { retryAfterSeconds, maxRetries }: Backoff): never {
    const step = this.findOrNew(name);
    const retries = step.retries + 1;
    if (maxRetries !== undefined && retries >= maxRetries) throw new JobFailed(cause.code, cause.message, cause.answer);
    throw new RetryLater(retryAfterSeconds ?? backoff(retries) / SECOND, cause, [this.upsert({ ...step, retries })]);
  }
}

/** Whether an act was begun and its result is not known. */
export function isUnconfirmed({ state }: JobStep): boolean {
  return state === "begun" || state === "unknown" || state === "duplicate";
}

export function resultOf({ result }: JobStep): unknown {
  return result === null ? null : JSON.parse(result);
}
