import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { WebhookId } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../deps.ts";
import { recurringTable } from "../jobs/table.ts";
import { hasNews } from "./delivery-store.ts";

/**
 * The recurring tasks of a webhook: `hooks:<id>` tells it what is new, and is there while there is something (a trigger on `events`
 * begins it); `rehooks:<id>` sends again what did not arrive, and is there while something waits. Each has messages of its own, so a
 * webhook that is slow waits for itself only.
 */
export const HOOKS = "hooks";
export const REHOOKS = "rehooks";
export const TASK = { queue: "hooks", isAlone: true } as const;

/** For how long a run begins attempts: with the last one it ends before its claim. */
export const RUN_MS = MINUTE;
/** A claim of ours, shorter than the sweep's: should the process die, another one goes on after it. */
const CLAIM_MS = 100 * SECOND;
/** What is due before the next sweep has come gets its message at once. */
const SOON_MS = 65 * SECOND;

export const claimedUntil = (now: number): number => now + CLAIM_MS;

/** Ends the run of `hooks`, claimed until `dueAt`, unless something has come meanwhile: in one statement, so none is missed. */
export function endNews(db: Db, id: WebhookId, dueAt: number) {
  const asClaimed = and(eq(recurringTable.key, `${HOOKS}:${id}`), eq(recurringTable.dueAt, dueAt));
  return db
    .delete(recurringTable)
    .where(and(asClaimed, sql`NOT ${hasNews(id)}`))
    .returning({ key: recurringTable.key });
}

/** Ends the run of `rehooks`, claimed until `dueAt`, unless something waits: for the batch that then schedules it. */
export function endRetries(db: Db, id: WebhookId, dueAt: number): Statement {
  const waits = sql`EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = ${id} AND state = 'waiting')`;
  const asClaimed = and(eq(recurringTable.key, `${REHOOKS}:${id}`), eq(recurringTable.dueAt, dueAt));
  return db.delete(recurringTable).where(and(asClaimed, sql`NOT ${waits}`));
}

/**
 * Has `rehooks` run when the first of the webhook's waiting messages is due: for the batch that lets it wait, and, with the `dueAt` by
 * which it was claimed, for the end of a run. One that comes sooner stays. Its rows are for `sendRetries`.
 */
export function scheduleRetries(db: Db, id: WebhookId, now: number, claimedAs: number | null = null): Statement {
  const first = sql`(SELECT min(next_at) AS at FROM webhook_deliveries WHERE webhook_id = ${id} AND state = 'waiting') AS first`;
  const isSoon = sql`first.at <= ${now + SOON_MS}`;
  const columns = {
    key: `${REHOOKS}:${id}`,
    kind: REHOOKS,
    // Soon: claimed, for its message is sent. The interval tells which of both it is.
    dueAt: sql`CASE WHEN ${isSoon} THEN max(first.at, ${now}) + ${CLAIM_MS} ELSE first.at END`,
    intervalMs: sql`CASE WHEN ${isSoon} THEN 0 ELSE 1 END`,
    failures: 0,
    createdAt: now,
  };
  const isLater = sql`(recurring.due_at > excluded.due_at
    OR (recurring.interval_ms > 0 AND excluded.interval_ms = 0 AND recurring.due_at > excluded.due_at - ${CLAIM_MS}))`;
  return insertWhere(db, recurringTable, columns, sql`first.at IS NOT NULL`, first)
    .onConflictDoUpdate({
      target: recurringTable.key,
      set: { dueAt: sql`excluded.due_at`, intervalMs: sql`excluded.interval_ms`, failures: 0 },
      setWhere: claimedAs === null ? isLater : sql`recurring.due_at = ${claimedAs}`,
    })
    .returning({ key: recurringTable.key, dueAt: recurringTable.dueAt, intervalMs: recurringTable.intervalMs });
}

const Scheduled = z.array(z.object({ key: z.string(), dueAt: z.number(), intervalMs: z.number() }));

/** Sends the message of what `scheduleRetries` has claimed. Never throws: what the queue does not take is due when its claim ends. */
export async function sendRetries({ jobs }: Pick<Deps, "jobs">, rows: unknown): Promise<void> {
  const now = Date.now();
  const claimed = (Scheduled.safeParse(rows).data ?? []).filter(({ intervalMs }) => intervalMs === 0);
  await jobs.sendMany(
    claimed.map(({ key, dueAt: until }) => {
      const delaySeconds = Math.max(0, until - CLAIM_MS - now) / SECOND;
      return { queue: TASK.queue, message: { type: "recurring", keys: [key], until }, delaySeconds };
    }),
  );
}

/** Runs a batch that lets messages of a webhook wait, and has them sent in their time. Its results in order. */
export async function runWithRetries(
  deps: Deps,
  id: WebhookId,
  statements: readonly Statement[],
  claimedAs: number | null = null,
): Promise<readonly unknown[]> {
  const results = await runBatch(deps.db, [...statements, scheduleRetries(deps.db, id, Date.now(), claimedAs)]);
  await sendRetries(deps, results.at(-1));
  return results;
}
