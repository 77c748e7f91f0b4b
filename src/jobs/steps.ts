/**
 * Durable steps: how side effects happen once (design.md). A job is a row; a queue message only points at it; whatever a
 * delivery did is in the job's journal, so that the next one goes on where it died.
 *
 *   open ──claim──▶ leased ──finish──▶ done          `later` puts it back to open with a later time
 *                     │ dies: the lease ends, the sweep sends another message
 *
 * One delivery holds a job at a time, by a lease that a conditional update takes. Everything a delivery writes is
 * conditional on that lease, so one that stalled and lost it can write nothing any more.
 *
 * A `once` step: (none) ──intent stored──▶ begun ──answer──▶ done
 *                                            │ no answer ──▶ unsure, duplicate ──find──▶ done, or begun again (patience.ts)
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { backoff } from "../core/backoff.ts";
import { SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { GiveUp, Later, LostLease, type Once, type OnceOutcome } from "./once.ts";
import { afterAbsent, firstLookAfter, isHopeless } from "./patience.ts";
import {
  type Claimed,
  closeJob,
  forgetRepeatableSteps,
  heldBy,
  type Job,
  type JobStep,
  renewLease,
  stampJournal,
} from "./store.ts";
import { jobStepsTable } from "./table.ts";

/** Longest time one outside call of an act may take; a lease is renewed when less than this is left of it. */
export const ACT_LIMIT_MS = 30 * SECOND;

/** What may pass between renewing a lease and the act that needs it. */
const MARGIN_MS = 5 * SECOND;

/** In which form a kind of job writes its journal. */
export interface JournalForm {
  /** Raised when what is stored changes its shape. */
  readonly version: number;
  /** Whether a step tells what was done outside for good: kept, and readable, whatever the version. */
  isLasting(step: string): boolean;
}

export class Journal {
  readonly job: Job;
  readonly #db: Db;
  readonly #owner: string;
  readonly #leaseMs: number;
  #leaseUntil: number;
  readonly #steps: Map<string, JobStep>;

  private constructor(db: Db, job: Job, owner: string, leaseMs: number, steps: readonly JobStep[]) {
    this.#db = db;
    this.job = job;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
    this.#leaseUntil = job.leaseUntil ?? 0;
    this.#steps = new Map(steps.map((step) => [step.name, step]));
  }

  /** The journal of a claimed job. What was prepared in another form is forgotten and done anew. */
  static async open(db: Db, claimed: Claimed, owner: string, leaseMs: number, form: JournalForm): Promise<Journal> {
    const { job, steps } = claimed;
    const journal = new Journal(db, job, owner, leaseMs, steps);
    if (job.journalVersion !== form.version) await journal.#adopt(form);
    return journal;
  }

