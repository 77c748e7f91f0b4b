import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { RateLimitKey } from "../channels/rate-limits.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import type { Expired } from "../db/expired.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Pace } from "../platforms/context.ts";
import type { Deps } from "../service/deps.ts";
import { rateBucketsTable, rateLeasesTable, rateWaitsTable } from "./table.ts";

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
 *
 * Of several databases, the directory has the bucket of an app. The others act on leases (rate-leases.ts).
 */

/** A waiter in the line of one bucket. */
export interface Line {
  readonly key: string;
  readonly apartMs: number;
  readonly atOnce: number;
  readonly waiter: string;
  readonly party: string;
  /** Of an app's pace that several databases share. */
  readonly shared?: SharedPace;
}

export interface SharedPace {
  /** The one that acts: 0 has the bucket, others act on leases. */
  readonly database: number;
  readonly lifeMs: number;
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

/** A lease lasts a quarter of the pace's time, at most this long. */
const LEASE_MS = 2 * MINUTE;

/** A database's part of the pace of an account, of those that have it. Pure. */
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

interface LineDeps extends Pick<Deps, "database" | "databases"> {
  readonly config: Pick<Deps["config"], "paceFactor">;
}

/** If the platform counts per app, projects take turns; at an account, bots or posts do. */
export function lineOf(
  { config: { paceFactor }, database, databases }: LineDeps,
  of: RateLimitKey,
  pace: Pace,
  by: Actor,
): Line {
  const isApp = pace.scope === "app";
  const key = [of.platform, isApp ? "" : of.accountId, of.isTest ? "test" : "live", of.act].join(":");
  const perSeconds = pace.perSeconds / paceFactor;
  if (!isApp) return { key, ...spacing(shareOf({ ...pace, perSeconds }, of.databases)), ...by };
  const line = { key, waiter: by.waiter, party: `project:${by.projectId}` };
  if (databases === 1) return { ...line, ...spacing({ ...pace, perSeconds }) };
  return { ...line, ...sharedSpacing({ ...pace, perSeconds }, database) };
}

/** The bucket counts an act of a lease up to a life later: it refills more slowly by that. Pure. */
export function sharedSpacing({ most, perSeconds }: Pick<Pace, "most" | "perSeconds">, database: number) {
  const lifeMs = Math.min(LEASE_MS, Math.floor((perSeconds * SECOND) / 4));
  return { ...spacing({ most, perSeconds: perSeconds + lifeMs / SECOND }), shared: { database, lifeMs } };
}

/** Whether its acts run on leases. */
export const isLeased = ({ shared }: Pick<Line, "shared">): boolean => shared !== undefined && shared.database > 0;

/** True while the bucket has room for this waiter and those in front of it. */
export function mayAct(line: Line, now: number): SQL {
  const { apartMs, atOnce } = line;
  if (isLeased(line)) return sql`(${ahead(line)} < ${left(line, now)})`;
  return sql`(max(${fullAtOf(line)}, ${now}) + (${taken(line)} + 1) * ${apartMs} <= ${now + atOnce * apartMs})`;
}

export const fullAtOf = ({ key }: Pick<Line, "key">): SQL<number> =>
  sql`coalesce((SELECT full_at FROM rate_buckets WHERE key = ${key}), 0)`;

/** The acts that are left of the own lease. */
function left({ key, shared }: Line, now: number): SQL<number> {
  return sql`coalesce((SELECT acts - used FROM rate_leases WHERE bucket = ${key} AND database = ${shared?.database ?? 0}
    AND NOT is_closed AND until > ${now}), 0)`;
}

/** The acts that others may run before: waiters in front, and leases of the bucket. */
export function taken(line: Line): SQL<number> {
  return line.shared && !isLeased(line) ? sql`(${ahead(line)} + ${heldOf(sql`${line.key}`)})` : ahead(line);
}

/** The acts of all leases of a bucket, in the directory. */
export const heldOf = (key: SQL): SQL<number> =>
  sql`coalesce((SELECT sum(held.acts) FROM rate_leases AS held WHERE held.bucket = ${key}), 0)`;

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
  const act = isLeased(line) ? useLease(db, line, condition) : useBucket(db, line, now, condition);
  return [act, db.delete(rateWaitsTable).where(and(ofWaiter(line), condition))];
}

function useLease(db: Db, { key, shared }: Line, condition: SQL) {
  const isOwn = and(eq(rateLeasesTable.bucket, key), eq(rateLeasesTable.database, shared?.database ?? 0));
  return db
    .update(rateLeasesTable)
    .set({ used: sql`${rateLeasesTable.used} + 1` })
    .where(and(isOwn, condition));
}

