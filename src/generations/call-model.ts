import { sql } from "drizzle-orm";
import { z } from "zod";
import { MINUTE, SECOND } from "../core/time.ts";
import { runBatch, type Statement } from "../db/client.ts";
import { type ActResult, type FindResult, JobFailed, type OncePlan } from "../jobs/outcomes.ts";
import type { ModelFailure, Usage } from "../models/outcome.ts";
import { countModelCall, type ModelUse, mayCall, refusalOfCall } from "../usage/model-calls.ts";
import { countTokens } from "../usage/model-usage.ts";
import { Deleted, type GenerationRun, stillOwned } from "./generation-run.ts";

/**
 * The model's answer: usable, or of another form than requested. An unusable one may be requested once more
 * under another step name.
 */
export type ModelResult<T> =
  | { readonly kind: "made"; readonly value: T }
  | { readonly kind: "unusable"; readonly message: string };

export interface ModelCall<T> {
  /** The name of the step in the journal. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** Its name in the project's usage. */
  readonly operation: "text" | "image" | "speech";
  /** Time limit of the call in milliseconds, including the time to store its answer. */
  readonly limitMs: number;
  call(signal: AbortSignal): Promise<{ readonly kind: "ok"; readonly value: T; readonly usage?: Usage } | ModelFailure>;
  /** Finds the result that an interrupted call has stored; null if there is none. */
  left?(): Promise<T | null>;
  /** Statements of the transaction that stores the answer. */
  settles?(value: T): readonly Statement[];
}

const TRIES = 8;
/** A server without capacity for longer than this fails the generation. */
const LONGEST_WAIT_MS = 30 * MINUTE;
const FIRST_WAIT_SECONDS = 10;

/**
 * Calls a model, and pays for it, at most once. A call whose answer is lost, or that ends in a server error,
 * is not repeated, because it may have been paid for. Only a 429, which the server sends before any work, is
 * retried. Throws `JobFailed` with the reason, `RetryLater` to wait, `Deleted`.
 */
export async function callModelOnce<T>(making: GenerationRun, question: ModelCall<T>): Promise<ModelResult<T>> {
  const { journal, deps, generation } = making;
  const { name, schema, limitMs, operation } = question;
  const { projectId } = generation;
  let usage: Usage | undefined;
  const stored: z.ZodType<ModelResult<T>> = z.union([
    z.object({ kind: z.literal("made"), value: schema }),
    z.object({ kind: z.literal("unusable"), message: z.string() }),
  ]);
  return callOnce<ModelResult<T>>(making, name, {
    schema: stored,
    limitMs,
    // A lost answer cannot be looked up later.
    lagMs: 0,
    use: { operation, units: 1 },
    settles: (answer) => [
      ...(answer.kind === "made" ? (question.settles?.(answer.value) ?? []) : []),
      ...countTokens(deps.db, projectId, { operation, usage }, journal.hasLease),
    ],
    async act(signal) {
      const answer = await question.call(signal);
      usage = answer.usage;
      return toActed(answer);
    },
    find: () => whatIsLeft(question),
    refused: () => runBatch(deps.db, countTokens(deps.db, projectId, { operation, usage }, journal.hasLease)),
  });
}

interface Call<T> extends Pick<OncePlan<T, ModelFailure>, "schema" | "limitMs" | "lagMs" | "settles" | "act" | "find"> {
  /** What is counted, with the intent. */
  readonly use: ModelUse;
  /** Called before a refusal is handled. */
  refused?(): Promise<void>;
}

/** Calls a model server at most once, as the step `name` of the journal. Throws like `callModelOnce`. */
export async function callOnce<T>(making: GenerationRun, name: string, { use, ...call }: Call<T>): Promise<T> {
  const { deps, generation } = making;
  const caller = { projectId: generation.projectId, automationId: null, isTrial: false };
  const now = Date.now();
  const may = mayCall(deps, caller, use, now);
  const answer = await making.journal.once<T, ModelFailure>(name, {
    ...call,
    begins: (intended) => {
      const { counted, others } = countModelCall(deps, caller, use, { now, condition: intended });
      return [counted, ...others];
    },
    codes: { unknown: "model_failed", duplicate: "model_failed" },
    unclearMs: 0,
    refusesRepeat: false,
    checksUntilDeadline: false,
    unless: sql`NOT (${stillOwned(making)} AND ${may})`,
    async refused(failure) {
      await call.refused?.();
      return refused(making, name, failure);
    },
  });
  if (answer !== null) return answer;
  const beyond = await refusalOfCall(deps, caller, use);
  if (beyond) throw new JobFailed("model_over_quota", beyond.message);
  throw new Deleted();
}

function toActed<T>(
  answer: { readonly kind: "ok"; readonly value: T } | ModelFailure,
): ActResult<ModelResult<T>, ModelFailure> {
  if (answer.kind === "ok") return { kind: "done", value: { kind: "made", value: answer.value } };
  if (answer.reason === "invalid") return { kind: "done", value: { kind: "unusable", message: answer.message } };
  return { kind: "refused", failure: answer };
}

async function whatIsLeft<T>({ left }: ModelCall<T>): Promise<FindResult<ModelResult<T>>> {
  const value = (await left?.()) ?? null;
  if (value !== null) return { kind: "found", value: { kind: "made", value } };
  return { kind: "unclear", message: `The model's answer was lost. ${NOT_AGAIN}` };
}

const NOT_AGAIN = "The call is not repeated automatically, because it could be charged twice.";

function refused({ journal }: GenerationRun, name: string, failure: ModelFailure): never {
  const { reason, message } = failure;
  switch (reason) {
    case "not_configured":
      throw new JobFailed("model_not_configured", message);
    case "refused":
      throw new JobFailed("model_refused", message);
    case "down":
    case "invalid":
      throw new JobFailed("model_failed", `${message} ${NOT_AGAIN}`);
    case "over_quota":
      throw new JobFailed("model_over_quota", message);
    case "throttled":
      return waitForRoom(journal, name, failure);
  }
}

/** Retries when the server says so. Fails if that is too late, or after too many retries. */
function waitForRoom(
  journal: GenerationRun["journal"],
  name: string,
  { message, retryAfterSeconds }: ModelFailure,
): never {
  const seconds = retryAfterSeconds ?? FIRST_WAIT_SECONDS * 2 ** Math.min(journal.retriesOf(name), 6);
  if (seconds * SECOND > LONGEST_WAIT_MS) throw new JobFailed("model_over_quota", message);
  const cause = { code: "model_over_quota", message } as const;
  return journal.retryWithBackoff(name, cause, { retryAfterSeconds: Math.max(1, seconds), maxRetries: TRIES });
}
