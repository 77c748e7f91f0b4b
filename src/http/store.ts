import { sql } from "drizzle-orm";
import { DAY } from "../core/time.ts";
import type { Expired } from "../db/expired.ts";
import { idempotencyTable } from "./table.ts";

const KEPT_MS = DAY;

/** Deletes the keys older than a day, the oldest first, at most `limit`. */
export function expiredIdempotencyKeys(now: number, limit: number): Expired {
  const oldest = sql`(SELECT rowid FROM idempotency_keys WHERE created_at < ${now - KEPT_MS} ORDER BY created_at LIMIT ${limit})`;
  return { table: idempotencyTable, where: sql`rowid IN ${oldest}` };
}
