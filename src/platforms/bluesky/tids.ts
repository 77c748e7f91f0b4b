/**
 * Record keys: 53 bits of microseconds and ten random bits, in thirteen characters that sort by time. A post
 * gets its key before it is sent, so sending it again finds it.
 */
const ALPHABET = "234567abcdefghijklmnopqrstuvwxyz";
const LENGTH = 13;
const CLOCK_BITS = 10n;

/** One key per item, in the order of the items, from this time on. */
export function newKeys(now: number, count: number): string[] {
  const clock = BigInt(crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) & ((1n << CLOCK_BITS) - 1n);
  const within = BigInt(crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) % 1_000n;
  return Array.from({ length: count }, (_, index) =>
    encode(((BigInt(now + index) * 1_000n + within) << CLOCK_BITS) | clock),
  );
}

/** Microseconds from 1970 to 2023: no key of a text lies in the future. */
const PAST = 1_672_531_200_000_000n;

/** The same key for the same text, and another one for another text. */
export async function keyFrom(text: string): Promise<string> {
  const digest = new DataView(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
  const clock = digest.getBigUint64(8) & ((1n << CLOCK_BITS) - 1n);
  return encode(((digest.getBigUint64(0) % PAST) << CLOCK_BITS) | clock);
}

function encode(value: bigint): string {
  let text = "";
  for (let rest = value; text.length < LENGTH; rest >>= 5n) text = (ALPHABET[Number(rest & 31n)] ?? "") + text;
  return text;
}
