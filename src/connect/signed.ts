import { sign, verify } from "hono/jwt";
import type { z } from "zod";

/**
 * Texts that say by themselves, signed, what they are for: JWTs (HS256) under the signing key. The audience
 * is the purpose: what was signed for one is nothing for another. So an invented one is told without a
 * look-up.
 */
const ALGORITHM = "HS256";
/** Ours have at most some 320 characters; longer texts are not even decoded. */
const MAX_LENGTH = 400;
/**
 * The last character of 32 bytes in base64url has two bits to spare: only one of its four spellings is ours.
 */
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

/** The claims as a text, for this purpose only. */
export async function signClaims(signingKey: string, audience: string, claims: object): Promise<string> {
  return sign({ aud: audience, ...claims }, await keyOf(signingKey), ALGORITHM);
}

/** What we signed for this purpose, by its schema; null for everything else. Times are not judged. */
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

/** The library throws for what is not ours, each kind of failure an error of its own. */
async function verified(text: string, aud: string, key: CryptoKey): Promise<unknown> {
  try {
    // It would refuse an expired one before it looks at the signature; who asks wants to know whether it was
    // ours.
    return await verify(text, key, { alg: ALGORITHM, aud, exp: false, iat: false, nbf: false });
  } catch {
    return null;
  }
}

/** Imported by us: the library takes a text with "PUBLIC" or "PRIVATE" in it for a key in PEM. */
function keyOf(signingKey: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(signingKey);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}
