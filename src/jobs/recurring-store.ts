import { and, eq, lte, or, type SQL, sql } from "drizzle-orm";
import { partsOf } from "../core/parts.ts";
import type { Db, Statement } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import { type Each, insertWhere } from "../db/insert-where.ts";
import { keyFor } from "./key-for.ts";
import { kindOf, type Turn } from "./messages.ts";
import { recurringTable } from "./table.ts";

/**
 * SQL of recurring work (recurring.ts). Every statement that starts, expedites, claims or settles a task
 * raises its turn: a run or message with an earlier turn can write nothing.
 */

/** The next turn of an existing row. */
const NEXT_TURN = sql<number>`recurring.turn + 1`;
/** For a task that is started or expedited: voids any claim or run of it. */
const NEW_TURN = { turn: NEXT_TURN, sentAt: null } as const;

export type RecurringTask = typeof recurringTable.$inferSelect;

/** What a run changes. */
export type TaskState = Pick<RecurringTask, "dueAt" | "intervalMs" | "failures" | "state" | "sentAt">;

/** A condition: no such task exists. */
export const isNoTask = (key: string): SQL => sql`NOT EXISTS (SELECT 1 FROM recurring WHERE key = ${key})`;

/** A query of the `key` of all tasks, for joins. */
export const taskKeys = sql`SELECT key FROM recurring`;

/** Keys of the tasks of a group, by due time, for which `when` holds; at most `most`. */
export function tasksOfGroup(group: string, when: SQL = sql`1`, most = -1): SQL {
  return sql`SELECT key FROM recurring WHERE group_key = ${group} AND ${when} ORDER BY due_at LIMIT ${most}`;
}

/** When the next of these keys (a query), or of this group, is due; null if there is none. */
export const nextDueOf = (keys: SQL) => sql`(SELECT min(due_at) FROM recurring WHERE key IN (${keys}))`;
export const nextDueOfGroup = (group: SQL) =>
  sql`(SELECT due_at FROM recurring WHERE group_key = ${group} ORDER BY due_at LIMIT 1)`;

export interface NewTask {
  /** `kind:subject`. */
  readonly key: string;
  readonly dueAt: number;
  readonly intervalMs: number;
  /** The state for the task's run. Default: the state that an earlier run stored. */
  readonly state?: string;
  readonly now: number;
}

/**
 * Starts a task, or moves an existing one to this time, while `condition` holds. For the batch that makes the
 * task necessary.
 */
export function scheduleTask(db: Db, { key, dueAt, intervalMs, now }: NewTask, condition: SQL = sql`1`): Statement {
  const task = { key, kind: kindOf(key), dueAt, intervalMs, failures: 0, createdAt: now };
  return insertWhere(db, recurringTable, task, condition).onConflictDoUpdate({
    target: recurringTable.key,
    set: { dueAt, intervalMs, failures: 0, ...NEW_TURN },
  });
}

/**
 * Starts a task from scratch, without the state of an earlier one, or one for each row of a query; its
 * subject may be an SQL expression.
 */
export function scheduleTaskOf(
  db: Db,
  {
    kind,
    subject,
    dueAt,
    intervalMs,
    now,
  }: Omit<NewTask, "key"> & { readonly kind: string; readonly subject: number | SQL },
  where: SQL | Each = sql`true`,
): Statement {
  const key = keyFor(kind, subject);
  const task = { key, kind, dueAt, intervalMs, failures: 0, createdAt: now };
  return insertWhere(db, recurringTable, task, where).onConflictDoUpdate({
    target: recurringTable.key,
    set: { dueAt, intervalMs, failures: 0, state: null, ...NEW_TURN },
  });
}

/**
 * Starts a task of a group for each row of a query. A task that exists is moved closer, unless its message is
 * on the way, or stays as it is (`keepExisting`).
 */
export function scheduleGrouped(
  db: Db,
  task: Pick<NewTask, "intervalMs" | "now"> & {
    readonly kind: string;
    readonly subject: SQL;
    readonly group: SQL;
    readonly dueAt: SQL;
  },
  each: Each,
  keepExisting = false,
): Statement {
  const { kind, subject, group, dueAt, intervalMs, now } = task;
  const columns = { kind, dueAt, intervalMs, failures: 0, groupKey: group, createdAt: now };
  const insert = insertWhere(db, recurringTable, { key: keyFor(kind, subject), ...columns }, each);
  if (keepExisting) return insert.onConflictDoNothing();
  return insert.onConflictDoUpdate({
    target: recurringTable.key,
    set: { dueAt: sql`min(recurring.due_at, excluded.due_at)`, ...NEW_TURN },
    setWhere: sql`NOT ${isAwaited(now)}`,
  });
}

/** The same for many tasks, by one statement. */
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
  return insertWhere(db, recurringTable, columns, { from: sql`json_each(${rows}) AS task` }).onConflictDoUpdate({
    target: recurringTable.key,
    set: {
      dueAt: sql`excluded.due_at`,
      intervalMs: sql`excluded.interval_ms`,
      failures: 0,
      ...NEW_TURN,
      state: sql`coalesce(excluded.state, recurring.state)`,
    },
  });
}

/** Deletes a task, while `condition` holds. For the batch that makes the task unnecessary. */
export function stopTask(db: Db, key: string, condition: SQL = sql`1`): Statement {
  return db.delete(recurringTable).where(and(eq(recurringTable.key, key), condition));
}

/** Deletes the tasks whose keys a query returns. */
export function stopTasks(db: Db, keys: SQL): Statement {
  return db.delete(recurringTable).where(sql`${recurringTable.key} IN (${keys})`);
}

