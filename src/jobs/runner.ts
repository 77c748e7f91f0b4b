import { backoff } from "../core/backoff.ts";
import type { Cause } from "../core/failures.ts";
import type { ProjectId } from "../core/ids.ts";
import { isNearlySpent } from "../core/meter.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import { runBatch, type Statement, writeTogether } from "../db/client.ts";
import {
  type Claim,
  type Claimed,
  claimJob,
  claimOverdueJob,
  closeJob,
  releaseNextThrottled,
  storeWait,
} from "./claim-store.ts";
import { enqueueJobs, sendMessages } from "./enqueue.ts";
import type { HandlerOf, JobDeps, JobEnd, JobHandler } from "./handler.ts";
import { Journal } from "./journal.ts";
import { kindOf } from "./messages.ts";
import { JobFailed, LeaseLost, RetryLater, type WaitCause } from "./outcomes.ts";
import { MAX_DELAY_SECONDS } from "./queue.ts";
import { setBackFor } from "./set-back.ts";
import { isShownWait, shownWait } from "./shown-waits.ts";
import { findNotYetDue, type Job, leasedBy, noteMessage } from "./store.ts";

/** Ends a job whose rows or journal cannot be read. */
const UNREADABLE: JobEnd = {
  code: "unexpected",
  message: "Our records of it are unreadable.",
  mayBeDone: true,
};

/** Unexpected errors (a bug, a storage error, an unreadable row) before a job fails. */
const MAX_ATTEMPTS = 8;
/** A message that arrives early is sent again if the job is due this soon; otherwise the sweep sends it. */
const SEND_AGAIN_MS = 90 * SECOND;
const UNKNOWN_KIND_PAUSE_MS = 5 * MINUTE;

interface Delivery<D extends JobDeps> extends Claimed {
  readonly deps: D;
  readonly owner: string;
  readonly handler: JobHandler<D>;
}

/**
 * Runs one delivery of a job. Safe to call with any key, any number of times, at any time. `dueAt` is when
 * the message was due, if known. Returns the project of the job; null if there was nothing to do.
 */
export async function runJob<D extends JobDeps>(
  deps: D,
  key: string,
  dueAt: number | null,
  handlerOf: HandlerOf<D>,
): Promise<ProjectId | null> {
  const handler = handlerOf(kindOf(key));
  const claim = { ...newClaim(deps, key, handler), dueAt };
  const claimed = await claimJob(deps.db, claim);
  if (claimed) await deliverClaimed(deps, claimed, claim.owner, handler);
  else await requeueEarly(deps, key);
  return claimed?.job.projectId ?? null;
}

/** Fails a job whose deadline passed while no delivery ran it. */
export async function endOverdueJob<D extends JobDeps>(deps: D, key: string, handlerOf: HandlerOf<D>): Promise<void> {
  const handler = handlerOf(kindOf(key));
  const claim = newClaim(deps, key, handler);
  const claimed = await claimOverdueJob(deps.db, claim);
  if (claimed) await deliverClaimed(deps, claimed, claim.owner, handler);
}

function newClaim<D extends JobDeps>(deps: D, key: string, handler: JobHandler<D> | null): Claim {
  const { jobLeaseMs: leaseMs } = deps.config;
  return { key, owner: crypto.randomUUID(), now: Date.now(), leaseMs, version: handler?.version ?? null, dueAt: null };
}

async function deliverClaimed<D extends JobDeps>(
  deps: D,
  claimed: Claimed,
  owner: string,
  handler: JobHandler<D> | null,
): Promise<void> {
  const startedAt = Date.now();
  const { job } = claimed;
  const outcome = handler
    ? await deliver({ deps, ...claimed, owner, handler })
    : await skipUnknownKind(deps, job, owner);
  deps.log.event("job", { key: job.key, outcome, ms: Date.now() - startedAt });
}

