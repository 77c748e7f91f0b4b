import { z } from "zod";
import type { Journal } from "../jobs/journal.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import type { AccountContext, Failure, Json, Unprepared } from "../platforms/context.ts";
import type { PrepareOutcome } from "../platforms/publishing.ts";
import { type ActingAs, handleFailure } from "./acting.ts";
import { callPlatform } from "./call-platform.ts";
import { checkRateLimits } from "./rate-limits.ts";

/** How far an act is prepared at its platform, in the journal of its job. */
const Prepared = z.object({ ready: z.boolean(), progress: z.custom<Json>(() => true) });
export type Prepared = z.output<typeof Prepared>;

/** The step of a job that prepares one act. */
export const PREPARED = "prepared";

export const readPrepared = (journal: Journal, step = PREPARED): Prepared | null => journal.read(step, Prepared);

const writePrepared = (journal: Journal, step: string, prepared: Prepared) => journal.write(step, prepared);

/** What an act needs at its platform before it: bounded calls that may be repeated, and that nobody sees. */
export interface Preparation {
  /** The step of the journal that keeps what was reached. */
  readonly step: string;
  /** The next call; `progress` null for the first one. */
  next(context: AccountContext, progress: Json | null): Promise<PrepareOutcome>;
  /** Shown while the platform has to be waited for, where the adapter gives no reason. */
  readonly waitsFor: string;
  /** Under which name retries are counted; left out: that of the step. */
  readonly retriesAs?: string;
  /** Progress to go on from, although an earlier preparation under this step is ready. */
  readonly from?: Json;
  /** With what the job fails where the platform refuses; left out: with that refusal. */
  failed?(refusal: JobFailed): JobFailed;
  /** Whether what was reached is stored; left out: always. */
  isStored?(reached: Prepared, before: Json | null): boolean;
  /** Before and after each call. */
  begins?(progress: Json | null): Promise<void>;
  ends?(): void;
}

/** Prepares to the end, one call after the other; what was reached is stored after each. */
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

/** How often what was prepared may turn out to be of no use. */
const MAX_UNPREPARED = 20;

/** Ends the delivery of an act that surely did nothing: what it needs is prepared from this progress on. */
export async function prepareAgain(
  journal: Journal,
  step: string,
  { progress, message, answer, afterSeconds }: Unprepared,
): Promise<never> {
  await writePrepared(journal, PREPARED, { ready: false, progress });
  const wait = { retryAfterSeconds: afterSeconds, maxRetries: MAX_UNPREPARED };
  return journal.retryWithBackoff(step, { code: "platform_down", message, answer }, wait);
}