/** Makes sleeping tasks, given by a query of their keys, due at the next sweep. */
export function expediteTasks(db: Db, keys: SQL, now: number): Statement {
  return advance(db, sql`${recurringTable.key} IN (${keys})`, now);
}

/** Makes a sleeping task due at this time, unless it is due earlier. */
export function advanceTask(db: Db, key: SQL, dueAt: number): Statement {
  return advance(db, sql`${recurringTable.key} = ${key}`, dueAt);
}

function advance(db: Db, which: SQL, dueAt: number): Statement {
  return db
    .update(recurringTable)
    .set({ dueAt, ...NEW_TURN })
    .where(sql`${which} AND due_at > ${dueAt} AND sent_at IS NULL`);
}

/** Makes tasks due at random times within `withinMs`; returns how many. */
export async function spreadTasks(db: Db, keys: SQL, now: number, withinMs: number): Promise<number> {
  const moved = await db
    .update(recurringTable)
    .set({ dueAt: sql`${now} + abs(random() % ${withinMs})`, ...NEW_TURN })
    .where(sql`${recurringTable.key} IN (${keys})`)
    .returning({ key: recurringTable.key });
  return moved.length;
}

/** What the last run of a task stored, for a batch. */
export function selectTaskState(db: Db, key: SQL<string>) {
  return db.select({ state: recurringTable.state }).from(recurringTable).where(sql`${recurringTable.key} = ${key}`);
}

/** A condition: the task's message is sent but not yet received, so its run will see what is written now. */
export const isAwaited = (now: number): SQL => sql`(recurring.sent_at IS NOT NULL AND recurring.due_at > ${now})`;

/** The columns that a claim returns. */
const claimedColumns = { key: recurringTable.key, turn: recurringTable.turn };

/** A claim lasts until `until`: if its message is lost or its run dies, the task is due again then. */
const claim = (now: number, until: number) => ({ dueAt: until, sentAt: now, turn: NEXT_TURN });

/**
 * The kinds, among these, with a task that is due, as a JSON array: two index entries each, however many
 * tasks sleep.
 */
export function dueKinds(kinds: readonly string[], now: number): SQL<string> {
  const isDue = sql`EXISTS (SELECT 1 FROM recurring WHERE recurring.kind = kinds.value AND recurring.due_at <= ${now})`;
  return sql`(SELECT json_group_array(value) FROM json_each(${JSON.stringify(kinds)}) AS kinds WHERE ${isDue})`;
}

const MAX_TERMS = 5;

/**
 * Claims the oldest due tasks of each kind, at most `limit` per kind: no kind waits behind another's backlog.
 */
export async function claimDueTasks(
  db: Db,
  kinds: readonly string[],
  { now, until, limit }: { readonly now: number; readonly until: number; readonly limit: number },
) {
  const oldest = kinds.map(
    (kind) => sql`SELECT key FROM (SELECT key FROM recurring WHERE kind = ${kind} AND due_at <= ${now}
      ORDER BY due_at LIMIT ${limit})`,
  );
  // D1 takes at most five terms in one compound SELECT, and more kinds than that can be due.
  const groups = partsOf(oldest, MAX_TERMS).map(
    (some) => sql`${recurringTable.key} IN (${sql.join(some, sql` UNION ALL `)})`,
  );
  return db
    .update(recurringTable)
    .set(claim(now, until))
    .where(and(or(...groups), lte(recurringTable.dueAt, now)))
    .returning({
      ...claimedColumns,
      kind: recurringTable.kind,
      groupKey: recurringTable.groupKey,
      sentAt: recurringTable.sentAt,
    });
}

/**
 * Claims the named tasks that are due, for a batch whose caller does not wait for the sweep (`sendClaimed`).
 */
export function claimNamed(db: Db, keys: readonly string[], now: number, until: number) {
  return db
    .update(recurringTable)
    .set(claim(now, until))
    .where(and(isAmong(recurringTable.key, keys), lte(recurringTable.dueAt, now)))
    .returning(claimedColumns);
}

/** Claims the tasks that a query names, whatever their due time. */
export function claimTasks(
  db: Db,
  keys: SQL,
  condition: SQL,
  { now, until }: { readonly now: number; readonly until: number },
): Statement {
  return db
    .update(recurringTable)
    .set(claim(now, until))
    .where(sql`${recurringTable.key} IN (${keys}) AND ${condition}`)
    .returning(claimedColumns);
}

/**
 * The tasks of a message whose claim is still valid, with the turn of their run. If a message arrives twice,
 * the second one gets none.
 */
export async function takeClaimedTasks(db: Db, tasks: readonly Turn[], now: number): Promise<RecurringTask[]> {
  const claims = sql`SELECT value ->> 'key', value ->> 'turn' FROM json_each(${JSON.stringify(tasks)})`;
  return db
    .update(recurringTable)
    .set({ turn: NEXT_TURN, sentAt: null, ranAt: now })
    .where(sql`(${recurringTable.key}, ${recurringTable.turn}) IN (${claims})`)
    .returning();
}

/** Stores the result of a run, unless the task was started, expedited or stopped meanwhile. */
export function settleTask(
  db: Db,
  { key, turn }: Pick<RecurringTask, "key" | "turn">,
  next: TaskState | null,
): Statement {
  const isLatest = and(eq(recurringTable.key, key), eq(recurringTable.turn, turn));
  if (next === null) return db.delete(recurringTable).where(isLatest);
  const { dueAt, intervalMs, failures, state, sentAt } = next;
  return db
    .update(recurringTable)
    .set({ dueAt, intervalMs, failures, state, sentAt, turn: turn + 1 })
    .where(isLatest);
}
