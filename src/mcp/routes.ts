import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../http/environment.ts";
import { Catalog } from "./catalog.ts";

/**
 * `/mcp`: tools for agents, over the operations of the API. Each tool calls them through the app, with the
 * caller's token: the same permissions, limits, checks and log entries as over HTTP.
 */
export function mcpRoutes(app: OpenAPIHono<AppEnv>, document: () => unknown): void {
  let catalog: Catalog | null = null;
  app.on(["GET", "POST", "DELETE"], "/mcp", async (c) => {
    c.set("operationId", "mcp");
    const authorization = c.req.header("Authorization") ?? null;
    const caller = await c.var.admit(authorization);
    c.set("caller", caller);
    catalog ??= new Catalog(document());
    const send = async (path: string, init: RequestInit) => {
      const request = new Request(new URL(path, c.req.url), init);
      request.headers.set("Authorization", authorization ?? "");
      return app.fetch(request, c.env, c.executionCtx);
    };
    // Loaded on first use: most isolates never serve an agent.
    const { answerMcp } = await import("./server.ts");
    return answerMcp(c.req.raw, { catalog, caller, send });
  });
}
