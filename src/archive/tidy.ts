import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import { isNearlySpent, type Meter } from "../core/meter.ts";
import { HOUR } from "../core/time.ts";
import { type Db, runBatch } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { isReserved, type Page, readObject, reservePage, UNUSED_LIFE_MS, writeObject } from "./pages.ts";
import { archivePagesTable as table } from "./table.ts";

/** What the sweep does to pages: deletes expired ones, and takes entries of purged rows out of the others. */
interface Tidying {
  readonly db: Db;
  readonly files: R2Bucket;
  readonly meter: Meter;
}

/** Which of these rows still name the page. `ids`: JSON. */
export type NamedBy = (ids: string, page: SQL) => SQL;

const EXPIRED = 500;
const STALE = 50;
/** One rewrite for what is purged meanwhile. */
const GATHERED_MS = HOUR;

const isExpired = (now: number) => lt(table.deleteAt, now);
const isStale = (now: number) => sql`stale_at IS NOT NULL AND stale_at < ${now - GATHERED_MS}`;

/** A condition: there is something to do. */
export const hasUntidyPages = (now: number): SQL =>
  sql`(EXISTS (SELECT 1 FROM archive_pages WHERE ${isExpired(now)}) OR EXISTS (SELECT 1 FROM archive_pages WHERE ${isStale(now)}))`;

export async function tidyPages(tidying: Tidying, now: number, namedBy: NamedBy): Promise<void> {
  await deleteExpired(tidying, now);
  const stale = await tidying.db.select().from(table).where(isStale(now)).limit(STALE);
  for (const page of stale) {
    if (isNearlySpent(tidying.meter)) return;
    await rewrite(tidying, page, now, namedBy);
  }
}

/** The objects before the rows: a death in between is repeated. */
async function deleteExpired({ db, files }: Tidying, now: number): Promise<void> {
  const pages = await db.select({ id: table.id, name: table.name }).from(table).where(isExpired(now)).limit(EXPIRED);
  if (pages.length === 0) return;
  await files.delete(pages.map(({ name }) => name));
  const ids = pages.map(({ id }) => id);
  await db.delete(table).where(and(isAmong(table.id, ids), isExpired(now)));
}

type Row = typeof table.$inferSelect;

/**
 * Writes the page again without the entries of purged rows. The two rows exchange the names of their objects,
 * so readers find the old object until the transaction, and for as long after it as they may need it.
 */
async function rewrite({ db, files }: Tidying, page: Row, now: number, namedBy: NamedBy): Promise<void> {
  const entries = (await readObject(files, page.name)) ?? {};
  const ids = JSON.stringify(Object.keys(entries).map(Number));
  const named = await db.all<{ id: number }>(namedBy(ids, sql`${page.id}`));
  const kept = Object.fromEntries(named.flatMap(({ id }) => (String(id) in entries ? [[id, entries[id]]] : [])));
  const asRead = and(eq(table.id, page.id), eq(table.name, page.name));
  // What is purged meanwhile has set a later mark.
  const settled = { staleAt: sql`nullif(stale_at, ${page.staleAt})` };
  if (named.length === 0) {
    await db
      .update(table)
      .set({ ...settled, deleteAt: now + UNUSED_LIFE_MS })
      .where(asRead);
    return;
  }
  const next = await reservePage(db, page.projectId, now);
  if (next === null) return;
  await writeObject(files, next.name, kept);
  const isStillBoth = sql`${isReserved(next, now)} AND EXISTS (SELECT 1 FROM archive_pages AS was WHERE was.id = ${page.id}
    AND was.name = ${page.name})`;
  await runBatch(db, exchangeNames(db, page, next, { isStillBoth, settled }));
}

interface Exchange {
  readonly isStillBoth: SQL;
  readonly settled: { readonly staleAt: SQL };
}

function exchangeNames(db: Db, page: Page, next: Page, { isStillBoth, settled }: Exchange) {
  return [
    db.update(table).set({ name: page.name }).where(sql`${table.id} = ${next.id} AND ${isStillBoth}`),
    db
      .update(table)
      .set({ ...settled, name: next.name })
      .where(
        sql`${table.id} = ${page.id} AND EXISTS (SELECT 1 FROM archive_pages AS old WHERE old.id = ${next.id} AND old.name = ${page.name})`,
      ),
  ];
}
