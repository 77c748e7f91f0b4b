import type { AppCredentials } from "../context.ts";
import type { RuntimeKey } from "./proofs.ts";

/**
 * Our own keys, which prove to servers that a call comes from this service: `name:base64,name:base64`, each a
 * private P-256 key in PKCS #8. The first one begins logins. A session continues with the key that began it,
 * so old keys stay in the list until their last session has ended.
 */
export interface ClientKey {
  readonly kid: string;
  readonly key: RuntimeKey;
}

const ENTRY = /^\s*([\w.-]{1,64}):([A-Za-z0-9+/=\s]+)$/;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Null if the list cannot be read. */
async function readKeys(secret: string): Promise<readonly [ClientKey, ...ClientKey[]] | null> {
  try {
    const [first, ...others] = await Promise.all(secret.split(",").map(readEntry));
    return first ? [first, ...others] : null;
  } catch {
    return null;
  }
}

async function readEntry(text: string): Promise<ClientKey> {
  const [, kid = "", base64 = ""] = ENTRY.exec(text) ?? [];
  const bytes = Uint8Array.from(atob(base64.replaceAll(/\s/g, "")), (char) => char.charCodeAt(0));
  // The public part is read from the exported key.
  return { kid, key: await crypto.subtle.importKey("pkcs8", bytes, ALGORITHM, true, ["sign"]) };
}

/** The key that begins logins; null if there is none. */
export async function newestKey({ secret }: AppCredentials): Promise<ClientKey | null> {
  return (await readKeys(secret))?.[0] ?? null;
}

/** The key of this name; null if it is not in the list any more. */
export async function keyNamed({ secret }: AppCredentials, kid: string): Promise<ClientKey | null> {
  return (await readKeys(secret))?.find((one) => one.kid === kid) ?? null;
}

/** The public keys, in the form that servers read. */
export async function publicKeys({ secret }: AppCredentials) {
  const keys = (await readKeys(secret)) ?? [];
  return Promise.all(
    keys.map(async ({ kid, key }) => {
      const jwk = await crypto.subtle.exportKey("jwk", key);
      if (jwk instanceof ArrayBuffer) throw new Error("A key was exported in another form.");
      const { x = "", y = "" } = jwk;
      return { kty: "EC", crv: "P-256", x, y, kid, alg: "ES256", use: "sig" };
    }),
  );
}
