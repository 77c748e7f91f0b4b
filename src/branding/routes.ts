import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { logoBytes, logoType } from "./logo.ts";
import { findLogo } from "./store.ts";

/**
 * `GET /brand/{name}`: the logo of a project, for the pages of its users. It is cached forever, because a
 * name is a hash of the bytes. The headers are those of our other files (files/serve-routes.ts).
 */
export function brandingRoutes(app: OpenAPIHono<AppEnv>): void {
  app.get("/brand/:name", sendLogo);
}

async function sendLogo(c: Context<AppEnv>): Promise<Response> {
  c.set("operationId", "brandLogo");
  const name = c.req.param("name") ?? "";
  const type = logoType(name);
  const logo = type === null ? null : await findLogo(c.var.deps.db, name);
  if (type === null || logo === null) return c.notFound();
  return new Response(logoBytes(logo), {
    headers: {
      "Cache-Control": "public, max-age=31536000, immutable",
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "Content-Type": type,
      "Cross-Origin-Resource-Policy": "same-origin",
    },
  });
}
