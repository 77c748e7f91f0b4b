// Query tunneling: a query too long for a URL is sent in the body of a POST, together with the JSON body if
// any.

import { z } from "zod";

const LONGEST_ADDRESS = 4600;
const Method = z.enum(["GET", "POST", "PUT", "DELETE"]);

/** The original request. */
export async function tunnelled(request: Request): Promise<Request> {
  const method = Method.safeParse(request.headers.get("x-http-method-override")).data;
  if (request.method !== "POST" || method === undefined) return request;
  const { query, json } = await partsOf(request);
  const url = new URL(request.url);
  url.search = query;
  const headers = new Headers(request.headers);
  headers.delete("x-http-method-override");
  headers.set("content-type", "application/json");
  return new Request(url, { method, headers, body: method === "GET" || json === null ? null : json });
}

export const isTooLong = (request: Request): boolean => request.url.length > LONGEST_ADDRESS;

/**
 * A form contains only the query. In `multipart/mixed`, the first part is the query and the second the body.
 */
async function partsOf(request: Request): Promise<{ query: string; json: string | null }> {
  const type = request.headers.get("content-type") ?? "";
  const text = new TextDecoder().decode(await request.arrayBuffer());
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  if (!type.startsWith("multipart/mixed") || boundary === undefined) return { query: text.trim(), json: null };
  const bodies = text
    .split(`--${boundary}`)
    .slice(1, 3)
    .map((part) =>
      part
        .split(/\r?\n\r?\n/)
        .slice(1)
        .join("\n\n")
        .trim(),
    );
  const [query = "", json = null] = bodies;
  return { query, json };
}
