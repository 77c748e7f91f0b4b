import { isNearlySpent } from "../core/meter.ts";
import { SECOND } from "../core/time.ts";
import { resendMissed } from "./resend-missed.ts";
import { endOverdueJob, type HandlerOf, type JobDeps } from "./runner.ts";
import { noteUnsent } from "./store.ts";
import { notePosition, positionOf, readNotes, type SweepNotes, storeNotes } from "./sweep-notes.ts";
import {
  findRoom,
  forgetFinishedJobs,
  listSharesInFlight,
  listThrottledShares,
  listUnsentJobs,
  releaseThrottled,
  type SentJob,
  type Share,
  type ShareWithRoom,
  sendOrThrottle,
  takeAbandonedJobs,
  type UnsentJob,
} from "./sweep-store.ts";

/**
 * The jobs' part of the minute sweep: messages for what is due, for what a dead delivery left, and for what a
 * lost message left (resend-missed.ts). Everything it takes is marked conditionally, so overlapping sweeps send
 * nothing twice, and the cost follows what is due, not what waits. A project gets as many messages as it may
 * have in flight; its other due jobs are held back and go one by one as those end (capacity.ts).
 *
 * What died or was held back is searched share by share, a bounded number in a sweep; the next sweep goes on
 * behind the last one, so that each share has its turn however many others there are (docs/decisions/0036).
 */

/**
 * Jobs due before the next sweep get their message now, with the delay that brings it at their very second.
 */
const AHEAD_MS = 65 * SECOND;

const CHUNK = 500;
/**
 * One sweep sends at most this many; the next one goes on with the oldest. A cron has fifteen minutes and a
 * thousand subrequests.
 */
const MAX_CHUNKS = 60;
/** Shares that one sweep reads of those with jobs in flight, and of those with jobs held back. */
export const MAX_SHARES = 1_000;
/** Shares whose held jobs one statement lets go. */
const SHARES_AT_ONCE = 50;
const TIME_MS = 40 * SECOND;
/** Ending one job takes several statements. */
const MAX_ENDED = 50;
const FORGET_CHUNK = 1_000;
const FORGET_CHUNKS = 20;

/** The walks that a note keeps the place of. */
const IN_FLIGHT = "flying";
const THROTTLED = "held";

export async function sendDueJobs<D extends JobDeps>(deps: D, handlerOf: HandlerOf<D>): Promise<void> {
  const endsAt = Date.now() + TIME_MS;
  const ended = { count: 0 };
  const send = (jobs: readonly SentJob[]) => sendJobs(deps, jobs, handlerOf, ended);
  const chunks = (take: (now: number, limit: number) => Promise<number>) => inChunks(deps, endsAt, take);
  const notes = await readNotes(deps.db);
  const flying = await listSharesInFlight(deps.db, positionOf(notes, IN_FLIGHT), MAX_SHARES);
  notePosition(notes, IN_FLIGHT, flying, MAX_SHARES);
  if (flying.length > 0) {
    await chunks(async (now, limit) => {
      const taken = await takeAbandonedJobs(deps.db, flying, now, limit);
      await send(taken);
      return taken.length;
    });
  }
  await releaseThrottledJobs(deps, notes, send);
  await chunks(async (now, limit) => {
    const due = await listUnsentJobs(deps.db, now + AHEAD_MS, limit);
    if (due.length > 0) await send(await sendOrThrottle(deps.db, await splitByRoom(deps, due, now), now));
    return due.length;
  });
  await resendMissed({ deps, notes, inChunks: chunks, send }, flying);
  await storeNotes(deps.db, notes);
}

/**
 * Runs `take`, which tells how many it took, until it takes less than a chunk, or the sweep has done enough.
 */
async function inChunks(
  { meter }: JobDeps,
  endsAt: number,
  take: (now: number, limit: number) => Promise<number>,
): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    if ((await take(Date.now(), CHUNK)) < CHUNK || Date.now() > endsAt || isNearlySpent(meter)) return;
  }
}

/** Which of the due jobs go now, oldest first in each share, and which are held back. */
async function splitByRoom(deps: JobDeps, due: readonly UnsentJob[], now: number) {
  const groups = [...Map.groupBy(due, ({ queue, projectId }) => `${queue} ${projectId}`).values()];
  const room = await findRoom(
    deps.db,
    groups.flatMap(([first]) => (first ? [first] : [])),
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

type Send = (jobs: readonly SentJob[]) => Promise<void>;

/** Should the deliveries that let held jobs go have died. */
async function releaseThrottledJobs(deps: JobDeps, notes: SweepNotes, send: Send): Promise<void> {
  const shares = await listThrottledShares(deps.db, positionOf(notes, THROTTLED), MAX_SHARES, Date.now());
  notePosition(notes, THROTTLED, shares, MAX_SHARES);
  await release(deps, shares, send);
}

/** Lets held jobs of these shares go: of those that were held back all at once. */
export async function releaseShares(deps: JobDeps, shares: readonly Share[]): Promise<void> {
  if (shares.length === 0) return;
  const distinct = [...new Map(shares.map((share) => [`${share.queue} ${share.projectId}`, share])).values()];
  const now = Date.now();
  const room = await findRoom(
    deps.db,
    distinct.map((share) => ({ ...share, runAt: now })),
    now,
  );
  const roomy = distinct.map((share, index) => ({ ...share, room: room[index] ?? 0 }));
  await release(deps, roomy, (jobs) => sendMessages(deps, jobs));
}

/** As many jobs of each share as it has room for. */
async function release(deps: JobDeps, shares: readonly ShareWithRoom[], send: Send): Promise<void> {
  const roomy = shares.filter(({ room }) => room > 0);
  for (let start = 0; start < roomy.length && !isNearlySpent(deps.meter); start += SHARES_AT_ONCE) {
    await send(await releaseThrottled(deps.db, roomy.slice(start, start + SHARES_AT_ONCE), Date.now()));
  }
}

/**
 * Sends the messages of jobs that are marked as sent; ends some of the overdue ones itself, should the queue
 * never deliver.
 */
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
