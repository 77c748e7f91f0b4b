import { OpenAPIHono } from "@hono/zod-openapi";
import { methodNotAllowed } from "hono/method-not-allowed";
import { secureHeaders } from "hono/secure-headers";
import { oauthRoutes } from "../access/oauth-routes.ts";
import { authenticate } from "../accounts/authenticate.ts";
import { API } from "../api/document.ts";
import { ENDINGS } from "../api/endings.ts";
import { OPERATIONS } from "../api/operations.ts";
import { renamedTo } from "../api/renamed.ts";
import { ceilingRoutes } from "../boosts/ceiling-routes.ts";
import { brandingRoutes } from "../branding/routes.ts";
import { hasChannels } from "../channels/store.ts";
import { connectPages } from "../connect/pages.tsx";
import { consentRoutes } from "../consent/routes.ts";
import { dataDeletionPages } from "../consent/status-pages.tsx";
import { consoleRoutes } from "../console/routes.tsx";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import { createMeter, serverTiming } from "../core/meter.ts";
import { unsubscribePages } from "../digest/unsubscribe-pages.tsx";
import { mediaRoutes } from "../files/serve-routes.ts";
import { discardBody } from "../http/body.ts";
import { documentRoutes, openApiDocument } from "../http/document.ts";
import type { AppEnv } from "../http/environment.ts";
import { answerError } from "../http/errors.ts";
import { namedDatabase } from "../http/named-database.ts";
import { operationRoutes } from "../http/operation-routes.ts";
import { chargeRows, pay } from "../http/request-pace.ts";
import { refuseInvalid } from "../http/validation.ts";
import { inboundRoutes } from "../inbound/routes.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { operatorRoutes } from "../people/operator.ts";
import { accountRoutes } from "../people/operator-routes.ts";
import { projectRoutes } from "../projects/routes.ts";
import { createDeps } from "../service/deps.ts";
import { costCeilingRoutes } from "../usage/ceiling-routes.ts";
import { dispatchSoon } from "../webhooks/dispatch-events.ts";
import { doctorRoutes } from "./doctor.ts";
import { answerHealth } from "./health.ts";
import { answerPlainHttp } from "./https-only.ts";
import { beginCommand, tokenAct } from "./token-act.ts";
import { answerUnconfigured, configProblems } from "./unconfigured.ts";

const app = new OpenAPIHono<AppEnv>();

app.use(async (c, next) => {
  const startedAt = Date.now();
  const requestId = crypto.randomUUID();
  c.set("requestId", requestId);
  const problems = configProblems(c.env);
  if (problems.length > 0) return answerUnconfigured(c, problems, requestId);
  const deps = createDeps(c.env, { requestId }, createMeter(), (work) => c.executionCtx.waitUntil(work));
  const named = deps.databases === 1 ? null : namedDatabase(new URL(c.req.url));
  c.set("deps", named !== null && named < deps.databases ? deps.in(named) : deps);
  c.set("admit", async (authorization) => {
    const caller = await authenticate(deps, authorization);
    const home = deps.in(caller.database);
    c.set("deps", home);
    await pay(c, home, caller.projectId);
    return caller;
  });
  const act = tokenAct(c, startedAt);
  c.set("begin", act.begin);
  const plain = answerPlainHttp(c);
  if (plain) c.res = plain;
  else await next();
  await discardBody(c.req.raw);
  const payer = c.get("payer");
  if (payer) chargeRows(payer.deps, payer.projectId);
  // Pages of the connect flow and webhooks from platforms have no caller.
  const caller: Caller | undefined = c.get("caller");
  if (c.req.method !== "GET" || caller === undefined) {
    c.executionCtx.waitUntil(dispatchSoon(c.var.deps, caller?.projectId ?? null));
  }
  const ms = Date.now() - startedAt;
  // Sets headers on the finished response: `c.header` would copy the response for each.
  const { headers } = c.res;
  headers.set("X-Request-Id", requestId);
  headers.set("X-Content-Type-Options", "nosniff");
  if (deps.config.isProduction) headers.set("Strict-Transport-Security", "max-age=31536000; includeSubDomains");
  else headers.set("Server-Timing", serverTiming(deps.meter, ms));
  deps.log.event("request", {
    operation: c.var.operationId ?? "",
    method: c.req.method,
    status: c.res.status,
    project: c.var.caller?.projectId,
    ms,
    d1: deps.meter.d1Calls,
  });
  await act.end();
});
// Inside the middleware above, so that its responses also carry the request id and are logged.
app.use(
  methodNotAllowed<AppEnv>({
    app,
    onMethodNotAllowed: (c, methods) => {
      c.header("Allow", methods.join(", "));
      const isFromPage = c.req.method === "OPTIONS" && c.req.header("Origin") !== undefined;
      const sentence = isFromPage
        ? "Access tokens are for servers: call this address from your server, not from a web page."
        : `${c.req.method} is not supported here. Use ${methods.join(" or ")}.`;
      return answerError(new AppError("method_not_allowed", sentence), c);
    },
  }),
);
const pageHeaders = secureHeaders({
  xFrameOptions: "DENY",
  referrerPolicy: "no-referrer",
  crossOriginOpenerPolicy: false,
});
app.use("/connect/*", pageHeaders);
app.use("/docs/*", pageHeaders);

const BASE = "/api/v1";
const api = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });
api.use(async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
});
operationRoutes(api, OPERATIONS, ENDINGS);
documentRoutes(app, api, API);
app.route(BASE, api);

mcpRoutes(app, () => openApiDocument(API, "https://belfry.example"));
oauthRoutes(app);
connectPages(app);
mediaRoutes(app);
brandingRoutes(app);
consentRoutes(app);
dataDeletionPages(app);
inboundRoutes(app);
operatorRoutes(app, { hasChannels, beginCommand });
ceilingRoutes(app);
costCeilingRoutes(app);
projectRoutes(app);
doctorRoutes(app);
accountRoutes(app);
consoleRoutes(app);
unsubscribePages(app);

app.get("/healthz", answerHealth);
app.get("/", (c) => c.redirect("/console"));

/** Where to look instead of an address that is none. */
function hintFor(method: string, path: string): string {
  if (path.endsWith("/")) return `Leave out the slash at its end: ${path.replace(/(?<!\/)\/+$/, "")}.`;
  const renamed = path.startsWith(BASE) ? renamedTo(method, path.slice(BASE.length)) : null;
  return renamed === null ? "See /docs for what there is." : `It is ${renamed.replace(" ", ` ${BASE}`)} now.`;
}

app.notFound((c) => {
  const { path, method } = c.req;
  return answerError(new AppError("not_found", `There is nothing at this address. ${hintFor(method, path)}`), c);
});
app.onError(answerError);

export { app };
