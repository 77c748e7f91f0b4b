import { createMiddleware } from "hono/factory";
import { secureHeaders } from "hono/secure-headers";
import type { AppEnv } from "../http/environment.ts";

/** The headers of every answer of the console. */

export const browserHeaders = secureHeaders({
  xFrameOptions: "DENY",
  // Browsers without Sec-Fetch-Site need the origin of a form, which `no-referrer` would hide.
  referrerPolicy: "same-origin",
});

export const consoleHeaders = createMiddleware<AppEnv>(async (c, next) => {
  c.set("operationId", "console");
  await next();
  c.header("Cache-Control", "no-store");
});
