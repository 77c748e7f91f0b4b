import { hmac, isHmac } from "../core/hmac.ts";
import type { PersonId } from "../core/ids.ts";
import { base64Url, fromBase64Url } from "../core/tokens.ts";

/**
 * A cookie that names no one, but proves that this browser has signed in to an account before. What strangers
 * request for the account's address does not count against such a browser.
 */
export async function knownBrowserProof(signingKey: string, personId: PersonId, browserHash: string): Promise<string> {
  return base64Url(await hmac(signingKey, provenText(personId, browserHash)));
}

export async function isKnownBrowser(
  signingKey: string,
  personId: PersonId,
  { hash, proof }: { readonly hash: string; readonly proof: string | null },
): Promise<boolean> {
  const mac = proof === null ? null : fromBase64Url(proof);
  return mac !== null && isHmac(signingKey, new TextEncoder().encode(provenText(personId, hash)), mac);
}

const provenText = (personId: PersonId, browserHash: string): string => `known-browser ${personId} ${browserHash}`;
