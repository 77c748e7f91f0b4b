import { createMiddleware } from "hono/factory";
import { sha256Hex } from "../core/tokens.ts";
import type { AppEnv } from "./environment.ts";

/** Responses that a client may cache and revalidate (RFC 9110, 13.1.2). */

export async function etagOf(text: string): Promise<string> {
  return `"${(await sha256Hex(text)).slice(0, 32)}"`;
}

/** Whether the client already has this version: weak comparison. */
export function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  const named = ifNoneMatch?.split(",").map((one) => one.trim().replace(/^W\//, "")) ?? [];
  return named.includes(etag) || named.includes("*");
}

/** Client generators and browsers may cache the document; a new deployment is visible within this time. */
export const MAX_AGE_SECONDS = 300;

/**
 * Lets the caller cache the response of an operation, but no proxy. A repeated request with its ETag gets a
 * 304.
 */
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
