import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { AppError } from "../core/errors.ts";
import { idOf, type TokenId } from "../core/ids.ts";
import { PERMISSIONS } from "../core/permissions.ts";
import { equalBytes, hmac } from "../core/sealing.ts";
import { isTimeZone } from "../core/time.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { refuseInvalid } from "../http/validation.ts";
import { ensureProject, ensureUser, listTokens } from "./store.ts";
import { issueToken, revokeToken } from "./tokens.ts";

/**
 * What `npm run token` calls, here and on the deployed service: the operator's key opens it, and without a configured key
 * it does not exist. Tokens are issued here until the console does it.
 */
const OPERATOR = { email: "operator@belfry.invalid", name: "Operator" };

const IssueBody = z.object({
  project: z.string().trim().min(1).max(100).default("Demo"),
  name: z.string().trim().min(1).max(100).default("Access token"),
  permissions: z
    .array(z.enum(PERMISSIONS))
    .min(1)
    .default([...PERMISSIONS]),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
  time_zone: z.string().refine(isTimeZone, "must be an IANA time zone name.").default("UTC"),
});
const RevokeBody = z.object({ id: z.int().positive() });

export function operatorRoutes(app: OpenAPIHono<AppEnv>): void {
  app.use("/internal/*", requireOperator);

  app.post("/internal/tokens", ...jsonObjectBody, zValidator("json", IssueBody, refuseInvalid), async (c) => {
    const { deps } = c.var;
    const body = c.req.valid("json");
    const now = Date.now();
    const expiresAt = body.expires_at === null ? null : Date.parse(body.expires_at);
    const userId = await ensureUser(deps.db, OPERATOR.email, OPERATOR.name, now);
    const project = await ensureProject(deps.db, userId, body.project, body.time_zone, now);
    const issued = await issueToken(deps, project, { name: body.name, permissions: body.permissions, expiresAt });
    return c.json({ status: true, id: issued.id, token: issued.token, project: project.name, is_test: project.isTest });
  });

  app.get("/internal/tokens", async (c) => {
    const tokens = await listTokens(c.var.deps.db);
    return c.json({ status: true, tokens });
  });

  app.post("/internal/tokens/revoke", ...jsonObjectBody, zValidator("json", RevokeBody, refuseInvalid), async (c) => {
    const { id } = c.req.valid("json");
    if (!(await revokeToken(c.var.deps, idOf<TokenId>(id)))) {
      throw new AppError("not_found", `There is no token ${id}.`);
    }
    return c.json({ status: true, message: `Token ${id} is revoked.` });
  });
}

const requireOperator = createMiddleware<AppEnv>(async (c, next) => {
  const { operatorKey, signingKey } = c.var.deps.config;
  const given = c.req.header("X-Operator-Key");
  // Compared as digests: equal length, constant time.
  const isOperator =
    operatorKey !== null &&
    given !== undefined &&
    equalBytes(await hmac(signingKey, given), await hmac(signingKey, operatorKey));
  if (!isOperator) throw new AppError("not_found", "There is nothing at this address. See /docs for what there is.");
  await next();
});
