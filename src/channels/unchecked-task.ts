import { eq, sql } from "drizzle-orm";
import type { ChannelId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { scheduleTasks } from "../jobs/recurring-store.ts";
import type { PlatformName } from "../platforms/names.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { LoggedIn } from "./ended-logins.ts";
import { channelsTable } from "./table.ts";

/**
 * Deletes what was read of an account whose authorization was not checked for too long
 * (`Platform.uncheckedDays`): the task `unchecked:<channel>` (consent/unchecked-data.ts).
 */
export const UNCHECKED = "unchecked";

/** Deletes a day early: the task may be late. */
const EARLY_MS = DAY;

/** How long data may stay after a check, in milliseconds; null if the platform sets no time. */
export function uncheckedMs(platform: PlatformName): number | null {
  const days = findPlatform(platform)?.uncheckedDays;
  return days === undefined ? null : days * DAY - EARLY_MS;
}

/** For the batch that connects the channels. */
export function scheduleUncheckedData(
  db: Db,
  platform: PlatformName,
  ids: readonly ChannelId[],
  now: number,
): Statement[] {
  const afterMs = uncheckedMs(platform);
  if (afterMs === null || ids.length === 0) return [];
  return [
    scheduleTasks(
      db,
      ids.map((id) => ({ key: `${UNCHECKED}:${id}`, dueAt: now + afterMs, intervalMs: DAY, now })),
    ),
  ];
}

/** A login and a renewal check the authorization: the platform issues credentials only while it lasts. */
const checkedAt = sql<number>`coalesce((SELECT max(grants.stored_at) FROM grants WHERE grants.channel_id = channels.id), 0)`;

/** A condition on a channel: its authorization was not checked since. */
export const isUncheckedSince = (time: number) => sql`${checkedAt} < ${time}`;

/** The channel, connected or not, and when its authorization was checked last. */
export async function findChecked(db: Db, id: ChannelId): Promise<(LoggedIn & { checkedAt: number }) | null> {
  const { id: channelId, projectId, platform, name, disconnectedAt } = channelsTable;
  const [found] = await db
    .select({ id: channelId, projectId, platform, name, disconnectedAt, checkedAt: checkedAt.as("checked_at") })
    .from(channelsTable)
    .where(eq(channelsTable.id, id));
  return found ?? null;
}