function useBucket(db: Db, { key, apartMs, atOnce }: Line, now: number, condition: SQL) {
  return insertWhere(
    db,
    rateBucketsTable,
    { key, fullAt: now + apartMs, apartMs, atOnce },
    condition,
  ).onConflictDoUpdate({
    target: rateBucketsTable.key,
    set: { fullAt: sql`max(${rateBucketsTable.fullAt}, ${now}) + ${apartMs}`, apartMs, atOnce },
  });
}

const ofWaiter = ({ key, waiter }: Line): SQL => sql`(rate_waits.bucket = ${key} AND rate_waits.waiter = ${waiter})`;

/** The state of an actor that could not act. */
export type Standing =
  /** The bucket has room now. */
  | { readonly kind: "free" }
  /** In line behind so many; there may be room at this time, or sooner if others leave. */
  | { readonly kind: "waits"; readonly at: number; readonly ahead: number };

/** Joins the line, unless the actor may act now. A waiter keeps its place. One D1 call. */
export async function joinLine(db: Db, line: Line, now: number): Promise<Standing> {
  const { waits } = await writeTogether(db, {
    bucket: emptyBucket(db, line, now),
    place: joining(db, line, now),
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
  const { key, waiter } = line;
  const isServed = and(eq(rateWaitsTable.bucket, key), isAmong(rateWaitsTable.waiter, [waiter, ...serves]));
  const { taken, waits } = await writeTogether(db, {
    place: joining(db, line, now),
    taken: isLeased(line)
      ? useLease(db, line, mayAct(line, now)).returning({ key: rateLeasesTable.bucket })
      : useBucket(db, line, now, mayAct(line, now)).returning({ key: rateBucketsTable.key }),
    // Of the previous statement: an actor that took its turn needs no place any more.
    left: db.delete(rateWaitsTable).where(and(isServed, sql`changes() > 0`)),
    waits: selectStanding(db, line),
  });
  return taken.length > 0 ? { kind: "taken" } : standingOf(line, waits, now);
}

/** Joins the line, unless there is room. */
export function joining(db: Db, line: Line, now: number): Statement {
  const { key, waiter, party } = line;
  const place = { bucket: key, waiter, party, place: nextPlace(line), since: now };
  return insertWhere(db, rateWaitsTable, place, sql`NOT ${mayAct(line, now)}`).onConflictDoNothing();
}

/** Behind the party's last waiter, and not before the front of the line. */
function nextPlace({ key, party }: Line): SQL<number> {
  const first = sql`coalesce((SELECT min(place) FROM rate_waits WHERE bucket = ${key}), 1)`;
  return sql`max(${first}, coalesce((SELECT max(place) + 1 FROM rate_waits WHERE bucket = ${key} AND party = ${party}), 0))`;
}

/** Of nothing that was used yet. The sweep reads the pace from this row. */
export function emptyBucket(db: Db, { key, apartMs, atOnce }: Line, now: number): Statement {
  const bucket = { key, fullAt: now, apartMs, atOnce };
  return insertWhere(db, rateBucketsTable, bucket, sql`true`).onConflictDoNothing();
}

export function selectStanding(db: Db, line: Line) {
  return db
    .select({ ahead: taken(line), fullAt: rateBucketsTable.fullAt })
    .from(rateWaitsTable)
    .leftJoin(rateBucketsTable, eq(rateBucketsTable.key, rateWaitsTable.bucket))
    .where(ofWaiter(line));
}

export function standingOf(
  line: Line,
  [row]: readonly { readonly ahead: number; readonly fullAt: number | null }[],
  now: number,
): Standing {
  if (!row) return { kind: "free" };
  const { ahead, fullAt } = row;
  return { kind: "waits", ahead, at: Math.max(now, roomAt(Math.max(now, fullAt ?? 0), line, ahead)) };
}

/** When there is room for one more act after `before` others. Pure. */
export function roomAt(fullAt: number, { apartMs, atOnce }: Pick<Line, "apartMs" | "atOnce">, before: number): number {
  return fullAt + (before + 1 - atOnce) * apartMs;
}

/** Deletes full buckets without waiters and leases. */
export function expiredPaces(now: number): Expired {
  const isAwaited = sql`(EXISTS (SELECT 1 FROM rate_waits WHERE rate_waits.bucket = rate_buckets.key)
    OR ${heldOf(sql`rate_buckets.key`)} > 0)`;
  return { table: rateBucketsTable, where: and(lt(rateBucketsTable.fullAt, now), sql`NOT ${isAwaited}`) };
}
