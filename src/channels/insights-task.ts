import type { ChannelId } from "../core/ids.ts";
import { HOUR } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { scheduleTasks } from "../jobs/recurring-store.ts";

/** Reads the numbers of a channel's posts and account: the task `insights:<channel>` (insights/). */
export const INSIGHTS = "insights";

/** For the batch that connects the channels. A task that exists keeps what it knows. */
export function scheduleInsights(db: Db, ids: readonly ChannelId[], now: number, afterMs = HOUR): Statement[] {
  if (ids.length === 0) return [];
  return [
    scheduleTasks(
      db,
      ids.map((id) => ({ key: `${INSIGHTS}:${id}`, dueAt: now + afterMs, intervalMs: HOUR, now })),
    ),
  ];
}
