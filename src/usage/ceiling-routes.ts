import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
import { findProjectByName } from "../accounts/store.ts";
import { commandOf, recordDone } from "../audit/store.ts";
import { AppError } from "../core/errors.ts";
import { spoken } from "../core/money.ts";
import { runBatch } from "../db/client.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { refuseUnlike } from "../http/validation.ts";
import { resumeWaiting } from "../jobs/resume-waiting.ts";
import { MICROS } from "../platforms/pricing.ts";
import { CURRENCY, ceilingOf, noticesOf, putCeiling, resumeKeyOf, selectStanding } from "./ceiling.ts";

const MOST = 1_000_000_000;
const Body = z.object({
  project: z.string().trim().min(1).max(100),
  /** In whole dollars; if omitted, the ceiling is only returned. */
  most: z.int().min(0).max(MOST).optional(),
});
/** Jobs that continue at once when the ceiling is raised; the others at their next check. */
const RESUMED = 10_000;

const shown = (micros: number): string => spoken(micros / 10 ** (MICROS - 2), CURRENCY, 2);

/**
 * The API behind `npm run ceiling -- --platform-cost`: the most that platforms may charge a project in a
 * month. Requires the operator's key (accounts/operator.ts).
 */
export function costCeilingRoutes(app: OpenAPIHono<AppEnv>): void {
  app.post("/internal/cost-ceilings", ...jsonObjectBody, zValidator("json", Body, refuseUnlike(Body)), async (c) => {
    c.set("operationId", "costCeiling");
    const { project: name, most } = c.req.valid("json");
    const { deps } = c.var;
    const { db } = deps;
    const project = await findProjectByName(db, name);
    if (!project) throw new AppError("not_found", `There is no project "${name}".`);
    if (most !== undefined) {
      const now = Date.now();
      const notices = noticesOf(db, ceilingOf(deps.config, project.id, now), now);
      const entry = recordDone(db, commandOf(project.id, "ceiling", "setCostCeiling"));
      await runBatch(db, [putCeiling(db, project.id, most * 10 ** MICROS), entry, ...notices]);
      await resumeWaiting(deps, resumeKeyOf(project.id), RESUMED);
    }
    const [standing] = await selectStanding(db, ceilingOf(deps.config, project.id, Date.now()));
    const { spentMicros = 0, mostMicros = null } = standing ?? {};
    return c.json({
      status: true,
      project: project.name,
      most: mostMicros === null ? null : shown(mostMicros),
      spent: shown(spentMicros),
    });
  });
}
