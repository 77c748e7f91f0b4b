import { forgetTokens } from "../accounts/tokens.ts";
import { forgetConnectRows } from "../channels/connect-store.ts";
import { listRefreshDue } from "../channels/store.ts";
import { DAY, SECOND } from "../core/time.ts";
import type { Deps } from "../deps.ts";
import { forgetIdempotencyKeys } from "../http/store.ts";
import { handlerOf } from "./consumer.ts";
import { endOverdueJob } from "./runner.ts";
import { forgetFinishedJobs, listDueJobs, listOverdueJobs, markSent } from "./store.ts";

/** Jobs due before the next sweep get their message now, with the delay that brings it at their very second. */
const AHEAD_MS = 65 * SECOND;
/** A message this late is taken for lost. */
const RESEND_AFTER_MS = 45 * SECOND;
const CHUNK = 500;
const MAX_CHUNKS = 20;
/** Ending one job takes several statements, of which one invocation may run a thousand. */
const OVERDUE_CHUNK = 50;

/** Rows that one sweep forgets of a kind: more than a busy minute makes, and a short statement still. */
const FORGET_CHUNK = 20_000;
/** Each costs two calls to its storages. */
const FORGET_TOKENS = 50;

/**
 * The minute sweep: due jobs, lost messages, ended leases, deadlines, credentials, leftovers. May be late, may overlap
 * with itself: every part only sends hints or changes rows conditionally. One part failing does not stop the others.
 */
export async function sweep(deps: Deps): Promise<void> {
  const parts = { sendDueJobs, endOverdueJobs, refreshCredentials, forgetLeftovers };
  for (const [name, part] of Object.entries(parts)) {
    try {
      await part(deps);
    } catch (error) {
      deps.log.error("sweep_failed", error, { part: name });
    }
  }
}

async function sendDueJobs(deps: Deps): Promise<void> {
  for (let chunk = 0; chunk < MAX_CHUNKS; chunk++) {
    const now = Date.now();
    const due = await listDueJobs(deps.db, now, now + AHEAD_MS, RESEND_AFTER_MS, CHUNK);
    if (due.length === 0) return;
    // Marked first: a crash in between costs one sweep, the other order could send without end.
    await markSent(
      deps.db,
      due.map((job) => job.key),
      now,
    );
    await deps.jobs.sendMany(
      due.map((job) => ({
        message: { type: "job" as const, key: job.key },
        delaySeconds: Math.max(0, job.runAt - now) / SECOND,
      })),
    );
    if (due.length < CHUNK) return;
  }
}

async function endOverdueJobs(deps: Deps): Promise<void> {
  for (const job of await listOverdueJobs(deps.db, Date.now(), OVERDUE_CHUNK))
    await endOverdueJob(deps, job.key, handlerOf);
}

async function refreshCredentials(deps: Deps): Promise<void> {
  const due = await listRefreshDue(deps.db, Date.now(), CHUNK);
  await deps.jobs.sendMany(
    due.map((channelId) => ({ message: { type: "refresh" as const, channelId }, delaySeconds: 0 })),
  );
}

async function forgetLeftovers(deps: Deps): Promise<void> {
  const now = Date.now();
  await forgetConnectRows(deps.db, now, FORGET_CHUNK);
  await forgetIdempotencyKeys(deps.db, now, FORGET_CHUNK);
  await forgetTokens(deps, now, FORGET_TOKENS);
  await forgetFinishedJobs(deps.db, now - 7 * DAY, CHUNK);
}
