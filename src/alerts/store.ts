import { and, eq, sql } from "drizzle-orm";
import { HOUR } from "../core/time.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { isNoTask, scheduleTask, stopTask } from "../jobs/recurring-store.ts";
import { type AlertKind, type AlertWay, repeatMsOf } from "./kinds.ts";
import { type OperatorAlert, operatorAlertsTable } from "./table.ts";

const FIRST_INTERVAL_MS = HOUR;
/** The most rows in one notification. The others follow in the next. */
const MOST_AT_ONCE = 50;

export const taskKeyOf = (way: AlertWay): string => `alert:${way}`;

interface Happened {
  readonly kind: AlertKind;
  readonly subject: string;
  readonly now: number;
}

/** Stores that it happened, and starts the task that notifies, for each way. */
export async function storeAlert(db: Db, ways: readonly AlertWay[], { kind, subject, now }: Happened): Promise<void> {
  const statements = ways.map((way) => {
    const row = { way, kind, subject, firstAt: now, lastAt: now, dueAt: now };
    const isNew = sql`due_at IS NULL`;
    return db
      .insert(operatorAlertsTable)
      .values(row)
      .onConflictDoUpdate({
        target: [operatorAlertsTable.way, operatorAlertsTable.kind, operatorAlertsTable.subject],
        set: {
          firstAt: sql`CASE WHEN ${isNew} THEN excluded.first_at ELSE first_at END`,
          lastAt: sql`excluded.last_at`,
          dueAt: sql`coalesce(due_at, max(excluded.due_at, coalesce(notified_at, 0) + ${repeatMsOf(kind)}))`,
        },
      });
  });
  const tasks = ways.map((way) => {
    const key = taskKeyOf(way);
    return scheduleTask(db, { key, dueAt: now, intervalMs: FIRST_INTERVAL_MS, now }, isNoTask(key));
  });
  await writeTogether(db, { statements, tasks });
}

/** What is due, the first that happened first; at most fifty. */
export function findDueAlerts(db: Db, way: AlertWay, now: number): Promise<readonly OperatorAlert[]> {
  return db
    .select()
    .from(operatorAlertsTable)
    .where(sql`way = ${way} AND due_at <= ${now}`)
    .orderBy(operatorAlertsTable.firstAt)
    .limit(MOST_AT_ONCE);
}

type Notified = Pick<OperatorAlert, "kind" | "subject" | "lastAt">;

/** These were notified. What happened again since then is due later. */
export function markNotified(db: Db, way: AlertWay, notified: readonly Notified[], now: number): readonly Statement[] {
  return notified.map(({ kind, subject, lastAt }) => {
    const { way: ofWay, kind: ofKind, subject: about } = operatorAlertsTable;
    return db
      .update(operatorAlertsTable)
      .set({
        notifiedAt: now,
        firstAt: sql`last_at`,
        dueAt: sql`CASE WHEN last_at > ${lastAt} THEN ${now + repeatMsOf(kind)} END`,
      })
      .where(and(eq(ofWay, way), eq(ofKind, kind), eq(about, subject)));
  });
}

/** Ends the task unless something waits: in the batch of its run, so that nothing new is missed. */
export function stopIfIdle(db: Db, way: AlertWay): Statement {
  const isIdle = sql`NOT EXISTS (SELECT 1 FROM operator_alerts WHERE way = ${way} AND due_at IS NOT NULL)`;
  return stopTask(db, taskKeyOf(way), isIdle);
}
