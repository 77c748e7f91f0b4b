import type { OpenAPIHono } from "@hono/zod-openapi";
import { callbacksOf, reportOf, webhooksOf } from "../doctor/report.ts";
import type { AppEnv } from "../http/environment.ts";
import { apiOrigin } from "../http/origin.ts";

/**
 * `GET /internal/doctor`, for `npm run doctor`: the service's report on itself. `GET /internal/webhooks`, for
 * `npm start`: the addresses at which it receives platform webhooks; `GET /internal/callbacks`: those for
 * removed logins. These call no platform. All require the operator's key (people/operator.ts).
 */
export function doctorRoutes(app: OpenAPIHono<AppEnv>): void {
  app.get("/internal/webhooks", async (c) => {
    c.set("operationId", "webhooks");
    return c.json({ status: true, webhooks: await webhooksOf(c.var.deps, apiOrigin(c)) });
  });

  app.get("/internal/callbacks", (c) => {
    c.set("operationId", "callbacks");
    return c.json({ status: true, callbacks: callbacksOf(c.var.deps, apiOrigin(c)) });
  });

  app.get("/internal/doctor", async (c) => {
    // The call's name in the operator's log.
    c.set("operationId", "doctor");
    return c.json({ status: true, ...(await reportOf(c.var.deps, apiOrigin(c))) });
  });
}
