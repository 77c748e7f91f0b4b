import { and, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { backoff } from "../core/backoff.ts";
import type { Cause } from "../core/failures.ts";
import { DAY, SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Claimed } from "./claim-store.ts";
import type { Holder, Lease } from "./lease.ts";
import { JobFailed, RetryLater, type WaitCause } from "./outcomes.ts";
import type { SetBack } from "./set-back.ts";
import type { JobStep } from "./store.ts";
import { jobStepsTable } from "./table.ts";

/** Progress of work that may be repeated is stored after this many bytes, or this long. */
const GROUP_BYTES = 8 * 1024 * 1024;
const GROUP_MS = 5 * SECOND;

/**
 * Waits that do not count against the deadline: for a limit of a platform, and for a turn among the jobs of
 * this service. After so long in all, waiting counts: no job waits forever.
 */
const FREE_WAITS = {
  limit: { step: "suspended", mostMs: DAY, counted: "After a day in limits of the platform, waiting counts" },
  turn: { step: "turns", mostMs: 7 * DAY, counted: "After a week, waiting counts" },
} as const;
export type FreeWait = keyof typeof FREE_WAITS;

/** How far waits have moved the deadline. */
const Suspended = z.object({ freeMs: z.number() }).catch({ freeMs: 0 });
type Suspended = z.output<typeof Suspended>;

const NOT_COUNTED = "This wait does not count against the deadline.";

export interface Backoff {
  readonly retryAfterSeconds?: number;
  readonly maxRetries?: number;
  /** Whether the step waits for a limit of the platform (journal.ts, `suspend`). */
  readonly isLimit?: boolean;
}

/** The steps of a job: as read at the claim, and as written by this delivery. */
export class JournalSteps {
  readonly #db: Db;
  readonly #key: string;
  readonly #lease: Lease;
  readonly #steps: Map<string, JobStep>;
  /** `JobHandler.isPunctual`. */
  readonly #isPunctual: boolean;
  /** What is stored with each unstored step, by its name. */
  readonly #unstored = new Map<string, readonly Statement[]>();
  #groupBytes = 0;
  #storedAt = Date.now();

  constructor({ db, isPunctual }: Pick<Holder, "db" | "isPunctual">, { job, steps }: Claimed, lease: Lease) {
    this.#db = db;
    this.#isPunctual = isPunctual;
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
  retryWithBackoff(name: string, cause: Cause, { retryAfterSeconds, maxRetries, isLimit }: Backoff): never {
    const retries = this.findOrNew(name).retries + 1;
    if (maxRetries !== undefined && retries >= maxRetries) throw new JobFailed(cause.code, cause.message, cause.answer);
    const { seconds, also } = this.waitWithBackoff(name, retryAfterSeconds);
    throw isLimit ? this.suspended(seconds, cause, also) : new RetryLater(seconds, cause, also);
  }

  /** The next wait of the step, which grows with each, and the statement that counts it. */
  waitWithBackoff(name: string, retryAfterSeconds: number | undefined) {
    const step = this.findOrNew(name);
    const retries = step.retries + 1;
    return { seconds: retryAfterSeconds ?? backoff(retries) / SECOND, also: [this.upsert({ ...step, retries })] };
  }

  /** A wait for a limit, and how much of it moves the deadline (journal.ts, `suspend`). */
  suspended(seconds: number, cause: WaitCause, also: readonly Statement[], kind: FreeWait = "limit"): RetryLater {
    if (this.#isPunctual) return new RetryLater(seconds, cause, also);
    const { step: name, mostMs, counted } = FREE_WAITS[kind];
    const step = this.findOrNew(name);
    const waitMs = seconds * SECOND;
    const usedMs = Suspended.parse(resultOf(step)).freeMs;
    const freeMs = Math.min(waitMs, Math.max(0, mostMs - usedMs));
    const result = JSON.stringify({ freeMs: usedMs + freeMs } satisfies Suspended);
    const stored = this.upsert({ ...step, result, retries: step.retries + 1 });
    const counts = freeMs < waitMs ? `${counted} against the deadline.` : NOT_COUNTED;
    return new RetryLater(seconds, { ...cause, counts }, [...also, stored], freeMs / SECOND);
  }
}

/** Whether an act was begun and its result is not known. */
export function isUnconfirmed({ state }: JobStep): boolean {
  return state === "begun" || state === "unknown" || state === "duplicate";
}

export function resultOf({ result }: JobStep): unknown {
  return result === null ? null : JSON.parse(result);
}
