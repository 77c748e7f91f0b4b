import { backoff } from "../core/backoff.ts";
import { SECOND } from "../core/time.ts";
import { runBatch, type Statement } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import { MAX_DELAY_SECONDS } from "./queue.ts";
import { GiveUp, Journal, Later, LostLease } from "./steps.ts";
import { claimJob, claimOverdueJob, type Job, pauseJob } from "./store.ts";

/** What a kind of job does. Both verbs end with `journal.finish`. */
export interface JobHandler {
  run(deps: Deps, journal: Journal): Promise<void>;
  /** Records the failure where its owner sees it. */
  fail(deps: Deps, journal: Journal, reason: string): Promise<void>;
  /** Told before each wait, to show the reason; its statements are written with the pause. */
  waiting?(deps: Deps, journal: Journal, reason: string, until: number): readonly Statement[];
}

/** Unexpected errors (a bug, storage trouble) of one job before it is given up. */
const MAX_ATTEMPTS = 8;

/** Runs one delivery of a job. Safe to call with any key, any number of times, at any time. */
export async function runJob(deps: Deps, key: string, handlerOf: (job: Job) => JobHandler): Promise<void> {
  const owner = crypto.randomUUID();
  const job = await claimJob(deps.db, key, owner, Date.now(), deps.config.jobLeaseMs);
  // Logged as well: every delivery has its line, and `npm run backlog` counts them.
  if (!job) return deps.log.event("job", { key, outcome: "not_claimed" });
  const handler = handlerOf(job);
  const journal = await Journal.open(deps.db, job, owner, deps.config.jobLeaseMs);
  const startedAt = Date.now();
  const outcome = await deliver(deps, journal, handler, owner);
  deps.log.event("job", { key, outcome, ms: Date.now() - startedAt });
}

/** Ends a job whose deadline passed while nobody worked on it. */
export async function endOverdueJob(deps: Deps, key: string, handlerOf: (job: Job) => JobHandler): Promise<void> {
  const owner = crypto.randomUUID();
  const job = await claimOverdueJob(deps.db, key, owner, Date.now(), deps.config.jobLeaseMs);
  if (!job) return;
  const journal = await Journal.open(deps.db, job, owner, deps.config.jobLeaseMs);
  await handlerOf(job).fail(deps, journal, overdueReason(job));
  deps.log.event("job", { key, outcome: "overdue" });
}

function overdueReason(job: Job): string {
  const last = job.waitingFor === null ? "" : ` Last obstacle: ${job.waitingFor}`;
  return `It could not be done in time.${last}`;
}

async function deliver(deps: Deps, journal: Journal, handler: JobHandler, owner: string): Promise<string> {
  const { job } = journal;
  try {
    if (job.deadlineAt <= Date.now()) {
      await handler.fail(deps, journal, overdueReason(job));
      return "overdue";
    }
    await handler.run(deps, journal);
    return "done";
  } catch (error) {
    if (error instanceof LostLease) return "lost_lease";
    if (error instanceof Later) {
      await pause(deps, journal, handler, owner, { seconds: error.seconds, reason: error.message, attempts: 0 });
      return "later";
    }
    if (error instanceof GiveUp) {
      await handler.fail(deps, journal, error.message);
      return "failed";
    }
    deps.log.error("job_failed", error, { key: job.key, attempts: job.attempts + 1 });
    if (job.attempts + 1 >= MAX_ATTEMPTS) {
      await handler.fail(deps, journal, "Something went wrong on our side, several times.");
      return "failed";
    }
    const attempts = job.attempts + 1;
    const seconds = backoff(attempts) / SECOND;
    await pause(deps, journal, handler, owner, { seconds, reason: "Something went wrong on our side.", attempts });
    return "retry";
  }
}

interface Wait {
  readonly seconds: number;
  readonly reason: string;
  readonly attempts: number;
}

async function pause(deps: Deps, journal: Journal, handler: JobHandler, owner: string, wait: Wait): Promise<void> {
  const { job } = journal;
  const now = Date.now();
  // Never past the deadline: the delivery there ends the job.
  const runAt = Math.min(now + Math.ceil(wait.seconds) * SECOND, Math.max(job.deadlineAt, now + SECOND));
  const delaySeconds = (runAt - now) / SECOND;
  const sends = delaySeconds <= MAX_DELAY_SECONDS;
  await runBatch(deps.db, [
    ...(handler.waiting?.(deps, journal, wait.reason, runAt) ?? []),
    pauseJob(deps.db, job.key, owner, {
      runAt,
      attempts: wait.attempts,
      waitingFor: wait.reason,
      sentAt: sends ? now : null,
    }),
  ]);
  if (sends) await deps.jobs.send({ type: "job", key: job.key }, delaySeconds);
}
