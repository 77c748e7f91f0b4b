import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
import { commandOf, recordDone } from "../audit/store.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { refuseUnlike } from "../http/validation.ts";
import { getMeantProject, projectReference } from "../people/project-reference.ts";
import { spokenMicros } from "../platforms/pricing.ts";
import { ceilingOf, selectStanding } from "./ceiling.ts";
import { setCostCeiling } from "./set-ceiling.ts";

const MOST = 1_000_000_000;
const Body = z.object({
  ...projectReference,
  /** In whole dollars; if omitted, the ceiling is only returned. */
  most: z.int().min(0).max(MOST).optional(),
});

/**
 * The API behind `npm run ceiling -- --platform-cost`: the most that platforms may charge a project in a
 * month. Requires the operator's key (people/operator.ts).
 */
export function costCeilingRoutes(app: OpenAPIHono<AppEnv>): void {
  app.post("/internal/cost-ceilings", ...jsonObjectBody, zValidator("json", Body, refuseUnlike(Body)), async (c) => {
    c.set("operationId", "costCeiling");
    const { most, ...reference } = c.req.valid("json");
    const project = await getMeantProject(c.var.deps.directory, reference);
    const deps = c.var.deps.in(project.database);
    const { db } = deps;
    if (most !== undefined) {
      const recorded = recordDone(db, commandOf(project.id, "ceiling", "setCostCeiling"));
      await setCostCeiling(deps, project.id, most, recorded);
    }
    const [standing] = await selectStanding(db, ceilingOf(deps.config, project.id, Date.now()));
    const { spentMicros = 0, mostMicros = null } = standing ?? {};
    return c.json({
      status: true,
      project: project.name,
      most: mostMicros === null ? null : spokenMicros(mostMicros),
      spent: spokenMicros(spentMicros),
    });
  });
}
