import { decodeUtf8 } from "../../core/text-faults.ts";

/**
 * The encoding of a file of posts, decided as it arrives. A byte order mark decides. Then a file is UTF-8
 * if it decodes as UTF-8; else it has the charset that its sender declares; else it is what Excel's "CSV"
 * writes, Windows-1252 (with the line ends of "CSV (Macintosh)": Mac OS Roman).
 *
 * No letter is replaced: bytes that the encoding does not have refuse the file. So do two encodings in one
 * file, and words that no language of Windows-1252 has.
 */

/** Bytes that are read before an encoding is chosen, from the first letter beyond ASCII. */
const WINDOW = 64 * 1024;
const MARK_BYTES = 4;

/** The file has bytes that its encoding does not have, or is no text. */
export class UndecodableTable extends Error {
  /** What it was read as; null for a workbook of Excel or LibreOffice. */
  readonly encoding: string | null;
  /** The text of the same piece before the first such byte. */
  readonly before: string;
  constructor(encoding: string | null, before: string) {
    super("The table cannot be decoded.");
    this.encoding = encoding;
    this.before = before;
  }
}

/** ASCII letters are other bytes there, so a file may look like UTF-8. */
const isWide = (encoding: string): boolean => /^(?:utf-16|iso-2022)/.test(encoding);

type Decode = (bytes: Uint8Array, isLast: boolean) => string;

export class TableDecoder {
  readonly #declared: string | null;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #needed = MARK_BYTES;
  #isBegun = false;
  #encoding: string | null = null;
  #decode: Decode | null = null;
  #hasLineFeed = false;

  /** `declared`: the canonical name of the charset that the sender declares; null without one. */
  constructor(declared: string | null) {
    this.#declared = declared;
  }

  /** What the file was read as; UTF-8 if it has nothing but ASCII. */
  get encoding(): string {
    return this.#encoding ?? "utf-8";
  }

  /** The text of the bytes, as far as it is certain. Throws `UndecodableTable`. */
  write(chunk: Uint8Array, isLast = false): string {
    if (this.#decode) return this.#decode(chunk, isLast);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes < this.#needed && !isLast) return "";
    const bytes = joined(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    this.#needed = 1;
    const decode = this.#isBegun ? null : this.#begin(bytes);
    return decode ? decode(bytes, isLast) : this.#undecided(bytes, isLast);
  }

  end(): string {
    return this.write(new Uint8Array(), true);
  }

  /** Null if the first bytes do not decide. */
  #begin(bytes: Uint8Array): Decode | null {
    this.#isBegun = true;
    if (WORKBOOKS.some((mark) => beginsWith(bytes, mark))) throw new UndecodableTable(null, "");
    const marked = MARKS.find(([mark]) => beginsWith(bytes, mark))?.[1];
    const sure = marked ?? (this.#declared !== null && isWide(this.#declared) ? this.#declared : null);
    return sure === null ? null : this.#choose(sure);
  }

  #choose(encoding: string): Decode {
    this.#encoding = encoding;
    this.#decode = encoding === "utf-8" ? utf8Decoder() : fatalDecoder(encoding);
    return this.#decode;
  }

  /** ASCII is the same in every encoding that is left. */
  #undecided(bytes: Uint8Array, isLast: boolean): string {
    const first = bytes.findIndex((byte) => byte >= 0x80);
    const ascii = first < 0 ? bytes : bytes.subarray(0, first);
    this.#hasLineFeed ||= ascii.includes(LINE_FEED);
    const text = new TextDecoder().decode(ascii);
    if (first < 0) return text;
    const rest = bytes.subarray(first);
    if (rest.length < WINDOW && !isLast) {
      this.#held = [rest];
      this.#heldBytes = rest.length;
      this.#needed = WINDOW;
      return text;
    }
    const decode = this.#choose(this.#encodingOf(rest, text, isLast));
    try {
      return text + decode(rest, isLast);
    } catch (error) {
      throw error instanceof UndecodableTable ? new UndecodableTable(error.encoding, text + error.before) : error;
    }
  }

