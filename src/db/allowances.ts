import { lt, type SQL, sql } from "drizzle-orm";
import { allowancesTable } from "./allowance-table.ts";
import type { Db, Statement } from "./client.ts";
import { type Expired, someOf } from "./expired.ts";
import { insertWhere } from "./insert-where.ts";

/**
 * Limits such as "fifty a day": one row counts, from the first use on until the time is over. Only what has
 * a bounded number of keys is counted so: projects, bots, people, or the whole service.
 */
export interface Allowance {
  readonly key: string;
  readonly most: number;
  readonly windowMs: number;
}

/** What was used of it, as a value in a statement. */
export const usedOf = ({ key }: { readonly key: string | SQL }, now: number): SQL<number> =>
  sql`coalesce((SELECT used FROM allowances WHERE key = ${key} AND ends_at > ${now}), 0)`;

/** Whether this much more may be used, as a condition. */
export const hasRoom = (allowance: Allowance, now: number, amount = 1): SQL =>
  sql`${usedOf(allowance, now)} + ${amount} <= ${allowance.most}`;

/**
 * Counts a use while the condition holds, and returns how many there are. One above `most` is the first that
 * is too many; further ones are not counted, and return nothing.
 */
export function countUse(db: Db, { key, most, windowMs }: Allowance, now: number, condition: SQL = sql`true`) {
  const isOver = sql`${allowancesTable.endsAt} <= ${now}`;
  return insertWhere(db, allowancesTable, { key, used: 1, endsAt: now + windowMs }, condition)
    .onConflictDoUpdate({
      target: allowancesTable.key,
      set: {
        used: sql`CASE WHEN ${isOver} THEN 1 ELSE ${allowancesTable.used} + 1 END`,
        endsAt: sql`CASE WHEN ${isOver} THEN ${now + windowMs} ELSE ${allowancesTable.endsAt} END`,
      },
      setWhere: sql`${isOver} OR ${allowancesTable.used} <= ${most}`,
    })
    .returning({ used: allowancesTable.used });
}

/** Takes one use back. */
export function uncountUse(db: Db, { key }: Pick<Allowance, "key">, now: number): Statement {
  return db
    .update(allowancesTable)
    .set({ used: sql`max(${allowancesTable.used} - 1, 0)` })
    .where(sql`${allowancesTable.key} = ${key} AND ${allowancesTable.endsAt} > ${now}`);
}

export const expiredAllowances = (now: number, limit: number): Expired => ({
  table: allowancesTable,
  where: someOf(allowancesTable, lt(allowancesTable.endsAt, now), limit),
});
