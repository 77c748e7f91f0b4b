import { and, eq, sql } from "drizzle-orm";
import { type ChannelId, idOf } from "../core/ids.ts";
import { DAY, HOUR, isoUtc, MINUTE } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import { scheduleTasks } from "../jobs/recurring-store.ts";
import type { GrantRules } from "../platforms/login.ts";
import { GRANT_PURPOSES } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { accountContext, openGrant } from "./credentials.ts";
import { channelEvents } from "./events.ts";
import type { Grant, GrantRef } from "./grant-store.ts";
import { endingSentence, endOf, reconnectSentence } from "./health.ts";
import { ENDING_MS } from "./health-mark.ts";
import { grantOf, grantRules, stopGrant } from "./renewal.ts";
import { type Actor, findActor } from "./store.ts";
import { grantsTable } from "./table.ts";

/**
 * Detects ahead of time that a grant expires: a recurring task per grant, `watch:<channel>:<purpose>`, from
 * its login on. Grants that no renewal checks are checked once a day at the platform (`GrantRules.inspect`).
 * The expiry is reported once, a week before. Only the platform's answer ends a grant; after any other
 * failure, the check is repeated.
 */
export const watches: RecurringHandler<Deps> = { kind: "watch", queue: "publish", run: watch };

const INSPECT_MS = DAY;
/** The delay after a failed check. */
const AGAIN_MS = HOUR;
/** Spreads the checks of grants that were stored by one login. */
const SPREAD_MS = 30 * MINUTE;

/** Belongs in the batch that stores the credentials of a login. */
export function scheduleWatches(db: Db, refs: readonly GrantRef[], now: number): Statement[] {
  if (refs.length === 0) return [];
  const tasks = refs.map(({ channelId, purpose }, index) => {
    const dueAt = Math.round(now + HOUR + (index / refs.length) * SPREAD_MS);
    return { key: `watch:${channelId}:${purpose}`, dueAt, intervalMs: INSPECT_MS, now };
  });
  return [scheduleTasks(db, tasks)];
}

async function watch(deps: Deps, subject: string): Promise<Recurrence> {
  const [channel, named] = subject.split(":");
  const purpose = GRANT_PURPOSES.find((known) => known === named);
  const actor = purpose ? await findActor(deps.db, idOf<ChannelId>(Number(channel))) : null;
  const grant = actor && purpose ? grantOf(actor, purpose) : null;
  // A new login schedules the task again.
  if (!actor || !grant?.credentials || actor.channel.disconnectedAt !== null || grant.health === "reconnect_needed") {
    return { kind: "stop" };
  }
  const rules = grantRules(actor.channel.platform, grant.purpose);
  if (!rules?.inspect) return tellOrSleep(deps, actor, grant, null);
  const inspected = await inspect(deps, actor, grant, { rules, inspectAt: rules.inspect });
  if (inspected === "over") return { kind: "stop" };
  if (inspected === "unknown") return tellOrSleep(deps, actor, grant, AGAIN_MS);
  return tellOrSleep(deps, actor, { ...grant, reconnectBy: inspected.reconnectBy }, INSPECT_MS);
}

async function inspect(
  deps: Deps,
  actor: Actor,
  grant: Grant,
  { rules, inspectAt }: { readonly rules: GrantRules; readonly inspectAt: NonNullable<GrantRules["inspect"]> },
): Promise<{ readonly reconnectBy: number | null } | "over" | "unknown"> {
  const opened = await openGrant(deps, actor.channel, grant);
  if (opened.kind !== "open") return "unknown";
  const made = accountContext(deps, actor, rules, opened.credentials);
  if (made.kind !== "ready") return "unknown";
  const outcome = await inspectAt(made.context);
  if (outcome.kind === "failed") {
    const isOver = outcome.reason === "disconnected" || outcome.reason === "token_expired";
    if (!isOver) return "unknown";
    await stopGrant(deps, actor.channel, grant, outcome.message);
    return "over";
  }
  if (outcome.reconnectBy !== grant.reconnectBy) await storeEnd(deps.db, grant, outcome.reconnectBy);
  return outcome;
}

/** `inspectMs`: when to check at the platform again; null if no check is needed. */
async function tellOrSleep(deps: Deps, actor: Actor, grant: Grant, inspectMs: number | null): Promise<Recurrence> {
  const now = Date.now();
  const end = endOf(grant);
  const noticeInMs = end === null ? null : end - ENDING_MS - now;
  const isDue = noticeInMs !== null && noticeInMs <= 0;
  if (isDue && end !== null && grant.expiryNotifiedAt === null) await tellEnding(deps.db, actor, grant, end);
  const waits = [inspectMs, isDue ? null : noticeInMs].filter((ms) => ms !== null);
  return waits.length === 0 ? { kind: "stop" } : { kind: "again", afterMs: Math.max(MINUTE, Math.min(...waits)) };
}

function asRead({ channelId, purpose, version }: Grant) {
  return and(eq(grantsTable.channelId, channelId), eq(grantsTable.purpose, purpose), eq(grantsTable.version, version));
}

/** If the expiry moved to a later time, it is reported again when that time approaches. */
async function storeEnd(db: Db, grant: Grant, reconnectBy: number | null): Promise<void> {
  const isFar = reconnectBy === null || reconnectBy - Date.now() >= ENDING_MS;
  await db
    .update(grantsTable)
    .set({ reconnectBy, ...(isFar ? { expiryNotifiedAt: null } : {}) })
    .where(asRead(grant));
}

async function tellEnding(db: Db, { channel }: Actor, grant: Grant, end: number): Promise<void> {
  const now = Date.now();
  const { channelId, purpose, version } = grant;
  const event = {
    projectId: channel.projectId,
    subjectId: channelId,
    type: "channel.expiring",
    message: `${endingSentence(end, now)} ${reconnectSentence(channel, purpose)}`,
    detail: { grant: purpose, ends_at: isoUtc(end) },
    at: now,
  } as const;
  const isNews = sql`EXISTS (SELECT 1 FROM grants WHERE channel_id = ${channelId} AND purpose = ${purpose}
    AND version = ${version} AND expiry_notified_at IS NULL)`;
  await runBatch(db, [
    channelEvents.insert(db, event, isNews),
    db.update(grantsTable).set({ expiryNotifiedAt: now }).where(asRead(grant)),
  ]);
}
