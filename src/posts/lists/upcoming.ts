import { eq, type SQL, sql } from "drizzle-orm";
import { selectTimetables, timetableOf } from "../../channels/timetable.ts";
import type { Caller } from "../../core/caller.ts";
import type { ChannelId, ProjectId } from "../../core/ids.ts";
import { type Db, readTogether } from "../../db/client.ts";
import { postsTable } from "../table.ts";
import { slotsAfter } from "../timetable/slots.ts";

/** Which waiting posts: of a channel, and of a span (epoch milliseconds), both ends included. */
export interface UpcomingFilter {
  readonly limit: number;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly channelId?: ChannelId | undefined;
}

/** Of one channel, only posts among the next so many of the project are found. */
export const MOST_OF_PROJECT = 5_000;
/** Posts whose time has passed, of which a span may have any: those of paused queues get other times. */
const MOST_PASSED = 500;

/**
 * The waiting posts, next first, in one D1 call (spec 4.7). Posts of a paused queue show the times that they
 * would get if the queue resumed now: their own may have passed.
 */
export async function listUpcoming(
  db: Db,
  { projectId, timeZone }: Pick<Caller, "projectId" | "timeZone">,
  { limit, from = 0, to = Number.MAX_SAFE_INTEGER, channelId }: UpcomingFilter,
) {
  const now = Date.now();
  const hasSpan = from > 0 || to < Number.MAX_SAFE_INTEGER;
  const span = hasSpan ? sql` AND posts.publish_at BETWEEN ${from} AND ${to}` : sql``;
  const of = { projectId, channelId };
  const { passed, ahead } = await readTogether(db, {
    passed: selectWaiting(db, of, sql`posts.publish_at <= ${now}`, hasSpan ? MOST_PASSED : limit),
    ahead: selectWaiting(db, of, sql`posts.publish_at > ${now}${span}`, limit),
  });
  const rows = [...passed, ...ahead].flatMap((row) =>
    row.state === "scheduled" || row.state === "queued" ? [{ ...row, state: row.state }] : [],
  );
  const times = provisionalTimes(rows, timeZone, now);
  return rows
    .map(({ timetable: _, ...row }) => ({ ...row, publishAt: times.get(row.id) ?? row.publishAt }))
    .filter(({ publishAt }) => publishAt >= from && publishAt <= to)
    .sort((a, b) => a.publishAt - b.publishAt || a.id - b.id)
    .slice(0, limit);
}

interface Owner {
  readonly projectId: ProjectId;
  readonly channelId: ChannelId | undefined;
}

function selectWaiting(db: Db, owner: Owner, time: SQL, limit: number) {
  // The states are literals because SQLite can use the partial index `posts_upcoming` only then.
  const ofProject = sql`posts.project_id = ${owner.projectId} AND posts.state IN ('scheduled', 'queued') AND ${time}`;
  const { id, channelType, channelId, state, publishAt, timeZone } = postsTable;
  const timetables = selectTimetables(db);
  const { slots, slotsZone, queuePausedAt } = timetables;
  return db
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
    .where(owner.channelId === undefined ? ofProject : sql`${ofProject} AND ${ofChannel(owner.channelId, ofProject)}`)
    .orderBy(postsTable.publishAt, postsTable.id)
    .limit(limit);
}

/** A condition, on the next posts of the project. */
function ofChannel(channelId: ChannelId, ofProject: SQL): SQL {
  const last = sql`SELECT posts.publish_at FROM posts WHERE ${ofProject}
    ORDER BY posts.publish_at LIMIT 1 OFFSET ${MOST_OF_PROJECT - 1}`;
  return sql`posts.publish_at <= coalesce((${last}), ${Number.MAX_SAFE_INTEGER}) AND posts.channel_id = ${channelId}`;
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
