import { eq, type SQL, sql } from "drizzle-orm";
import { selectTimetables, timetableOf } from "../../channels/timetable.ts";
import type { Caller } from "../../core/caller.ts";
import type { ProjectId } from "../../core/ids.ts";
import { type Db, readTogether } from "../../db/client.ts";
import { postsTable } from "../table.ts";
import { slotsAfter } from "../timetable/slots.ts";

/**
 * The waiting posts, next first, in one D1 call (spec 4.7). Posts of a paused queue show the times that they
 * would get if the queue resumed now: their own may have passed.
 */
export async function listUpcoming(
  db: Db,
  { projectId, timeZone }: Pick<Caller, "projectId" | "timeZone">,
  limit: number,
) {
  const now = Date.now();
  const { passed, ahead } = await readTogether(db, {
    passed: selectWaiting(db, projectId, sql`posts.publish_at <= ${now}`, limit),
    ahead: selectWaiting(db, projectId, sql`posts.publish_at > ${now}`, limit),
  });
  const rows = [...passed, ...ahead].flatMap((row) =>
    row.state === "scheduled" || row.state === "queued" ? [{ ...row, state: row.state }] : [],
  );
  const times = provisionalTimes(rows, timeZone, now);
  return rows
    .map(({ timetable: _, ...row }) => ({ ...row, publishAt: times.get(row.id) ?? row.publishAt }))
    .sort((a, b) => a.publishAt - b.publishAt || a.id - b.id)
    .slice(0, limit);
}

function selectWaiting(db: Db, projectId: ProjectId, time: SQL, limit: number) {
  const { id, channelType, channelId, state, publishAt, timeZone } = postsTable;
  const timetables = selectTimetables(db);
  const { slots, slotsZone, queuePausedAt } = timetables;
  return (
    db
      .select({
        id,
        channelType,
        channelId,
        state,
        publishAt,
        timeZone,
        timetable: { slots, slotsZone, queuePausedAt },
      })
      .from(postsTable)
      .innerJoin(timetables, eq(timetables.id, postsTable.channelId))
      // The states are literals because SQLite can use the partial index `posts_upcoming` only then.
      .where(sql`${postsTable.projectId} = ${projectId} AND ${postsTable.state} IN ('scheduled', 'queued') AND ${time}`)
      .orderBy(postsTable.publishAt, postsTable.id)
      .limit(limit)
  );
}

type Waiting = Awaited<ReturnType<typeof selectWaiting>>[number];

/**
 * For paused queues with a slot in the past: each of their posts on the next slot from now on, in its order.
 */
function provisionalTimes(rows: readonly Waiting[], projectZone: string, now: number): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  const paused = rows.filter(({ state, timetable }) => state === "queued" && timetable.queuePausedAt !== null);
  for (const queue of Map.groupBy(paused, ({ channelId }) => channelId).values()) {
    const [first] = queue;
    if (!first || first.publishAt > now) continue;
    const slots = slotsAfter(timetableOf(first.timetable, projectZone), now);
    for (const { id } of queue) {
      const slot = slots.next();
      if (!slot.done) times.set(id, slot.value);
    }
  }
  return times;
}
