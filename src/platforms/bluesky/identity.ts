import { z } from "zod";
import { HOUR, MINUTE } from "../../core/time.ts";
import type { AppContext, Failure } from "../context.ts";
import { lenient, readable } from "../lists.ts";
import { down, rejected } from "../outcomes.ts";
import { type Answered, type Lost, parseBody } from "../request.ts";
import { documentAddress, isDid, serverOrigin, toHandle } from "./servers.ts";

/**
 * Who an account is and where it lives: handle → id (DID) → document → server.
 *
 * - The id is permanent. The handle and the server can change at any time, so an account is known by its id.
 * - A handle counts only if the document of its id names it too; otherwise anyone could claim it.
 * - A Worker has no DNS, so TXT records are read over HTTPS. If DNS and the handle's own server disagree, DNS
 *   decides.
 */
export interface Identity {
  readonly did: string;
  /** Null if the document names no handle. */
  readonly handle: string | null;
  /** The origin of the server that holds the account. */
  readonly server: string;
}

const DIRECTORY = "https://plc.directory";
const DNS = "https://cloudflare-dns.com/dns-query";
/** Resolves handles whose own server cannot be read. */
const RESOLVER = "https://public.api.bsky.app/xrpc/com.atproto.identity.resolveHandle";
const TIMEOUT_MS = 10_000;

const Txt = z.object({ Answer: readable(z.object({ data: z.string() })).optional() });
const Resolved = z.object({ did: z.string() });

/** The id of a handle; null if it has none. Not verified yet. */
export async function resolveHandle(context: AppContext, handle: string): Promise<string | Failure | null> {
  const query = { name: `_atproto.${handle}`, type: "TXT" };
  const headers = { accept: "application/dns-json" };
  const [dns, own] = await Promise.all([
    context.send({ method: "GET", url: DNS, query, headers, timeoutMs: TIMEOUT_MS }),
    context.send({ method: "GET", url: `https://${handle}/.well-known/atproto-did`, timeoutMs: TIMEOUT_MS }),
  ]);
  const named = didsIn(dns);
  if (named.length > 1) return rejected(`The handle ${handle} names several accounts in its DNS records.`);
  const did = named[0] ?? didOf(own);
  if (did !== null) return did;
  const answer = await context.send({ method: "GET", url: RESOLVER, query: { handle }, timeoutMs: TIMEOUT_MS });
  if (answer.kind === "lost" || answer.status >= 500 || answer.status === 429)
    return down(`The handle ${handle} could not be looked up. Try again.`);
  const found = answer.status === 200 ? parseBody(Resolved, answer)?.did : undefined;
  return found !== undefined && isDid(found) ? found : null;
}

function didsIn(answer: Answered | Lost): string[] {
  if (answer.kind === "lost" || answer.status !== 200) return [];
  const records = parseBody(Txt, answer)?.Answer ?? [];
  // Long records come in several quoted parts.
  const texts = records.map(({ data }) => data.replaceAll(/"\s*"/g, "").replaceAll('"', ""));
  const dids = texts.flatMap((text) => (text.startsWith("did=") ? [text.slice("did=".length).trim()] : []));
  return [...new Set(dids.filter(isDid))];
}

function didOf(answer: Answered | Lost): string | null {
  if (answer.kind === "lost" || answer.status !== 200) return null;
  const did = answer.text.trim();
  return isDid(did) ? did : null;
}

const Document = z.object({
  id: z.string(),
  alsoKnownAs: lenient(readable(z.string())),
  service: lenient(readable(z.object({ id: z.string(), type: z.string(), serviceEndpoint: z.string() }))),
});

/** The account of an id, from its document. `disconnected` if the document says that there is none. */
export async function resolveDid(context: AppContext, did: string): Promise<Identity | Failure> {
  const address = documentAddress(did, context.app.options?.directory ?? DIRECTORY);
  if (address === null) return rejected("The account has an id that this service cannot look up.");
  const answer = await context.send({ method: "GET", url: address, timeoutMs: TIMEOUT_MS });
  if (answer.kind === "answered" && (answer.status === 404 || answer.status === 410)) return gone();
  if (answer.kind === "lost" || answer.status !== 200)
    return down("The directory of accounts could not be read. Try again in a few minutes.");
  const document = parseBody(Document, answer);
  if (document?.id !== did) return down("The directory of accounts returned the document of another account.");
  const service = document.service?.find(
    ({ id, type }) => type === SERVER && (id === "#atproto_pds" || id === `${did}#atproto_pds`),
  );
  const server = service && serverOrigin(service.serviceEndpoint);
  if (!server) return gone();
  const names = document.alsoKnownAs ?? [];
  const handle = names.find((name) => name.startsWith("at://"))?.slice("at://".length);
  return { did, handle: handle === undefined ? null : toHandle(handle), server };
}

const SERVER = "AtprotoPersonalDataServer";

function gone(): Failure {
  return { kind: "failed", reason: "disconnected", message: "The account does not exist at Bluesky any more." };
}

/** Whether the handle of the document leads back to the account. A handle that cannot be read does not. */
export async function isOwnHandle(context: AppContext, { did, handle }: Identity): Promise<boolean> {
  return handle !== null && (await resolveHandle(context, handle)) === did;
}

/**
 * Where accounts lived a moment ago, for this isolate. An account that moves keeps a copy at its old server,
 * which still accepts posts that no reader sees.
 */
const known = new Map<string, { readonly identity: Identity; readonly at: number }>();
const MAX_KNOWN = 1_000;
const FRESH_MS = 5 * MINUTE;
/** If the directory is down, what was read within this time still counts. */
const USABLE_MS = HOUR;

/** Where the account lives now; `isFresh`: as the directory says at this moment, if it can be read. */
export async function locate(
  context: AppContext,
  did: string,
  { isFresh }: { readonly isFresh: boolean },
): Promise<Identity | Failure> {
  const earlier = known.get(did);
  const age = earlier ? context.now - earlier.at : Number.POSITIVE_INFINITY;
  if (earlier && !isFresh && age >= 0 && age < FRESH_MS) return earlier.identity;
  const identity = await resolveDid(context, did);
  if ("kind" in identity) {
    const mayUse = identity.reason === "down" && earlier && age >= 0 && age < USABLE_MS;
    return mayUse ? earlier.identity : identity;
  }
  known.delete(did);
  if (known.size >= MAX_KNOWN) known.delete([...known.keys()][0] ?? "");
  known.set(did, { identity, at: context.now });
  return identity;
}
