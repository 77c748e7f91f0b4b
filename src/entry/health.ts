import type { Context } from "hono";
import { SECOND } from "../core/time.ts";
import type { AppEnv } from "../http/environment.ts";
import { errorBody } from "../http/errors.ts";
import { probePosts } from "../posts/store.ts";
import { type Deps, inEach } from "../service/deps.ts";

/** No token is required here: however many callers there are, an isolate checks only this often. */
const READY_KEPT_MS = 5 * SECOND;
const PROBLEM_KEPT_MS = 2 * SECOND;

/**
 * `GET /healthz`: 200 if the service can handle requests: the database exists and is migrated. In development
 * the sandbox must also answer, because everything there depends on it. Otherwise 503 with a sentence.
 */
export async function answerHealth(c: Context<AppEnv>): Promise<Response> {
  const { deps } = c.var;
  const problem = await deps.memory.health.get(async () => {
    const value = (await databaseProblem(deps)) ?? (await sandboxProblem(deps));
    return { value, keepMs: value === null ? READY_KEPT_MS : PROBLEM_KEPT_MS };
  });
  c.header("Cache-Control", "no-store");
  if (problem === null) return c.json({ status: true, message: "Ready." });
  return c.json(errorBody(c, "not_ready", problem), 503);
}

async function databaseProblem(deps: Deps): Promise<string | null> {
  try {
    await Promise.all(inEach(deps).map(({ db }) => probePosts(db)));
    return null;
  } catch (error) {
    deps.log.error("health", error);
    return "The database does not answer, or lacks migrations.";
  }
}

async function sandboxProblem({ config: { isProduction, sandboxUrl } }: Deps): Promise<string | null> {
  if (isProduction || sandboxUrl === null) return null;
  try {
    const answer = await fetch(`${sandboxUrl}/_control/health`, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok ? null : "The sandbox is not ready.";
  } catch {
    return "The sandbox does not answer.";
  }
}
