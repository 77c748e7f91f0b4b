import { type SQL, sql } from "drizzle-orm";
import { MINUTE } from "../core/time.ts";
import { type Db, writeTogether } from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import type { JobDeps } from "../jobs/handler.ts";
import { expediteTasks, taskKeys } from "../jobs/recurring-store.ts";
import { expediteJobs } from "../jobs/reschedule.ts";
import { openJobs } from "../jobs/store.ts";
import { roomAt } from "./pace.ts";
import { rateWaitsTable } from "./table.ts";

/**
 * The sweep's part of pace.ts. It wakes the waiters at the front of each line that get room before the next
 * sweep. It drops waiters that do not use their turn: the bot was deleted, the post is completed, or
 * something else blocks the act. A dropped waiter joins again when it acts.
 *
 * A waiter with a turn ignores its project's share (jobs/capacity.ts). Otherwise it would block those behind
 * it, whose jobs may be what fills the share. The bucket bounds the number of such waiters.
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
}

export async function grantTurns(deps: JobDeps, now: number): Promise<void> {
  for (let after = ""; ; ) {
    const lines = await listLines(deps.db, after);
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
async function listLines(db: Db, after: string): Promise<readonly OpenLine[]> {
  return db.all<OpenLine>(sql`WITH RECURSIVE lines(bucket) AS (
      SELECT (SELECT min(bucket) FROM rate_waits WHERE bucket > ${after})
      UNION ALL SELECT (SELECT min(bucket) FROM rate_waits WHERE bucket > lines.bucket) FROM lines WHERE lines.bucket IS NOT NULL)
    SELECT lines.bucket AS key, full_at AS fullAt, apart_ms AS apartMs, at_once AS atOnce
    FROM lines JOIN rate_buckets ON rate_buckets.key = lines.bucket WHERE lines.bucket IS NOT NULL LIMIT ${LINES}`);
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
async function grantIn(deps: JobDeps, lines: readonly OpenLine[], now: number): Promise<readonly OpenLine[]> {
  const rooms = new Map(lines.map((line) => [line.key, roomsOf(line, now)]));
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

/** When each of the next waiters gets room, until the next sweep. Pure. */
function roomsOf({ fullAt, ...line }: Omit<OpenLine, "key">, now: number): readonly number[] {
  const from = Math.max(fullAt, now);
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
      job.key IS NOT NULL AS isJob, job.message_at IS NULL AND job.key IS NOT NULL AS isUnsent, task.key IS NOT NULL AS isTask
    FROM json_each(${JSON.stringify(buckets)}) AS line
    JOIN rate_waits AS first ON first.rowid IN (SELECT waits.rowid FROM rate_waits AS waits
      WHERE waits.bucket = line.value ORDER BY waits.place, waits.since LIMIT ${most})
    LEFT JOIN (${openJobs}) AS job ON job.key = first.waiter
    LEFT JOIN (${taskKeys}) AS task ON task.key = first.waiter
    ORDER BY first.bucket, first.place, first.since`);
}

type Place = Pick<Waiter, "bucket" | "waiter">;

async function writeGrants(
  deps: JobDeps,
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
