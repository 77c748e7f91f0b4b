import { OpenAPIHono } from "@hono/zod-openapi";
import { secureHeaders } from "hono/secure-headers";
import { authenticate } from "./accounts/authenticate.ts";
import { operatorRoutes } from "./accounts/operator.ts";
import { connectPages } from "./channels/pages.tsx";
import { channelRoutes } from "./channels/routes.ts";
import { AppError } from "./core/errors.ts";
import { serverTiming } from "./core/meter.ts";
import { createDeps } from "./deps.ts";
import { documentRoutes } from "./http/document.ts";
import type { AppEnv } from "./http/environment.ts";
import { answerError } from "./http/errors.ts";
import { answerHealth } from "./http/health.ts";
import { methodsOf } from "./http/methods.ts";
import { invalidRequest } from "./http/validation.ts";
import { postRoutes } from "./posts/routes.ts";

const app = new OpenAPIHono<AppEnv>();

app.use(async (c, next) => {
  const startedAt = Date.now();
  const requestId = crypto.randomUUID();
  c.set("requestId", requestId);
  const deps = createDeps(c.env, { requestId });
  c.set("deps", deps);
  c.set("admit", (authorization) => authenticate(deps, authorization));
  await next();
  const ms = Date.now() - startedAt;
  // On the finished answer itself: `c.header` would copy it for each.
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
});
const pageHeaders = secureHeaders({
  xFrameOptions: "DENY",
  referrerPolicy: "no-referrer",
  crossOriginOpenerPolicy: false,
});
app.use("/connect/*", pageHeaders);
app.use("/docs/*", pageHeaders);

const api = new OpenAPIHono<AppEnv>({
  defaultHook: (result) => {
    if (!result.success) throw invalidRequest(result.error, inputOf(result));
  },
});
api.use(async (c, next) => {
  c.header("Cache-Control", "no-store");
  await next();
});
channelRoutes(api);
postRoutes(api);
documentRoutes(app, api);
app.route("/api/v1", api);

connectPages(app);
operatorRoutes(app);

app.get("/healthz", answerHealth);
app.get("/", (c) => c.redirect("/docs"));

app.notFound((c) => {
  const methods = methodsOf(app, new URL(c.req.url).pathname);
  if (methods.length > 0 && !methods.includes(c.req.method)) {
    c.header("Allow", methods.join(", "));
    const sentence = `${c.req.method} is not possible here. Use ${methods.join(" or ")}.`;
    return answerError(new AppError("method_not_allowed", sentence), c);
  }
  return answerError(new AppError("not_found", "There is nothing at this address. See /docs for what there is."), c);
});
app.onError(answerError);

/** What was validated, to tell "missing" from "wrong". */
function inputOf(result: object): unknown {
  return "data" in result ? result.data : undefined;
}

export { api, app };
