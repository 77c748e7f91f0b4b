import { createMiddleware } from "hono/factory";
import { sha256Hex } from "../core/tokens.ts";
import type { AppEnv } from "./environment.ts";

/** Answers that a client may keep, and ask whether they are still true (RFC 9110, 13.1.2). */

export async function etagOf(text: string): Promise<string> {
  return `"${(await sha256Hex(text)).slice(0, 32)}"`;
}

/** Whether the client has this version already: compared weakly. */
export function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  const named = ifNoneMatch?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  return named.includes(etag) || named.includes("*");
}

/** Generators and browsers may keep it; a new deployment is seen within this time. */
export const MAX_AGE_SECONDS = 300;

/** Lets the caller, and nobody between, keep the answer of an operation; a repeat that names it is a 304. */
export const keepable = createMiddleware<AppEnv>(async (c, next) => {
  await next();
  if (c.res.status !== 200) return;
  const text = await c.res.text();
  const etag = await etagOf(text);
  const headers = new Headers(c.res.headers);
  headers.set("ETag", etag);
  headers.set("Cache-Control", `private, max-age=${MAX_AGE_SECONDS}`);
  headers.append("Vary", "Authorization");
  const isKnown = isNamed(etag, c.req.header("If-None-Match"));
  if (isKnown) headers.delete("Content-Type");
  c.res = undefined;
  c.res = new Response(isKnown ? null : text, { status: isKnown ? 304 : 200, headers });
});
