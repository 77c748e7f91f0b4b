import { MINUTE } from "../../core/time.ts";
import { PrivateKey } from "./binding.ts";

/**
 * Proofs that a call comes from the holder of a session's key (DPoP, RFC 9449). Each call has its own, with
 * the server's latest nonce.
 */
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

/** A key of the runtime. Commands read this file under Node's types, which have another name for it. */
export type RuntimeKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

export interface KeyPair {
  readonly privateKey: RuntimeKey;
  readonly publicKey: RuntimeKey;
}

export async function newKey(): Promise<PrivateKey> {
  const pair = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("A key pair was not generated.");
  return PrivateKey.parse(await crypto.subtle.exportKey("jwk", pair.privateKey));
}

export async function importKey({ d, ...shown }: PrivateKey): Promise<KeyPair> {
  const [privateKey, publicKey] = await Promise.all([
    crypto.subtle.importKey("jwk", { ...shown, d }, ALGORITHM, false, ["sign"]),
    crypto.subtle.importKey("jwk", shown, ALGORITHM, true, ["verify"]),
  ]);
  return { privateKey, publicKey };
}

interface Proven {
  readonly method: string;
  readonly url: string;
  /** Absent at a token endpoint. */
  readonly accessToken?: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The value of the `DPoP` header. */
export async function proofOf(key: PrivateKey, { method, url, accessToken, now }: Proven): Promise<string> {
  const { origin, pathname } = new URL(url);
  const { kty, crv, x, y } = key;
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: { kty, crv, x, y } };
  const nonce = nonceOf(origin, now);
  const claims = {
    jti: crypto.randomUUID(),
    htm: method,
    htu: `${origin}${pathname}`,
    iat: Math.floor(now / 1000),
    ...(nonce === null ? {} : { nonce }),
    ...(accessToken === undefined ? {} : { ath: base64url(await sha256(accessToken)) }),
  };
  const signed = [header, claims].map((part) => base64url(utf8.encode(JSON.stringify(part)))).join(".");
  const { privateKey } = await importKey(key);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const signature = await crypto.subtle.sign(algorithm, privateKey, utf8.encode(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}

/**
 * The latest nonce of each server, for this isolate. Servers accept one for up to three minutes; an old one
 * costs a repeated call and nothing else.
 */
const nonces = new Map<string, { readonly nonce: string; readonly at: number }>();
const MAX_NONCES = 1_000;
const NONCE_MS = 2 * MINUTE;

export function keepNonce(origin: string, headers: Headers, now: number): void {
  const nonce = headers.get("dpop-nonce");
  if (nonce === null) return;
  nonces.delete(origin);
  if (nonces.size >= MAX_NONCES) nonces.delete([...nonces.keys()][0] ?? "");
  nonces.set(origin, { nonce, at: now });
}

/** Null if there is none that the server surely accepts. */
export function nonceOf(origin: string, now: number): string | null {
  const known = nonces.get(origin);
  return known && Math.abs(now - known.at) < NONCE_MS ? known.nonce : null;
}

const utf8 = new TextEncoder();

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(text)));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/={1,2}$/, "");
}
