import { hmac } from "./hmac.ts";

/**
 * The format of access tokens: `blf_`, 36 random base62 characters, and a checksum of 6 characters, keyed by
 * the signing key. A token that we did not issue is detected without a look-up; secret scanners recognise
 * the format.
 */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PREFIX = "blf_";
const RANDOM_LENGTH = 36;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export async function mintToken(signingKey: string): Promise<string> {
  const random = randomBase62(RANDOM_LENGTH);
  return PREFIX + random + (await checksum(signingKey, random));
}

/** Whether one of these keys made the token's checksum. One in 57 thousand million invented tokens passes. */
export async function hasOurChecksum(signingKeys: readonly string[], token: string): Promise<boolean> {
  if (!SHAPE.test(token)) return false;
  const random = token.slice(PREFIX.length, PREFIX.length + RANDOM_LENGTH);
  const given = token.slice(PREFIX.length + RANDOM_LENGTH);
  for (const key of signingKeys) if (given === (await checksum(key, random))) return true;
  return false;
}

/** An identifier of the checksum key that reveals nothing about it. */
export async function checksumKeyId(signingKey: string): Promise<string> {
  return hex((await hmac(signingKey, "access-token key id")).subarray(0, 6));
}

/** `blf_abcd…`: enough to recognise a token in a list, too little to use it. */
export function tokenHint(token: string): string {
  return `${token.slice(0, PREFIX.length + 4)}…`;
}

export function randomBase62(length: number): string {
  let text = "";
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 below 256: higher bytes would favour some letters.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** SHA-256 in lower-case hex. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Null if the text is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}

/** The bytes of hexadecimal digits, two each, which the caller has checked. */
export function fromHex(digits: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

async function checksum(signingKey: string, random: string): Promise<string> {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = await hmac(signingKey, `access-token ${random}`);
  return base62Digits(((a << 16) | (b << 8) | c) * 2 ** 24 + ((d << 16) | (e << 8) | f));
}

/** The last six base62 digits. */
function base62Digits(value: number): string {
  let rest = value;
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
