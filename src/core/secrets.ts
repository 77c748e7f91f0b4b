/**
 * Checks the strength of a secret, as far as the value itself shows it. The result names the weakness, never
 * the value; null if there is none. Any output of a good random source passes, in hexadecimal, base64 or
 * decimal digits, from 32 characters on.
 */

const MIN_CHARACTERS = 32;
/** The minimum entropy of the text as independent characters; 32 decimal digits have 106 bits. */
const MIN_BITS = 90;
/** Placeholders for secrets in samples, documents and tests. Long enough not to occur in random text. */
const SAMPLE =
  /change.?me|example|sample|placeholder|password|your.?(key|secret|token)|replace|s3cr3t|secret.?key|only the tests ever see/i;

/** The weakness of a text used as it is: a signing key, a password for machines. */
export function weaknessOfText(secret: string): string | null {
  if (secret.length < MIN_CHARACTERS) return `has ${secret.length} characters, not ${MIN_CHARACTERS} or more`;
  if (SAMPLE.test(secret)) return "is a sample value";
  if (bitsOf(secret) < MIN_BITS || isRepetitive(secret) || isRow(secret)) return "is too easy to guess";
  return null;
}

/** The weakness of the bytes of an AES key: 32 bytes from a random source pass. */
export function weaknessOfBytes(bytes: Uint8Array): string | null {
  if (bytes.length !== 32) return `has ${bytes.length} bytes, not 32`;
  const isText = bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  if (isText) return "is a text in base64, not random bytes";
  // Of 32 random bytes some 30 differ; fewer than 20 occur once in more than 10^15 keys.
  return new Set(bytes).size < 20 ? "is too easy to guess" : null;
}

/** The Shannon entropy of its characters, times their number. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / text.length), 0);
}

/** Whether pairs of neighbours recur often, as in `0123456789abcdef` twice. */
function isRepetitive(text: string): boolean {
  const start = text.slice(0, 64);
  const pairs = new Set(Array.from({ length: start.length - 1 }, (_, at) => start.slice(at, at + 2)));
  return pairs.size < 0.6 * (start.length - 1);
}

/** Whether most characters follow their neighbour in the alphabet. */
function isRow(text: string): boolean {
  const steps = Array.from({ length: text.length - 1 }, (_, at) => text.charCodeAt(at + 1) - text.charCodeAt(at));
  return steps.filter((step) => Math.abs(step) === 1).length > steps.length / 2;
}

export interface SealingKey {
  readonly id: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** AES-256 keys as `id:base64,id:base64`, in either base64 alphabet; null if one of them is invalid. */
export function parseSealingKeys(text: string): readonly SealingKey[] | null {
  const keys = text.split(",").flatMap((entry) => {
    const [, id, encoded] = /^([A-Za-z0-9_-]{1,16}):([A-Za-z0-9+/=_-]+)$/.exec(entry.trim()) ?? [];
    const bytes = decode(encoded ?? "");
    return id && bytes?.length === 32 ? [{ id, bytes }] : [];
  });
  return keys.length === text.split(",").length ? keys : null;
}

function decode(encoded: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
  } catch {
    return null;
  }
}
