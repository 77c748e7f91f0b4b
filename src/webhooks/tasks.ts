import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { WebhookId } from "../core/ids.ts";
import { MINUTE, SECOND } from "../core/time.ts";
import { type Db, runBatch, type Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Deps } from "../deps.ts";
import { Turn } from "../jobs/messages.ts";
import { NEXT_TURN } from "../jobs/recurring-store.ts";
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

/** Ends this turn of `hooks`, unless something has come meanwhile: in one statement, so none is missed. */
export function endNews(db: Db, id: WebhookId, turn: number) {
  const asClaimed = and(eq(recurringTable.key, `${HOOKS}:${id}`), eq(recurringTable.turn, turn));
  return db
    .delete(recurringTable)
    .where(and(asClaimed, sql`NOT ${hasNews(id)}`))
    .returning({ key: recurringTable.key });
}

/** Ends this turn of `rehooks`, unless something waits: for the batch that then schedules it. */
export function endRetries(db: Db, id: WebhookId, turn: number): Statement {
  const waits = sql`EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = ${id} AND state = 'waiting')`;
  const asClaimed = and(eq(recurringTable.key, `${REHOOKS}:${id}`), eq(recurringTable.turn, turn));
  return db.delete(recurringTable).where(and(asClaimed, sql`NOT ${waits}`));
}

/**
 * Has `rehooks` run when the first of the webhook's waiting messages is due: for the batch that lets it wait, and, with
 * the turn of the run, for the end of a run. One that comes sooner stays. Its rows are for `sendRetries`.
 */
export function scheduleRetries(db: Db, id: WebhookId, now: number, ofTurn: number | null = null): Statement {
  const first = sql`(SELECT min(next_at) AS at FROM webhook_deliveries WHERE webhook_id = ${id} AND state = 'waiting') AS first`;
  const isSoon = sql`first.at <= ${now + SOON_MS}`;
  const columns = {
    key: `${REHOOKS}:${id}`,
    kind: REHOOKS,
    // Soon: claimed, for its message is sent.
    dueAt: sql`CASE WHEN ${isSoon} THEN max(first.at, ${now}) + ${CLAIM_MS} ELSE first.at END`,
    intervalMs: 1,
    sentAt: sql`CASE WHEN ${isSoon} THEN ${now} END`,
    failures: 0,
    createdAt: now,
  };
  const isLater = sql`(recurring.due_at > excluded.due_at
    OR (recurring.sent_at IS NULL AND excluded.sent_at IS NOT NULL AND recurring.due_at > excluded.due_at - ${CLAIM_MS}))`;
  return insertWhere(db, recurringTable, columns, sql`first.at IS NOT NULL`, first)
    .onConflictDoUpdate({
      target: recurringTable.key,
      set: { dueAt: sql`excluded.due_at`, sentAt: sql`excluded.sent_at`, turn: NEXT_TURN, failures: 0 },
      setWhere: ofTurn === null ? isLater : sql`recurring.turn = ${ofTurn}`,
    })
    .returning(scheduledColumns);
}

const scheduledColumns = {
  key: recurringTable.key,
  turn: recurringTable.turn,
  dueAt: recurringTable.dueAt,
  sentAt: recurringTable.sentAt,
};
const Scheduled = z.array(Turn.extend({ dueAt: z.number(), sentAt: z.number().nullable() }));

/** Sends the message of what `scheduleRetries` has claimed. Never throws: what the queue does not take is due when its claim ends. */
export async function sendRetries({ jobs }: Pick<Deps, "jobs">, rows: unknown): Promise<void> {
  const now = Date.now();
  const claimed = (Scheduled.safeParse(rows).data ?? []).filter(({ sentAt }) => sentAt !== null);
  await jobs.sendMany(
    claimed.map(({ key, turn, dueAt }) => {
      const delaySeconds = Math.max(0, dueAt - CLAIM_MS - now) / SECOND;
      return { queue: TASK.queue, message: { type: "recurring", tasks: [{ key, turn }] }, delaySeconds };
    }),
  );
}

/** Runs a batch that lets messages of a webhook wait, and has them sent in their time. Its results in order. */
export async function runWithRetries(
  deps: Deps,
  id: WebhookId,
  statements: readonly Statement[],
  ofTurn: number | null = null,
): Promise<readonly unknown[]> {
  const results = await runBatch(deps.db, [...statements, scheduleRetries(deps.db, id, Date.now(), ofTurn)]);
  await sendRetries(deps, results.at(-1));
  return results;
}