  async #adopt(form: JournalForm): Promise<void> {
    // What an unsettled act needs to be looked for is in a form that we cannot read: nothing is forgotten, nothing done.
    if (this.isUnsure()) return;
    const kept = [...this.#steps.keys()].filter((name) => form.isLasting(name));
    const statements = [stampJournal(this.#db, this.job.key, form.version, this.held)];
    if (kept.length < this.#steps.size) {
      statements.unshift(forgetRepeatableSteps(this.#db, this.job.key, kept, this.held));
    }
    await runBatch(this.#db, statements);
    for (const name of [...this.#steps.keys()]) if (!kept.includes(name)) this.#steps.delete(name);
  }

  /** Condition for every statement that this job writes elsewhere. */
  get held(): SQL {
    return heldBy(this.job.key, this.#owner);
  }

  /** The stored result of a step, or null. */
  read<S extends z.ZodType>(name: string, schema: S): z.output<S> | null {
    const step = this.#steps.get(name);
    return step?.state === "done" ? schema.parse(resultOf(step)) : null;
  }

  /** When a step was first begun; now, for one that was not. */
  begunAt(name: string): number {
    return this.#steps.get(name)?.begunAt ?? Date.now();
  }

  /** Whether something outside may have happened that nobody has confirmed. */
  isUnsure(): boolean {
    return [...this.#steps.values()].some((step) => step.state !== "done");
  }

  /** Stores or replaces the result of a step. */
  async write(name: string, value: unknown): Promise<void> {
    const now = Date.now();
    await this.#save({
      jobKey: this.job.key,
      name,
      state: "done",
      result: JSON.stringify(value),
      begunAt: now,
      actedAt: now,
      acts: 1,
      looks: 0,
    });
  }

  /**
   * Does something outside at most once: the intent is stored before the act and the result after it. A delivery that
   * meets an intent without a result looks before it acts. Throws `Later` to look again, `GiveUp` when looking ends: then
   * the journal stays unsure.
   */
  async once<T, F>(name: string, plan: Once<T, F>): Promise<OnceOutcome<T, F>> {
    const step = this.#steps.get(name);
    if (step?.state === "done") return { kind: "done", value: plan.schema.parse(resultOf(step)) };
    await this.keepLease();
    if (step) {
      const found = await this.#look(step, plan);
      if (found) return { kind: "done", value: found.value };
    }
    const begun = await this.#begin(name, step, plan);
    if (!begun) return { kind: "forbidden" };
    // A delivery that stalled here could act while another one has the job already: it must not act any more.
    if (this.#leaseUntil - Date.now() < ACT_LIMIT_MS) throw new LostLease(this.job.key);
    const acted = await plan.act();
    switch (acted.kind) {
      case "done":
        await this.#save({ ...begun, state: "done", result: JSON.stringify(acted.value) }, plan.settles?.(acted.value));
        return acted;
      case "refused":
        // This act did nothing; what an earlier one may have done is as open as it was.
        await (step ? this.#save(step) : this.#forget(begun));
        return acted;
      case "unsure":
      case "duplicate":
        await this.#save({ ...begun, state: acted.kind, result: JSON.stringify(acted.message) });
        return this.later(firstLookAfter(0), acted.message);
    }
  }

  /** Ends this delivery; the job continues after the delay. The reason is shown in the timeline. */
  later(seconds: number, reason: string): never {
    throw new Later(seconds, reason);
  }

  /** Waits longer with every call under this name; throws `GiveUp` with the reason after `maxTries`. */
  async laterWithBackoff(name: string, reason: string, options: { retryAfterSeconds?: number; maxTries?: number }) {
    const tries = this.#triesOf(name) + 1;
    if (options.maxTries !== undefined && tries >= options.maxTries) throw new GiveUp(reason);
    const now = Date.now();
    await this.#save({
      jobKey: this.job.key,
      name: `tries:${name}`,
      state: "done",
      result: null,
      begunAt: now,
      actedAt: now,
      acts: tries,
      looks: 0,
    });
    return this.later(options.retryAfterSeconds ?? backoff(tries) / SECOND, reason);
  }

  #triesOf(name: string): number {
    return this.#steps.get(`tries:${name}`)?.acts ?? 0;
  }

  /** Writes the job's end: the statements (each conditional on `held`) and the close in one transaction. Gives their results. */
  async finish(statements: readonly Statement[]): Promise<readonly unknown[]> {
    return runBatch(this.#db, [...statements, closeJob(this.#db, this.job.key, this.#owner, Date.now())]);
  }

  /** Makes sure that the lease outlasts one act; throws `LostLease` when another delivery took over. */
  async keepLease(): Promise<void> {
    const now = Date.now();
    if (this.#leaseUntil - now > ACT_LIMIT_MS + MARGIN_MS) return;
    const until = now + this.#leaseMs;
    if (!(await renewLease(this.#db, this.job.key, this.#owner, until))) throw new LostLease(this.job.key);
    this.#leaseUntil = until;
  }

  /** What was found; null when it is to be acted again. */
  async #look<T, F>(step: JobStep, plan: Once<T, F>): Promise<{ readonly value: T } | null> {
    if (step.state === "begun") {
      // Its delivery may not be dead but slow, and the call still under way.
      const patience = step.actedAt + ACT_LIMIT_MS - Date.now();
      if (patience > 0) this.later(Math.ceil(patience / SECOND), "Waiting until an interrupted call is surely over.");
    }
    const found = await plan.find(step.begunAt);
    switch (found.kind) {
      case "found":
        await this.#save({ ...step, state: "done", result: JSON.stringify(found.value) }, plan.settles?.(found.value));
        return found;
      case "unclear":
      case "failed": {
        const name = `find:${step.name}`;
        const look = { isUnclear: found.kind === "unclear", isRefused: found.kind === "failed" && found.isRefused };
        if (isHopeless(step, look, plan, this.#triesOf(name), Date.now())) throw new GiveUp(found.message);
        const retryAfter = found.kind === "failed" ? found.retryAfterSeconds : undefined;
        return this.laterWithBackoff(
          name,
          found.message,
          retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter },
        );
      }
      case "absent": {
        const looked: JobStep = {
          ...step,
          state: step.state === "begun" ? "unsure" : step.state,
          looks: step.looks + 1,
        };
        const verdict = afterAbsent({ ...looked, result: resultOf(looked) }, plan, Date.now());
        if (verdict.kind === "act") return null;
        await this.#save(looked);
        if (verdict.kind === "give_up") throw new GiveUp(verdict.reason);
        return this.later(verdict.seconds, verdict.reason);
      }
    }
  }

  async #begin<T, F>(name: string, earlier: JobStep | undefined, plan: Once<T, F>): Promise<JobStep | null> {
    const now = Date.now();
    const step: JobStep = {
      jobKey: this.job.key,
      name,
      state: "begun",
      // The last unclear answer stays, for the sentence at the end.
      result: earlier?.result ?? null,
      begunAt: earlier?.begunAt ?? now,
      actedAt: now,
      acts: (earlier?.acts ?? 0) + 1,
      looks: 0,
    };
    const intended = sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${step.jobKey} AND name = ${name} AND state = 'begun') AND ${this.held}`;
    const intent = this.#upsert(step, plan.unless).returning({ name: jobStepsTable.name });
    const [stored] = await runBatch(this.#db, [intent, ...(plan.begins?.(intended) ?? [])]);
    if (Array.isArray(stored) && stored.length > 0) {
      this.#steps.set(name, step);
      return step;
    }
    // Either the lease is gone or `unless` holds: the lease tells which.
    if (!(await renewLease(this.#db, this.job.key, this.#owner, Date.now() + this.#leaseMs))) {
      throw new LostLease(this.job.key);
    }
    return null;
  }

  async #save(step: JobStep, also: readonly Statement[] = []): Promise<void> {
    await runBatch(this.#db, [...also, this.#upsert(step, undefined)]);
    this.#steps.set(step.name, step);
  }

  async #forget(step: JobStep): Promise<void> {
    await this.#db
      .delete(jobStepsTable)
      .where(and(eq(jobStepsTable.jobKey, step.jobKey), eq(jobStepsTable.name, step.name), this.held));
    this.#steps.delete(step.name);
  }

  #upsert(step: JobStep, unless: SQL | undefined) {
    const condition = unless ? sql`${this.held} AND NOT (${unless})` : this.held;
    const values = { ...step, result: sql`${step.result}` };
    return insertWhere(this.#db, jobStepsTable, values, condition).onConflictDoUpdate({
      target: [jobStepsTable.jobKey, jobStepsTable.name],
      set: {
        state: sql`excluded.state`,
        result: sql`excluded.result`,
        actedAt: sql`excluded.acted_at`,
        acts: sql`excluded.acts`,
        looks: sql`excluded.looks`,
      },
    });
  }
}

function resultOf({ result }: JobStep): unknown {
  return result === null ? null : JSON.parse(result);
}
