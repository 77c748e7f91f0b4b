import { createMeter } from "../core/meter.ts";
import { connectDb } from "../db/client.ts";
import { finishRevocation } from "./revocation.ts";
import { noteTokenUse } from "./store.ts";

/**
 * What the limiter object writes elsewhere. It loads this on first use (docs/decisions/0057): most of its
 * calls write nothing, and tables with their schemas take most of the time to start.
 */
export const noteUse = (db: D1Database, hash: string, now: number): Promise<void> =>
  noteTokenUse(connectDb(db, createMeter()), hash, now);

export const finish = (db: D1Database, kv: KVNamespace, hash: string, revokedAt: number): Promise<void> =>
  finishRevocation({ db: connectDb(db, createMeter()), kv }, hash, revokedAt);