/** Early message: re-sends it for the job's due time, or leaves that to the sweep. */
async function requeueEarly(deps: JobDeps, key: string): Promise<void> {
  const now = Date.now();
  const early = await findNotYetDue(deps.db, key, now);
  // Every delivery writes a log line: scripts/backlog.ts counts them.
  deps.log.event("job", { key, outcome: early ? "early" : "not_claimed" });
  if (!early) return;
  const isSoon = early.runAt - now <= SEND_AGAIN_MS;
  await noteMessage(deps.db, key, early.runAt, isSoon ? early.runAt : null);
  if (isSoon) await sendMessages(deps, [{ key, queue: early.queue, dueAt: early.runAt }]);
}

async function deliver<D extends JobDeps>(delivery: Delivery<D>): Promise<string> {
  const { deps, job, owner, handler } = delivery;
  let journal: Journal | null = null;
  try {
    const isSpent = () => isNearlySpent(deps.meter);
    const takeCounts = () => deps.takeCounts?.() ?? [];
    const { isPunctual = false } = handler;
    const holder = { db: deps.db, owner, leaseMs: deps.config.jobLeaseMs, isSpent, isPunctual, takeCounts };
    const setBack = await setBackFor(deps, delivery.marks);
    journal = await Journal.open(holder, delivery, handler, setBack);
    if (job.deadlineAt <= Date.now()) {
      await recordEnd(delivery, journal, overdueCause(job));
      return "overdue";
    }
    if (job.journalVersion !== handler.version && journal.hasUnconfirmed()) {
      const message = "It was started by another version of this service, and its outcome is unknown.";
      throw new JobFailed("unexpected", message);
    }
    await handler.run(deps, journal);
    await enqueueJobs(deps, journal.toEnqueue);
    return "done";
  } catch (error) {
    if (error instanceof LeaseLost) return "lost_lease";
    if (error instanceof RetryLater && journal) {
      const { seconds, wait: cause, also, freeSeconds } = error;
      return pause(delivery, journal, { seconds, cause, attempts: 0, also, freeSeconds });
    }
    if (error instanceof JobFailed && journal) return fail(delivery, journal, error);
    return handleUnexpectedError(delivery, journal, error);
  }
}

async function recordEnd<D extends JobDeps>(
  { deps, job, handler }: Delivery<D>,
  journal: Journal,
  { code, message, answer }: Cause,
): Promise<void> {
  if (handler.isEndless) throw new Error(`${job.key}: ${message}`);
  deps.log.event("job_ended", { key: job.key, code });
  const end = { code, message, answer, mayBeDone: journal.hasUnconfirmed() };
  await journal.finish(await handler.failed?.(deps, journal, end, journal));
}

async function fail<D extends JobDeps>(delivery: Delivery<D>, journal: Journal, cause: Cause): Promise<string> {
  try {
    await recordEnd(delivery, journal, cause);
    await enqueueJobs(delivery.deps, journal.toEnqueue);
    return "failed";
  } catch (error) {
    if (error instanceof LeaseLost) return "lost_lease";
    return handleUnexpectedError(delivery, journal, error);
  }
}

/**
 * An unexpected error: the job is retried for some minutes, then fails, without reading its rows if they are
 * unreadable.
 */
async function handleUnexpectedError<D extends JobDeps>(
  delivery: Delivery<D>,
  journal: Journal | null,
  error: unknown,
): Promise<string> {
  const { deps, job, owner, handler } = delivery;
  const attempts = job.attempts + 1;
  deps.log.error("job_failed", error, { key: job.key, kind: job.kind, attempts });
  // What is not stored yet may be what failed. It is stored alone, so that it cannot prevent the wait or the
  // end; what cannot be stored is done or looked up again.
  const unstored = journal?.takeUnstored() ?? [];
  if (unstored.length > 0) {
    await runBatch(deps.db, unstored).catch((second) => deps.log.error("steps_dropped", second, { key: job.key }));
  }
  if (handler.isEndless || attempts < MAX_ATTEMPTS) {
    const seconds = backoff(Math.min(attempts, MAX_ATTEMPTS)) / SECOND;
    const cause = { code: "unexpected", message: "Something went wrong on our side." } as const;
    return pause(delivery, journal, { seconds, cause, attempts, also: [], freeSeconds: 0 });
  }
  if (journal) {
    try {
      const message = "An internal error occurred repeatedly.";
      await recordEnd(delivery, journal, { code: "unexpected", message });
      await enqueueJobs(deps, journal.toEnqueue);
      return "failed";
    } catch (second) {
      if (second instanceof LeaseLost) return "lost_lease";
      deps.log.error("job_unreadable", second, { key: job.key, kind: job.kind });
    }
  }
  const held = { job, hasLease: leasedBy(job.key, owner) };
  const { writes = [], opens = [] } = (await handler.failed?.(deps, held, UNREADABLE, null)) ?? {};
  const now = Date.now();
  const { opened, released } = await writeTogether(deps.db, {
    writes,
    opened: opens,
    closed: closeJob(deps.db, job.key, owner, now),
    released: releaseNextThrottled(deps.db, job, now),
  });
  await enqueueJobs(deps, [...opened, released].flat());
  return "unreadable";
}

