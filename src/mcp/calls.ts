import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Caller } from "../core/caller.ts";
import type { SpendingId } from "../core/ids.ts";
import { sha256Hex } from "../core/tokens.ts";
import type { Catalog, CatalogEntry } from "./catalog.ts";
import { type Answer, answered, resultOf } from "./results.ts";

/** A request to spend, as a person sees it in the console. */
export interface OpenedSpending {
  readonly id: SpendingId;
  readonly state: "pending" | "confirmed" | "denied" | "used";
  /** Of this request: the same terms have another one once it has expired. */
  readonly key: string;
  readonly url: string;
  readonly code: string;
}

/** Where confirmations are kept (spending/store.ts). */
export interface SpendingGate {
  open(request: {
    readonly termsHash: string;
    readonly question: string;
    readonly terms: Readonly<Record<string, unknown>>;
  }): Promise<OpenedSpending | null>;
  /** Notes that what was confirmed is done. */
  use(id: SpendingId): Promise<void>;
}

/** The caller's request, with which tools call the operations of the API in the same process. */
export interface Session {
  readonly catalog: Catalog;
  readonly caller: Caller;
  readonly spending: SpendingGate;
  /** Sends a request to this service, with the caller's token. */
  readonly send: (path: string, init: RequestInit) => Promise<Response>;
  /** Logs an error that nothing expects, and returns what the agent may read of it. */
  readonly unexpected: (error: unknown) => string;
}

export interface Input {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  /** Distinguishes deliberate repeats of a create. */
  readonly requestId?: string | undefined;
  /** Instead of a key that is made from the content. */
  readonly key?: string | undefined;
}

const Body = z.record(z.string(), z.unknown()).catch({});

/**
 * Calls an operation. What acts once gets a key made from its path and content: a repeat does nothing more,
 * and the same words to another comment are another act.
 */
export async function callOperation(session: Session, id: string, input: Input = {}): Promise<Answer> {
  const entry = session.catalog.find(id);
  if (!entry) throw new Error(`There is no operation ${id}.`);
  const { path, body, requestId, key } = input;
  const headers = new Headers();
  if (body) headers.set("Content-Type", "application/json");
  if (entry.isIdempotent)
    headers.set("Idempotency-Key", key ?? `mcp-${await digestOf([id, path ?? null, body, requestId ?? null])}`);
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

interface PaidCall {
  readonly operation: string;
  readonly input: Input;
  /** What the person confirms, in our words. */
  readonly question: string;
  /** For the model, once it is done. */
  readonly sentence: string;
}

/**
 * Calls an operation that spends money after a person has confirmed exactly these terms in the console, which
 * neither the model nor its token can do. Once: the key of the confirmation is stored in the transaction of
 * the change, so a repeat of the call returns the first result, and a call that changed nothing is repeated.
 */
export async function callPaid(
  session: Session,
  { operation, input, question, sentence }: PaidCall,
  ctx: ServerContext,
) {
  const { spending, caller } = session;
  const terms = { operation, ...input };
  const termsHash = await digestOf([caller.projectId, caller.tokenId, terms]);
  const opened = await spending.open({ termsHash, question, terms });
  if (!opened) return refused("Too many requests to spend are open. The person has to answer them first.");
  if (opened.state === "denied")
    return refused("The person denied this, and nothing is spent. Do not request it again.");
  if (opened.state === "pending") return requireConfirmation(opened, { question, terms }, ctx);
  const answer = await callOperation(session, operation, { ...input, key: `mcp-spending-${opened.key}` });
  // For an agent's own token the use case does that, in the transaction that spends (spending/confirm.ts).
  if (answer.isOk && opened.state === "confirmed" && !caller.moneyNeedsPerson) await spending.use(opened.id);
  return answered(answer, sentence);
}

const refused = (sentence: string): CallToolResult => ({ ...resultOf(sentence), isError: true });

/** What a client says with each request (2026-07-28). */
const OpensAddresses = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({ elicitation: z.object({ url: z.object({}) }) }),
});

interface Unconfirmed {
  readonly question: string;
  readonly terms: unknown;
}

/** The client opens the address itself (URL elicitation of 2026-07-28); otherwise the model shows it. */
function requireConfirmation(
  { url, code }: OpenedSpending,
  { question, terms }: Unconfirmed,
  { mcpReq }: ServerContext,
): CallToolResult | InputRequiredResult {
  if (OpensAddresses.safeParse(mcpReq.envelope).success && mcpReq.inputResponses === undefined) {
    const message = `${question} Confirm it in the console, where it has the code ${code}.`;
    return inputRequired({ inputRequests: { confirmation: inputRequired.elicitUrl({ message, url }) } });
  }
  return resultOf(
    `Nothing is spent yet. ${question} Only a person can confirm it: show them this address and the code ${code}: ${url} Once they have confirmed it there, call again with the same arguments.`,
    terms,
  );
}

const digestOf = (parts: readonly unknown[]): Promise<string> => sha256Hex(JSON.stringify(parts));
