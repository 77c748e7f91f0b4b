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
import { z } from "zod";
import { backoff } from "../core/backoff.ts";
import { type Cause, FAILURE_CODES, type FailureCode } from "../core/failures.ts";
import { DAY, SECOND } from "../core/time.ts";
import {
  type Answers,
  answersOf,
  type Db,
  isList,
  listed,
  runBatch,
  type Statement,
  type Statements,
  writeTogether,
} from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { whileLeased } from "./heartbeat.ts";
import { type GaveUp, GiveUp, Later, LostLease, type Once, type OnceOutcome, type WaitCause } from "./once.ts";
import { afterAbsent, firstLookAfter, isHopeless } from "./patience.ts";
import {
  type Claimed,
  closeJob,
  forgetRepeatableSteps,
  heldBy,
  type Job,
  type JobStep,
  releaseNext,
  renewLease,
  stampJournal,
} from "./store.ts";
import { jobStepsTable } from "./table.ts";

/** Longest time one outside call of an act may take; a lease is renewed when less than this is left of it. */
export const ACT_LIMIT_MS = 30 * SECOND;

/** What may pass between renewing a lease and the act that needs it. */
const MARGIN_MS = 5 * SECOND;

/** A job that has waited for allowances for so long begins to wait at its own cost: none rests forever. */
export const LONGEST_SUSPENSION_MS = 7 * DAY;
const SUSPENDED = "suspended";

/** In which form a kind of job writes its journal. */
export interface JournalForm {
  /** Raised when what is stored changes its shape. */
  readonly version: number;
  /** Whether a step tells what was done outside for good: kept, and readable, whatever the version. */
  isLasting(step: string): boolean;
}

/** The delivery that has the job. */
export interface Holder {
  readonly db: Db;
  readonly owner: string;
  readonly leaseMs: number;
  /** Whether the invocation has used up its share: then the delivery goes on in another one. */
  readonly isSpent: () => boolean;
}

/** What `leg` stores. */
const LegResult = z.union([
  z.object({ kind: z.literal("done") }),
  z.object({
    kind: z.literal("gave_up"),
    cause: z.object({ code: z.enum(FAILURE_CODES).catch("unexpected"), message: z.string() }),
  }),
]);

export class Journal {
  readonly job: Job;
  readonly #holder: Holder;
  #leaseUntil: number;
  readonly #steps: Map<string, JobStep>;
  #released: unknown = [];

  private constructor(holder: Holder, { job, steps }: Claimed) {
    this.#holder = holder;
    this.job = job;
    this.#leaseUntil = job.leaseUntil ?? 0;
    this.#steps = new Map(steps.map((step) => [step.name, step]));
  }

  /** The journal of a claimed job. What was prepared in another form is forgotten and done anew. */
  static async open(holder: Holder, claimed: Claimed, form: JournalForm): Promise<Journal> {
    const journal = new Journal(holder, claimed);
    if (claimed.job.journalVersion !== form.version) await journal.#adopt(form);
    return journal;
  }

