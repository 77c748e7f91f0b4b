import { lt, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { HOUR } from "../core/time.ts";
import type { Db, Statement } from "../db/client.ts";
import { invitationsTable, sessionsTable, signInCodesTable, signInLinksTable, usedChallengesTable } from "./table.ts";

/**
 * Deletes what has expired, of each kind at most `limit` rows. Codes stay an hour, because they are counted.
 */
export function forgetSignIns(db: Db, now: number, limit: number): Statement[] {
  const forget = (table: SQLiteTable, column: SQLiteColumn, before: number) =>
    db.delete(table).where(oldest(table, lt(column, before), limit));
  return [
    forget(sessionsTable, sessionsTable.expiresAt, now),
    forget(signInLinksTable, signInLinksTable.expiresAt, now),
    forget(invitationsTable, invitationsTable.expiresAt, now),
    forget(usedChallengesTable, usedChallengesTable.expiresAt, now),
    forget(signInCodesTable, signInCodesTable.createdAt, now - HOUR),
  ];
}

function oldest(table: SQLiteTable, isOver: SQL, limit: number): SQL {
  return sql`rowid IN (SELECT rowid FROM ${table} WHERE ${isOver} LIMIT ${limit})`;
}
