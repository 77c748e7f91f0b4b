import { z } from "zod";
import type { AccountContext, AppContext, Duplicate, Failure, Unknown } from "../platform.ts";
import type { Answered, Lost } from "../request.ts";
import { type Asked, judge, settle } from "./errors.ts";

/**
 * One call to Meta's Graph API, and its lists. What its errors mean for us: errors.ts.
 *
 * - `appsecret_proof` must be made from the very token of the call.
 * - Tokens travel in headers, so that they stay out of addresses.
 */

// v26.0 of 2026-07-29, checked 2026-11-20: developers.facebook.com/docs/graph-api/changelog
export const VERSION = "v26.0";
export const GRAPH = `https://graph.facebook.com/${VERSION}`;

export interface GraphCall {
  readonly token: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly form?: Readonly<Record<string, string>>;
  /** Binary parts; with them the form is sent as multipart. */
  readonly files?: Readonly<Record<string, Blob>>;
}

export function read(context: AccountContext, path: string, query: NonNullable<GraphCall["query"]>): GraphCall {
  return { token: context.credentials.accessToken, method: "GET", path, query };
}

export function post(context: AccountContext, path: string, form: NonNullable<GraphCall["form"]>): GraphCall {
  return { token: context.credentials.accessToken, method: "POST", path, form };
}

export const Success = z.object({ success: z.literal(true) });

/** A call that may be repeated: an unclear answer is passing trouble. */
export async function ask<S extends z.ZodType>(
  context: AppContext,
  call: GraphCall,
  schema: S,
): Promise<Asked<z.output<S>>> {
  return settle(await act(context, call, schema));
}

/** A call that must not be repeated: an unclear answer stays unknown. */
export async function act<S extends z.ZodType>(
  context: AppContext,
  call: GraphCall,
  schema: S,
): Promise<Asked<z.output<S>> | Unknown | Duplicate> {
  return judge(await callGraph(context, call), schema);
}

export async function callGraph(context: AppContext, call: GraphCall): Promise<Answered | Lost> {
  const proof = { appsecret_proof: await appSecretProof(context.app.secret, call.token) };
  const request = { method: call.method, url: `${GRAPH}/${call.path}` };
  const headers = { authorization: `Bearer ${call.token}` };
  if (call.method !== "POST") return context.send({ ...request, headers, query: { ...call.query, ...proof } });
  const form = { ...call.form, ...proof };
  if (!call.files) return context.send({ ...request, headers, form });
  const multipart = new FormData();
  for (const [name, value] of Object.entries(form)) multipart.set(name, value);
  for (const [name, file] of Object.entries(call.files)) multipart.set(name, file, name);
  return context.send({ ...request, headers, multipart });
}

async function appSecretProof(secret: string, token: string): Promise<string> {
  const text = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(token)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// --- lists ------------------------------------------------------------------------------------------------------

const Paging = z.object({
  cursors: z.object({ after: z.string().optional() }).nullish(),
  next: z.string().nullish(),
});

export interface Listed<T> {
  readonly kind: "ok";
  readonly items: readonly T[];
  /** False when the list goes on where we stopped. */
  readonly isWhole: boolean;
}

/**
 * Reads a list to its end, or `maxPages` pages of it; `fetchPage` asks for the page after a cursor. A page may be
 * short or empty while more follow: the end is where `next` is absent. `next` itself is not called, for it carries the
 * token.
 */
export async function listAll<S extends z.ZodType>(
  fetchPage: (after: string | undefined) => Promise<Answered | Lost>,
  item: S,
  maxPages: number,
): Promise<Listed<z.output<S>> | Failure> {
  const schema = z.object({ data: z.array(item), paging: Paging.nullish() });
  const items: z.output<S>[] = [];
  let after: string | undefined;
  for (let round = 0; round < maxPages; round += 1) {
    const answer = settle(judge(await fetchPage(after), schema));
    if (answer.kind === "failed") return answer;
    items.push(...answer.value.data);
    const { next, cursors } = answer.value.paging ?? {};
    if (!next) return { kind: "ok", items, isWhole: true };
    const following = cursors?.after ?? URL.parse(next)?.searchParams.get("after") ?? undefined;
    // Without a new cursor there is no way on.
    if (following === undefined || following === after) break;
    after = following;
  }
  return { kind: "ok", items, isWhole: false };
}
