import { sql } from "drizzle-orm";
import type { Context } from "hono";
import type { AppEnv } from "./http/environment.ts";

/**
 * `GET /healthz`: 200 when requests can be served: the database is there and migrated, and in development the sandbox
 * answers too, for nothing can be tried without it. Otherwise 503 with a sentence.
 */
export async function answerHealth(c: Context<AppEnv>): Promise<Response> {
  const problem = (await databaseProblem(c)) ?? (await sandboxProblem(c));
  if (problem === null) return c.json({ status: true, message: "Ready." });
  return c.json({ status: false, message: problem, code: "not_ready" }, 503);
}

async function databaseProblem(c: Context<AppEnv>): Promise<string | null> {
  try {
    await c.var.deps.db.run(sql`SELECT 1 FROM posts LIMIT 1`);
    return null;
  } catch (error) {
    c.var.deps.log.error("health", error);
    return "The database does not answer, or its migrations are not applied.";
  }
}

async function sandboxProblem(c: Context<AppEnv>): Promise<string | null> {
  const { isProduction, sandboxUrl } = c.var.deps.config;
  if (isProduction || sandboxUrl === null) return null;
  try {
    const answer = await fetch(`${sandboxUrl}/_control/health`, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok ? null : "The sandbox is not ready.";
  } catch {
    return "The sandbox does not answer.";
  }
}
