import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../http/environment.ts";
import { MEDIA_PATH, readFileName } from "../media/own-address.ts";

/**
 * `GET /media/{name}`: serves one of our files to any client that knows its name, for platforms that fetch
 * files themselves. Supports ranges and conditional requests. The file is cached forever, because the bytes
 * of a name never change. Headers stop a browser from running it: no sniffing, no scripts, a sandbox. Does
 * not read D1.
 */
export function mediaRoutes(app: OpenAPIHono<AppEnv>): void {
  app.get(`${MEDIA_PATH}:name`, serveFile);
}

async function serveFile(c: Context<AppEnv>): Promise<Response> {
  const named = readFileName(c.req.param("name") ?? "");
  if (named === null) return c.notFound();
  const { files } = c.var.deps;
  const about = await files.head(named.name);
  if (about === null) return c.notFound();
  const headers = headersOf(about, named.mime);
  const unmet = unmetCondition(c.req.raw.headers, about);
  if (unmet !== null) return new Response(null, { status: unmet, headers });
  const range = c.req.method === "HEAD" ? null : rangeOf(c.req.raw.headers, about);
  if (range === "unsatisfiable") {
    headers.set("Content-Range", `bytes */${about.size}`);
    return new Response(null, { status: 416, headers });
  }
  const { offset, length } = range ?? { offset: 0, length: about.size };
  headers.set("Content-Length", String(length));
  if (c.req.method === "HEAD") return new Response(null, { headers });
  const object = await files.get(named.name, range === null ? {} : { range });
  if (object === null) return c.notFound();
  if (range === null) return new Response(object.body, { headers });
  headers.set("Content-Range", `bytes ${offset}-${offset + length - 1}/${about.size}`);
  return new Response(object.body, { status: 206, headers });
}

function headersOf(about: R2Object, mime: string): Headers {
  return new Headers({
    "Accept-Ranges": "bytes",
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=31536000, immutable",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Content-Type": mime,
    "Cross-Origin-Resource-Policy": "cross-origin",
    ETag: about.httpEtag,
    "Last-Modified": about.uploaded.toUTCString(),
  });
}

/**
 * The status of a condition that does not hold, in the order of RFC 9110, 13.2.2; null if the file is to be
 * sent.
 */
function unmetCondition(sent: Headers, about: R2Object): 304 | 412 | null {
  const match = sent.get("if-match");
  if (match !== null ? !isNamed(about, match) : isAfter(about, sent.get("if-unmodified-since"))) return 412;
  const noneMatch = sent.get("if-none-match");
  if (noneMatch !== null) return isNamed(about, noneMatch) ? 304 : null;
  const since = sent.get("if-modified-since");
  return since !== null && Number.isFinite(Date.parse(since)) && !isAfter(about, since) ? 304 : null;
}

/** Weak comparison everywhere, because the bytes of a name never change. */
function isNamed({ httpEtag }: R2Object, list: string): boolean {
  return list.split(",").some((one) => ["*", httpEtag].includes(one.trim().replace(/^W\//, "")));
}

/** Whether the file was stored after the date; false for an invalid date. HTTP dates are whole seconds. */
function isAfter({ uploaded }: R2Object, date: string | null): boolean {
  return date !== null && Math.floor(uploaded.getTime() / 1000) * 1000 > Date.parse(date);
}

/**
 * One range of bytes; null if the request has no range of a known form: then the whole file is sent (RFC
 * 9110, 14.2).
 */
function rangeOf(sent: Headers, about: R2Object): { offset: number; length: number } | "unsatisfiable" | null {
  const version = sent.get("if-range");
  if (version !== null && version !== about.httpEtag && version !== about.uploaded.toUTCString()) return null;
  const { size } = about;
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(sent.get("range")?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return null;
  if (offset >= size) return "unsatisfiable";
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  return { offset, length: end - offset };
}
