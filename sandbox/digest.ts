const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A PKCE challenge or verifier (RFC 7636). */
export const CODE_CHALLENGE = /^[\w.~-]{43,128}$/;

/** SHA-256 of a text in base64url: PKCE compares this hash of the verifier with the challenge. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(text)));
  return base64Url(digest);
}

export const base64Url = (bytes: Uint8Array) =>
  base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** HMAC of a text (its UTF-8 bytes). */
export async function hmac(secret: string, message: string, hash: "SHA-256" | "SHA-1" = "SHA-256") {
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytesOf(message)));
}

export const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
export const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

/** A number that depends on the text alone. */
export function numberOf(text: string, first = 0): number {
  let sum = first;
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000_007;
  return sum;
}
