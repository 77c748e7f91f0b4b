import { and, eq, type SQL, sql } from "drizzle-orm";
import { backoff } from "../core/backoff.ts";
import type { Cause } from "../core/failures.ts";
import { SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Claimed } from "./claim-store.ts";
import type { Lease } from "./lease.ts";
import { GiveUp, Later } from "./once.ts";
import type { JobStep } from "./store.ts";
import { jobStepsTable } from "./table.ts";

export interface Backoff {
  readonly retryAfterSeconds?: number;
  readonly maxTries?: number;
}

/** The steps of a job: as they were read when it was claimed, and as they are written by its delivery. */
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
    const counts = { acts: 1, looks: 0, tries: 0, gaveUp: null };
    return { jobKey: this.#key, name, state: "waiting", result: null, begunAt: now, actedAt: now, ...counts };
  }

  /** Stores a step, with what else is to be written then. */
  async save(step: JobStep, also: readonly Statement[] = []): Promise<void> {
    await runBatch(this.#db, [...also, this.upsert(step)]);
    this.noteStored(step);
  }

  /** For a step that was stored by a statement of the caller's. */
  noteStored(step: JobStep): void {
    this.#steps.set(step.name, step);
  }

  /** For one that a statement of the caller's has deleted. */
  noteForgotten(name: string): void {
    this.#steps.delete(name);
  }

  upsert(step: JobStep, unless?: SQL) {
    const { held } = this.#lease;
    const condition = unless ? sql`${held} AND NOT (${unless})` : held;
    const values = { ...step, result: sql`${step.result}` };
    return insertWhere(this.#db, jobStepsTable, values, condition).onConflictDoUpdate({
      target: [jobStepsTable.jobKey, jobStepsTable.name],
      set: {
        state: sql`excluded.state`,
        result: sql`excluded.result`,
        begunAt: sql`excluded.begun_at`,
        actedAt: sql`excluded.acted_at`,
        acts: sql`excluded.acts`,
        looks: sql`excluded.looks`,
        tries: sql`excluded.tries`,
        gaveUp: sql`excluded.gave_up`,
      },
    });
  }

  deletion(name: string): Statement {
    return this.#db
      .delete(jobStepsTable)
      .where(and(eq(jobStepsTable.jobKey, this.#key), eq(jobStepsTable.name, name), this.#lease.held));
  }

  /**
   * Ends the delivery, to try a step again: longer with each try. Throws `GiveUp` with the cause after
   * `maxTries`.
   */
  putOff(name: string, cause: Cause, { retryAfterSeconds, maxTries }: Backoff): never {
    const step = this.findOrNew(name);
    const tries = step.tries + 1;
    if (maxTries !== undefined && tries >= maxTries) throw new GiveUp(cause.code, cause.message);
    throw new Later(retryAfterSeconds ?? backoff(tries) / SECOND, cause, [this.upsert({ ...step, tries })]);
  }
}

/** Whether a step was acted, or begun, and nobody knows its result. */
export function isUnsettled({ state }: JobStep): boolean {
  return state === "begun" || state === "unsure" || state === "duplicate";
}

export function resultOf({ result }: JobStep): unknown {
  return result === null ? null : JSON.parse(result);
}
