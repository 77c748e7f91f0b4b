import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import type { AppEnv } from "./environment.ts";

/** Nobody reads more, and the answer must not be larger than the request. */
const MAX_WARNINGS = 20;

const JsonObject = z.record(z.string(), z.unknown());

/**
 * Tells the caller something that does not stand in the way of the request (decisions.md: nothing is accepted in
 * silence). The sentence reaches them under the extension key `warnings`, which is absent when there are none.
 */
export function warn(c: Context<AppEnv>, ...sentences: readonly string[]): void {
  if (sentences.length === 0) return;
  c.set("warnings", [...(c.var.warnings ?? []), ...sentences].slice(0, MAX_WARNINGS));
}

/** Puts the warnings of this request into its answer, a refusal included. Rare: the answer is read and written again. */
export const answerWarnings = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  const { warnings } = c.var;
  if (warnings === undefined || !c.res.headers.get("Content-Type")?.startsWith("application/json")) return;
  const body = JsonObject.parse(await c.res.json());
  c.res = new Response(JSON.stringify({ ...body, warnings }), c.res);
});
