// Content ids: the hash of a file, or of a record in canonical CBOR (dag-cbor). Links to files are tagged.

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const RAW = 0x55;
const DAG_CBOR = 0x71;

export const fileCid = (bytes: Uint8Array<ArrayBuffer>) => cidOf(RAW, bytes);
export const recordCid = (record: unknown) => cidOf(DAG_CBOR, Uint8Array.from(encode(record)));

/** A valid id of a record that is no hash of it: other people's records are not read by their content. */
export const markedCid = (mark: string): string =>
  `b${base32(Uint8Array.from([1, DAG_CBOR, 0x12, 32, ...new TextEncoder().encode(mark.padEnd(32, ".").slice(0, 32))]))}`;

async function cidOf(codec: number, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return `b${base32(Uint8Array.from([1, codec, 0x12, digest.length, ...digest]))}`;
}

function base32(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = "";
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}

function unbase32(text: string): number[] {
  let bits = 0;
  let value = 0;
  const bytes: number[] = [];
  for (const char of text) {
    value = (value << 5) | BASE32.indexOf(char);
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 255);
    value &= (1 << bits) - 1;
  }
  return bytes;
}

const utf8 = new TextEncoder();

function encode(value: unknown): number[] {
  if (value === null) return [0xf6];
  if (typeof value === "boolean") return [value ? 0xf5 : 0xf4];
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") {
    const bytes = utf8.encode(value);
    return [...head(3, bytes.length), ...bytes];
  }
  if (Array.isArray(value)) return [...head(4, value.length), ...value.flatMap(encode)];
  const entries = Object.entries(value as object);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === "$link" && typeof first[1] === "string") return link(first[1]);
  const keyed = entries.map(([key, item]) => [utf8.encode(key), item] as const).sort(([a], [b]) => inOrder(a, b));
  return [
    ...head(5, keyed.length),
    ...keyed.flatMap(([key, item]) => [...head(3, key.length), ...key, ...encode(item)]),
  ];
}

/** Shorter keys first. */
function inOrder(a: Uint8Array, b: Uint8Array): number {
  if (a.length !== b.length) return a.length - b.length;
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}

function link(cid: string): number[] {
  const bytes = [0, ...unbase32(cid.slice(1))];
  return [...head(6, 42), ...head(2, bytes.length), ...bytes];
}

function head(major: number, count: number): number[] {
  const type = major << 5;
  if (count < 24) return [type | count];
  if (count < 0x100) return [type | 24, count];
  if (count < 0x10000) return [type | 25, count >> 8, count & 255];
  if (count < 0x100000000) return [type | 26, count >>> 24, (count >> 16) & 255, (count >> 8) & 255, count & 255];
  return [type | 27, ...head(0, Math.floor(count / 0x100000000)).slice(-4), ...head(0, count % 0x100000000).slice(-4)];
}
