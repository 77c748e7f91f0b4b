import { latin1, viewOf } from "../bytes.ts";
import { inflated } from "./inflate.ts";
import type { Window } from "./window.ts";

/** The directory of a ZIP file (APPNOTE 6.3), which stands at its end. */
export interface ZipEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  /** Offset of its local header. */
  readonly at: number;
}

export type Zip =
  | { readonly kind: "zip"; readonly entries: readonly ZipEntry[] }
  /** The directory is missing, or lies outside of the file. */
  | { readonly kind: "cut_off" | "damaged" };

const END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** Some 20,000 entries. */
const MAX_DIRECTORY_BYTES = 2 * 1024 * 1024;
const MAX_PACKED_BYTES = 512 * 1024;

export async function readZip(window: Window): Promise<Zip> {
  const tailAt = Math.max(0, window.length - END_BYTES - MAX_COMMENT_BYTES);
  const tail = await window.exactly(tailAt, END_BYTES + MAX_COMMENT_BYTES);
  const end = endOf(tail);
  if (end === null) return { kind: "cut_off" };
  const view = viewOf(tail);
  const [bytes, at] = [view.getUint32(end + 12, true), view.getUint32(end + 16, true)];
  if (at + bytes > tailAt + end || bytes > MAX_DIRECTORY_BYTES) return { kind: "damaged" };
  const directory = await window.exactly(at, bytes);
  const entries = entriesOf(directory, () => window.parts.take());
  return entries === null ? { kind: "damaged" } : { kind: "zip", entries };
}

/** The last signature whose comment ends with the file. */
function endOf(tail: Uint8Array): number | null {
  const view = viewOf(tail);
  for (let at = tail.byteLength - END_BYTES; at >= 0; at -= 1) {
    if (tail[at] !== 0x50 || view.getUint32(at, true) !== 0x06054b50) continue;
    if (at + END_BYTES + view.getUint16(at + 20, true) <= tail.byteLength) return at;
  }
  return null;
}

function entriesOf(directory: Uint8Array, take: () => void): readonly ZipEntry[] | null {
  const view = viewOf(directory);
  const entries: ZipEntry[] = [];
  for (let at = 0; at < directory.byteLength; ) {
    take();
    if (at + ENTRY_BYTES > directory.byteLength || view.getUint32(at, true) !== 0x02014b50) return null;
    const nameBytes = view.getUint16(at + 28, true);
    entries.push({
      name: latin1(directory, at + ENTRY_BYTES, Math.min(nameBytes, 512)),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      packedBytes: view.getUint32(at + 20, true),
      at: view.getUint32(at + 42, true),
    });
    at += ENTRY_BYTES + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

/** The content of an entry, at most `most` bytes; null if it has more or cannot be read. */
export async function readEntry(window: Window, entry: ZipEntry, most: number): Promise<Uint8Array | null> {
  const { at, packedBytes, method, isEncrypted } = entry;
  if (isEncrypted || packedBytes > MAX_PACKED_BYTES) return null;
  const head = await window.exactly(at, LOCAL_BYTES);
  const view = viewOf(head);
  if (head.byteLength < LOCAL_BYTES || view.getUint32(0, true) !== 0x04034b50) return null;
  const start = at + LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
  const packed = await window.exactly(start, packedBytes);
  if (packed.byteLength < packedBytes) return null;
  if (method === 0) return packed.byteLength > most ? null : packed;
  return method === 8 ? inflated(packed, "deflate-raw", most) : null;
}
