import { MINUTE, SECOND } from "../core/time.ts";
import type { JobDeps } from "./handler.ts";
import { noteProbed, type Probed, probedOf, type SweepNotes } from "./sweep-notes.ts";
import { findQueueProgress, type QueueProgress, type SentJob, type Share, takeMissedJobs } from "./sweep-store.ts";

/**
 * Resends messages that are overdue. A backlog is not loss, and each queue has its own (docs/decisions/0036).
 * A message counts as lost when one that was due later has arrived in the same queue.
 *
 * If nothing has arrived, a few of the longest missed messages are resent as probes. Probes that arrive are
 * the evidence for the rest. While no probe arrives and many messages are missed, the interval between probes
 * grows, so a stopped queue gets few duplicates.
 */

/** How late a message may arrive after later ones have arrived. */
const LATE_MS = 45 * SECOND;
/** The number of messages resent at once without evidence of loss. */
const PROBES = 20;
/** A queue is moving if a job ended, or an arrived message was due, this recently. */
const MOVING_MS = 120 * SECOND;
/** The time between the first two probes when many messages are missed. It doubles each time. */
const MANY_MS = 5 * MINUTE;
const MOST_MS = 15 * MINUTE;
/** Tolerance, because the minute cron is not exact. */
const EARLY_MS = 10 * SECOND;

interface Resending {
  readonly deps: JobDeps;
  readonly notes: SweepNotes;
  /** Repeats `take` until it takes less than a chunk, or the sweep reaches its limit. */
  inChunks(take: (now: number, limit: number) => Promise<number>): Promise<void>;
  send(jobs: readonly SentJob[]): Promise<void>;
}

export async function resendMissed(resending: Resending, shares: readonly Share[]): Promise<void> {
  const { deps, notes } = resending;
  if (shares.length === 0) return;
  const now = Date.now();
  const standings = await findQueueProgress(deps.db, shares, { now, before: now - LATE_MS, since: now - MOVING_MS });
  for (const standing of standings) {
    const ofQueue = shares.filter(({ queue }) => queue === standing.queue);
    if (standing.missed === 0) noteProbed(notes, standing.queue, null);
    else await resendIn(resending, ofQueue, standing, now);
  }
}

async function resendIn(
  { deps, notes, inChunks, send }: Resending,
  shares: readonly Share[],
  { queue, missed, arrivedAt, movedAt }: QueueProgress,
  now: number,
): Promise<void> {
  const isMany = missed > PROBES;
  if (isMany && arrivedAt !== null) {
    const before = Math.min(arrivedAt, now) - LATE_MS;
    await inChunks(async (at, limit) => {
      const lost = await takeMissedJobs(deps.db, shares, { now: at, before, limit });
      await send(lost);
      return lost.length;
    });
  }
  if (isMany && movedAt !== null && movedAt >= now - MOVING_MS) return noteProbed(notes, queue, null);
  const probed = probedOf(notes, queue);
  if (isMany && probed && now < probed.at + distanceAfter(probed) - EARLY_MS) return;
  await send(await takeMissedJobs(deps.db, shares, { now, before: now - LATE_MS, limit: PROBES }));
  if (isMany) noteProbed(notes, queue, { at: now, times: (probed?.times ?? 0) + 1 });
}

const distanceAfter = ({ times }: Probed): number => Math.min(MOST_MS, MANY_MS * 2 ** (times - 1));
