import { and, eq, exists, gt, type SQL, sql } from "drizzle-orm";
import { MINUTE, SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement, writeTogether } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../service/deps.ts";
import {
  emptyBucket,
  fullAtOf,
  isLeased,
  joining,
  joinLine,
  type Line,
  type Standing,
  selectStanding,
  standingOf,
  taken,
  takeOrJoin,
} from "./pace.ts";
import { rateBucketsTable, rateLeasesTable, rateWaitsTable } from "./table.ts";

/**
 * Paces of an app that several databases share (decisions/0084). The directory has the bucket, and acts on
 * it. Another database takes a lease of some acts, uses it in the transactions of its own acts, and settles
 * it before the next one:
 *
 *   none ── granted by the directory ──▶ open ── used up or over ──▶ closed ── settled in the directory ──▶ none
 *
 * The bucket holds back the acts of every lease until it is settled. Then it counts those that ran, at the
 * end of the lease: none ran later. So acts that ran and those that may still run are never more than the
 * bucket allows. A lease that its holder does not settle counts as used up.
 */
type Holder = Pick<Deps, "db" | "directory" | "database" | "databases">;
type Lease = typeof rateLeasesTable.$inferSelect;

/** For so long a holder may report what it did not use. */
const SETTLING_MS = 2 * MINUTE;

/** Like `joinLine`, on a new lease if the last one has no room. */
export async function waitInLine(deps: Holder, line: Line, now: number): Promise<Standing> {
  const standing = await joinLine(deps.db, line, now);
  return standing.kind === "waits" && isLeased(line) ? standingOnLease(deps, line, standing.ahead, now) : standing;
}

/** Like `takeOrJoin`, on a new lease if the last one has no room. */
export async function takeOrWait(
  deps: Holder,
  line: Line,
  now: number,
  serves: readonly string[] = [],
): Promise<Standing | { readonly kind: "taken" }> {
  const standing = await takeOrJoin(deps.db, line, now, serves);
  if (standing.kind !== "waits" || !isLeased(line)) return standing;
  const renewed = await standingOnLease(deps, line, standing.ahead, now);
  return renewed.kind === "free" ? takeOrJoin(deps.db, line, now, serves) : renewed;
}

async function standingOnLease(deps: Holder, line: Line, ahead: number, now: number): Promise<Standing> {
  const { acts, at } = await renewLease(deps, line, now);
  return acts > ahead
    ? { kind: "free" }
    : { kind: "waits", ahead, at: Math.max(at, now + SECOND) + ahead * line.apartMs };
}

/** The acts that are left of the lease, and when there is room for another lease. At most three D1 calls. */
export async function renewLease(
  deps: Holder,
  line: Line,
  now: number,
): Promise<{ readonly acts: number; readonly at: number }> {
  const own = await closeUsed(deps, line, now);
  if (!own.isClosed) return { acts: own.acts - own.used, at: now };
  const { lease, standing } = await requestLease(deps, line, own, now);
  await storeLease(deps.db, own, lease);
  const isNew = lease !== undefined && lease.acts > 0 && lease.until > now && lease.serial > own.serial;
  return { acts: isNew ? lease.acts : 0, at: standing.kind === "waits" ? standing.at : now };
}

const ofBucket = (bucket: string, database: number): SQL | undefined =>
  and(eq(rateLeasesTable.bucket, bucket), eq(rateLeasesTable.database, database));

/** The own lease, closed if it is used up or over. */
async function closeUsed({ db, database }: Holder, line: Line, now: number): Promise<Lease> {
  const { key: bucket, apartMs, atOnce, shared } = line;
  const none = { bucket, database, serial: 0, acts: 0, used: 0, until: 0, isClosed: true, apartMs, atOnce };
  const isOver = sql`(${rateLeasesTable.until} <= ${now} OR ${rateLeasesTable.used} >= ${rateLeasesTable.acts})`;
  const { lease } = await writeTogether(db, {
    first: db
      .insert(rateLeasesTable)
      .values({ ...none, lifeMs: shared?.lifeMs ?? 0 })
      .onConflictDoNothing(),
    closed: db
      .update(rateLeasesTable)
      .set({ isClosed: true })
      .where(and(ofBucket(bucket, database), eq(rateLeasesTable.isClosed, false), isOver)),
    lease: db.select().from(rateLeasesTable).where(ofBucket(bucket, database)),
  });
  const [own] = lease;
  if (!own) throw new Error(`The lease of ${bucket} is gone.`);
  return own;
}

