import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { kindOf } from "./messages.ts";
import { recurringTable } from "./table.ts";

/** SQL of recurring work (recurring.ts). */

export type RecurringTask = typeof recurringTable.$inferSelect;

/** What a run changes. */
export type TaskState = Pick<RecurringTask, "dueAt" | "intervalMs" | "failures" | "state">;

export interface NewTask {
  /** `kind:subject`. */
  readonly key: string;
  readonly dueAt: number;
  readonly intervalMs: number;
  /** What its run is given; what an earlier one has left when absent. */
  readonly state?: string;
  readonly now: number;
}

/**
 * Begins a task, or moves one that is there to this time, while `condition` holds: for the batch that makes it necessary.
 */
export function scheduleTask(db: Db, { key, dueAt, intervalMs, now }: NewTask, condition: SQL = sql`1`): Statement {
  const task = { key, kind: kindOf(key), dueAt, intervalMs, failures: 0, createdAt: now };
  return insertWhere(db, recurringTable, task, condition).onConflictDoUpdate({
    target: recurringTable.key,
    set: { dueAt, intervalMs, failures: 0 },
  });
}

/** Begins a task anew whose subject may be an expression of the statement, with nothing left of an earlier one. */
export function scheduleTaskOf(
  db: Db,
  {
    kind,
    subject,
    dueAt,
    intervalMs,
    now,
  }: Omit<NewTask, "key"> & { readonly kind: string; readonly subject: number | SQL },
): Statement {
  const key = sql<string>`${`${kind}:`} || ${subject}`;
  return insertWhere(
    db,
    recurringTable,
    { key, kind, dueAt, intervalMs, failures: 0, createdAt: now },
    sql`true`,
  ).onConflictDoUpdate({
    target: recurringTable.key,
    set: { dueAt, intervalMs, failures: 0, state: null },
  });
}

/** The same for many at once, by one statement. */
export function scheduleTasks(db: Db, tasks: readonly NewTask[]): Statement {
  const rows = JSON.stringify(tasks.map((task) => ({ ...task, kind: kindOf(task.key) })));
  const value = (name: string) => sql`task.value ->> ${name}`;
  const columns = {
    key: value("key"),
    kind: value("kind"),
    dueAt: value("dueAt"),
    intervalMs: value("intervalMs"),
    failures: 0,
    state: value("state"),
    createdAt: value("now"),
  };
  return insertWhere(db, recurringTable, columns, sql`1`, sql`json_each(${rows}) AS task`).onConflictDoUpdate({
    target: recurringTable.key,
    set: {
      dueAt: sql`excluded.due_at`,
      intervalMs: sql`excluded.interval_ms`,
      failures: 0,
      state: sql`coalesce(excluded.state, recurring.state)`,
    },
  });
}

/** Ends a task, while `condition` holds: for the batch that makes it needless. */
export function stopTask(db: Db, key: string, condition: SQL = sql`1`): Statement {
  return db.delete(recurringTable).where(and(eq(recurringTable.key, key), condition));
}

/** Ends the tasks whose keys a query gives. */
export function stopTasks(db: Db, keys: SQL): Statement {
  return db.delete(recurringTable).where(sql`${recurringTable.key} IN (${keys})`);
}

/** Of the tasks that are due the oldest, claimed until `until` by the same statement: should nobody run them, they are due again. */
export async function claimDueTasks(db: Db, now: number, until: number, limit: number): Promise<RecurringTask[]> {
  const due = db
    .select({ key: recurringTable.key })
    .from(recurringTable)
    .where(lte(recurringTable.dueAt, now))
    .orderBy(asc(recurringTable.dueAt))
    .limit(limit);
  return db
    .update(recurringTable)
    .set({ dueAt: until })
    .where(and(sql`${recurringTable.key} IN (${due})`, lte(recurringTable.dueAt, now)))
    .returning();
}

/** Claims those of the named tasks that are due: for the batch of whoever does not wait for the sweep (`sendClaimed`). */
export function claimNamed(db: Db, keys: readonly string[], now: number, until: number): Statement {
  return db
    .update(recurringTable)
    .set({ dueAt: until })
    .where(and(isAmong(recurringTable.key, keys), lte(recurringTable.dueAt, now)))
    .returning({ key: recurringTable.key });
}

/** The named tasks that were claimed until `until`, for the first message that asks: one that comes twice gets none. */
export async function takeClaimedTasks(db: Db, keys: readonly string[], until: number): Promise<RecurringTask[]> {
  const listed = isAmong(recurringTable.key, keys);
  return db
    .update(recurringTable)
    .set({ dueAt: until + 1 })
    .where(and(listed, eq(recurringTable.dueAt, until)))
    .returning();
}

/** What a run came to: written only while nobody has moved the task meanwhile. */
export function settleTask(
  db: Db,
  { key, dueAt }: Pick<RecurringTask, "key" | "dueAt">,
  next: TaskState | null,
): Statement {
  const asClaimed = and(eq(recurringTable.key, key), eq(recurringTable.dueAt, dueAt));
  return next === null
    ? db.delete(recurringTable).where(asClaimed)
    : db
        .update(recurringTable)
        .set({ dueAt: next.dueAt, intervalMs: next.intervalMs, failures: next.failures, state: next.state })
        .where(asClaimed);
}
