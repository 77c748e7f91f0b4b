import { sign, verify } from "hono/jwt";
import type { z } from "zod";

/**
 * Signed texts for one purpose: JWTs (HS256) under the signing key, with the purpose as audience. A text that
 * was signed for one purpose is invalid for any other. So a forged one is refused without a look-up.
 */
const ALGORITHM = "HS256";
/** The longest ones have some 320 characters; longer texts are not decoded. */
const MAX_LENGTH = 400;
/** The last base64url character of 32 bytes has two unused bits: only one of its four spellings is valid. */
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** The claim that names the database of a text's project (http/named-database.ts); none for database 0. */
export const databaseClaim = (database: number) => (database === 0 ? {} : { db: database });

/** The claims as a signed text for this purpose. */
export async function signClaims(signingKey: string, audience: string, claims: object): Promise<string> {
  return sign({ aud: audience, ...claims }, await keyOf(signingKey), ALGORITHM);
}

/**
 * The claims of a text that was signed for this purpose, by their schema; null for everything else. Times are
 * not checked.
 */
export async function readClaims<S extends z.ZodType>(
  signingKey: string,
  audience: string,
  schema: S,
  text: string,
): Promise<z.output<S> | null> {
  if (text.length > MAX_LENGTH || !SHAPE.test(text)) return null;
  const claims = schema.safeParse(await verified(text, audience, await keyOf(signingKey)));
  return claims.success ? claims.data : null;
}

/** The library throws an error of its own for each kind of failure. */
async function verified(text: string, aud: string, key: CryptoKey): Promise<unknown> {
  try {
    // The library checks the expiry before the signature, but the caller must know whether an expired text is
    // genuine.
    return await verify(text, key, { alg: ALGORITHM, aud, exp: false, iat: false, nbf: false });
  } catch {
    return null;
  }
}

/** Imported here, because the library takes a text with "PUBLIC" or "PRIVATE" in it for a PEM key. */
function keyOf(signingKey: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(signingKey);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}
