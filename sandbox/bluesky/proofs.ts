// What clients sign: the proof of each call (DPoP), and the assertion by which our app identifies itself.

import { z } from "zod";
import { base64, sha256 } from "../digest";
import type { Sandbox } from "../sandbox";

export const CLIENT_ID = "https://belfry.example/connect/client/bluesky.json";
/** The public keys of the app's document; a sandbox does not fetch it. */
const CLIENT_KEYS: Readonly<Record<string, JsonWebKey>> = {
  sandbox: {
    kty: "EC",
    crv: "P-256",
    x: "8Kl2DPlvKnIYGBiYGUaGPnZRmWrp_8rIYDD7MFC9ffY",
    y: "XjUeEACU53JvPB83zKI8NRYbAha4M_qXeKKOpq_YR2M",
  },
};

const MINUTE = 60_000;
const CLOCK_MS = 3 * MINUTE;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

/** A proof or an assertion that is not accepted. */
export class NotProven extends Error {
  readonly error: string;
  constructor(error: string, message: string) {
    super(message);
    this.error = error;
  }
}

const Proof = {
  header: z.looseObject({
    typ: z.literal("dpop+jwt"),
    alg: z.literal("ES256"),
    jwk: z.strictObject({ kty: z.literal("EC"), crv: z.literal("P-256"), x: z.string(), y: z.string() }),
  }),
  claims: z.looseObject({
    jti: z.string().min(1),
    htm: z.string(),
    htu: z.string(),
    iat: z.number(),
    nonce: z.string().optional(),
    ath: z.string().optional(),
  }),
};

/** A server's nonce of this minute; those of the two minutes before are still accepted. */
export const nonceOf = (host: string, now: number) => sha256(`nonce of ${host} at ${Math.floor(now / MINUTE)}`);

async function isNonce(host: string, nonce: string, now: number): Promise<boolean> {
  const accepted = await Promise.all([0, 1, 2].map((age) => nonceOf(host, now - age * MINUTE)));
  return accepted.includes(nonce);
}

/** The thumbprint of the key that signed the call's proof. Each proof works once. */
export async function proven(
  sandbox: Sandbox,
  request: Request,
  accessToken: string | null,
): Promise<{ readonly jkt: string }> {
  const jwt = request.headers.get("dpop");
  if (jwt === null) throw new NotProven("invalid_dpop_proof", "DPoP proof required");
  const { header, claims, isSigned } = await readJwt(jwt, Proof, ({ jwk }) => jwk);
  if (!isSigned) throw new NotProven("invalid_dpop_proof", "Invalid DPoP signature");
  const url = new URL(request.url);
  const now = sandbox.now();
  if (claims.htm !== request.method) throw new NotProven("invalid_dpop_proof", 'DPoP "htm" mismatch');
  if (claims.htu !== `${url.origin}${url.pathname}`) throw new NotProven("invalid_dpop_proof", 'DPoP "htu" mismatch');
  if (Math.abs(claims.iat * 1000 - now) > CLOCK_MS) throw new NotProven("invalid_dpop_proof", "DPoP proof expired");
  const hash = accessToken === null ? undefined : await sha256(accessToken);
  if (claims.ath !== hash) throw new NotProven("invalid_dpop_proof", 'DPoP "ath" mismatch');
  if (claims.nonce === undefined)
    throw new NotProven("use_dpop_nonce", "Authorization server requires nonce in DPoP proof");
  if (!(await isNonce(url.host, claims.nonce, now))) throw new NotProven("use_dpop_nonce", 'DPoP "nonce" mismatch');
  useOnce(sandbox, claims.jti, new NotProven("invalid_dpop_proof", "DPoP proof replayed"));
  const { crv, kty, x, y } = header.jwk;
  return { jkt: await sha256(JSON.stringify({ crv, kty, x, y })) };
}

const Assertion = {
  header: z.looseObject({ alg: z.literal("ES256"), kid: z.string() }),
  claims: z.looseObject({
    iss: z.literal(CLIENT_ID),
    sub: z.literal(CLIENT_ID),
    aud: z.union([z.string(), z.array(z.string())]),
    jti: z.string().min(1),
    iat: z.number(),
    exp: z.number(),
  }),
};

/** The name of the key by which our app identified itself to this server. */
export async function identified(
  sandbox: Sandbox,
  issuer: string,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const refused = (message: string) =>
    new NotProven("invalid_client", `Validation of "client_assertion" failed: ${message}`);
  if (form.client_assertion_type !== "urn:ietf:params:oauth:client-assertion-type:jwt-bearer") {
    const message = 'client authentication method "private_key_jwt" required a "client_assertion"';
    throw new NotProven("invalid_request", message);
  }
  if (form.client_id !== CLIENT_ID) throw refused("unknown client");
  const jwt = form.client_assertion ?? "";
  const { header, claims, isSigned } = await readJwt(jwt, Assertion, ({ kid }) => CLIENT_KEYS[kid]);
  if (!isSigned) throw refused("signature verification failed");
  if (![claims.aud].flat().includes(issuer)) throw refused('unexpected "aud" claim value');
  if (sandbox.now() - claims.iat * 1000 > MINUTE) throw refused('"iat" claim timestamp check failed');
  useOnce(sandbox, claims.jti, new NotProven("invalid_grant", "private_key_jwt jti reused"));
  return header.kid;
}

function useOnce(sandbox: Sandbox, id: string, refusal: NotProven): void {
  if (sandbox.db.first("SELECT id FROM bluesky_proof_ids WHERE id = ?", id)) throw refusal;
  sandbox.db.run("DELETE FROM bluesky_proof_ids WHERE at < ?", sandbox.now() - 10 * MINUTE);
  sandbox.db.insert("bluesky_proof_ids", { id, at: sandbox.now() });
}

interface Shape<H extends z.ZodType, C extends z.ZodType> {
  readonly header: H;
  readonly claims: C;
}

async function readJwt<H extends z.ZodType, C extends z.ZodType>(
  jwt: string,
  shape: Shape<H, C>,
  keyOf: (header: z.infer<H>) => JsonWebKey | undefined,
): Promise<{ header: z.infer<H>; claims: z.infer<C>; isSigned: boolean }> {
  const [head = "", body = "", signature = ""] = jwt.split(".");
  const header = shape.header.safeParse(jsonOf(head));
  const claims = shape.claims.safeParse(jsonOf(body));
  if (!header.success || !claims.success) throw new NotProven("invalid_dpop_proof", "Invalid token");
  const jwk = keyOf(header.data);
  if (!jwk) return { header: header.data, claims: claims.data, isSigned: false };
  const key = await crypto.subtle.importKey("jwk", jwk, ALGORITHM, false, ["verify"]);
  const signed = new TextEncoder().encode(`${head}.${body}`);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  const isSigned = await crypto.subtle.verify(algorithm, key, bytesOf(signature), signed);
  return { header: header.data, claims: claims.data, isSigned };
}

function bytesOf(base64url: string): Uint8Array {
  const text = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

function jsonOf(part: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytesOf(part)));
  } catch {
    return null;
  }
}

/** A text that cannot be guessed, in base64url. */
export const randomName = () =>
  base64(crypto.getRandomValues(new Uint8Array(32)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
