import type { Context } from "hono";
import { createLog } from "../core/log.ts";
import type { AppEnv } from "../http/environment.ts";
import { errorBody } from "../http/errors.ts";
import { readConfig } from "../service/config.ts";
import { ConfigError, type ConfigProblem, sentencesOf } from "../service/config-problems.ts";
import { BINDINGS } from "../service/deps.ts";

/**
 * A Worker without its required configuration serves nothing, and says so. `/healthz` and the log name each
 * missing variable and binding (never a value). Every other address responds that the operator must act, in
 * the shape of all errors.
 */

/** What must be fixed before the service can run; empty if nothing. Checked once per environment. */
export function configProblems(env: object): readonly ConfigProblem[] {
  if (sound.has(env)) return [];
  const problems = [...missingBindings(env), ...badVariables(env)];
  if (problems.length === 0) sound.add(env);
  return problems;
}
const sound = new WeakSet<object>();

export function answerUnconfigured(
  c: Context<AppEnv>,
  problems: readonly ConfigProblem[],
  requestId: string,
): Response {
  createLog({ requestId }).error("not_configured", new ConfigError(problems));
  c.header("X-Request-Id", requestId);
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cache-Control", "no-store");
  if (c.req.path === "/healthz") return c.json({ ...errorBody(c, "not_ready", sentencesOf(problems)), problems }, 503);
  const message = "This service is not configured yet. Operator: /healthz and the log name what is missing.";
  return c.json(errorBody(c, "not_ready", message), 503);
}

function missingBindings(env: object): ConfigProblem[] {
  return BINDINGS.filter((name) => Reflect.get(env, name) === undefined).map((variable) => ({
    variable,
    problem: "is not bound (wrangler.toml)",
  }));
}

function badVariables(env: object): readonly ConfigProblem[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
