import { sql } from "drizzle-orm";
import { DAY } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import { idempotencyTable } from "./table.ts";

const KEPT_MS = DAY;

/** Forgets the keys older than a day, the oldest first, at most `limit`. */
export async function forgetIdempotencyKeys(db: Db, now: number, limit: number): Promise<void> {
  const oldest = sql`(SELECT rowid FROM idempotency_keys WHERE created_at < ${now - KEPT_MS} ORDER BY created_at LIMIT ${limit})`;
  await db.delete(idempotencyTable).where(sql`rowid IN ${oldest}`);
}
