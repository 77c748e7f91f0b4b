import { and, eq, isNull, sql } from "drizzle-orm";
import { DAY, HOUR, MINUTE } from "../core/time.ts";
import { sha256Hex } from "../core/tokens.ts";
import { countUse, hasRoom } from "../db/allowances.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import { type Expired, someOf } from "../db/expired.ts";
import { insertWhere } from "../db/insert-where.ts";
import { scheduleTaskOf } from "../jobs/recurring-store.ts";
import { type StoredDeauthorization, deauthorizationsTable as table } from "./table.ts";

/** SQL of deauthorizations (deauthorize-task.ts). */
export const DEAUTHORIZE = "deauthorize";

/** Reports of an hour that are stored; the platforms send further ones again. */
const MOST_AN_HOUR = 20_000;
const allowance = { key: "deauthorizations", most: MOST_AN_HOUR, windowMs: HOUR } as const;

/** Its status page answers until then. Longer than any report is believed. */
const LIFE_MS = 180 * DAY;

type New = Omit<StoredDeauthorization, "id" | "digest" | "doneAt"> & { readonly signed: string };

/**
 * Stores what a platform has reported, and starts its task, in one transaction. A repeat changes nothing and
 * returns the first one; null if there are too many.
 */
export async function storeDeauthorization(
  db: Db,
  { signed, ...reported }: New,
): Promise<StoredDeauthorization | null> {
  const digest = await sha256Hex(`${reported.app} ${reported.isTest ? "test" : "live"} ${signed}`);
  const now = reported.receivedAt;
  const task = { kind: DEAUTHORIZE, subject: sql`deauthorizations.id`, dueAt: now, intervalMs: MINUTE, now };
  const isOpen = sql`deauthorizations.digest = ${digest} AND deauthorizations.done_at IS NULL`;
  const row = { id: sql`NULL`, ...reported, digest, doneAt: null };
  const isNew = sql`NOT EXISTS (SELECT 1 FROM deauthorizations WHERE deauthorizations.digest = ${digest})`;
  const { stored } = await writeTogether(db, {
    inserted: insertWhere(db, table, row, sql`${isNew} AND ${hasRoom(allowance, now)}`).onConflictDoNothing(),
    counted: countUse(db, allowance, now, sql`changes() > 0`),
    task: scheduleTaskOf(db, task, { from: sql`deauthorizations`, when: isOpen }),
    stored: db.select().from(table).where(eq(table.digest, digest)),
  });
  return stored[0] ?? null;
}

export async function findDeauthorization(db: Db, id: number): Promise<StoredDeauthorization | null> {
  const [found] = await db.select().from(table).where(eq(table.id, id));
  return found ?? null;
}

export async function findByCode(db: Db, code: string): Promise<StoredDeauthorization | null> {
  const [found] = await db.select().from(table).where(eq(table.code, code));
  return found ?? null;
}

/** Everything is deleted: from now on the row names no person. */
export function endDeauthorization(db: Db, id: number, now: number): Statement {
  return db
    .update(table)
    .set({ doneAt: now, userId: null })
    .where(and(eq(table.id, id), isNull(table.doneAt)));
}

export function expiredDeauthorizations(now: number, limit: number): Expired {
  return { table, where: someOf(table, sql`done_at IS NOT NULL AND received_at < ${now - LIFE_MS}`, limit) };
}
