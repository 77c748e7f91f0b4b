import type { ProjectId } from "../core/ids.ts";
import { readTogether } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { ceilingOf, selectStanding } from "./ceiling.ts";
import { selectUsage, toUsageLines, type UsageLine } from "./store.ts";

/** What a project used in a month, and its ceiling now in micros; null for none. One D1 call. */
export async function readUsage(
  { db, config }: Pick<Deps, "db" | "config">,
  projectId: ProjectId,
  month: string,
): Promise<{ readonly lines: readonly UsageLine[]; readonly mostMicros: number | null }> {
  const { rows, standing } = await readTogether(db, {
    rows: selectUsage(db, projectId, month),
    standing: selectStanding(db, ceilingOf(config, projectId, Date.now())),
  });
  return { lines: toUsageLines(rows), mostMicros: standing[0]?.mostMicros ?? null };
}
