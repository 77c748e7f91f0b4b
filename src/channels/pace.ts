import { lt, sql } from "drizzle-orm";
import type { Config } from "../config.ts";
import { SECOND } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import type { Pace } from "../platforms/commenting.ts";
import type { LimitOf } from "./limits.ts";
import { pacesTable } from "./table.ts";

/**
 * Doing no more in a time than is wise, before a platform has to say so: whoever is about to act reserves the next free moment, and
 * acts then. One row an allowance; of many at once each gets a moment of its own.
 *
 * Half of what is allowed may go out at once, the rest is spread over the time: so no window of that length holds more than is allowed.
 */

interface Reserving {
  readonly db: Db;
  readonly config: Pick<Config, "paceFactor">;
}

/** The distance between two moments, and how many of them may be taken at once. Pure. */
export function spacing({ most, perSeconds }: Pick<Pace, "most" | "perSeconds">) {
  const atOnce = Math.max(1, Math.floor(most / 2));
  return { apartMs: Math.ceil((perSeconds * SECOND) / (most - atOnce + 1)), atOnce };
}

/**
 * Reserves the next moment at which this may be done, epoch milliseconds, `from` or later; of several `times` the last one is told.
 * One D1 call.
 */
export async function reserve(
  { db, config }: Reserving,
  of: LimitOf,
  pace: Pace,
  from: number,
  times = 1,
): Promise<number> {
  const { apartMs, atOnce } = spacing({ ...pace, perSeconds: pace.perSeconds / config.paceFactor });
  const accountId = pace.scope === "app" ? "" : of.accountId;
  const key = [of.platform, accountId, of.isTest ? "test" : "live", of.act].join(":");
  const [row] = await db
    .insert(pacesTable)
    .values({ key, takenUntil: from + times * apartMs })
    .onConflictDoUpdate({
      target: pacesTable.key,
      set: { takenUntil: sql`max(${pacesTable.takenUntil}, ${from}) + ${times * apartMs}` },
    })
    .returning({ takenUntil: pacesTable.takenUntil });
  return Math.max(from, (row?.takenUntil ?? from) - atOnce * apartMs);
}

/** Those that hold nobody up any more. */
export async function forgetPaces(db: Db, now: number): Promise<void> {
  await db.delete(pacesTable).where(lt(pacesTable.takenUntil, now));
}
