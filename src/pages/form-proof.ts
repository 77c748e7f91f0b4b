import { hmac } from "../core/hmac.ts";
import { equalBytes } from "../core/sealing.ts";
import { base64Url, fromBase64Url } from "../core/tokens.ts";

/**
 * What a form proof is bound to: its purpose, and secrets that only this browser has. A proof from another
 * browser or for another purpose is not accepted.
 */
export interface ProofSubject {
  readonly purpose: string;
  /** Without spaces. */
  readonly secrets: readonly string[];
}

export async function formProof(signingKey: string, subject: ProofSubject): Promise<string> {
  return base64Url(await proofMac(signingKey, subject));
}

export async function isFormProof(signingKey: string, subject: ProofSubject, given: string): Promise<boolean> {
  const bytes = fromBase64Url(given);
  return bytes !== null && equalBytes(bytes, await proofMac(signingKey, subject));
}

function proofMac(signingKey: string, { purpose, secrets }: ProofSubject): Promise<Uint8Array> {
  return hmac(signingKey, [purpose, ...secrets].join(" "));
}
