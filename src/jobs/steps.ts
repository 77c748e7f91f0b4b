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
 *                                            │ no answer ──▶ unsure ──find──▶ done, or begun again when surely absent
 */
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { backoff } from "../core/backoff.ts";
import { SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { closeJob, heldBy, type Job, type JobStep, listSteps, renewLease } from "./store.ts";
import { jobStepsTable } from "./table.ts";

/** Longest time one outside call of an act may take; a lease is renewed when less than this is left of it. */
export const ACT_LIMIT_MS = 30 * SECOND;

/** What may pass between renewing a lease and the act that needs it. */
const MARGIN_MS = 5 * SECOND;

/** How long to wait before each look for something that may have happened: lists lag behind (facebook.md §3.9). */
const LOOK_AFTER_SECONDS = [3, 10, 30];
const MAX_ACTS = 3;

/** Ends this delivery; the job goes on after `seconds`. Thrown by `later`, caught by the runner only. */
export class Later extends Error {
  readonly seconds: number;
  constructor(seconds: number, reason: string) {
    super(reason);
    this.seconds = seconds;
  }
}

/** Ends the job: it failed, for this reason. */
export class GiveUp extends Error {}

/** Another delivery has the job: this one must stop and write nothing. */
export class LostLease extends Error {}

/** What an act did: `unsure` when its answer was lost after it may have happened. */
export type Acted<T, F> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly failure: F }
  | { readonly kind: "unsure"; readonly message: string };

