import { sign, verify } from "hono/jwt";
import { z } from "zod";
import { idOf, type ProjectId } from "../core/ids.ts";
import { SECOND } from "../core/time.ts";
import { randomBase62, sha256Hex } from "../core/tokens.ts";

/**
 * The token of a connection session is a JWT: it says by itself, signed, when and for which project it was issued and when
 * it ends, so an old one is `expired` and an invented one unknown without a look-up.
 */
export const SESSION_SECONDS = 900;

const ALGORITHM = "HS256";
/** The purpose: whatever else may once be signed with the same key is no connect token. */
const AUDIENCE = "connect";
const RANDOM_LENGTH = 22;
/** One of ours has about 210 characters; longer texts are not even decoded. */
const MAX_LENGTH = 256;
/** The last character of 32 bytes in base64url has two bits to spare: only one of its four spellings is ours. */
const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]{42}[AEIMQUYcgkosw048]$/;

const Claims = z.object({
  aud: z.literal(AUDIENCE),
  project: z.int().positive(),
  // Seconds, as JWT has them, with milliseconds as a fraction.
  iat: z.number(),
  exp: z.number(),
  jti: z.string(),
});
type Claims = z.output<typeof Claims>;

export interface ConnectToken {
  readonly text: string;
  /** The name of the session in KV and D1: the token itself is stored nowhere. */
  readonly hash: string;
  readonly projectId: ProjectId;
  readonly issuedAt: number;
  readonly expiresAt: number;
}

export async function mintConnectToken(signingKey: string, projectId: ProjectId, now: number): Promise<string> {
  const claims: Claims = {
    aud: AUDIENCE,
    project: projectId,
    iat: now / SECOND,
    exp: (now + SESSION_SECONDS * SECOND) / SECOND,
    jti: randomBase62(RANDOM_LENGTH),
  };
  return sign(claims, await keyOf(signingKey), ALGORITHM);
}

/** Null for everything that we did not issue. One that has expired is read like any other. */
export async function readConnectToken(signingKey: string, text: string): Promise<ConnectToken | null> {
  if (text.length > MAX_LENGTH || !SHAPE.test(text)) return null;
  const claims = Claims.safeParse(await verified(text, await keyOf(signingKey)));
  if (!claims.success) return null;
  const { project, iat, exp } = claims.data;
  return {
    text,
    hash: await sha256Hex(text),
    projectId: idOf<ProjectId>(project),
    issuedAt: Math.round(iat * SECOND),
    expiresAt: Math.round(exp * SECOND),
  };
}

/** What we signed; null for anything else. The library throws, each kind of failure an error of its own. */
async function verified(text: string, key: CryptoKey): Promise<unknown> {
  try {
    // It would refuse an expired token before it looks at the signature; who asks wants to know whether it was ours.
    return await verify(text, key, { alg: ALGORITHM, aud: AUDIENCE, exp: false, iat: false, nbf: false });
  } catch {
    return null;
  }
}

/** Imported by us: the library takes a text with "PUBLIC" or "PRIVATE" in it for a key in PEM. */
function keyOf(signingKey: string): Promise<CryptoKey> {
  const bytes = new TextEncoder().encode(signingKey);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}
