import { sql } from "drizzle-orm";
import { dropPage, listReplayed, type Page, readObject } from "../../archive/pages.ts";
import type { ProjectId } from "../../core/ids.ts";
import { partsOf } from "../../core/parts.ts";
import { runBatch } from "../../db/client.ts";
import { isAmong } from "../../db/in-list.ts";
import { restoreEvents } from "../../events/store.ts";
import type { Deps } from "../../service/deps.ts";
import { postsInPage } from "../rest/read.ts";
import { postsAtRestTable, postsTable } from "../table.ts";
import { ArchivedEvents } from "./archived-events.ts";
import { isNaming } from "./move.ts";

/**
 * Takes timelines back from the archive (move.ts), for a replay: deliveries read their events from the
 * database. They stay there until they expire.
 */

/** Pages of one request. */
const PAGES = 3;
/** Timelines of one transaction. */
const CHUNK = 200;

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Takes back what a replay of the time range may name, from its beginning, a few pages in each call. Returns
 * the id of an event: all events of the range with smaller ids are in the database. Null: all of them are.
 */
export async function takeBackEvents(deps: Deps, projectId: ProjectId, range: Range): Promise<number | null> {
  for (let page = 0; page < PAGES; page++) {
    const [found] = await listReplayed(deps.db, projectId, range);
    if (!found) return null;
    await takeBack(deps, projectId, found);
  }
  const [left] = await listReplayed(deps.db, projectId, range);
  return left ? left.replayFrom * EVENT_IDS_A_MS : null;
}

/** Ids of events are times in microseconds, or greater. */
const EVENT_IDS_A_MS = 1_000;

/** Each chunk is one transaction, and takes only timelines of posts that still name the page. */
async function takeBack({ db, files }: Deps, projectId: ProjectId, page: Page): Promise<void> {
  const entries = (await readObject(files, page.name)) ?? {};
  const all = JSON.stringify(Object.keys(entries).map(Number));
  const posts = (await db.all<{ id: number }>(postsInPage(all, sql`${page.id}`))).map(({ id }) => id);
  for (const ids of partsOf(posts, CHUNK)) {
    const events = ids.flatMap((subjectId) =>
      ArchivedEvents.parse(entries[subjectId] ?? []).map((event) => ({ ...event, subjectId })),
    );
    await runBatch(db, [
      restoreEvents(db, { projectId, subject: "post" }, events, isNaming(page)),
      ...[postsTable, postsAtRestTable].map((table) =>
        db
          .update(table)
          .set({ timelinePage: null })
          .where(sql`${isAmong(table.id, ids)} AND timeline_page = ${page.id}`),
      ),
    ]);
  }
  const isUnnamed = sql`NOT EXISTS (${postsInPage(all, sql`${page.id}`)})`;
  await runBatch(db, [dropPage(db, page, isUnnamed, Date.now())]);
}
