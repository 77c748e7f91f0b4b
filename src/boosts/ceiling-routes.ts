import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
import { commandOf } from "../audit/store.ts";
import { decimalsOf, spoken } from "../core/money.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { refuseUnlike } from "../http/validation.ts";
import { getMeantProject, projectReference } from "../people/project-reference.ts";
import { readCeiling, setSpendCeiling, standardCeiling } from "./ceiling.ts";

const MOST = 1_000_000_000;
const Body = z.object({
  ...projectReference,
  currency: z.string().regex(/^[A-Z]{3}$/, "must be an ISO 4217 code such as EUR"),
  /** In whole units; if omitted, the ceiling is only returned. */
  most: z.int().min(0).max(MOST).optional(),
});

/**
 * The API behind `npm run ceiling`: the spend ceiling of a project's campaigns. Requires the operator's key
 * (people/operator.ts).
 */
export function ceilingRoutes(app: OpenAPIHono<AppEnv>): void {
  app.post("/internal/ceilings", ...jsonObjectBody, zValidator("json", Body, refuseUnlike(Body)), async (c) => {
    c.set("operationId", "ceiling");
    const { currency, most, ...reference } = c.req.valid("json");
    const project = await getMeantProject(c.var.deps.directory, reference);
    const deps = c.var.deps.in(project.database);
    const decimals = decimalsOf(currency);
    if (most !== undefined) {
      await setSpendCeiling(deps.db, { currency, most }, commandOf(project.id, "ceiling", "setSpendCeiling"));
    }
    const { mostMinor, committedMinor } = await readCeiling(deps.db, project.id, currency);
    return c.json({
      status: true,
      project: project.name,
      most: spoken(mostMinor ?? standardCeiling(deps, { currency, decimals }), currency, decimals),
      is_standard: mostMinor === null,
      committed: spoken(committedMinor, currency, decimals),
    });
  });
}
