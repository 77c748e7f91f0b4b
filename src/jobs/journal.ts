/**
 * Durable steps: how side effects happen exactly once, or fail with a clear error (docs/architecture.md). A
 * job is a row; a queue message only names it. The job's journal records what each delivery did, so that the
 * next one continues where it died.
 *
 *   open ──claim──▶ leased ──finish──▶ done          `retryLater` reopens it with a later time
 *                     │ dies: the lease expires, the sweep sends another message
 *
 * One delivery holds a job at a time, by a lease that a conditional update takes. Everything that a delivery
 * writes is conditional on that lease, so a delivery that stalled and lost it can write nothing. An act that
 * happens at most once is in act-once.ts.
 */
import type { SQL } from "drizzle-orm";
import type { z } from "zod";
import type { Cause, FailureCode } from "../core/failures.ts";
import { runBatch, type Statement, writeTogether } from "../db/client.ts";
import { actOnce } from "./act-once.ts";
import { type Claimed, closeJob, forgetRepeatableSteps, releaseNextThrottled, stampJournal } from "./claim-store.ts";
import { type Backoff, type FreeWait, isUnconfirmed, JournalSteps, resultOf } from "./journal-steps.ts";
import { type Holder, Lease } from "./lease.ts";
import { type BranchEnd, BranchResult, endOfBranch, type OncePlan, RetryLater, type WaitCause } from "./outcomes.ts";
import type { SetBack } from "./set-back.ts";
import type { Job } from "./store.ts";

/** The form in which a kind of job writes its journal. */
export interface JournalForm {
  /** Raised when the shape of the stored data changes. */
  readonly version: number;
  /** Whether a step records a lasting outside effect: it is kept, and readable, in every version. */
  isLasting(step: string): boolean;
}

/** What the transaction that closes a job writes. Each statement is conditional on `hasLease`. */
export interface Finish {
  readonly writes?: readonly Statement[];
  /** Statements that open jobs, after `writes`. Their messages are sent after the transaction. */
  readonly opens?: readonly Statement[];
}

export class Journal {
  readonly job: Job;
  /** The time that the database has lost. */
  readonly setBack: SetBack | null;
  readonly #holder: Holder;
  readonly #lease: Lease;
  readonly #steps: JournalSteps;
  #toEnqueue: unknown = [];

  private constructor(holder: Holder, claimed: Claimed, setBack: SetBack | null) {
    this.setBack = setBack;
    this.#holder = holder;
    this.job = claimed.job;
    this.#lease = new Lease(holder, claimed.job);
    this.#steps = new JournalSteps(holder, claimed, this.#lease);
  }

  /** Opens the journal of a claimed job. Repeatable steps of another version are deleted and run again. */
  static async open(holder: Holder, claimed: Claimed, form: JournalForm, setBack: SetBack | null): Promise<Journal> {
    const journal = new Journal(holder, claimed, setBack);
    if (claimed.job.journalVersion !== form.version) await journal.#adopt(form);
    return journal;
  }