  #encodingOf(bytes: Uint8Array, before: string, isLast: boolean): string {
    const { whole, broken, firstBroken } = sequencesIn(bytes, isLast);
    if (broken === 0) return "utf-8";
    if (this.#declared === "utf-8") return "utf-8";
    if (this.#declared !== null) return this.#declared;
    // UTF-8 with a damaged letter, or parts in two encodings.
    if (whole >= broken) return "utf-8";
    const isMac = !this.#hasLineFeed && !bytes.includes(LINE_FEED) && (before.includes("\r") || bytes.includes(RETURN));
    const encoding = isMac ? "macintosh" : "windows-1252";
    const foreign = foreignWordIn(bytes, encoding);
    if (foreign < 0) return encoding;
    const text = new TextDecoder(encoding).decode(bytes.subarray(0, Math.max(foreign, firstBroken)));
    throw new UndecodableTable(encoding, before + text);
  }
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

const MARKS = [
  [[0xef, 0xbb, 0xbf], "utf-8"],
  [[0xff, 0xfe], "utf-16le"],
  [[0xfe, 0xff], "utf-16be"],
] as const;

/** A ZIP file (XLSX, ODS), and a file of the old Excel. */
const WORKBOOKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
] as const;

const beginsWith = (bytes: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, index) => bytes[index] === byte);

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first = new Uint8Array(), ...others] = parts;
  if (others.length === 0) return first;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The length of the UTF-8 sequence that a byte begins; 0 for a byte that begins none. */
function lengthFrom(byte: number): number {
  if (byte < 0x80) return 1;
  if (byte >= 0xc2 && byte <= 0xdf) return 2;
  if (byte >= 0xe0 && byte <= 0xef) return 3;
  return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/**
 * How many letters beyond ASCII are whole in UTF-8, and how many bytes are not. A piece may end within one.
 */
function sequencesIn(bytes: Uint8Array, isLast: boolean): { whole: number; broken: number; firstBroken: number } {
  let [whole, broken, firstBroken] = [0, 0, bytes.length];
  for (let at = 0; at < bytes.length; ) {
    const length = lengthFrom(bytes[at] ?? 0);
    const end = at + length;
    const isCut = isLast && end > bytes.length;
    const isWhole = length > 0 && !isCut && bytes.subarray(at + 1, end).every(continues);
    if (!isWhole) {
      broken += 1;
      firstBroken = Math.min(firstBroken, at);
    } else if (length > 1) whole += 1;
    at += isWhole ? length : 1;
  }
  return { whole, broken, firstBroken };
}

/** In UTF-8, keeping the bytes of a letter that is not complete. */
function utf8Decoder(): Decode {
  let kept = new Uint8Array();
  return (chunk, isLast) => {
    const bytes = joined([kept, chunk].filter(({ length }) => length > 0));
    const end = isLast ? bytes.length : completeEnd(bytes);
    kept = bytes.slice(end);
    const text = decodeUtf8(bytes.subarray(0, end));
    if (typeof text === "string") return text;
    throw new UndecodableTable("utf-8", new TextDecoder().decode(bytes.subarray(0, text.at)));
  };
}

/** Where the last complete letter ends. */
function completeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (!continues(byte)) return lengthFrom(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** Bytes for which Windows-1252 has no letter. */
const UNUSED_1252 = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

function fatalDecoder(encoding: string): Decode {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false });
  const before = (bytes: Uint8Array) => new TextDecoder(encoding).decode(bytes).split("\ufffd", 1)[0] ?? "";
  return (bytes, isLast) => {
    const unused = encoding === "windows-1252" ? bytes.findIndex((byte) => UNUSED_1252.includes(byte)) : -1;
    if (unused >= 0) throw new UndecodableTable(encoding, before(bytes.subarray(0, unused)));
    try {
      return decoder.decode(bytes, { stream: !isLast });
    } catch {
      throw new UndecodableTable(encoding, before(bytes));
    }
  };
}

/** Words of so many letters, none of them in ASCII, are in Cyrillic, Greek, Hebrew or an encoding of Asia. */
const FOREIGN_WORD = 4;

/**
 * Where a word begins whose letters are all beyond ASCII, although the encoding is one of Western Europe; -1
 * without one. Quotation marks and signs count only between two letters.
 */
function foreignWordIn(bytes: Uint8Array, encoding: string): number {
  const text = new TextDecoder(encoding).decode(bytes);
  // Each byte is one letter.
  for (const { 0: word, index } of text.matchAll(/[A-Za-z\x80-\uffff]+/g)) {
    if (word.length < FOREIGN_WORD || /[A-Za-z\s]/.test(word)) continue;
    const letters = word.match(/\p{L}/gu) ?? [];
    if (letters.length >= word.length / 3 && new Set(letters).size > 1) return index;
  }
  return -1;
}
