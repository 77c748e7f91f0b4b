import { type SQL, sql } from "drizzle-orm";
import { MINUTE } from "../core/time.ts";
import { type Db, writeTogether } from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { expediteTasks, taskKeys } from "../jobs/recurring-store.ts";
import { expediteJobs } from "../jobs/reschedule.ts";
import { openJobs } from "../jobs/store.ts";
import type { Deps } from "../service/deps.ts";
import { heldOf, roomAt } from "./pace.ts";
import { leaseForWaiters, settleLeases } from "./rate-leases.ts";
import { rateWaitsTable } from "./table.ts";

/**
 * The sweep's part of pace.ts. It wakes the waiters at the front of each line that get room before the next
 * sweep. It drops waiters that do not use their turn: the bot was deleted, the post is completed, or
 * something else blocks the act. A dropped waiter joins again when it acts.
 *
 * A waiter with a turn ignores its project's share (jobs/capacity.ts). Otherwise it would block those behind
 * it, whose jobs may be what fills the share. The bucket bounds the number of such waiters.
 *
 * In the directory, `database:1` waits for a lease of database 1, whose own sweep requests it.
 */

/** How long a waiter may stay in front with room and not act: its message may come late. */
const IDLE_MS = 5 * MINUTE;
/** The number of lines that are read together. */
const LINES = 50;
/** The maximum of turns per line and sweep. */
const MOST = 150;
/** Jobs run at their second; tasks run with this sweep or the next one. */
const AHEAD_MS = MINUTE;
/** Waiters that left are dropped and the line is read again, at most this often. */
const ROUNDS = 5;

interface OpenLine {
  readonly key: string;
  readonly fullAt: number;
  readonly apartMs: number;
  readonly atOnce: number;
  /** The acts of leases that other databases have. */
  readonly held: number;
  /** Where this database acts on leases; null elsewhere. */
  readonly lifeMs: number | null;
}

export async function grantTurns(deps: Deps, now: number): Promise<void> {
  if (deps.databases > 1) await settleLeases(deps, now);
  for (let after = ""; ; ) {
    const lines = await listLines(deps, after);
    let open: readonly OpenLine[] = lines;
    for (let round = 0; round < ROUNDS && open.length > 0; round++) open = await grantIn(deps, open, now);
    const last = lines.at(-1);
    if (!last || lines.length < LINES) return;
    after = last.key;
  }
}

/** Whether anything waits for its turn. */
export const hasWaiters = (): SQL => sql`EXISTS (SELECT 1 FROM rate_waits)`;

/** The lines with waiters, by two seeks each, however long they are. */
async function listLines({ db, database }: Deps, after: string): Promise<readonly OpenLine[]> {
  return db.all<OpenLine>(sql`WITH RECURSIVE lines(bucket) AS (
      SELECT (SELECT min(bucket) FROM rate_waits WHERE bucket > ${after})
      UNION ALL SELECT (SELECT min(bucket) FROM rate_waits WHERE bucket > lines.bucket) FROM lines WHERE lines.bucket IS NOT NULL)
    SELECT lines.bucket AS key, full_at AS fullAt, rate_buckets.apart_ms AS apartMs, rate_buckets.at_once AS atOnce,
      own.life_ms AS lifeMs, ${heldOf(sql`lines.bucket`)} AS held
    FROM lines JOIN rate_buckets ON rate_buckets.key = lines.bucket
    LEFT JOIN rate_leases AS own ON own.bucket = lines.bucket AND own.database = ${database} WHERE lines.bucket IS NOT NULL LIMIT ${LINES}`);
}

interface Waiter {
  readonly bucket: string;
  readonly waiter: string;
  readonly grantedAt: number | null;
  readonly isJob: number;
  /** Whether no message for the job is in flight. */
  readonly isUnsent: number;
  readonly isTask: number;
}

