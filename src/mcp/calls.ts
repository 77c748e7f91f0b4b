import type { CallToolResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Caller } from "../core/caller.ts";
import { sha256Hex } from "../core/tokens.ts";
import type { Catalog, CatalogEntry } from "./catalog.ts";
import { type Answer, resultOf } from "./results.ts";

/** The caller's request, with which tools call the operations of the API in the same process. */
export interface Session {
  readonly catalog: Catalog;
  readonly caller: Caller;
  /** Sends a request to this service, with the caller's token. */
  readonly send: (path: string, init: RequestInit) => Promise<Response>;
}

export interface Input {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Distinguishes deliberate repeats of a create. */
  readonly requestId?: string | undefined;
}

const Body = z.record(z.string(), z.unknown()).catch({});

/** Calls an operation. Creates get a key made from their content, so that a repeat creates nothing. */
export async function callOperation(session: Session, id: string, input: Input = {}): Promise<Answer> {
  const entry = session.catalog.find(id);
  if (!entry) throw new Error(`There is no operation ${id}.`);
  const { body, requestId } = input;
  const headers = new Headers();
  if (body) headers.set("Content-Type", "application/json");
  if (entry.isIdempotent) headers.set("Idempotency-Key", `mcp-${await digestOf([id, body, requestId ?? null])}`);
  const init = { method: entry.method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const response = await session.send(addressOf(entry, input), init);
  const answer = Body.parse(await response.json().catch(() => ({})));
  return { isOk: response.ok, isReplay: response.headers.has("Idempotency-Replayed"), body: answer };
}

function addressOf({ path }: CatalogEntry, { path: values = {}, query = {} }: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? "")));
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return `/api/v1${filled}${search.size > 0 ? `?${search}` : ""}`;
}

/** What spends a customer's money. */
export const PAID_OPERATIONS: readonly string[] = ["createCampaign", "updateCampaign"];

/**
 * Asks before money is spent: null once `confirm` is the code of exactly these terms. The code is in the
 * answer to the call without it, which spends nothing.
 */
export async function requireConfirmation(
  { caller }: Session,
  {
    confirm,
    terms,
    question,
  }: { readonly confirm: string | undefined; readonly terms: unknown; readonly question: string },
): Promise<CallToolResult | null> {
  const code = (await digestOf([caller.projectId, terms])).slice(0, 8);
  if (confirm === code) return null;
  const changed = confirm === undefined ? "" : " The terms differ from those that were confirmed.";
  return resultOf(
    `Nothing is spent yet.${changed} ${question} Ask the person. Only after a clear yes, call again with the same arguments and confirm: "${code}".`,
    terms,
  );
}

const digestOf = (parts: readonly unknown[]): Promise<string> => sha256Hex(JSON.stringify(parts));
