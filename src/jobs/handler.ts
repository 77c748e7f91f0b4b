import type { SQL } from "drizzle-orm";
import type { Cause, FailureCode } from "../core/failures.ts";
import type { Log } from "../core/log.ts";
import type { Meter } from "../core/meter.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Finish, Journal, JournalForm } from "./journal.ts";
import type { QueueName } from "./messages.ts";
import type { WaitCause } from "./outcomes.ts";
import type { JobQueue } from "./queue.ts";
import type { Job } from "./store.ts";

/** The engine's own dependencies; handlers receive whatever dependencies the runner was called with. */
export interface JobDeps {
  readonly db: Db;
  /** The number of the database. */
  readonly database: number;
  readonly kv: KVNamespace;
  readonly jobs: JobQueue;
  readonly log: Log;
  /** What the invocation has used over all its deliveries. */
  readonly meter: Meter;
  readonly config: { readonly jobLeaseMs: number; readonly taskClaimMs: number };
  /** Counts that the end of a delivery stores in its own transaction. Each is returned once. */
  takeCounts?(): readonly Statement[];
}

/** A kind of job: its name, queues, deadline and work. `run` ends with `journal.finish`. */
export interface JobHandler<D extends JobDeps> extends JournalForm {
  readonly kind: string;
  /** The queues of its messages, the default first. */
  readonly queues: readonly [QueueName, ...QueueName[]];
  /** How long after its due time a job may still be tried, in milliseconds. */
  limitMs(config: D["config"]): number;
  /** Never fails, but is retried: it owns something outside that must not be abandoned. */
  readonly isEndless?: true;
  /** Whether waiting for rate limits counts against the deadline, because a late result is useless. */
  readonly isPunctual?: true;
  run(deps: D, journal: Journal): Promise<void>;
  /**
   * Returns what records a failure where the owner sees it. `journal` is null if the job's rows cannot be
   * read: then the statements need nothing but ids. Absent: nothing to record.
   */
  failed?(deps: D, job: HeldJob, end: JobEnd, journal: Journal | null): Finish | Promise<Finish>;
  /** Shows a wait with a new cause; the statements are written with the wait. Absent: waits are not shown. */
  waiting?(db: Db, wait: ShownWait, hasLease: SQL): readonly Statement[];
}

/** A job, and the condition that this delivery still has its lease. */
export type HeldJob = Pick<Journal, "job" | "hasLease">;

/** A wait, as an event of the job's subject. */
export interface ShownWait extends Pick<Job, "projectId" | "subjectId"> {
  readonly message: string;
  readonly detail: { readonly until: string; readonly error_code: FailureCode | null };
  /** More details, if a platform caused the wait. */
  readonly platform: Pick<WaitCause, "limit" | "answer">;
  readonly at: number;
}

/** Why a job ended without success. */
export interface JobEnd extends Cause {
  /** Whether an act may have been done without confirmation. */
  readonly mayBeDone: boolean;
}

/** Its code for the caller: a duplicate is more specific than `may_be_published`. */
export const endCode = ({ code, mayBeDone }: JobEnd): Cause["code"] =>
  mayBeDone && code !== "duplicate" ? "may_be_published" : code;

/** Null for a kind that this version of the service does not know. */
export type HandlerOf<D extends JobDeps> = (kind: string) => JobHandler<D> | null;
