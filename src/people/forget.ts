import { lt } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { DAY } from "../core/time.ts";
import { type Expired, someOf } from "../db/expired.ts";
import { invitationsTable, sessionsTable, signInCodesTable, signInLinksTable, usedChallengesTable } from "./table.ts";

/**
 * What has expired, of each kind at most `limit` rows. Codes stay a day, because they are counted.
 */
export function expiredSignIns(now: number, limit: number): Expired[] {
  const forget = (table: SQLiteTable, column: SQLiteColumn, before: number) => ({
    table,
    where: someOf(table, lt(column, before), limit),
  });
  return [
    forget(sessionsTable, sessionsTable.expiresAt, now),
    forget(signInLinksTable, signInLinksTable.expiresAt, now),
    forget(invitationsTable, invitationsTable.expiresAt, now),
    forget(usedChallengesTable, usedChallengesTable.expiresAt, now),
    forget(signInCodesTable, signInCodesTable.createdAt, now - DAY),
  ];
}