export type Found<T> =
  | { readonly kind: "found"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unsure"; readonly message: string; readonly retryAfterSeconds?: number };

export interface Once<T, F> {
  readonly schema: z.ZodType<T>;
  /** Must hold in the very statement that stores the intent, e.g. "the post is not deleted". */
  readonly unless?: SQL;
  act(): Promise<Acted<T, F>>;
  /** Looks for what an act since `begunAt` (epoch milliseconds) may have done. Only reads. */
  find(begunAt: number): Promise<Found<T>>;
}

export type OnceOutcome<T, F> =
  | { readonly kind: "done"; readonly value: T }
  /** Surely not done; the journal has forgotten the intent, a later call acts anew. */
  | { readonly kind: "refused"; readonly failure: F }
  /** `unless` forbade it; nothing was done. */
  | { readonly kind: "forbidden" };

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

  static async open(db: Db, job: Job, owner: string, leaseMs: number): Promise<Journal> {
    return new Journal(db, job, owner, leaseMs, await listSteps(db, job.key));
  }

  /** Condition for every statement that this job writes elsewhere. */
  get held(): SQL {
    return heldBy(this.job.key, this.#owner);
  }

  /** The stored result of a step, or null. */
  read<S extends z.ZodType>(name: string, schema: S): z.output<S> | null {
    const step = this.#steps.get(name);
    return step?.state === "done" ? schema.parse(step.result) : null;
  }

  /** When a step was first begun; now, for one that was not. */
  begunAt(name: string): number {
    return this.#steps.get(name)?.begunAt ?? Date.now();
  }

  /** Whether something outside may have happened that nobody has confirmed. */
  isUnsure(): boolean {
    return [...this.#steps.values()].some((step) => step.state !== "done");
  }

  /** Runs `fn` unless its result is stored. For what may be repeated. `also` is written with the result. */
  async step<S extends z.ZodType>(
    name: string,
    schema: S,
    fn: () => Promise<z.output<S>>,
    also: (value: z.output<S>) => readonly Statement[] = () => [],
  ): Promise<z.output<S>> {
    const known = this.read(name, schema);
    if (known !== null) return known;
    await this.keepLease();
    const value = await fn();
    await this.write(name, value, also(value));
    return value;
  }

  /** Stores or replaces the result of a step, with other statements in the same transaction. */
  async write(name: string, value: unknown, also: readonly Statement[] = []): Promise<void> {
    const now = Date.now();
    const step: JobStep = {
      jobKey: this.job.key,
      name,
      state: "done",
      result: value,
      begunAt: now,
      actedAt: now,
      acts: 1,
      looks: 0,
    };
    await runBatch(this.#db, [...also, this.#upsert(step, undefined)]);
    this.#steps.set(name, step);
  }

  /**
   * Does something outside at most once: the intent is stored before the act and the result after it. A delivery that
   * meets an intent without a result looks before it acts. Throws `Later` to look again, `GiveUp` when looking ends.
   */
  async once<T, F>(name: string, plan: Once<T, F>): Promise<OnceOutcome<T, F>> {
    const step = this.#steps.get(name);
    if (step?.state === "done") return { kind: "done", value: plan.schema.parse(step.result) };
    await this.keepLease();
    if (step) {
      const found = await this.#look(step, plan);
      if (found.kind === "found") return { kind: "done", value: found.value };
    }
    const begun = await this.#begin(name, step, plan.unless);
    if (!begun) return { kind: "forbidden" };
    // A delivery that stalled here could act while another one has the job already: it must not act any more.
    if (this.#leaseUntil - Date.now() < ACT_LIMIT_MS) throw new LostLease(this.job.key);
    const acted = await plan.act();
    switch (acted.kind) {
      case "done":
        await this.#save({ ...begun, state: "done", result: acted.value });
        return acted;
      case "refused":
        await this.#forget(begun);
        return acted;
      case "unsure":
        await this.#save({ ...begun, state: "unsure", result: acted.message });
        return this.later(LOOK_AFTER_SECONDS[0] ?? 3, acted.message);
    }
  }

  /** Ends this delivery; the job continues after the delay. The reason is shown in the timeline. */
  later(seconds: number, reason: string): never {
    throw new Later(seconds, reason);
  }

  /** Waits longer with every call under this name; throws `GiveUp` with the reason after `maxTries`. */
  async laterWithBackoff(name: string, reason: string, options: { retryAfterSeconds?: number; maxTries?: number }) {
    const tries = (this.#steps.get(`tries:${name}`)?.acts ?? 0) + 1;
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

  async #look<T, F>(step: JobStep, plan: Once<T, F>): Promise<Found<T>> {
    if (step.state === "begun") {
      // Its delivery may not be dead but slow, and the call still under way.
      const patience = step.actedAt + ACT_LIMIT_MS - Date.now();
      if (patience > 0) this.later(Math.ceil(patience / SECOND), "Waiting until an interrupted call is surely over.");
    }
    const found = await plan.find(step.begunAt);
    if (found.kind === "found") {
      await this.#save({ ...step, state: "done", result: found.value });
      return found;
    }
    if (found.kind === "unsure") {
      return this.laterWithBackoff(`find:${step.name}`, found.message, pick(found.retryAfterSeconds));
    }
    const looks = step.looks + 1;
    const wait = LOOK_AFTER_SECONDS[looks];
    if (wait !== undefined) {
      await this.#save({ ...step, state: "unsure", looks });
      this.later(wait, "The platform did not answer clearly; looking whether it happened.");
    }
    if (step.acts >= MAX_ACTS) {
      await this.#forget(step);
      const said = typeof step.result === "string" ? ` ${step.result}` : "";
      throw new GiveUp(`Tried ${MAX_ACTS} times; nothing of it is to be seen on the platform.${said}`);
    }
    return found;
  }

  async #begin(name: string, earlier: JobStep | undefined, unless: SQL | undefined): Promise<JobStep | null> {
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
    const stored = await this.#upsert(step, unless).returning({ name: jobStepsTable.name });
    if (stored.length > 0) {
      this.#steps.set(name, step);
      return step;
    }
    // Either the lease is gone or `unless` holds: the lease tells which.
    if (!(await renewLease(this.#db, this.job.key, this.#owner, Date.now() + this.#leaseMs))) {
      throw new LostLease(this.job.key);
    }
    return null;
  }

  async #save(step: JobStep): Promise<void> {
    await this.#upsert(step, undefined);
    this.#steps.set(step.name, step);
  }

  async #forget(step: JobStep): Promise<void> {
    await this.#db
      .delete(jobStepsTable)
      .where(and(eq(jobStepsTable.jobKey, step.jobKey), eq(jobStepsTable.name, step.name), this.held));
    this.#steps.delete(step.name);
  }

  #upsert(step: JobStep, unless: SQL | undefined) {
    const allowed = unless ? sql` AND NOT (${unless})` : sql``;
    // A plain VALUES could not be conditional on the lease; the columns stand in the order of the table.
    return this.#db
      .insert(jobStepsTable)
      .select(
        sql`SELECT ${step.jobKey}, ${step.name}, ${step.state}, ${JSON.stringify(step.result)}, ${step.begunAt},
          ${step.actedAt}, ${step.acts}, ${step.looks} WHERE ${this.held}${allowed}`,
      )
      .onConflictDoUpdate({
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

function pick(retryAfterSeconds: number | undefined): { retryAfterSeconds?: number } {
  return retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
}
