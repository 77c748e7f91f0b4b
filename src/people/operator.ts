import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import { z } from "zod";
import { ensureProjectOfKind } from "../accounts/project-kind.ts";
import { NewProjectName } from "../accounts/project-name.ts";
import { ensureUser, findProjectOfToken, type HasChannels, listTokens, type Project } from "../accounts/store.ts";
import { issueToken, MAX_TOKENS, revokeToken } from "../accounts/tokens.ts";
import { AppError } from "../core/errors.ts";
import { hmac } from "../core/hmac.ts";
import { idOf, type ProjectId, type TokenId } from "../core/ids.ts";
import { PERMISSIONS } from "../core/permissions.ts";
import { equalBytes } from "../core/sealing.ts";
import { isTimeZone, zoneName } from "../core/time.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { refuseUnlike } from "../http/validation.ts";
import type { Config } from "../service/config.ts";
import type { Deps } from "../service/deps.ts";
import { getMeantProject, projectReference, requireNoOther } from "./project-reference.ts";

/**
 * The endpoints of `npm run token`, locally and on the deployed service. They require the operator's key, and
 * do not exist if no key is configured.
 */
const OPERATOR = { email: "operator@belfry.invalid", name: "Operator" };

const DEFAULT_PROJECT = "Demo";

const IssueBody = z.object({
  ...projectReference,
  project: NewProjectName.optional(),
  name: z.string().trim().min(1).max(100).default("Access token"),
  permissions: z
    .array(z.enum(PERMISSIONS))
    .min(1)
    .default([...PERMISSIONS]),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
  /** Whether the project publishes to the real platforms; otherwise to the sandbox. */
  live: z.boolean().default(false),
  time_zone: z
    .string()
    .refine(isTimeZone, "must be an IANA time zone name (e.g. Europe/Berlin)")
    .overwrite(zoneName)
    .default("UTC"),
});
const RevokeBody = z.object({ id: z.int().positive() });

/** Writes an entry of the audit log before a command; passed in, because that log stands above accounts. */
export type BeginCommand = (
  deps: Deps,
  projectId: ProjectId,
  about: { readonly command: string; readonly action: string },
) => Promise<(outcome: "done" | "nothing") => Promise<void>>;

interface Above {
  readonly hasChannels: HasChannels;
  readonly beginCommand: BeginCommand;
}

export function operatorRoutes(app: OpenAPIHono<AppEnv>, { hasChannels, beginCommand }: Above): void {
  app.use("/internal/*", neverStored, requireOperator);

  app.post(
    "/internal/tokens",
    called("issueToken"),
    ...jsonObjectBody,
    zValidator("json", IssueBody, refuseUnlike(IssueBody)),
    async (c) => {
      const { deps } = c.var;
      const body = c.req.valid("json");
      const now = Date.now();
      const expiresAt = body.expires_at === null ? null : Date.parse(body.expires_at);
      const project = await projectOf(deps, body, now);
      const end = await beginCommand(deps.in(project.database), project.id, { command: "token", action: "issueToken" });
      const issued = await issueToken(deps, project, {
        name: body.name,
        permissions: body.permissions,
        expiresAt,
        createdBy: null,
        via: "operator",
        moneyNeedsPerson: false,
      });
      if (!issued) {
        await end("nothing");
        const limit = `"${project.name}" has ${MAX_TOKENS} valid tokens, the maximum. Revoke one first.`;
        throw new AppError("quota_exceeded", limit);
      }
      await end("done");
      return c.json({
        status: true,
        id: issued.id,
        token: issued.token,
        project: project.name,
        project_id: project.id,
        is_test: project.isTest,
      });
    },
  );

  /** An existing project by its id; by a name, one that the operator has, or gets. */
  async function projectOf(deps: Deps, { id, ...body }: z.output<typeof IssueBody>, now: number): Promise<Project> {
    if (id !== undefined) return getMeantProject(deps.directory, { id, project: body.project });
    const name = body.project ?? DEFAULT_PROJECT;
    const userId = await ensureUser(deps.directory, OPERATOR.email, OPERATOR.name, now);
    await requireNoOther(deps.directory, name, (project) => project.userId === userId);
    const wanted = { userId, name, timeZone: body.time_zone, isTest: !body.live };
    return ensureProjectOfKind(deps, wanted, now, hasChannels);
  }

  app.get("/internal/tokens", called("listTokens"), async (c) => {
    const tokens = await listTokens(c.var.deps.directory);
    return c.json({ status: true, tokens });
  });

  app.post(
    "/internal/tokens/revoke",
    called("revokeToken"),
    ...jsonObjectBody,
    zValidator("json", RevokeBody, refuseUnlike(RevokeBody)),
    async (c) => {
      const { id } = c.req.valid("json");
      const { deps } = c.var;
      const project = await findProjectOfToken(deps.directory, idOf<TokenId>(id));
      if (project === null) throw new AppError("not_found", `There is no token ${id}.`);
      const end = await beginCommand(deps.in(project.database), project.id, {
        command: "token",
        action: "revokeToken",
      });
      await revokeToken(deps, idOf<TokenId>(id));
      await end("done");
      return c.json({ status: true, message: `Token ${id} is revoked.` });
    },
  );
}

/** Browsers and proxies must not store any response, including refusals. */
const neverStored = createMiddleware<AppEnv>(async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
});

/** Names the call: in the log line of the request, and in the operator's audit log. */
function called(name: string) {
  return createMiddleware<AppEnv>(async (c, next) => {
    c.set("operationId", name);
    await next();
  });
}

/** The intended route, for calls that are refused before they reach it. */
function meant(c: Context<AppEnv>): string {
  const [route] = matchedRoutes(c).filter(({ method }) => method === c.req.method);
  return route ? `${route.method} ${route.path}` : `${c.req.method} elsewhere`;
}

/**
 * Admits only the operator. Every call is logged, whatever the log level: which call, its outcome and its
 * origin. Calls with a wrong key are logged too, without the key.
 */
const requireOperator = createMiddleware<AppEnv>(async (c, next) => {
  const { config, log } = c.var.deps;
  const given = c.req.header("X-Operator-Key");
  const from = c.req.header("CF-Connecting-IP");
  if (given === undefined || !(await isOperatorKey(config, given))) {
    const why = given === undefined ? "no_key" : config.operatorKey === null ? "not_configured" : "wrong_key";
    log.audit("operator_refused", { call: meant(c), why, from });
    throw new AppError("not_found", "There is nothing at this address. See /docs for what there is.");
  }
  await next();
  log.audit("operator_call", { call: c.var.operationId ?? meant(c), status: c.res.status, from });
});

/** Compares digests: equal length, constant time. */
async function isOperatorKey({ operatorKey, signingKey }: Config, given: string): Promise<boolean> {
  if (operatorKey === null) return false;
  return equalBytes(await hmac(signingKey, given), await hmac(signingKey, operatorKey));
}
