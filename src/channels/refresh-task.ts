import { type ChannelId, idOf } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import type { Recurrence, RecurringHandler } from "../jobs/recurring.ts";
import { scheduleTask, stopTask } from "../jobs/recurring-store.ts";
import { GRANT_PURPOSES } from "../platforms/names.ts";
import type { Deps } from "../service/deps.ts";
import { findRefreshDue, type GrantRef } from "./grant-store.ts";
import { renewDue } from "./renewal.ts";

/**
 * Renews credentials ahead of their expiry: a recurring task per renewable grant,
 * `refresh:<channel>:<purpose>`. The grant's `refreshDueAt` decides when; a renewal on demand moves it too. A
 * task that runs earlier only checks it.
 */
export const refreshes: RecurringHandler<Deps> = { kind: "refresh", queue: "publish", run: refresh };

/** The minimum delay if another delivery is refreshing, or if the platform was unavailable. */
const SOONEST_MS = 10 * SECOND;

const keyOf = ({ channelId, purpose }: GrantRef): string => `refresh:${channelId}:${purpose}`;

/** Belongs in the batch that stores new credentials; `dueAt` is null if they cannot be renewed. */
export function scheduleRefresh(db: Db, ref: GrantRef, dueAt: number | null, now: number): Statement {
  const key = keyOf(ref);
  return dueAt === null ? stopTask(db, key) : scheduleTask(db, { key, dueAt, intervalMs: MINUTE, now });
}

async function refresh(deps: Deps, subject: string): Promise<Recurrence> {
  const [channel, named] = subject.split(":");
  const purpose = GRANT_PURPOSES.find((known) => known === named);
  if (!purpose) return { kind: "stop" };
  const ref = { channelId: idOf<ChannelId>(Number(channel)), purpose };
  await renewDue(deps, ref);
  const dueAt = await findRefreshDue(deps.db, ref);
  return dueAt === null ? { kind: "stop" } : { kind: "again", afterMs: Math.max(SOONEST_MS, dueAt - Date.now()) };
}
