import type { Context } from "hono";
import type { AppEnv } from "./environment.ts";

/** The scheme and host under which the caller reaches this service. */
export function apiOrigin(c: Context<AppEnv>): string {
  // An unconfigured service has no `deps`.
  const deps: AppEnv["Variables"]["deps"] | undefined = c.var.deps;
  return deps?.config.publicOrigin ?? new URL(c.req.url).origin;
}

/** The request's own address under that origin. */
export function apiUrl(c: Context<AppEnv>): URL {
  const { pathname, search } = new URL(c.req.url);
  return new URL(`${apiOrigin(c)}${pathname}${search}`);
}
