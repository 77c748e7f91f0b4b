/** The entries of a zip archive by its directory, as programs for people read it. */
export function entriesOf(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const end = lastIndexOf(view, 0x06054b50);
  const entries = new Map<string, Uint8Array>();
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    if (view.getUint32(at, true) !== 0x02014b50) throw new Error("No entry of the directory.");
    const [crc, size] = [view.getUint32(at + 16, true), view.getUint32(at + 20, true)];
    const [nameLength, extra, note] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + (nameLength ?? 0)));
    const local = view.getUint32(at + 42, true);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = archive.subarray(start, start + size);
    if (crcOf(content) !== crc) throw new Error(`The checksum of ${name} is wrong.`);
    if (entries.has(name)) throw new Error(`${name} is in the archive twice.`);
    entries.set(name, content);
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (note ?? 0);
  }
  return entries;
}

function lastIndexOf(view: DataView, mark: number): number {
  for (let at = view.byteLength - 22; at >= 0; at--) if (view.getUint32(at, true) === mark) return at;
  throw new Error("No end of a zip archive.");
}

/** The comment after the directory. */
export function commentOf(archive: Uint8Array): string {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  return new TextDecoder().decode(archive.subarray(lastIndexOf(view, 0x06054b50) + 22));
}

/** Bit by bit, unlike the archive's writer. */
function crcOf(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
