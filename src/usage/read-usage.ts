import type { ProjectId } from "../core/ids.ts";
import { readTogether } from "../db/client.ts";
import type { Deps } from "../service/deps.ts";
import { ceilingOf, selectStanding } from "./ceiling.ts";
import { selectIntakes, toIntakes } from "./intake.ts";
import { selectModelCalls, toModelCalls } from "./model-calls.ts";
import { selectUsage, toUsageLines } from "./store.ts";

/**
 * What a project used in a month, and its ceiling now in micros; null for none. With what it has used today
 * of the day's quotas. One D1 call.
 */
export async function readUsage({ db, config }: Pick<Deps, "db" | "config">, projectId: ProjectId, month: string) {
  const now = Date.now();
  const { rows, standing, models, intakes } = await readTogether(db, {
    rows: selectUsage(db, projectId, month),
    standing: selectStanding(db, ceilingOf(config, projectId, now)),
    models: selectModelCalls({ db, config }, projectId, now),
    intakes: selectIntakes(db, projectId, now),
  });
  return {
    lines: toUsageLines(rows),
    mostMicros: standing[0]?.mostMicros ?? null,
    modelCalls: toModelCalls({ config }, projectId, models),
    intake: toIntakes(config, intakes),
  };
}

export type Used = Awaited<ReturnType<typeof readUsage>>;
