import { type Act, recordDone } from "../audit/store.ts";
import { runBatch } from "../db/client.ts";
import { resumeWaiting } from "../jobs/resume-waiting.ts";
import { MICROS } from "../platforms/pricing.ts";
import type { Deps } from "../service/deps.ts";
import { ceilingOf, noticesOf, putCeiling, resumeKeyOf } from "./ceiling.ts";

/** Jobs that continue at once when the ceiling is raised; the others at their next check. */
const RESUMED = 10_000;

/** Sets the ceiling, in whole dollars, with its entry in the audit log; jobs that waited for it continue. */
export async function setCostCeiling(deps: Deps, most: number, act: Act): Promise<void> {
  const { db } = deps;
  const { projectId } = act;
  const now = Date.now();
  const notices = noticesOf(db, ceilingOf(deps.config, projectId, now), now);
  await runBatch(db, [putCeiling(db, projectId, most * 10 ** MICROS), recordDone(db, act), ...notices]);
  await resumeWaiting(deps, resumeKeyOf(projectId), RESUMED);
}
