import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { allowancesTable } from "../db/allowance-table.ts";
import { usedOf } from "../db/allowances.ts";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import type { Config } from "../service/config.ts";

/**
 * What strangers write has a quota: comments and direct messages that a project stores in a day (UTC). No
 * comment is refused for good. When the day's quota is used up, polls wait for the next day and go on where
 * they were, and webhooks, which repeat what a poll reads, store nothing. What one run reads may pass the
 * quota.
 */
export type Intake = "comments" | "messages";

/** A number that is bound is a real one to D1, and would end in `.0`. */
const keyOf = (intake: Intake, projectId: ProjectId | SQL): string | SQL =>
  typeof projectId === "number" ? `${intake}:${projectId}` : sql`${`${intake}:`} || ${projectId}`;

/** For a batch: how many were stored today. */
export function selectIntake(db: Db, intake: Intake, projectId: ProjectId | SQL, now: number) {
  return db.select({ used: usedOf({ key: keyOf(intake, projectId) }, now).as("used") }).from(sql`(SELECT 1)`);
}

/** For a batch, directly after the statement that stores them: counts the rows that it has inserted. */
export function countIntake(db: Db, intake: Intake, projectId: ProjectId, now: number): Statement {
  const { endsAt, used } = allowancesTable;
  const isOver = sql`${endsAt} <= ${now}`;
  const row = { key: `${intake}:${projectId}`, used: sql`changes()`, endsAt: now + DAY - (now % DAY) };
  return insertWhere(db, allowancesTable, row, sql`changes() > 0`).onConflictDoUpdate({
    target: allowancesTable.key,
    set: {
      used: sql`CASE WHEN ${isOver} THEN excluded.used ELSE ${used} + excluded.used END`,
      endsAt: sql`excluded.ends_at`,
    },
  });
}

const mostOf = ({ quotas }: Pick<Config, "quotas">, intake: Intake): number =>
  intake === "comments" ? quotas.commentsADay : quotas.messagesADay;

/** Milliseconds until more may be stored; null: now. */
export function intakeWait(config: Pick<Config, "quotas">, intake: Intake, used: number, now: number): number | null {
  return used < mostOf(config, intake) ? null : DAY - (now % DAY);
}

/** For a batch: what a project has stored today, for `usage`. */
export function selectIntakes(db: Db, projectId: ProjectId, now: number) {
  const of = (intake: Intake) => usedOf({ key: keyOf(intake, projectId) }, now);
  return db
    .select({ comments: of("comments").as("comments"), messages: of("messages").as("messages") })
    .from(sql`(SELECT 1)`);
}

export function toIntakes(
  config: Pick<Config, "quotas">,
  rows: readonly { readonly comments: number; readonly messages: number }[],
) {
  return {
    comments_today: rows[0]?.comments ?? 0,
    most_comments: mostOf(config, "comments"),
    messages_today: rows[0]?.messages ?? 0,
    most_messages: mostOf(config, "messages"),
  };
}
