import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { RateLimitKey } from "../channels/rate-limits.ts";
import { SECOND } from "../core/time.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Pace } from "../platforms/context.ts";
import type { Deps } from "../service/deps.ts";
import { rateBucketsTable, rateWaitsTable } from "./table.ts";

/**
 * Spreads acts over time before the platform refuses them (decisions/0033). Each account, or app, has a
 * bucket. An act takes from it in the statement that stores its intent. Nothing is reserved ahead: unused
 * room stays available to others.
 *
 *   acts at once ◀── room beside those in front ── act ── else ──▶ waits in line for room ──▶ acts
 *
 * Parties take turns in line: one act of each, then the next of each. When a waiter leaves the line, the
 * sweep wakes those behind it (pace-turns.ts). Half of the pace may be used at once and the rest refills over
 * time. So no window of that length exceeds the pace.
 */

/** A waiter in the line of one bucket. */
export interface Line {
  readonly key: string;
  readonly apartMs: number;
  readonly atOnce: number;
  readonly waiter: string;
  readonly party: string;
}

/** The actor: the key of its job or task, its project, and the party that takes turns at an account. */
export interface Actor {
  readonly waiter: string;
  readonly projectId: number;
  readonly party: string;
}

/** At most this many waiters in front are counted. */
const MOST_AHEAD = 200;

/** Messages arrive at whole seconds, sometimes late; the room that refills meanwhile is kept. */
const LATE_MS = 5 * SECOND;

/** A database's part of a pace: an app's is for all databases, an account's for those that have it. Pure. */
export function shareOf({ most, perSeconds }: Pick<Pace, "most" | "perSeconds">, databases: number) {
  if (databases === 1) return { most, perSeconds };
  const share = Math.max(1, Math.floor(most / databases));
  // Where a share is less than one act, its time is longer instead.
  return { most: share, perSeconds: Math.max(perSeconds, (perSeconds * share * databases) / most) };
}

/** How long one act takes to refill, and how many acts may run at once. Pure. */
export function spacing({ most, perSeconds }: Pick<Pace, "most" | "perSeconds">) {
  const half = Math.max(1, Math.floor(most / 2));
  const apartMs = Math.ceil((perSeconds * SECOND) / (most - half + 1));
  return { apartMs, atOnce: Math.max(half, Math.floor(LATE_MS / apartMs)) };
}

/** If the platform counts per app, projects take turns; at an account, bots or posts do. */
export function lineOf(
  { config: { paceFactor }, databases }: Pick<Deps, "config" | "databases">,
  of: RateLimitKey,
  pace: Pace,
  by: Actor,
): Line {
  const isApp = pace.scope === "app";
  const key = [of.platform, isApp ? "" : of.accountId, of.isTest ? "test" : "live", of.act].join(":");
  const { apartMs, atOnce } = spacing(
    shareOf({ ...pace, perSeconds: pace.perSeconds / paceFactor }, isApp ? databases : of.databases),
  );
  return { key, apartMs, atOnce, waiter: by.waiter, party: isApp ? `project:${by.projectId}` : by.party };
}

/** True while the bucket has room for this waiter and those in front of it. */
export function mayAct(line: Line, now: number): SQL {
  const { key, apartMs, atOnce } = line;
  const fullAt = sql`coalesce((SELECT full_at FROM rate_buckets WHERE key = ${key}), 0)`;
  return sql`(max(${fullAt}, ${now}) + (${ahead(line)} + 1) * ${apartMs} <= ${now + atOnce * apartMs})`;
}

/** The number of waiters in front; for an actor outside the line, the length of the line. */
function ahead({ key, waiter }: Line): SQL<number> {
  const own = (column: string) =>
    sql`(SELECT ${sql.raw(column)} FROM rate_waits WHERE bucket = ${key} AND waiter = ${waiter})`;
  const isBefore = sql`(${own("place")} IS NULL
    OR (front.place, front.since, front.waiter) < (${own("place")}, ${own("since")}, ${waiter}))`;
  return sql<number>`(SELECT count(*) FROM (SELECT 1 FROM rate_waits AS front WHERE front.bucket = ${key}
    AND front.waiter <> ${waiter} AND ${isBefore} ORDER BY front.place, front.since LIMIT ${MOST_AHEAD}))`;
}

/** Takes from the bucket while `condition` holds: for the batch that stores the intent of the act. */
export function takeTurn(db: Db, line: Line, now: number, condition: SQL): readonly [Statement, Statement] {
  const { key, apartMs, atOnce } = line;
  const taken = insertWhere(db, rateBucketsTable, { key, fullAt: now + apartMs, apartMs, atOnce }, condition);
  return [
    taken.onConflictDoUpdate({
      target: rateBucketsTable.key,
      set: { fullAt: sql`max(${rateBucketsTable.fullAt}, ${now}) + ${apartMs}`, apartMs, atOnce },
    }),
    db.delete(rateWaitsTable).where(and(ofWaiter(line), condition)),
  ];
}

