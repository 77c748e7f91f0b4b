import type { SQL } from "drizzle-orm";
import { z } from "zod";
import { type Cause, FAILURE_CODES, type FailureCode, type RawAnswer } from "../core/failures.ts";
import type { Statement } from "../db/client.ts";
import type { RecheckPolicy } from "./recheck-policy.ts";

/**
 * The vocabulary between a job and its journal (journal.ts): the ways a delivery ends, and the plan of an
 * act.
 */

/** Why a job waits: a sentence, and a code if something is wrong; the code is null for an ordinary wait. */
export interface WaitCause {
  readonly code: FailureCode | null;
  readonly message: string;
  /** The rate limit that the job waits for, if others share it: the channel's, or the whole service's. */
  readonly limit?: "channel" | "service";
  /** The key of the event that ends the wait early (resume-waiting.ts), e.g. `channel:7`. */
  readonly resumeKey?: string;
  /** The platform's answer that caused the wait, if any. */
  readonly answer?: RawAnswer | undefined;
  /** Whether the wait counts against the deadline, as a sentence that the timeline adds. */
  readonly counts?: string;
}

/**
 * Ends this delivery; the job continues after `seconds`. Thrown by `retryLater`, caught by the runner only.
 */
export class RetryLater extends Error {
  readonly seconds: number;
  readonly wait: WaitCause;
  /** Written together with the wait. */
  readonly also: readonly Statement[];
  /** By how much of the wait the deadline moves, because the job could do nothing meanwhile. */
  readonly freeSeconds: number;
  constructor(seconds: number, wait: WaitCause, also: readonly Statement[] = [], freeSeconds = 0) {
    super(wait.message);
    this.seconds = seconds;
    this.wait = wait;
    this.also = also;
    this.freeSeconds = freeSeconds;
  }
}

/** Fails the job for good, for this reason. */
export class JobFailed extends Error implements Cause {
  readonly code: FailureCode;
  readonly answer: RawAnswer | undefined;
  constructor(code: FailureCode, message: string, answer?: RawAnswer) {
    super(message);
    this.code = code;
    this.answer = answer;
  }
}

/** Another delivery has the job: this one must stop and write nothing. */
export class LeaseLost extends Error {}

/**
 * The result of an act: `unknown` if its answer was lost after it may have happened, `duplicate` if the
 * platform refused it because the same thing already exists.
 */
export type ActResult<T, F> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly failure: F }
  | ({ readonly kind: "unknown" | "duplicate" } & FromAnswer);

interface FromAnswer {
  readonly message: string;
  readonly answer?: RawAnswer | undefined;
}

export type FindResult<T> =
  | { readonly kind: "found"; readonly value: T }
  | { readonly kind: "absent" }
  /** The check ran, but its answer is ambiguous: the act is never repeated because of it. */
  | ({ readonly kind: "unclear" } & FromAnswer)
  /** No check will ever find the result: checking stops at once. */
  | ({ readonly kind: "unreadable" } & FromAnswer)
  /** The check itself failed. `isRefused`: a later check will probably fail too. */
  | {
      readonly kind: "failed";
      readonly cause: Cause;
      readonly isRefused: boolean;
      /** Whether a limit of the platform refused it: the wait does not count against the deadline. */
      readonly isLimit?: boolean;
      readonly retryAfterSeconds?: number;
    };

export interface OncePlan<T, F> extends RecheckPolicy {
  readonly schema: z.ZodType<T>;
  /** Failure codes: outcome unknown; already exists, not created by us. */
  readonly codes: { readonly unknown: FailureCode; readonly duplicate: FailureCode };
  /** Must not hold in the statement that stores the intent, e.g. "the post is deleted". */
  readonly unless?: SQL;
  /** Statements in the transaction that stores the intent; they are conditional on `intended`. */
  begins?(intended: SQL): readonly Statement[];
  /** Statements in the transaction that stores the result; they are conditional on `hasLease`. */
  settles?(value: T): readonly Statement[];
  /**
   * Whether the result may be stored in the transaction of the next intent of this job: nothing else happens
   * before it.
   */
  isSettledWithNext?(value: T): boolean;
  /** The time limit of `act`, in milliseconds; the lease is renewed meanwhile. Default: `ACT_LIMIT_MS`. */
  readonly limitMs?: number;
  /** `signal` aborts at the time limit, or when another delivery has the job: the act must then stop. */
  act(signal: AbortSignal): Promise<ActResult<T, F>>;
  /** Handles a refusal: the act did nothing, and a later call acts again. */
  refused(failure: F): Promise<T | null>;
  /** Checks for the result of an act since `begunAt` (epoch milliseconds). Changes nothing outside. */
  find(begunAt: number): Promise<FindResult<T>>;
}

/** How a branch of a job ended: done, or failed for good with this cause. `runBranch` stores it. */
export const BranchResult = z.union([
  z.object({ kind: z.literal("done") }),
  z.object({
    kind: z.literal("unresolved"),
    cause: z.object({
      code: z.enum(FAILURE_CODES).catch("unexpected"),
      message: z.string(),
      answer: z.custom<RawAnswer>(() => true).optional(),
    }),
  }),
]);
export type BranchEnd = z.output<typeof BranchResult>;

/** Runs a branch: `JobFailed` is its end, other errors are thrown. */
export async function endOfBranch(run: () => Promise<void>): Promise<BranchEnd> {
  try {
    await run();
    return { kind: "done" };
  } catch (error) {
    if (!(error instanceof JobFailed)) throw error;
    const { code, message, answer } = error;
    return { kind: "unresolved", cause: { code, message, ...(answer ? { answer } : {}) } };
  }
}
