import { and, eq, type SQL, sql } from "drizzle-orm";
import { backoff } from "../core/backoff.ts";
import type { Cause } from "../core/failures.ts";
import { SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Claimed } from "./claim-store.ts";
import type { Lease } from "./lease.ts";
import { JobFailed, RetryLater } from "./outcomes.ts";
import type { SetBack } from "./set-back.ts";
import type { JobStep } from "./store.ts";
import { jobStepsTable } from "./table.ts";

/** Progress of work that may be repeated is stored after this many bytes, or this long. */
const GROUP_BYTES = 8 * 1024 * 1024;
const GROUP_MS = 5 * SECOND;

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
  /** What is stored with each unstored step, by its name. */
  readonly #unstored = new Map<string, readonly Statement[]>();
  #groupBytes = 0;
  #storedAt = Date.now();

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

  /** A step of which nothing is stored, although it may have been done in that time. */
  suspected(name: string, { since, until }: SetBack): JobStep {
    return { ...this.blank(name), state: "unknown", begunAt: since, attemptedAt: until, attempts: 0 };
  }

  /** A step with this result. */
  done(name: string, value: unknown): JobStep {
    return { ...this.blank(name), state: "done", result: JSON.stringify(value) };
  }

  /** Stores a step, together with the given statements and all unstored steps. */
  async save(step: JobStep, also: readonly Statement[] = []): Promise<void> {
    this.saveWithNext(step, also);
    await runBatch(this.#db, this.unstored());
    this.noteAllStored();
  }

  /**
   * Stores a step, and the given statements, with the next write of this delivery: another step, an intent, a
   * wait or the end. Lost if the delivery dies before it.
   */
  saveWithNext(step: JobStep, also: readonly Statement[] = []): void {
    this.#unstored.set(step.name, [...(this.#unstored.get(step.name) ?? []), ...also]);
    this.noteStored(step);
  }

  /** Stores the progress of work that may be repeated, in groups of several megabytes or seconds. */
  async saveInGroups(step: JobStep, bytes: number): Promise<void> {
    this.#groupBytes += bytes;
    if (this.#groupBytes >= GROUP_BYTES || Date.now() - this.#storedAt >= GROUP_MS) return this.save(step);
    this.saveWithNext(step);
  }

  /** The statements of all unstored steps, for the next batch. Followed by `noteAllStored`. */
  unstored(): Statement[] {
    return [...this.#unstored].flatMap(([name, also]) => [...also, this.upsert(this.findOrNew(name))]);
  }

  noteAllStored(): void {
    this.#unstored.clear();
    this.#groupBytes = 0;
    this.#storedAt = Date.now();
  }

  /** Records a step that a statement of the caller stores. */
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
