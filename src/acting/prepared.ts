import { z } from "zod";
import type { Journal } from "../jobs/journal.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import type { AccountContext, Failure, Json, Unprepared } from "../platforms/context.ts";
import type { PrepareOutcome } from "../platforms/publishing.ts";
import { type ActingAs, handleFailure } from "./acting.ts";
import { callPlatform } from "./call-platform.ts";
import { checkRateLimits } from "./rate-limits.ts";

/** The progress of an act's preparation at its platform, in the journal of its job. */
const Prepared = z.object({ ready: z.boolean(), progress: z.custom<Json>(() => true) });
export type Prepared = z.output<typeof Prepared>;

/** The journal step that prepares one act. */
export const PREPARED = "prepared";

export const readPrepared = (journal: Journal, step = PREPARED): Prepared | null => journal.read(step, Prepared);

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
  /** The name under which retries are counted; left out: that of the step. */
  readonly retriesAs?: string;
  /** Progress to continue from, although an earlier preparation under this step is ready. */
  readonly from?: Json;
  /** The job's failure if the platform refuses; left out: that refusal. */
  failed?(refusal: JobFailed): JobFailed;
  /** Whether the progress is stored; left out: always. */
  isStored?(reached: Prepared, before: Json | null): boolean;
  /** Called before and after each call. */
  begins?(progress: Json | null): Promise<void>;
  ends?(): void;
}

/** Prepares to completion, one call after the other, and stores the progress after each. */
export async function prepare(acting: ActingAs, preparation: Preparation): Promise<Json> {
  const { journal } = acting;
  const { step, from } = preparation;
  const known = from === undefined ? readPrepared(journal, step) : { ready: false, progress: from };
  let isReady = known?.ready ?? false;
  let progress: Json | null = known?.progress ?? null;
  while (!isReady) {
    checkRateLimits(acting);
    await journal.checkpoint();
    await preparation.begins?.(progress);
    const before = progress;
    const outcome = await callPlatform(acting, (context) => preparation.next(context, before));
    if (outcome.kind === "failed") return handleRefusal(acting, preparation, outcome);
    isReady = outcome.kind === "ready";
    progress = outcome.progress;
    const reached = { ready: isReady || from !== undefined, progress };
    if (preparation.isStored?.(reached, before) ?? true) await writePrepared(journal, step, reached);
    if (outcome.kind === "more" && outcome.afterSeconds !== undefined) {
      return journal.retryLater(outcome.afterSeconds, outcome.reason ?? preparation.waitsFor, null);
    }
    preparation.ends?.();
  }
  return progress;
}

async function handleRefusal(acting: ActingAs, preparation: Preparation, refusal: Failure): Promise<never> {
  const { step, retriesAs = step } = preparation;
  try {
    return await handleFailure(acting, refusal, retriesAs);
  } catch (error) {
    throw error instanceof JobFailed && preparation.failed ? preparation.failed(error) : error;
  }
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