const ofWaiter = ({ key, waiter }: Line): SQL => sql`(rate_waits.bucket = ${key} AND rate_waits.waiter = ${waiter})`;

/** The state of an actor that could not act. */
export type Standing =
  /** The bucket has room now. */
  | { readonly kind: "free" }
  /** In line; there may be room at this time, or sooner if others leave. */
  | { readonly kind: "waits"; readonly at: number };

/** Joins the line, unless the actor may act now. A waiter keeps its place. One D1 call. */
export async function joinLine(db: Db, line: Line, now: number): Promise<Standing> {
  const { key, apartMs, atOnce, waiter, party } = line;
  const { waits } = await writeTogether(db, {
    // The sweep reads the pace from this row.
    bucket: insertWhere(db, rateBucketsTable, { key, fullAt: now, apartMs, atOnce }, sql`true`).onConflictDoNothing(),
    place: insertWhere(
      db,
      rateWaitsTable,
      { bucket: key, waiter, party, place: nextPlace(line), since: now },
      sql`NOT ${mayAct(line, now)}`,
    ).onConflictDoNothing(),
    waits: selectStanding(db, line),
  });
  return standingOf(line, waits, now);
}

/**
 * Like `takeTurn` for an act that stores no intent; joins the line if there is no room. `serves`: other
 * waiters whose place this act makes unnecessary. One D1 call.
 */
export async function takeOrJoin(
  db: Db,
  line: Line,
  now: number,
  serves: readonly string[] = [],
): Promise<Standing | { readonly kind: "taken" }> {
  const { key, apartMs, atOnce, waiter, party } = line;
  const place = { bucket: key, waiter, party, place: nextPlace(line), since: now };
  const { taken, waits } = await writeTogether(db, {
    place: insertWhere(db, rateWaitsTable, place, sql`NOT ${mayAct(line, now)}`).onConflictDoNothing(),
    taken: insertWhere(db, rateBucketsTable, { key, fullAt: now + apartMs, apartMs, atOnce }, mayAct(line, now))
      .onConflictDoUpdate({
        target: rateBucketsTable.key,
        set: { fullAt: sql`max(${rateBucketsTable.fullAt}, ${now}) + ${apartMs}`, apartMs, atOnce },
      })
      .returning({ key: rateBucketsTable.key }),
    // Of the previous statement: an actor that took its turn needs no place any more.
    left: db
      .delete(rateWaitsTable)
      .where(
        and(eq(rateWaitsTable.bucket, key), isAmong(rateWaitsTable.waiter, [waiter, ...serves]), sql`changes() > 0`),
      ),
    waits: selectStanding(db, line),
  });
  return taken.length > 0 ? { kind: "taken" } : standingOf(line, waits, now);
}

/** Behind the party's last waiter, and not before the front of the line. */
function nextPlace({ key, party }: Line): SQL<number> {
  const first = sql`coalesce((SELECT min(place) FROM rate_waits WHERE bucket = ${key}), 1)`;
  return sql`max(${first}, coalesce((SELECT max(place) + 1 FROM rate_waits WHERE bucket = ${key} AND party = ${party}), 0))`;
}

function selectStanding(db: Db, line: Line) {
  return db
    .select({ ahead: ahead(line), fullAt: rateBucketsTable.fullAt })
    .from(rateWaitsTable)
    .leftJoin(rateBucketsTable, eq(rateBucketsTable.key, rateWaitsTable.bucket))
    .where(ofWaiter(line));
}

function standingOf(
  line: Line,
  [row]: readonly { readonly ahead: number; readonly fullAt: number | null }[],
  now: number,
): Standing {
  if (!row) return { kind: "free" };
  return { kind: "waits", at: Math.max(now, roomAt(Math.max(now, row.fullAt ?? 0), line, row.ahead)) };
}

/** When there is room for one more act after `before` others. Pure. */
export function roomAt(fullAt: number, { apartMs, atOnce }: Pick<Line, "apartMs" | "atOnce">, before: number): number {
  return fullAt + (before + 1 - atOnce) * apartMs;
}

/** Deletes full buckets without waiters. */
export function expiredPaces(now: number): Expired {
  const isAwaited = sql`EXISTS (SELECT 1 FROM rate_waits WHERE rate_waits.bucket = rate_buckets.key)`;
  return { table: rateBucketsTable, where: and(lt(rateBucketsTable.fullAt, now), sql`NOT ${isAwaited}`) };
}
