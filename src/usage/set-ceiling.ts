import type { ProjectId } from "../core/ids.ts";
import { runBatch, type Statement } from "../db/client.ts";
import { resumeWaiting } from "../jobs/resume-waiting.ts";
import { toMicros } from "../platforms/pricing.ts";
import type { Deps } from "../service/deps.ts";
import { ceilingOf, noticesOf, putCeiling, resumeKeyOf } from "./ceiling.ts";

/** Jobs that continue at once when the ceiling is raised; the others at their next check. */
const RESUMED = 10_000;

/** Sets the ceiling, in whole dollars, together with `recorded`; jobs that waited for it continue. */
export async function setCostCeiling(
  deps: Deps,
  projectId: ProjectId,
  most: number,
  recorded: Statement,
): Promise<void> {
  const { db } = deps;
  const now = Date.now();
  const notices = noticesOf(db, ceilingOf(deps.config, projectId, now), now);
  await runBatch(db, [putCeiling(db, projectId, toMicros(most)), recorded, ...notices]);
  await resumeWaiting(deps, resumeKeyOf(projectId), RESUMED);
}