  async #adopt(form: JournalForm): Promise<void> {
    // What an unsettled act needs to be looked for is in a form that we cannot read: nothing is forgotten, nothing done.
    if (this.isUnsure()) return;
    const { db } = this.#holder;
    const kept = [...this.#steps.keys()].filter((name) => form.isLasting(name));
    const statements = [stampJournal(db, this.job.key, form.version, this.held)];
    if (kept.length < this.#steps.size) {
      statements.unshift(forgetRepeatableSteps(db, this.job.key, kept, this.held));
    }
    await runBatch(db, statements);
    for (const name of [...this.#steps.keys()]) if (!kept.includes(name)) this.#steps.delete(name);
  }

  /** Condition for every statement that this job writes elsewhere. */
  get held(): SQL {
    return heldBy(this.job.key, this.#holder.owner);
  }

  /** Rows of the job that the end of this one let go, for `wakeJobs`. */
  get released(): unknown {
    return this.#released;
  }

  /** The stored result of a step, or null. */
  read<S extends z.ZodType>(name: string, schema: S): z.output<S> | null {
    const step = this.#steps.get(name);
    return step?.state === "done" ? schema.parse(resultOf(step)) : null;
  }

  /** When a step was first begun; now, for one that was not. */
  begunAt(name: string): number {
    const step = this.#steps.get(name);
    return step && step.state !== "waiting" ? step.begunAt : Date.now();
  }

  /** Whether an act was begun whose end is not known yet. */
  isBegun(name: string): boolean {
    const step = this.#steps.get(name);
    return step !== undefined && isUnsettled(step);
  }

  /** When the last act whose end is not known yet was begun, of those under names that begin like this; null for none. */
  lastUnsettled(prefix: string): number | null {
    const acted = [...this.#steps.values()].flatMap((step) =>
      step.name.startsWith(prefix) && isUnsettled(step) ? [step.actedAt] : [],
    );
    return acted.length === 0 ? null : Math.max(...acted);
  }

  isDone(name: string): boolean {
    return this.#steps.get(name)?.state === "done";
  }

  /** How often a step was put off since it last went on. */
  triesOf(name: string): number {
    return this.#steps.get(name)?.tries ?? 0;
  }

  /** Whether a step was put off since it last went on. */
  hasTried(name: string): boolean {
    return (this.#steps.get(name)?.tries ?? 0) > 0;
  }

  /** Whether something outside may have happened that nobody has confirmed. */
  isUnsure(): boolean {
    return [...this.#steps.values()].some(isUnsettled);
  }

  /** Stores or replaces the result of a step, with what else is to be written then. */
  async write(name: string, value: unknown, also: readonly Statement[] = []): Promise<void> {
    await this.#save({ ...this.#blank(name), state: "done", result: JSON.stringify(value) }, also);
  }

  /**
   * Does something outside at most once: the intent is stored before the act and the result after it. A delivery that
   * meets an intent without a result looks before it acts. Throws `Later` to look again; when looking ends, the outcome
   * says so and the act stays unsettled. What was given up is looked for again only by a patient plan.
   */
  async once<T, F>(name: string, plan: Once<T, F>): Promise<OnceOutcome<T, F>> {
    const known = this.#steps.get(name);
    if (known?.state === "done") return { kind: "done", value: plan.schema.parse(resultOf(known)) };
    const step = known && isUnsettled(known) ? known : undefined;
    if (step?.gaveUp && !plan.isPatient) return gaveUp(step, plan, step.gaveUp);
    await this.checkpoint();
    if (step) {
      const found = await this.#look(step, plan);
      if (found.kind !== "act") return found;
    }
    const begun = await this.#begin(name, known, plan);
    if (!begun) return { kind: "forbidden" };
    // A delivery that stalled here could act while another one has the job already: it must not act any more.
    this.requireLease();
    const acted = await this.#act(plan);
    switch (acted.kind) {
      case "done":
        await this.#save({ ...begun, state: "done", result: JSON.stringify(acted.value) }, plan.settles?.(acted.value));
        return acted;
      case "refused":
        // This act did nothing; what an earlier one may have done is as open as it was.
        await this.#save(step ?? { ...begun, state: "waiting" });
        return acted;
      case "unsure":
      case "duplicate": {
        const unsettled = { ...begun, state: acted.kind, result: JSON.stringify(acted.message), tries: 0 } as const;
        const cause = { code: doubtOf(unsettled, plan), message: acted.message };
        throw new Later(firstLookAfter(0), cause, [this.#upsert(unsettled)]);
      }
    }
  }

  /** Runs something that may be done again, and that may take longer than a lease lasts. */
  async atLength<T>(limitMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    await this.checkpoint();
    return whileLeased({ limitMs, everyMs: this.#holder.leaseMs / 3 }, () => this.#renew(), run);
  }

  async #act<T, F>({ limitMs = ACT_LIMIT_MS, act }: Once<T, F>): Promise<ReturnType<Once<T, F>["act"]>> {
    const { leaseMs } = this.#holder;
    const limits = { limitMs, everyMs: limitMs <= ACT_LIMIT_MS ? null : leaseMs / 3 };
    return whileLeased(limits, () => this.#renew(), act);
  }

  /**
   * Runs one part of a job whose failure does not end the others: `GiveUp` becomes a value, which is stored like success.
   * Other ends (a wait, a lost lease) end the delivery as ever.
   */
  async leg(name: string, run: () => Promise<void>): Promise<{ readonly kind: "done" } | GaveUp> {
    const known = this.read(name, LegResult);
    if (known) return known;
    let outcome: { readonly kind: "done" } | GaveUp = { kind: "done" };
    try {
      await run();
    } catch (error) {
      if (!(error instanceof GiveUp)) throw error;
      outcome = { kind: "gave_up", cause: { code: error.code, message: error.message } };
    }
    await this.write(name, outcome);
    return outcome;
  }

  /**
   * Runs parts that do not wait for one another: each gets its turn in every delivery, and the delivery ends as soon as the first of
   * those that wait can go on. Null for a part that is to be left out. Answers when all have ended.
   */
  async legs<Name extends string>(
    parts: Readonly<Record<Name, (() => Promise<void>) | null>>,
  ): Promise<Readonly<Record<Name, { readonly kind: "done" } | GaveUp | null>>> {
    const ends: [string, { readonly kind: "done" } | GaveUp | null][] = [];
    const waits: Later[] = [];
    for (const [name, run] of Object.entries<(() => Promise<void>) | null>(parts)) {
      try {
        ends.push([name, run === null ? null : await this.leg(name, run)]);
      } catch (error) {
        if (!(error instanceof Later)) throw error;
        waits.push(error);
      }
    }
    const [first] = waits.toSorted((a, b) => a.seconds - b.seconds);
    if (first) {
      const also = waits.flatMap((wait) => wait.also);
      const wokenBy = waits.find(({ wait }) => wait.wokenBy !== undefined)?.wait.wokenBy;
      throw new Later(
        first.seconds,
        wokenBy === undefined ? first.wait : { ...first.wait, wokenBy },
        also,
        waits.every(({ isFree }) => isFree),
      );
    }
    return Object.fromEntries(ends) as Readonly<Record<Name, { readonly kind: "done" } | GaveUp | null>>;
  }

  /** Forgets a step, in the batch that ends the job: should it be opened again, this is done again. */
  forgetting(name: string): Statement {
    return this.#holder.db
      .delete(jobStepsTable)
      .where(and(eq(jobStepsTable.jobKey, this.job.key), eq(jobStepsTable.name, name), this.held));
  }

  /** Ends this delivery; the job continues after the delay. Reason and code (null: nothing is wrong) are shown in the timeline. */
  later(seconds: number, reason: string, code: FailureCode | null, wokenBy?: string): never {
    throw new Later(seconds, { code, message: reason, ...(wokenBy === undefined ? {} : { wokenBy }) });
  }

  /** Waits longer with every call under this name; throws `GiveUp` with the cause after `maxTries`. */
  laterWithBackoff(
    name: string,
    cause: Cause,
    { retryAfterSeconds, maxTries }: { readonly retryAfterSeconds?: number; readonly maxTries?: number },
  ): never {
    const step = this.#steps.get(name) ?? this.#blank(name);
    const tries = step.tries + 1;
    if (maxTries !== undefined && tries >= maxTries) throw new GiveUp(cause.code, cause.message);
    throw new Later(retryAfterSeconds ?? backoff(tries) / SECOND, cause, [this.#upsert({ ...step, tries })]);
  }

  /**
   * Ends this delivery until an allowance is there again. That time does not count against the deadline, unless the job has
   * been waiting so for more than `LONGEST_SUSPENSION_MS`. `also` is written with the wait.
   */
  suspend(seconds: number, cause: WaitCause, also: readonly Statement[] = []): never {
    const step = this.#steps.get(SUSPENDED) ?? this.#blank(SUSPENDED);
    const isFree = Date.now() - step.begunAt < LONGEST_SUSPENSION_MS;
    throw new Later(seconds, cause, [...also, this.#upsert({ ...step, tries: step.tries + 1 })], isFree);
  }

  /** Writes the job's end: the statements (each conditional on `held`) and the close in one transaction. Gives their answers. */
  finish(statements: readonly Statement[]): Promise<void>;
  finish<const Given extends Statements>(given: Given): Promise<Answers<Given>>;
  async finish(given: readonly Statement[] | Statements): Promise<unknown> {
    const { db, owner } = this.#holder;
    const now = Date.now();
    const { results, released } = await writeTogether(db, {
      results: isList(given) ? given : listed(given),
      closed: closeJob(db, this.job.key, owner, now),
      released: releaseNext(db, this.job, now),
    });
    this.#released = released;
    return isList(given) ? results : answersOf(given, results);
  }

  /**
   * Before every outside act: makes sure that the lease outlasts it, and that the invocation can afford it. Throws
   * `LostLease` when another delivery took over, `Later` to go on in another invocation.
   */
  async checkpoint(): Promise<void> {
    if (this.#holder.isSpent()) this.later(0, "There is more to do than one delivery may.", null);
    if (this.#leaseUntil - Date.now() > ACT_LIMIT_MS + MARGIN_MS) return;
    await this.#renew();
  }

  /** Right before an act that another delivery must not meet: throws `LostLease` where the lease might end before it. */
  requireLease(): void {
    if (this.#leaseUntil - Date.now() < ACT_LIMIT_MS) throw new LostLease(this.job.key);
  }

  async #renew(): Promise<void> {
    const { db, owner, leaseMs } = this.#holder;
    const until = Date.now() + leaseMs;
    if (!(await renewLease(db, this.job.key, owner, until))) throw new LostLease(this.job.key);
    this.#leaseUntil = until;
  }

  /** What a look says: found, given up, or `act` again. */
  async #look<T, F>(
    step: JobStep,
    plan: Once<T, F>,
  ): Promise<{ readonly kind: "done"; readonly value: T } | GaveUp | { readonly kind: "act" }> {
    const now = Date.now();
    if (step.state === "begun") {
      // Its delivery may not be dead but slow, and the call still under way.
      const patience = step.actedAt + (plan.limitMs ?? ACT_LIMIT_MS) - now;
      if (patience > 0) {
        const reason = "Waiting until an interrupted call is surely over.";
        this.later(Math.ceil(patience / SECOND), reason, doubtOf(step, plan));
      }
    }
    const found = await plan.find(step.begunAt);
    switch (found.kind) {
      case "found":
        await this.#save({ ...step, state: "done", result: JSON.stringify(found.value) }, plan.settles?.(found.value));
        return { kind: "done", value: found.value };
      case "unreadable":
        return this.#giveUp(step, plan, found.message);
      case "unclear":
      case "failed": {
        const look = { isUnclear: found.kind === "unclear", isRefused: found.kind === "failed" && found.isRefused };
        if (isHopeless(step, look, plan, step.tries + 1, Date.now())) return this.#giveUp(step, plan, found.message);
        const retryAfterSeconds = found.kind === "failed" ? found.retryAfterSeconds : undefined;
        const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
        const code = found.kind === "failed" ? found.code : doubtOf(step, plan);
        return this.laterWithBackoff(step.name, { code, message: found.message }, wait);
      }
      case "absent": {
        const state = step.state === "begun" ? "unsure" : step.state;
        const looked: JobStep = { ...step, state, looks: step.looks + 1 };
        const verdict = afterAbsent({ ...looked, result: resultOf(looked) }, plan, Date.now());
        if (verdict.kind === "act") return verdict;
        if (verdict.kind === "give_up") return this.#giveUp(looked, plan, verdict.reason);
        const cause = { code: doubtOf(looked, plan), message: verdict.reason };
        throw new Later(verdict.seconds, cause, [this.#upsert(looked)]);
      }
    }
  }

  async #giveUp(step: JobStep, plan: Doubtful, reason: string): Promise<GaveUp> {
    await this.#save({ ...step, gaveUp: reason });
    return gaveUp(step, plan, reason);
  }

  async #begin<T, F>(name: string, earlier: JobStep | undefined, plan: Once<T, F>): Promise<JobStep | null> {
    const now = Date.now();
    const past = earlier && isUnsettled(earlier) ? earlier : undefined;
    const step: JobStep = {
      ...this.#blank(name),
      state: "begun",
      // The last unclear answer stays, for the sentence at the end.
      result: past?.result ?? null,
      begunAt: past?.begunAt ?? now,
      actedAt: now,
      acts: (past?.acts ?? 0) + 1,
      tries: earlier?.tries ?? 0,
    };
    const intended = sql`EXISTS (SELECT 1 FROM job_steps WHERE job_key = ${step.jobKey} AND name = ${name} AND state = 'begun') AND ${this.held}`;
    const intent = this.#upsert(step, plan.unless).returning({ name: jobStepsTable.name });
    const { stored } = await writeTogether(this.#holder.db, { stored: intent, begun: plan.begins?.(intended) ?? [] });
    if (stored.length > 0) {
      this.#steps.set(name, step);
      return step;
    }
    // Either the lease is gone or `unless` holds: the lease tells which.
    await this.#renew();
    return null;
  }

  #blank(name: string): JobStep {
    const now = Date.now();
    const counts = { acts: 1, looks: 0, tries: 0, gaveUp: null };
    return { jobKey: this.job.key, name, state: "waiting", result: null, begunAt: now, actedAt: now, ...counts };
  }

  async #save(step: JobStep, also: readonly Statement[] = []): Promise<void> {
    await runBatch(this.#holder.db, [...also, this.#upsert(step)]);
    this.#steps.set(step.name, step);
  }

  #upsert(step: JobStep, unless?: SQL) {
    const condition = unless ? sql`${this.held} AND NOT (${unless})` : this.held;
    const values = { ...step, result: sql`${step.result}` };
    return insertWhere(this.#holder.db, jobStepsTable, values, condition).onConflictDoUpdate({
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
}

type Doubtful = Pick<Once<unknown, unknown>, "doubt">;

/** A duplicate that follows an act of ours is what that act did. */
function doubtOf({ state, acts }: Pick<JobStep, "state" | "acts">, { doubt }: Doubtful): FailureCode {
  return state === "duplicate" && acts === 1 ? doubt.duplicate : doubt.unsure;
}

function gaveUp(step: JobStep, plan: Doubtful, message: string): GaveUp {
  return { kind: "gave_up", cause: { code: doubtOf(step, plan), message } };
}

function isUnsettled({ state }: JobStep): boolean {
  return state === "begun" || state === "unsure" || state === "duplicate";
}

function resultOf({ result }: JobStep): unknown {
  return result === null ? null : JSON.parse(result);
}
