import { isNearlySpent } from "../core/meter.ts";
import { SECOND } from "../core/time.ts";
import { sendMessages } from "./enqueue.ts";
import type { HandlerOf, JobDeps } from "./handler.ts";
import { resendMissed } from "./resend-missed.ts";
import { endOverdueJob } from "./runner.ts";
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
 * The jobs' part of the minute sweep: sends messages for due jobs, for jobs of a dead delivery, and for lost
 * messages (resend-missed.ts). It marks everything conditionally, so overlapping sweeps send nothing twice.
 * The cost depends on what is due, not on what waits. A project gets as many messages as it may have in
 * flight; its other due jobs are throttled and released one by one (capacity.ts).
 *
 * The sweep searches for abandoned and throttled jobs share by share, a bounded number at a time. The next
 * sweep continues after the last share, so that every share has its turn (docs/decisions/0036).
 */

/**
 * Jobs due before the next sweep get their message now, with the delay that delivers it at the exact second.
 */
export const AHEAD_MS = 65 * SECOND;

const CHUNK = 500;
/**
 * The most chunks that one sweep sends; the next one continues with the oldest. A cron has fifteen minutes
 * and a thousand subrequests.
 */
const MAX_CHUNKS = 60;
/** The most shares with jobs in flight, and with throttled jobs, that one sweep reads. */
const MAX_SHARES = 1_000;
/** Shares whose throttled jobs one statement releases. */
const SHARES_AT_ONCE = 50;
const TIME_MS = 40 * SECOND;
/** Failing one overdue job takes several statements. */
const MAX_ENDED = 50;
const FORGET_CHUNK = 1_000;
const FORGET_CHUNKS = 20;

/** The walks whose position a note stores. */
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
 * Repeats `take`, which returns how many it took, until it takes less than a chunk, or the sweep reaches its
 * limit.
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

/** Which due jobs are sent now, oldest first in each share, and which are throttled. */
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

/** Releases throttled jobs, in case the deliveries that should have released them died. */
async function releaseThrottledJobs(deps: JobDeps, notes: SweepNotes, send: Send): Promise<void> {
  const shares = await listThrottledShares(deps.db, positionOf(notes, THROTTLED), MAX_SHARES, Date.now());
  notePosition(notes, THROTTLED, shares, MAX_SHARES);
  await release(deps, shares, send);
}

/** Releases throttled jobs of these shares, after many were throttled at once. */
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
  await release(deps, roomy, (jobs) => sendTaken(deps, jobs));
}

/** Releases as many jobs of each share as it has capacity for. */
async function release(deps: JobDeps, shares: readonly ShareWithRoom[], send: Send): Promise<void> {
  const roomy = shares.filter(({ room }) => room > 0);
  for (let start = 0; start < roomy.length && !isNearlySpent(deps.meter); start += SHARES_AT_ONCE) {
    await send(await releaseThrottled(deps.db, roomy.slice(start, start + SHARES_AT_ONCE), Date.now()));
  }
}

/**
 * Sends the messages of jobs that are marked as sent. Fails some of the overdue jobs itself, in case the
 * queue never delivers.
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
  await sendTaken(deps, due);
  for (const { key } of overdue) {
    try {
      await endOverdueJob(deps, key, handlerOf);
    } catch (error) {
      // An error of one job does not affect the others; the next sweep retries it.
      deps.log.error("overdue_failed", error, { key });
    }
  }
}

const sendTaken = (deps: JobDeps, jobs: readonly SentJob[]) =>
  sendMessages(
    deps,
    jobs.map((job) => ({ ...job, dueAt: job.runAt })),
  );

/** Deletes old journals as fast as a busy service ends jobs. */
export async function forgetOldJobs(deps: JobDeps, now: number): Promise<void> {
  const endsAt = Date.now() + TIME_MS;
  for (let chunk = 0; chunk < FORGET_CHUNKS && Date.now() < endsAt; chunk++) {
    if ((await forgetFinishedJobs(deps.db, now, FORGET_CHUNK)) < FORGET_CHUNK) return;
  }
}
