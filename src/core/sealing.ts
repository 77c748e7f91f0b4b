import type { SealingKey } from "./secrets.ts";
import { base64Url, fromBase64Url } from "./tokens.ts";

/**
 * AES-256-GCM encryption of stored secrets: platform credentials, OAuth verifiers. Form:
 * `keyId.nonce.ciphertext`. New writes use the newest key, reads accept all keys.
 */
export interface Sealer {
  /**
   * Encrypts. `context` (e.g. `channel:12`) is required again to open: a sealed value is useless in another
   * row.
   */
  seal(plain: string, context: string): Promise<string>;
  /** Decrypts. Null if it cannot: unknown key, another context, damaged data. */
  open(sealed: string, context: string): Promise<string | null>;
  /**
   * Whether we have the key of a sealed value: a missing key is the one failure to open that the operator can
   * fix.
   */
  knowsKeyOf(sealed: string): boolean;
}

/** The id of the key that sealed a value. */
export function keyIdOf(sealed: string): string {
  return sealed.slice(0, sealed.indexOf("."));
}

export function createSealer(keys: readonly SealingKey[]): Sealer {
  const imported = new Map<string, Promise<CryptoKey>>();
  const keyFor = (key: SealingKey): Promise<CryptoKey> => {
    const pending =
      imported.get(key.id) ?? crypto.subtle.importKey("raw", key.bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
    imported.set(key.id, pending);
    return pending;
  };
  return {
    async seal(plain, context) {
      const [newest] = keys;
      if (!newest) throw new Error("No sealing key is configured.");
      const nonce = crypto.getRandomValues(new Uint8Array(12));
      const cipher = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(context) },
        await keyFor(newest),
        new TextEncoder().encode(plain),
      );
      return `${newest.id}.${base64Url(nonce)}.${base64UrlLong(new Uint8Array(cipher))}`;
    },
    knowsKeyOf: (sealed) => keys.some(({ id }) => id === keyIdOf(sealed)),
    async open(sealed, context) {
      const [id, nonceText, cipherText] = sealed.split(".");
      const key = keys.find((candidate) => candidate.id === id);
      const nonce = fromBase64Url(nonceText ?? "");
      const cipher = fromBase64Url(cipherText ?? "");
      if (!key || !nonce || !cipher) return null;
      try {
        const plain = await crypto.subtle.decrypt(
          { name: "AES-GCM", iv: nonce, additionalData: new TextEncoder().encode(context) },
          await keyFor(key),
          cipher,
        );
        return new TextDecoder().decode(plain);
      } catch {
        return null;
      }
    },
  };
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** Encodes in pieces: spreading a large array into one call would overflow the stack. */
function base64UrlLong(bytes: Uint8Array): string {
  let text = "";
  for (let i = 0; i < bytes.length; i += 6000) text += base64Url(bytes.subarray(i, i + 6000));
  return text;
}
