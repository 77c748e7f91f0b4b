import { isNearlySpent } from "../core/meter.ts";
import { SECOND } from "../core/time.ts";
import { endOverdueJob, type HandlerOf, type JobDeps } from "./runner.ts";
import { noteUnsent } from "./store.ts";
import {
  countMissedJobs,
  findQueueProgress,
  findRoom,
  forgetFinishedJobs,
  listHeldJobs,
  listHeldShares,
  listUnsentJobs,
  type SentJob,
  type Share,
  sendOrHold,
  takeAbandonedJobs,
  takeMissedJobs,
  type UnsentJob,
} from "./sweep-store.ts";

/**
 * The jobs' part of the minute sweep: messages for what is due, for what a dead delivery left, and for what a lost message
 * left. Everything it takes is marked conditionally, so overlapping sweeps send nothing twice, and the cost follows what is
 * due, not what waits. A project gets as many messages as it may have in flight; its other due jobs are held back and go
 * one by one as those end (capacity.ts).
 *
 * A backlog is not loss. A few missed messages are simply sent again. Where many are missed they may all wait behind
 * others: while the queue moves, one is taken for lost only when later ones have arrived; when nothing moves, a few of the
 * longest missed are sent as probes, and those that arrive are the proof for the rest.
 */

/** Jobs due before the next sweep get their message now, with the delay that brings it at their very second. */
const AHEAD_MS = 65 * SECOND;
/** How much later than its time a message may arrive although later ones have arrived. */
const LATE_MS = 45 * SECOND;
/** Sent again in one sweep without proof of loss. */
const PROBES = 20;
/** The queue moves when a job ended this lately. */
const MOVING_MS = 120 * SECOND;

const CHUNK = 500;
/** One sweep sends at most this many; the next one goes on with the oldest. A cron has fifteen minutes and a thousand subrequests. */
const MAX_CHUNKS = 60;
/** Shares of held jobs that one sweep looks at; each delivery that ends lets jobs go as well. */
const MAX_SHARES = 100;
const TIME_MS = 40 * SECOND;
/** Ending one job takes several statements. */
const MAX_ENDED = 50;
const FORGET_CHUNK = 1_000;
const FORGET_CHUNKS = 20;

export async function sendDueJobs<D extends JobDeps>(deps: D, handlerOf: HandlerOf<D>): Promise<void> {
  const endsAt = Date.now() + TIME_MS;
  const ended = { count: 0 };
  const send = (jobs: readonly SentJob[]) => sendJobs(deps, jobs, handlerOf, ended);
  await inChunks(deps, endsAt, async (now) => {
    const taken = await takeAbandonedJobs(deps.db, now, CHUNK);
    await send(taken);
    return taken.length;
  });
  await releaseHeld(deps, send);
  await inChunks(deps, endsAt, async (now) => {
    const due = await listUnsentJobs(deps.db, now + AHEAD_MS, CHUNK);
    if (due.length > 0) await send(await sendOrHold(deps.db, await shareOut(deps, due, now), false, now));
    return due.length;
  });
  const now = Date.now();
  const isBacklog = (await countMissedJobs(deps.db, now - LATE_MS, PROBES + 1)) > PROBES;
  const progress = isBacklog ? await findQueueProgress(deps.db, now - MOVING_MS) : null;
  if (progress === null) {
    await send(await takeMissedJobs(deps.db, now, now - LATE_MS, PROBES));
    return;
  }
  const before = Math.min(progress, now) - LATE_MS;
  await inChunks(deps, endsAt, async (at) => {
    const taken = await takeMissedJobs(deps.db, at, before, CHUNK);
    await send(taken);
    return taken.length;
  });
}

/** Runs `take`, which tells how many it took, until it takes less than a chunk, or the sweep has done enough. */
async function inChunks({ meter }: JobDeps, endsAt: number, take: (now: number) => Promise<number>): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    if ((await take(Date.now())) < CHUNK || Date.now() > endsAt || isNearlySpent(meter)) return;
  }
}

