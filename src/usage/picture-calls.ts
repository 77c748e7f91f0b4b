import { sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import { DAY } from "../core/time.ts";
import { type Allowance, countUse, hasRoom } from "../db/allowances.ts";
import { type Db, writeTogether } from "../db/client.ts";
import type { Config } from "../service/config.ts";
import { countUses } from "./store.ts";

/**
 * Every call of Cloudflare's Images is one of a day's calls (UTC) of its project, and counts in `usage`. It
 * is charged to the operator: 0.50 US dollars for 1,000, beyond 5,000 a month that are included
 * (developers.cloudflare.com/images/pricing, read 2026-11-29).
 */
export const MICROS_OF_FIT = 500;

interface Counting {
  readonly db: Db;
  readonly config: Pick<Config, "quotas">;
}

const allowanceOf = ({ config }: Pick<Counting, "config">, projectId: ProjectId, now: number): Allowance => ({
  key: `fits:${projectId}`,
  most: config.quotas.fitsADay,
  windowMs: DAY - (now % DAY),
});

/** Counts a call that is about to be made; false if the project has used up the day's. One D1 call. */
export async function beginFit(counting: Counting, projectId: ProjectId): Promise<boolean> {
  const now = Date.now();
  const allowance = allowanceOf(counting, projectId, now);
  const use = { operation: "fit", calls: 1, units: 1, micros: MICROS_OF_FIT };
  const { counted } = await writeTogether(counting.db, {
    counted: countUse(counting.db, allowance, now, hasRoom(allowance, now)),
    used: countUses(counting.db, { projectId, service: "pictures" }, [use], { at: now, condition: sql`changes() > 0` }),
  });
  return counted.length > 0;
}
