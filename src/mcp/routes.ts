import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import { limitBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { answerError } from "../http/errors.ts";
import { apiOrigin } from "../http/origin.ts";
import { readTextBody } from "../http/text-input.ts";
import { openSpending, useSpending } from "../spending/store.ts";
import { codeOf } from "../spending/terms.ts";
import type { SpendingGate } from "./calls.ts";
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
    const caller = await admitted(c, authorization);
    if (caller instanceof Response) return caller;
    c.set("caller", caller);
    catalog ??= new Catalog(document());
    const send = async (path: string, init: RequestInit) => {
      const request = new Request(new URL(path, c.req.url), init);
      request.headers.set("Authorization", authorization ?? "");
      return app.fetch(request, c.env, c.executionCtx);
    };
    // Loaded on first use: most isolates never serve an agent.
    const { answerMcp } = await import("./server.ts");
    const session = { catalog, caller, send, spending: spendingGate(c, caller), unexpected: unexpectedIn(c) };
    return answerMcp(await withText(c), session);
  });
}

/** The request, with a body that is UTF-8. Errors: `body_too_large`, and a 422. */
async function withText(c: Context<AppEnv>): Promise<Request> {
  if (c.req.method !== "POST") return c.req.raw;
  await limitBody(c, async () => {});
  const { url, headers, signal } = c.req.raw;
  return new Request(url, { method: "POST", headers, body: await readTextBody(c.req.raw), signal });
}

/** Without a valid token, agents learn where a person can sign in (RFC 9728). */
async function admitted(c: Context<AppEnv>, authorization: string | null): Promise<Caller | Response> {
  try {
    return await c.var.admit(authorization);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const refused = answerError(error, c);
    if (refused.status !== 401) return refused;
    const metadata = `resource_metadata="${apiOrigin(c)}/.well-known/oauth-protected-resource/mcp"`;
    const problem = authorization === null ? "" : ', error="invalid_token"';
    refused.headers.set("WWW-Authenticate", `Bearer realm="belfry", ${metadata}${problem}`);
    return refused;
  }
}

/** The error itself is only in the log: its text may quote a statement or a key. */
function unexpectedIn(c: Context<AppEnv>) {
  const { deps, requestId } = c.var;
  return (error: unknown): string => {
    deps.log.error("tool_failed", error, { requestId });
    return `Something went wrong in the service. Whether anything was done is unknown: call again with the same arguments, which does nothing twice. If this continues, report the request ${requestId}.`;
  };
}

function spendingGate(c: Context<AppEnv>, { projectId, tokenId }: Caller): SpendingGate {
  const { db } = c.var.deps;
  return {
    async open(request) {
      const spending = await openSpending(db, { ...request, projectId, tokenId }, Date.now());
      if (!spending) return null;
      const { id, state, termsHash, createdAt } = spending;
      const url = `${apiOrigin(c)}/console/projects/${projectId}/spending/${id}`;
      return { id, state, key: `${id}-${createdAt}`, url, code: codeOf(termsHash) };
    },
    use: (id) => useSpending(db, id),
  };
}
