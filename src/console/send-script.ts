import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";

/** A script of scripts/, which the build bundles (scripts/support/assets.ts). */
export async function sendScript(c: Context<AppEnv>): Promise<Response> {
  c.set("operationId", "console");
  const path = `/console/${encodeURIComponent(c.req.param("file") ?? "")}`;
  const asset = await c.var.deps.assets.fetch(new URL(path, c.req.url), { headers: c.req.raw.headers });
  return asset.ok || asset.status === 304 ? new Response(asset.body, asset) : c.notFound();
}