/** Settles the last lease and grants the next one, behind those who wait in the directory. */
async function requestLease({ directory, database, databases }: Holder, line: Line, own: Lease, now: number) {
  const { key: bucket, apartMs, atOnce } = line;
  const name = `database:${database}`;
  const lifeMs = line.shared?.lifeMs ?? own.lifeMs;
  const front: Line = { key: bucket, apartMs, atOnce, waiter: name, party: name, shared: { database: 0, lifeMs } };
  // D1 binds numbers as floating point.
  const most = Math.max(1, Math.ceil(atOnce / (2 * databases)));
  const acts = sql`CAST((${now + atOnce * apartMs} - max(${fullAtOf(front)}, ${now})) / ${apartMs} AS INTEGER)`;
  const room = sql`(${acts} - ${taken(front)})`;
  const next = { ...own, serial: now, acts: sql<number>`min(${most}, ${room})`, until: now + lifeMs, used: 0, lifeMs };
  const { lease, waits } = await writeTogether(directory, {
    settled: settlement(directory, own, now),
    forgotten: bookForgotten(directory, now),
    bucket: emptyBucket(directory, front, now),
    place: joining(directory, front, now),
    // A lease whose answer was lost is still there, and nothing of it has run.
    granted: insertWhere(directory, rateLeasesTable, next, sql`${room} > 0`).onConflictDoUpdate({
      target: [rateLeasesTable.bucket, rateLeasesTable.database],
      set: {
        serial: sql`max(excluded.serial, ${rateLeasesTable.serial} + 1, ${own.serial} + 1)`,
        acts: sql`excluded.acts`,
        until: sql`excluded.until`,
      },
      setWhere: eq(rateLeasesTable.acts, 0),
    }),
    left: directory
      .delete(rateWaitsTable)
      .where(and(eq(rateWaitsTable.bucket, bucket), eq(rateWaitsTable.waiter, name), sql`changes() > 0`)),
    lease: directory.select().from(rateLeasesTable).where(ofBucket(bucket, database)),
    waits: selectStanding(directory, front),
  });
  return { lease: lease[0], standing: standingOf(front, waits, now) };
}

/** Counts what the lease has used, once: the row of the directory has its acts until then. */
function settlement(directory: Db, { bucket, database, serial, used, until }: Lease, now: number): Statement[] {
  const isHeld = and(ofBucket(bucket, database), eq(rateLeasesTable.serial, serial), gt(rateLeasesTable.acts, 0));
  const at = Math.min(until, now);
  return [
    directory
      .update(rateBucketsTable)
      .set({ fullAt: sql`max(${rateBucketsTable.fullAt}, ${at}) + ${used} * ${rateBucketsTable.apartMs}` })
      .where(
        and(
          eq(rateBucketsTable.key, bucket),
          gt(sql`${used}`, 0),
          exists(directory.select({ one: sql`1` }).from(rateLeasesTable).where(isHeld)),
        ),
      ),
    directory.update(rateLeasesTable).set({ acts: 0 }).where(isHeld),
  ];
}

/** Counts leases that no one settles as used up. */
function bookForgotten(directory: Db, now: number): Statement[] {
  const isForgotten = sql`rate_leases.acts > 0 AND rate_leases.until <= ${now - SETTLING_MS}`;
  const of = (value: SQL) =>
    sql`(SELECT ${value} FROM rate_leases WHERE rate_leases.bucket = rate_buckets.key AND ${isForgotten})`;
  return [
    directory
      .update(rateBucketsTable)
      .set({ fullAt: sql`max(full_at, ${of(sql`max(until)`)}) + apart_ms * ${of(sql`sum(acts)`)}` })
      .where(sql`${rateBucketsTable.key} IN (SELECT bucket FROM rate_leases WHERE ${isForgotten})`),
    directory.update(rateLeasesTable).set({ acts: 0 }).where(isForgotten),
  ];
}

/** What is settled, and the next lease. An answer that comes late has an old serial, and changes nothing. */
async function storeLease(db: Db, own: Lease, next: Lease | undefined): Promise<void> {
  const { bucket, database, serial } = own;
  const isSame = and(
    ofBucket(bucket, database),
    eq(rateLeasesTable.serial, serial),
    eq(rateLeasesTable.isClosed, true),
  );
  const granted = next && next.acts > 0 && next.serial > serial ? next : null;
  const change = granted
    ? { serial: granted.serial, acts: granted.acts, used: 0, until: granted.until, isClosed: false }
    : { acts: 0, used: 0 };
  if (granted || own.acts > 0) await runBatch(db, [db.update(rateLeasesTable).set(change).where(isSame)]);
}

/** The sweep's part of a database: returns what it does not use of leases that are over, and of its waits. */
export async function settleLeases(deps: Holder, now: number): Promise<void> {
  const { db, directory, database } = deps;
  if (database === 0) {
    await runBatch(directory, bookForgotten(directory, now));
    return;
  }
  const { over } = await writeTogether(db, {
    over: db.update(rateLeasesTable).set({ isClosed: true }).where(sql`acts > 0 AND until <= ${now}`).returning(),
  });
  if (over.length === 0) return;
  const settled = over.flatMap((lease) => settlement(directory, lease, now));
  await runBatch(directory, settled);
  for (const lease of over) await storeLease(db, lease, undefined);
}

/** Whether a lease is to be settled. */
export const hasLeases = (now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM rate_leases WHERE acts > 0 AND until <= ${now})`;

/** The line of a bucket as the sweep of its holder sees it. */
export interface LeasedLine {
  readonly key: string;
  readonly apartMs: number;
  readonly atOnce: number;
  readonly lifeMs: number;
}

/** The acts that waiters of this database may run now. */
export async function leaseForWaiters(deps: Holder, { lifeMs, ...line }: LeasedLine, now: number): Promise<number> {
  const shared = { database: deps.database, lifeMs };
  return (await renewLease(deps, { ...line, waiter: "", party: "", shared }, now)).acts;
}
