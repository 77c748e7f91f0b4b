import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { type Deps, inEach } from "../service/deps.ts";
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
  const logo = type === null ? null : await logoIn(c.var.deps, name);
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

/** The address does not name the project. The logo of one is fetched rarely, because it is cached. */
async function logoIn(deps: Deps, name: string): Promise<string | null> {
  for (const { db } of inEach(deps)) {
    const logo = await findLogo(db, name);
    if (logo !== null) return logo;
  }
  return null;
}
