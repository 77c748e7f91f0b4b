import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import type { Shelf } from "../rest/read.ts";
import { channelColumn } from "../store.ts";
import { postsTable } from "../table.ts";
import { listPostsByCursor } from "./list.ts";

/** The posts of some days: those that wait by their due time, those that are live by their publication. */

interface Days {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** Posts of each kind. */
  readonly limit: number;
}

/** Two D1 calls, and at most `limit` + 1 posts of each kind. */
export async function listCalendar(shelf: Shelf, projectId: ProjectId, { from, to, limit }: Days) {
  const anyTime = { from: null, to: null };
  const filter = {
    channels: PLATFORM_NAMES,
    states: null,
    channelId: null,
    userRef: null,
    externalId: null,
    created: anyTime,
    published: { from, to },
  };
  const [waiting, published] = await Promise.all([
    selectDue(shelf.db, projectId, { from, to, limit: limit + 1 }),
    listPostsByCursor(shelf, projectId, { filter, limit, since: null, withContent: true }),
  ]);
  const isComplete = waiting.length <= limit && published.next === null;
  return { waiting: waiting.slice(0, limit), published: published.items, isComplete };
}

function selectDue(db: Db, projectId: ProjectId, { from, to, limit }: Days) {
  const { id, channelType, state, publishAt, caption, thread } = postsTable;
  return (
    db
      .select({ id, channelType, state, publishAt, caption, thread, channel: channelColumn })
      .from(postsTable)
      // Literals, because SQLite can use the partial index `posts_upcoming` only then.
      .where(
        and(
          eq(postsTable.projectId, projectId),
          sql`${state} IN ('scheduled', 'queued')`,
          gte(publishAt, from),
          lt(publishAt, to),
        ),
      )
      .orderBy(publishAt, id)
      .limit(limit)
  );
}
