import { desc, gt, type SQL, sql } from "drizzle-orm";
import { DAY } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { insertWhere } from "../db/insert-where.ts";
import { type MissedRule, missedRulesTable } from "./table.ts";

/** Rows of one database: those that happened last are kept. */
const MAX_MISSED_RULES = 500;
/** What did not happen for so long is forgotten with the next one. */
const MISSED_LIFE_MS = 90 * DAY;

export type Missed = Pick<MissedRule, "platform" | "operation" | "code" | "platformCode" | "words">;

/** Counts a refusal, while `when` holds: in the batch of what it ended, so that each counts once. */
export function countMissedRule(db: Db, missed: Missed, now: number, when: SQL): readonly Statement[] {
  const { platform, operation, code, platformCode, words, lastAt } = missedRulesTable;
  const row = { ...missed, count: 1, firstAt: now, lastAt: now };
  const oldest = sql`(SELECT last_at FROM missed_rules ORDER BY last_at DESC LIMIT 1 OFFSET ${MAX_MISSED_RULES})`;
  return [
    insertWhere(db, missedRulesTable, row, when).onConflictDoUpdate({
      target: [platform, operation, code, platformCode, words],
      set: { count: sql`count + 1`, lastAt: sql`max(last_at, excluded.last_at)` },
    }),
    db.delete(missedRulesTable).where(sql`${lastAt} <= max(coalesce(${oldest}, 0), ${now - MISSED_LIFE_MS})`),
  ];
}

/** Those that happened after `since`, the latest first. */
export function listMissedRules(db: Db, since: number, limit: number): Promise<MissedRule[]> {
  const { lastAt } = missedRulesTable;
  return db.select().from(missedRulesTable).where(gt(lastAt, since)).orderBy(desc(lastAt)).limit(limit);
}
