import type { Hono } from "hono";
import type { AppEnv } from "./environment.ts";

/** The methods of the routes whose path this is; empty for an unknown path. Middleware does not count. */
export function methodsOf(app: Hono<AppEnv>, pathname: string): string[] {
  const methods = new Set<string>();
  for (const route of app.routes) {
    if (route.method === "ALL" || !toPattern(route.path).test(pathname)) continue;
    methods.add(route.method);
    if (route.method === "GET") methods.add("HEAD");
  }
  return [...methods];
}

function toPattern(path: string): RegExp {
  const parts = path.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : escapeText(part)));
  return new RegExp(`^${parts.join("/")}$`);
}

function escapeText(text: string): string {
  return text === "*" ? ".*" : text.replace(/[.+?^$()|[\]\\{}]/g, "\\$&");
}
