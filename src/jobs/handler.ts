import type { Cause } from "../core/failures.ts";
import type { Log } from "../core/log.ts";
import type { Meter } from "../core/meter.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Journal, JournalForm } from "./journal.ts";
import type { QueueName } from "./messages.ts";
import type { WaitCause } from "./outcomes.ts";
import type { JobQueue } from "./queue.ts";

/** The engine's own dependencies; handlers receive whatever dependencies the runner was called with. */
export interface JobDeps {
  readonly db: Db;
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
   * Records a failure where the owner sees it: statements that need nothing but ids, so that they also serve
   * a job whose rows cannot be read any more. Each is conditional on `hasLease`. Absent: nothing to record.
   */
  ended?(deps: D, job: HeldJob, end: JobEnd): readonly Statement[];
  /** Replaces `ended` if the rows can be read and the record depends on them; ends with `journal.finish`. */
  fail?(deps: D, journal: Journal, cause: Cause): Promise<void>;
  /**
   * Called before each wait with a new cause, to show the cause; its statements are written with the wait.
   */
  waiting?(deps: D, job: HeldJob, cause: WaitCause, until: number): readonly Statement[];
}

/** A job, and the condition that this delivery still has its lease. */
export type HeldJob = Pick<Journal, "job" | "hasLease">;

/** Why a job ended without success. */
export interface JobEnd extends Cause {
  /** Whether an act may have been done without confirmation. */
  readonly mayBeDone: boolean;
}

/** Null for a kind that this version of the service does not know. */
export type HandlerOf<D extends JobDeps> = (kind: string) => JobHandler<D> | null;