/** Which of the due jobs go now, oldest first in each share, and which are held back. */
async function shareOut(deps: JobDeps, due: readonly UnsentJob[], now: number) {
  const groups = [...Map.groupBy(due, ({ queue, projectId }) => `${queue} ${projectId}`).values()];
  const shares = groups.flatMap(([first]): Share[] => (first ? [first] : []));
  const room = await findRoom(
    deps.db,
    shares.map(({ queue, projectId }) => ({ queue, projectId })),
    now,
  );
  const send: string[] = [];
  const hold: string[] = [];
  for (const [index, group] of groups.entries()) {
    const keys = group.map(({ key }) => key);
    send.push(...keys.slice(0, room[index] ?? 0));
    hold.push(...keys.slice(room[index] ?? 0));
  }
  return { send, hold };
}

/** Lets held jobs of these shares go, as many as there is room for: of those that were held back all at once. */
export async function releaseShares(deps: JobDeps, shares: readonly Share[]): Promise<void> {
  const distinct = [...new Map(shares.map((share) => [`${share.queue} ${share.projectId}`, share])).values()];
  await release(deps, distinct, (jobs) => sendMessages(deps, jobs));
}

/** Should the deliveries that let held jobs go have died. */
async function releaseHeld(deps: JobDeps, send: Send): Promise<void> {
  await release(deps, await listHeldShares(deps.db, MAX_SHARES), send);
}

type Send = (jobs: readonly SentJob[]) => Promise<void>;

async function release(deps: JobDeps, shares: readonly Share[], send: Send): Promise<void> {
  if (shares.length === 0) return;
  const now = Date.now();
  const room = await findRoom(deps.db, shares, now);
  for (const [index, share] of shares.entries()) {
    const free = room[index] ?? 0;
    if (free === 0) continue;
    const keys = await listHeldJobs(deps.db, share, free);
    await send(await sendOrHold(deps.db, { send: keys, hold: [] }, true, now));
  }
}

/** Sends the messages of jobs that are marked as sent; ends some of the overdue ones itself, should the queue never deliver. */
async function sendJobs<D extends JobDeps>(
  deps: D,
  jobs: readonly SentJob[],
  handlerOf: HandlerOf<D>,
  ended: { count: number },
): Promise<void> {
  const now = Date.now();
  const isOverdue = ({ deadlineAt }: SentJob) => deadlineAt < now && ended.count++ < MAX_ENDED;
  const overdue: SentJob[] = [];
  const due: SentJob[] = [];
  for (const job of jobs) (isOverdue(job) ? overdue : due).push(job);
  await sendMessages(deps, due);
  for (const { key } of overdue) {
    try {
      await endOverdueJob(deps, key, handlerOf);
    } catch (error) {
      // One job's trouble is its own; the next sweep meets it again.
      deps.log.error("overdue_failed", error, { key });
    }
  }
}

async function sendMessages(deps: JobDeps, jobs: readonly SentJob[]): Promise<void> {
  const now = Date.now();
  const messages = jobs.map(({ key, queue, runAt }) => ({
    queue,
    message: { type: "job" as const, key, dueAt: Math.max(runAt, now) },
    delaySeconds: Math.max(0, runAt - now) / SECOND,
  }));
  const unsent = await deps.jobs.sendMany(messages);
  if (unsent.length > 0) {
    await noteUnsent(
      deps.db,
      unsent.flatMap(({ message }) => (message.type === "job" ? [message.key] : [])),
    );
  }
}

/** Forgets what ended before `before`: as fast as a busy service ends jobs. */
export async function forgetOldJobs(deps: JobDeps, before: number): Promise<void> {
  const endsAt = Date.now() + TIME_MS;
  for (let chunk = 0; chunk < FORGET_CHUNKS && Date.now() < endsAt; chunk++) {
    if ((await forgetFinishedJobs(deps.db, before, FORGET_CHUNK)) < FORGET_CHUNK) return;
  }
}
