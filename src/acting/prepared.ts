import { z } from "zod";
import type { Journal } from "../jobs/journal.ts";
import type { AccountContext, Json, Unprepared } from "../platforms/context.ts";
import type { PrepareOutcome } from "../platforms/publishing.ts";
import { type ActingAs, handleFailure } from "./acting.ts";
import { callPlatform } from "./call-platform.ts";
import { checkRateLimits } from "./rate-limits.ts";

/** The progress of an act's preparation at its platform, in the journal of its job. */
const Prepared = z.object({ ready: z.boolean(), progress: z.custom<Json>(() => true) });
type Prepared = z.output<typeof Prepared>;

/** The journal step that prepares one act. */
export const PREPARED = "prepared";

const readPrepared = (journal: Journal, step: string): Prepared | null => journal.read(step, Prepared);

const writePrepared = (journal: Journal, step: string, prepared: Prepared) => journal.write(step, prepared);

/**
 * What an act needs at its platform beforehand: bounded calls that may be repeated and are not visible to
 * others.
 */
export interface Preparation {
  /** The journal step that keeps the progress. */
  readonly step: string;
  /** The next call; `progress` is null for the first one. */
  next(context: AccountContext, progress: Json | null): Promise<PrepareOutcome>;
  /** Shown while the job waits for the platform, if the adapter gives no reason. */
  readonly waitsFor: string;
  /** Continues from this progress, although an earlier preparation under this step is ready. */
  readonly resumes?: { readonly from: Json; readonly retriesAs: string };
  /** Whether the progress is stored; left out: always. */
  isStored?(reached: Prepared, before: Json | null): boolean;
}

/** Prepares to completion, one call after the other, and stores the progress. */
export async function prepare(acting: ActingAs, preparation: Preparation): Promise<Json> {
  const { journal } = acting;
  const { step, resumes, waitsFor } = preparation;
  const known = resumes ? { ready: false, progress: resumes.from } : readPrepared(journal, step);
  let isReady = known?.ready ?? false;
  let progress: Json | null = known?.progress ?? null;
  while (!isReady) {
    checkRateLimits(acting);
    await journal.checkpoint();
    const before = progress;
    const outcome = await callPlatform(acting, (context) => preparation.next(context, before));
    if (outcome.kind === "failed") return handleFailure(acting, outcome, resumes?.retriesAs ?? step);
    isReady = outcome.kind === "ready";
    progress = outcome.progress;
    const reached = { ready: isReady || resumes !== undefined, progress };
    if (preparation.isStored?.(reached, before) ?? true) await store(journal, step, reached, outcome);
    if (outcome.kind === "more" && outcome.afterSeconds !== undefined) {
      return journal.retryLater(outcome.afterSeconds, outcome.reason ?? waitsFor, null);
    }
  }
  return progress;
}

/**
 * Stores the progress. What precedes a wait, or the act, is stored in the transaction of the wait, or of the
 * act's intent.
 */
async function store(journal: Journal, step: string, reached: Prepared, outcome: PrepareOutcome): Promise<void> {
  const isLast = outcome.kind === "ready" || (outcome.kind === "more" && outcome.afterSeconds !== undefined);
  if (isLast) return journal.writeWithNext(step, reached);
  if (outcome.kind === "more" && outcome.repeatableBytes !== undefined)
    return journal.writeInGroups(step, reached, outcome.repeatableBytes);
  await writePrepared(journal, step, reached);
}

/**
 * Whether the act of this step is done, or may be: it needs neither preparation nor room under the limits.
 */
export const isBegun = (journal: Journal, act: string): boolean => journal.isUnconfirmed(act) || journal.isDone(act);

/** The progress before the act of the step `act`: prepares unless it was begun. */
export async function prepareFor(acting: ActingAs, act: string, preparation: Preparation): Promise<Json> {
  const { journal } = acting;
  if (isBegun(journal, act)) return readPrepared(journal, preparation.step)?.progress ?? null;
  return prepare(acting, preparation);
}

/** How often a completed preparation may turn out to be unusable. */
const MAX_UNPREPARED = 20;

/** Ends the delivery of an act that certainly did nothing: preparation resumes from this progress. */
export async function prepareAgain(
  journal: Journal,
  step: string,
  { progress, message, answer, afterSeconds }: Unprepared,
): Promise<never> {
  await writePrepared(journal, PREPARED, { ready: false, progress });
  const wait = { retryAfterSeconds: afterSeconds, maxRetries: MAX_UNPREPARED };
  return journal.retryWithBackoff(step, { code: "platform_down", message, answer }, wait);
}