/**
 * A kind that only another version of the service knows: the job waits for that version, until its deadline.
 */
async function skipUnknownKind(deps: JobDeps, job: Job, owner: string): Promise<string> {
  deps.log.event("job_kind_unknown", { key: job.key, kind: job.kind });
  const now = Date.now();
  if (job.deadlineAt <= now) {
    await runBatch(deps.db, [closeJob(deps.db, job.key, owner, now)]);
    return "overdue";
  }
  const waitingFor = "This version of the service does not know this kind of job.";
  const runAt = Math.min(now + UNKNOWN_KIND_PAUSE_MS, job.deadlineAt);
  const wait = {
    runAt,
    deadlineAt: job.deadlineAt,
    attempts: 0,
    waitingFor,
    waitingCode: "unexpected",
    lastShownWait: job.lastShownWait,
    messageAt: null,
    resumeKey: null,
  } as const;
  await runBatch(deps.db, [storeWait(deps.db, job.key, owner, wait)]);
  return "unknown_kind";
}

/** The cause of the last wait is the cause of the failure. */
function overdueCause({ waitingFor, waitingCode }: Job): Cause {
  const last = waitingFor === null ? "" : ` Its last wait: ${waitingFor}`;
  return { code: waitingCode ?? "deadline_passed", message: `The deadline passed.${last}` };
}

interface Wait {
  readonly seconds: number;
  readonly cause: WaitCause;
  readonly attempts: number;
  /** Written with the wait. */
  readonly also: readonly Statement[];
  /** By how much of the wait the deadline moves. */
  readonly freeSeconds: number;
}

async function pause<D extends JobDeps>(
  { deps, job, owner, handler }: Delivery<D>,
  journal: Journal | null,
  wait: Wait,
): Promise<string> {
  const now = Date.now();
  const waitMs = Math.ceil(wait.seconds) * SECOND;
  const deadlineAt = job.deadlineAt + Math.min(waitMs, Math.ceil(wait.freeSeconds) * SECOND);
  // Never past the deadline: the delivery at the deadline fails the job.
  const runAt = Math.min(now + waitMs, Math.max(deadlineAt, now + SECOND));
  const delaySeconds = (runAt - now) / SECOND;
  const sends = delaySeconds <= MAX_DELAY_SECONDS;
  const { message, counts } = wait.cause;
  const shown = counts === undefined || handler.isEndless ? message : `${message} ${counts}`;
  const isShown = journal !== null && isShownWait(waitMs, job.lastShownWait, { message, shown });
  const { paused, released } = await writeTogether(deps.db, {
    also: [...(journal?.unstored() ?? []), ...wait.also],
    events:
      (isShown &&
        handler.waiting?.(deps.db, shownWait(job, { ...wait.cause, message: shown }, runAt), journal.hasLease)) ||
      [],
    paused: storeWait(deps.db, job.key, owner, {
      runAt,
      deadlineAt,
      attempts: wait.attempts,
      waitingFor: message,
      waitingCode: wait.cause.code,
      lastShownWait: isShown ? shown : job.lastShownWait,
      messageAt: sends ? runAt : null,
      resumeKey: wait.cause.resumeKey ?? null,
    }),
    released: releaseNextThrottled(deps.db, job, now),
  });
  await enqueueJobs(deps, paused);
  await enqueueJobs(deps, released);
  return wait.attempts > 0 ? "retry" : "later";
}
