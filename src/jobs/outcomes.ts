import type { SQL } from "drizzle-orm";
import type { z } from "zod";
import type { Cause, FailureCode, RawAnswer } from "../core/failures.ts";
import type { Statement } from "../db/client.ts";
import type { RecheckPolicy } from "./recheck-policy.ts";

/** What a job says to its journal (journal.ts): how a delivery ends, and what an act that happens once is. */

/** Why a job waits: a sentence, and a word where something is wrong; null for what simply takes its time. */
export interface WaitCause {
  readonly code: FailureCode | null;
  readonly message: string;
  /**
   * What it waits for, where that is an allowance which others wait for too: the channel's, or the whole
   * service's.
   */
  readonly limit?: "channel" | "service";
  /** Whose news ends the wait early (resume-waiting.ts), e.g. `channel:7`. */
  readonly resumeKey?: string;
  /** The answer that the wait comes from, where a platform gave one. */
  readonly answer?: RawAnswer | undefined;
}

/** Ends this delivery; the job goes on after `seconds`. Thrown by `retryLater`, caught by the runner only. */
export class RetryLater extends Error {
  readonly seconds: number;
  readonly wait: WaitCause;
  /** Written together with the wait. */
  readonly also: readonly Statement[];
  /** Whether the deadline moves on by as much: nothing could be done meanwhile. */
  readonly isFree: boolean;
  constructor(seconds: number, wait: WaitCause, also: readonly Statement[] = [], isFree = false) {
    super(wait.message);
    this.seconds = seconds;
    this.wait = wait;
    this.also = also;
    this.isFree = isFree;
  }
}

/** Ends the job: it failed, for this reason. */
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
 * What an act did: `unknown` when its answer was lost after it may have happened, `duplicate` when it was
 * refused because the same thing is there.
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
  /** It was looked, but cannot be told; never acted again on that. */
  | ({ readonly kind: "unclear" } & FromAnswer)
  /** No look-up will ever show it: checking stops at once. */
  | ({ readonly kind: "unreadable" } & FromAnswer)
  /** The look-up itself did not work. `isRefused`: it will hardly work later either. */
  | {
      readonly kind: "failed";
      readonly cause: Cause;
      readonly isRefused: boolean;
      readonly retryAfterSeconds?: number;
    };

export interface OncePlan<T, F> extends RecheckPolicy {
  readonly schema: z.ZodType<T>;
  /**
   * What it is called that nobody can say whether it was done, and that it is there although nothing of ours
   * did it.
   */
  readonly codes: { readonly unknown: FailureCode; readonly duplicate: FailureCode };
  /** Must not hold in the very statement that stores the intent, e.g. "the post is deleted". */
  readonly unless?: SQL;
  /** Written with the intent, in its transaction: the statements hang on `intended`. */
  begins?(intended: SQL): readonly Statement[];
  /** Written with the result, in its transaction: the statements hang on `hasLease`. */
  settles?(value: T): readonly Statement[];
  /**
   * The longest that `act` may take, in milliseconds; its lease is kept alive meanwhile. Left out:
   * `ACT_LIMIT_MS`.
   */
  readonly limitMs?: number;
  /** `signal` ends when the time is over, or when another delivery has the job: then it must stop. */
  act(signal: AbortSignal): Promise<ActResult<T, F>>;
  /** What follows a refusal: the act did nothing, and a later call acts again. */
  refused(failure: F): Promise<T | null>;
  /** Looks for what an act since `begunAt` (epoch milliseconds) may have done. Changes nothing outside. */
  find(begunAt: number): Promise<FindResult<T>>;
}

/** One part of a job failed for good, for this reason. */
export interface Unresolved {
  readonly kind: "unresolved";
  readonly cause: Cause;
}