  async #adopt(form: JournalForm): Promise<void> {
    // The data for checking an unconfirmed act is in a version that we cannot read: change nothing.
    if (this.hasUnconfirmed()) return;
    const { db } = this.#holder;
    const names = this.#steps.all().map(({ name }) => name);
    const kept = names.filter((name) => form.isLasting(name));
    const statements = [stampJournal(db, this.job.key, form.version, this.hasLease)];
    if (kept.length < names.length) {
      statements.unshift(forgetRepeatableSteps(db, this.job.key, kept, this.hasLease));
    }
    await runBatch(db, statements);
    for (const name of names) if (!kept.includes(name)) this.#steps.noteForgotten(name);
  }

  /** A condition for every statement that this job writes elsewhere: it still has the lease. */
  get hasLease(): SQL {
    return this.#lease.hasLease;
  }

  /** Rows of the jobs that finishing this one opened and released, for `enqueueJobs`. */
  get toEnqueue(): unknown {
    return this.#toEnqueue;
  }

  /** The stored result of a step, or null. */
  read<S extends z.ZodType>(name: string, schema: S): z.output<S> | null {
    const step = this.#steps.find(name);
    return step?.state === "done" ? schema.parse(resultOf(step)) : null;
  }

  /** When a step was first begun; now if it was not begun. */
  begunAt(name: string): number {
    const step = this.#steps.find(name);
    return step && step.state !== "waiting" ? step.begunAt : Date.now();
  }

  /** Whether an act was begun whose result is not known yet. */
  isUnconfirmed(name: string): boolean {
    const step = this.#steps.find(name);
    return step !== undefined && isUnconfirmed(step);
  }

  /** Treats an act as begun then: it is looked up before it is done. `also` is stored with that. */
  suspect(name: string, lost: SetBack, also: readonly Statement[]): Promise<void> {
    return this.#steps.save(this.#steps.suspected(name, lost), also);
  }

  /** How often this job has begun an act: never, if it was only suspected. */
  attemptsOf(name: string): number {
    return this.#steps.find(name)?.attempts ?? 0;
  }

  /** When the last unconfirmed act was begun, among the names with this prefix; null if there is none. */
  lastUnconfirmedAt(prefix: string): number | null {
    const acted = this.#steps
      .all()
      .flatMap((step) => (step.name.startsWith(prefix) && isUnconfirmed(step) ? [step.attemptedAt] : []));
    return acted.length === 0 ? null : Math.max(...acted);
  }

  /** Whether an act whose name has this prefix was attempted more than once. */
  wasRepeated(prefix: string): boolean {
    return this.#steps.all().some(({ name, attempts }) => name.startsWith(prefix) && attempts > 1);
  }

  /** Whether a step was ever begun: its result is stored, unconfirmed, or was a refusal. */
  wasBegun(name: string): boolean {
    return this.#steps.find(name) !== undefined;
  }

  isDone(name: string): boolean {
    return this.#steps.find(name)?.state === "done";
  }

  /** How often a step was delayed since it last made progress. */
  retriesOf(name: string): number {
    return this.#steps.find(name)?.retries ?? 0;
  }

  /** Whether any act of the job is unconfirmed. */
  hasUnconfirmed(): boolean {
    return this.#steps.all().some(isUnconfirmed);
  }

  /** Stores or replaces the result of a step, together with the given statements. */
  write(name: string, value: unknown, also: readonly Statement[] = []): Promise<void> {
    return this.#steps.save(this.#steps.done(name, value), also);
  }

  /** Stores the result of a step with the delivery's next write (a step, an intent, a wait, the end). */
  writeWithNext(name: string, value: unknown): void {
    this.#steps.saveWithNext(this.#steps.done(name, value));
  }

  /** The same for progress that may be repeated: stored after some megabytes or seconds at the latest. */
  writeInGroups(name: string, value: unknown, bytes: number): Promise<void> {
    return this.#steps.saveInGroups(this.#steps.done(name, value), bytes);
  }

  /** The statements that store what is not stored yet, for the transaction that ends this delivery. */
  unstored(): Statement[] {
    return [...this.#steps.unstored(), ...this.#holder.takeCounts()];
  }

  /** The same for a delivery that ends by an error. They are not part of its later transactions. */
  takeUnstored(): Statement[] {
    const statements = this.unstored();
    this.#steps.noteAllStored();
    return statements;
  }

  /**
   * Acts outside at most once: stores the intent before the act and the result after it. A delivery that
   * finds an intent without a result checks before it acts. Null if `unless` forbids it. Throws `RetryLater`
   * to check again, and `JobFailed` when checking stops. The act then stays unconfirmed, and only a plan that
   * checks until the deadline checks again.
   */
  once<T, F>(name: string, plan: OncePlan<T, F>): Promise<T | null> {
    return actOnce({ db: this.#holder.db, lease: this.#lease, steps: this.#steps }, name, plan);
  }

  /** Call before every outside act (lease.ts). */
  checkpoint(): Promise<void> {
    return this.#lease.checkpoint();
  }

  /**
   * Call right before an act that must not run in two deliveries: throws `LeaseLost` if the lease might end
   * before it.
   */
  requireLease(): void {
    this.#lease.require();
  }

  /** Runs repeatable work that may take longer than a lease lasts. */
  async runLong<T>(limitMs: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    await this.checkpoint();
    return this.#lease.runLong(limitMs, run);
  }

  /**
   * Runs one branch of a job, whose failure does not stop the others: `JobFailed` becomes a value, stored
   * like a success. Other errors (a wait, a lost lease) end the delivery as usual.
   */
  async runBranch(name: string, run: () => Promise<void>): Promise<BranchEnd> {
    const known = this.read(name, BranchResult);
    const end = known ?? (await endOfBranch(run));
    if (!known) await this.write(name, end);
    return end;
  }

  /**
   * Runs branches that are independent of each other: each runs in every delivery. The next delivery comes
   * when the first waiting branch can continue. Null for a branch to skip. Returns when all are complete.
   * The ends are stored with the delivery's next write: every act of a branch is one of `once`, which a
   * repeated branch finds done.
   */
  async runBranches<Name extends string>(
    parts: Readonly<Record<Name, (() => Promise<void>) | null>>,
  ): Promise<Readonly<Record<Name, BranchEnd | null>>> {
    const ends: [string, BranchEnd | null][] = [];
    const waits: RetryLater[] = [];
    for (const [name, run] of Object.entries<(() => Promise<void>) | null>(parts)) {
      try {
        const known = this.read(name, BranchResult);
        const end = known ?? (run && (await endOfBranch(run)));
        if (end && !known) this.writeWithNext(name, end);
        ends.push([name, end]);
      } catch (error) {
        if (!(error instanceof RetryLater)) throw error;
        waits.push(error);
      }
    }
    const [first] = waits.toSorted((a, b) => a.seconds - b.seconds);
    if (first) {
      const also = waits.flatMap((wait) => wait.also);
      const resumeKey = waits.find(({ wait }) => wait.resumeKey !== undefined)?.wait.resumeKey;
      throw new RetryLater(
        first.seconds,
        resumeKey === undefined ? first.wait : { ...first.wait, resumeKey },
        also,
        Math.min(...waits.map(({ freeSeconds }) => freeSeconds)),
      );
    }
    return Object.fromEntries(ends) as Readonly<Record<Name, BranchEnd | null>>;
  }

  /** Deletes a step, in the batch that closes the job: if the job is opened again, the step runs again. */
  deletionOf(name: string): Statement {
    return this.#steps.deletion(name);
  }

  /**
   * Ends this delivery; the job continues after the delay. The timeline shows the reason and the code (null:
   * nothing is wrong).
   */
  retryLater(seconds: number, reason: string, code: FailureCode | null, resumeKey?: string): never {
    throw new RetryLater(seconds, { code, message: reason, ...(resumeKey === undefined ? {} : { resumeKey }) });
  }

  /** Waits longer with every call under this name; throws `JobFailed` with the cause after `maxRetries`. */
  retryWithBackoff(name: string, cause: Cause, wait: Backoff): never {
    this.#steps.retryWithBackoff(name, cause, wait);
  }

  /**
   * The same for a limit of the platform, without a number of retries. The wait does not count against the
   * deadline, within the bounds of `suspend`.
   */
  suspendWithBackoff(name: string, cause: Cause, retryAfterSeconds?: number): never {
    const wait = this.#steps.waitWithBackoff(name, retryAfterSeconds);
    throw this.#steps.suspended(wait.seconds, cause, wait.also);
  }

  /**
   * Ends this delivery until the rate limit resets, or the job's turn comes. That time does not count against
   * the deadline: for a day in all, or a week of turns. It counts for a punctual job. `also`: written too.
   */
  suspend(seconds: number, cause: WaitCause, also: readonly Statement[] = [], kind: FreeWait = "limit"): never {
    throw this.#steps.suspended(seconds, cause, also, kind);
  }

  /** Closes the job, and writes the statements in the same transaction. */
  async finish({ writes = [], opens = [] }: Finish = {}): Promise<void> {
    const { db, owner } = this.#holder;
    const now = Date.now();
    const { opened, released } = await writeTogether(db, {
      unstored: this.unstored(),
      writes,
      opened: opens,
      closed: closeJob(db, this.job.key, owner, now),
      released: releaseNextThrottled(db, this.job, now),
    });
    this.#toEnqueue = [...opened, released].flat();
  }
}
