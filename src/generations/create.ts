import { sql } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError, invalid } from "../core/errors.ts";
import { grouped } from "../core/sentences.ts";
import { DAY, HOUR, SECOND } from "../core/time.ts";
import { type IdempotencyRecord, isChangedSince, refuseRepeat, requireStill, writeTogether } from "../db/client.ts";
import { readFileBytes, usedBytes } from "../files/store.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { jobInsertion } from "../jobs/open-jobs.ts";
import { checkAddress } from "../media/address.ts";
import type { Deps } from "../service/deps.ts";
import { countUses } from "../usage/store.ts";
import { generationEvents } from "./events.ts";
import { GENERATE, GENERATION_LIMIT_MS } from "./job.ts";
import { countBegun, insertGeneration, isWithinDay, newestGenerationId, readBegunToday } from "./store.ts";
import type { Generation } from "./table.ts";

export type Wanted = Pick<Generation, "type" | "input" | "platforms" | "webHook" | "origin">;

const insertJob = jobInsertion(newestGenerationId);

/**
 * Starts a generation (spec 4.12): one D1 call, two with an `Idempotency-Key`. Returns its UUID. Errors: 422
 * on `web_hook` for an address that the guarded request refuses; `quota_exceeded` for the day's generations
 * or the bytes of media.
 */
export async function createGeneration(
  deps: Deps,
  caller: Caller,
  wanted: Wanted,
  idempotency: IdempotencyRecord | null,
): Promise<string> {
  const { db, config } = deps;
  const { projectId } = caller;
  const problem = wanted.webHook === null ? null : checkAddress(wanted.webHook, config.allowLoopback);
  if (problem !== null) throw invalid({ web_hook: [`web_hook ${problem}`] });
  await refuseRepeat(db, idempotency);
  const now = Date.now();
  const uuid = crypto.randomUUID();
  const job = { kind: GENERATE, queue: "generation", projectId, runAt: now, messageAt: now, now } as const;
  const { generationsADay, uploadedBytes } = config.quotas;
  const hasRoom = sql`${usedBytes(projectId)} <= ${uploadedBytes}`;
  try {
    const { sent } = await writeTogether(db, {
      made: insertGeneration(db, { ...wanted, uuid, projectId }, now),
      counted: countBegun(db, projectId, now),
      used: countUses(db, { projectId, service: "models" }, [{ operation: "generation", calls: 1, units: 1 }], {
        at: now,
      }),
      sent: insertJob(db, { ...job, deadlineAt: now + GENERATION_LIMIT_MS }),
      event: generationEvents.insert(db, {
        projectId,
        subjectId: newestGenerationId,
        type: "generation.created",
        message: "The generation was accepted.",
        detail: {},
        at: now,
      }),
      record: idempotency?.write(uuid) ?? null,
      hasRoom: requireStill(db, sql`${isWithinDay(projectId, generationsADay, now)} AND ${hasRoom}`),
    });
    await enqueueJobs(deps, sent);
    return uuid;
  } catch (error) {
    if (!isChangedSince(error)) throw error;
    throw await quotaExceeded(deps, caller, now);
  }
}

async function quotaExceeded({ db, config }: Deps, { projectId }: Caller, now: number): Promise<AppError> {
  const { generationsADay, uploadedBytes } = config.quotas;
  const begun = await readBegunToday(db, projectId, now);
  if (begun >= generationsADay) {
    const seconds = Math.ceil((DAY - (now % DAY)) / SECOND);
    const sentence = `This project has started ${grouped(begun)} generations today, the maximum for one day (UTC). Try again tomorrow, or ask the operator of this service for a higher quota.`;
    return new AppError("quota_exceeded", sentence, { retryAfterSeconds: seconds });
  }
  const used = await readFileBytes(db, projectId);
  const sentence = `The files of this project hold ${grouped(used)} bytes of ${grouped(uploadedBytes)}. Delete generations that you no longer need, or ask the operator of this service for a higher quota.`;
  return new AppError("quota_exceeded", sentence, { retryAfterSeconds: HOUR / SECOND });
}
