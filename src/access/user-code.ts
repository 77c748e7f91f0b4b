import { hmac } from "../core/hmac.ts";
import { hex } from "../core/tokens.ts";

/** Codes that a terminal shows and a person enters: 34 bits, without vowels (RFC 8628, 6.1). */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** `WDJB-MJHT`. */
export function newUserCode(): string {
  let code = "";
  while (code.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH))) {
      // 240 is the largest multiple of 20 below 256.
      if (byte < 240 && code.length < LENGTH) code += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Keyed, so that a copy of the database does not give away codes. Case and marks do not matter. */
export async function userCodeHash(signingKey: string, code: string): Promise<string> {
  return hex(
    await hmac(
      signingKey,
      `user-code ${code
        .toUpperCase()
        .replace(/[^A-Z]/g, "")
        .slice(0, 20)}`,
    ),
  );
}
