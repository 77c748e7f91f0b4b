/**
 * A zip archive without compression, written while its entries are read: memory holds one chunk. Sizes and
 * checksums follow each entry (a data descriptor), as they are known only then. It has no Zip64 fields, so an
 * archive must stay below 4 GiB and 65,535 entries; the caller sees to that. Format: APPNOTE.TXT 6.3.
 */
export interface ZipEntry {
  /** Its path in the archive. */
  readonly name: string;
  readonly at: number;
  readonly content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

const LOCAL = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const VERSION = 20;
/** A descriptor follows, and names are UTF-8. */
const FLAGS = 0x0808;
const STORED = 0;

interface Written {
  readonly name: Uint8Array;
  readonly stamp: readonly Field[];
  readonly crc: number;
  readonly size: number;
  readonly offset: number;
}

/** The bytes of an archive. `comment` is read at the end, and follows the directory. */
export async function* zipped(
  entries: AsyncIterable<ZipEntry>,
  comment: () => string,
): AsyncGenerator<Uint8Array, void> {
  const written: Written[] = [];
  let offset = 0;
  for await (const entry of entries) {
    const name = new TextEncoder().encode(entry.name);
    const stamp = stampOf(entry.at);
    const head = record(
      [LOCAL, 4],
      [VERSION, 2],
      [FLAGS, 2],
      [STORED, 2],
      ...stamp,
      ...NOTHING,
      [name.length, 2],
      [0, 2],
    );
    yield head;
    yield name;
    let crc = 0xffff_ffff;
    let size = 0;
    for await (const chunk of entry.content) {
      crc = updated(crc, chunk);
      size += chunk.length;
      yield chunk;
    }
    crc = ~crc >>> 0;
    const descriptor = record([DESCRIPTOR, 4], [crc, 4], [size, 4], [size, 4]);
    yield descriptor;
    written.push({ name, stamp, crc, size, offset });
    offset += head.length + name.length + size + descriptor.length;
  }
  const start = offset;
  for (const { name, stamp, crc, size, offset: at } of written) {
    const fields: readonly Field[] = [[VERSION, 2], [VERSION, 2], [FLAGS, 2], [STORED, 2], ...stamp];
    const rest: readonly Field[] = [
      [name.length, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 2],
      [0, 4],
      [at, 4],
    ];
    const head = record([CENTRAL, 4], ...fields, [crc, 4], [size, 4], [size, 4], ...rest);
    yield head;
    yield name;
    offset += head.length + name.length;
  }
  const note = new TextEncoder().encode(comment());
  const count = written.length;
  yield record([END, 4], [0, 2], [0, 2], [count, 2], [count, 2], [offset - start, 4], [start, 4], [note.length, 2]);
  yield note;
}

/** A value with its number of bytes. */
type Field = readonly [value: number, bytes: 2 | 4];

/** The checksum and both sizes, which are unknown in the header. */
const NOTHING: readonly Field[] = [
  [0, 4],
  [0, 4],
  [0, 4],
];

function record(...fields: readonly Field[]): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [, length]) => sum + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, length] of fields) {
    if (length === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += length;
  }
  return bytes;
}

/** The time in UTC, as MS-DOS has it: from 1980 on, to two seconds. */
function stampOf(at: number): readonly Field[] {
  const date = new Date(at);
  const year = Math.max(0, date.getUTCFullYear() - 1980);
  const time = (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  return [
    [time, 2],
    [(year << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(), 2],
  ];
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});

function updated(crc: number, bytes: Uint8Array): number {
  let next = crc;
  for (const byte of bytes) next = (CRC_TABLE[(next ^ byte) & 255] ?? 0) ^ (next >>> 8);
  return next;
}
