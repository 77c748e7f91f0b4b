import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { RateLimitKey } from "../channels/rate-limits.ts";
import { rateBucketsTable, rateWaitsTable } from "../channels/table.ts";
import { SECOND } from "../core/time.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Pace } from "../platforms/context.ts";
import type { Config } from "../service/config.ts";

/**
 * Acts are spread over time before the platform refuses them (decisions/0033). Each account, or app, has a
 * bucket; an act takes from it in the statement that stores its intent. Nothing is reserved ahead: what is
 * not used is there for others.
 *
 *   acts at once ◀── room beside those in front ── act ── else ──▶ sleeps in line until there may be room ──▶ acts
 *
 * Parties take turns in line: one act of each, then the next of each. Where someone in front leaves the line,
 * the sweep wakes those behind (pace-turns.ts). Half of the pace may be used at once, the rest comes back
 * over time, so no window of that length holds more than the pace.
 */

/** One who acts, at the bucket that it takes from. */
export interface Line {
  readonly key: string;
  readonly apartMs: number;
  readonly atOnce: number;
  readonly waiter: string;
  readonly party: string;
}

/** Who acts: the key of its job or task, its project, and who takes turns at an account. */
export interface Actor {
  readonly waiter: string;
  readonly projectId: number;
  readonly party: string;
}

/** So many in front of one are counted. */
const MOST_AHEAD = 200;

/** Messages come at whole seconds, and some of them late: what comes back meanwhile is kept. */
const LATE_MS = 5 * SECOND;

/** How long one act takes to come back, and how many may be used at once. Pure. */
export function spacing({ most, perSeconds }: Pick<Pace, "most" | "perSeconds">) {
  const half = Math.max(1, Math.floor(most / 2));
  const apartMs = Math.ceil((perSeconds * SECOND) / (most - half + 1));
  return { apartMs, atOnce: Math.max(half, Math.floor(LATE_MS / apartMs)) };
}

/** Where the platform counts per app, projects take turns; at an account, bots or posts do. */
export function lineOf({ paceFactor }: Pick<Config, "paceFactor">, of: RateLimitKey, pace: Pace, by: Actor): Line {
  const isApp = pace.scope === "app";
  const key = [of.platform, isApp ? "" : of.accountId, of.isTest ? "test" : "live", of.act].join(":");
  const { apartMs, atOnce } = spacing({ ...pace, perSeconds: pace.perSeconds / paceFactor });
  return { key, apartMs, atOnce, waiter: by.waiter, party: isApp ? `project:${by.projectId}` : by.party };
}

/** True while there is room in the bucket, also for those in front of this one. */
export function mayAct(line: Line, now: number): SQL {
  const { key, apartMs, atOnce } = line;
  const fullAt = sql`coalesce((SELECT full_at FROM rate_buckets WHERE key = ${key}), 0)`;
  return sql`(max(${fullAt}, ${now}) + (${ahead(line)} + 1) * ${apartMs} <= ${now + atOnce * apartMs})`;
}

/** How many are in front of this one; of one that is not in line, how many there are. */
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

/** Of one who could not act. */
export type Standing =
  /** There is room by now. */
  | { readonly kind: "free" }
  /** In line; there may be room at this time, or sooner where others leave. */
  | { readonly kind: "waits"; readonly at: number };

/** Joins the line, unless it may act by now. One that waits already keeps its place. One D1 call. */
export async function joinLine(db: Db, line: Line, now: number): Promise<Standing> {
  const { key, apartMs, atOnce, waiter, party } = line;
  const { waits } = await writeTogether(db, {
    // The sweep reads the pace here.
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
 * As `takeTurn` where the act stores no intent, or joins the line. `serves`: others whose place in line its
 * act makes needless. One D1 call.
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
    // Of the statement before: what was taken needs no place any more.
    left: db
      .delete(rateWaitsTable)
      .where(
        and(eq(rateWaitsTable.bucket, key), isAmong(rateWaitsTable.waiter, [waiter, ...serves]), sql`changes() > 0`),
      ),
    waits: selectStanding(db, line),
  });
  return taken.length > 0 ? { kind: "taken" } : standingOf(line, waits, now);
}

/** Behind the party's last one, and not before those who are in front of the line. */
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

/** When there is room for one more after `before` others. Pure. */
export function roomAt(fullAt: number, { apartMs, atOnce }: Pick<Line, "apartMs" | "atOnce">, before: number): number {
  return fullAt + (before + 1 - atOnce) * apartMs;
}

/** Full buckets that no one waits for. */
export function forgetPaces(db: Db, now: number): Statement {
  const isAwaited = sql`EXISTS (SELECT 1 FROM rate_waits WHERE rate_waits.bucket = rate_buckets.key)`;
  return db.delete(rateBucketsTable).where(and(lt(rateBucketsTable.fullAt, now), sql`NOT ${isAwaited}`));
}