/** Returns the lines that have to be read again. */
async function grantIn(deps: Deps, lines: readonly OpenLine[], now: number): Promise<readonly OpenLine[]> {
  const rooms = new Map<string, readonly number[]>();
  for (const line of lines) rooms.set(line.key, await roomsIn(deps, line, now));
  const most = Math.max(0, ...[...rooms.values()].map((times) => times.length));
  if (most === 0) return [];
  const waiters = await listFirst(deps.db, [...rooms.keys()], most);
  const granted: (Place & { readonly at: number })[] = [];
  const left: Place[] = [];
  for (const [bucket, inLine] of Map.groupBy(waiters, (one) => one.bucket)) {
    for (const [place, at] of (rooms.get(bucket) ?? []).entries()) {
      const one = inLine[place];
      if (!one) break;
      const { waiter, grantedAt, isUnsent } = one;
      const isIdle = grantedAt !== null && grantedAt < now - IDLE_MS;
      if (isIdle || one.isJob + one.isTask === 0) left.push({ bucket, waiter });
      else if ((grantedAt === null || isUnsent) && (one.isJob || at <= now)) granted.push({ bucket, waiter, at });
    }
  }
  if (granted.length + left.length === 0) return [];
  await writeGrants(deps, granted, left, now);
  const again = new Set(left.map(({ bucket }) => bucket));
  return lines.filter(({ key }) => again.has(key));
}

async function roomsIn(deps: Deps, { lifeMs, ...line }: OpenLine, now: number): Promise<readonly number[]> {
  if (lifeMs === null) return roomsOf(line, now);
  return Array.from({ length: await leaseForWaiters(deps, { ...line, lifeMs }, now) }, () => now);
}

/** When each of the next waiters gets room, until the next sweep. Pure. */
function roomsOf({ fullAt, held, ...line }: Omit<OpenLine, "key" | "lifeMs">, now: number): readonly number[] {
  const from = Math.max(fullAt, now) + held * line.apartMs;
  const times: number[] = [];
  while (times.length < MOST) {
    const at = Math.max(now, roomAt(from, line, times.length));
    if (at > now + AHEAD_MS) break;
    times.push(at);
  }
  return times;
}

async function listFirst(db: Db, buckets: readonly string[], most: number): Promise<readonly Waiter[]> {
  return db.all<Waiter>(sql`SELECT first.bucket AS bucket, first.waiter AS waiter, first.granted_at AS grantedAt,
      job.key IS NOT NULL AS isJob, job.message_at IS NULL AND job.key IS NOT NULL AS isUnsent,
      task.key IS NOT NULL OR first.waiter LIKE 'database:%' AS isTask
    FROM json_each(${JSON.stringify(buckets)}) AS line
    JOIN rate_waits AS first ON first.rowid IN (SELECT waits.rowid FROM rate_waits AS waits
      WHERE waits.bucket = line.value ORDER BY waits.place, waits.since LIMIT ${most})
    LEFT JOIN (${openJobs}) AS job ON job.key = first.waiter
    LEFT JOIN (${taskKeys}) AS task ON task.key = first.waiter
    ORDER BY first.bucket, first.place, first.since`);
}

type Place = Pick<Waiter, "bucket" | "waiter">;

async function writeGrants(
  deps: Deps,
  granted: readonly (Place & { readonly at: number })[],
  left: readonly Place[],
  now: number,
): Promise<void> {
  const { db } = deps;
  const moves = sql`SELECT value ->> 'waiter' AS key, value ->> 'at' AS at FROM json_each(${JSON.stringify(granted)})`;
  const hasLeft = sql`(bucket, waiter) IN (SELECT value ->> 'bucket', value ->> 'waiter' FROM json_each(${JSON.stringify(left)}))`;
  const { jobs } = await writeTogether(db, {
    jobs: expediteJobs(db, moves),
    tasks: expediteTasks(db, sql`SELECT key FROM (${moves})`, now),
    granted: db
      .update(rateWaitsTable)
      .set({ grantedAt: sql`coalesce(granted_at, turn.value ->> 'at')` })
      .from(sql`json_each(${JSON.stringify(granted)}) AS turn`)
      .where(sql`bucket = turn.value ->> 'bucket' AND waiter = turn.value ->> 'waiter'`),
    left: db.delete(rateWaitsTable).where(hasLeft),
  });
  await enqueueJobs(deps, jobs);
}
