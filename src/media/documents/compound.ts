import { viewOf } from "../bytes.ts";
import type { DocumentOutcome } from "../header.ts";
import type { Scan } from "../scan.ts";
import { readThrough, type Window } from "./window.ts";

/**
 * Documents of Office 97 to 2003: compound files (MS-CFB), in which streams are named. They do not say how
 * many pages they have where it could be read cheaply.
 */
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const MAX_DIRECTORY_SECTORS = 256;
const FREE = 0xffffffff;
const LAST = 0xfffffffa;
/** Entries of the allocation table whose sectors the header names. */
const HEADER_TABLES = 109;

interface Entry {
  readonly name: string;
  readonly start: number;
}

export const readCompound = (scan: Scan): Promise<DocumentOutcome> => readThrough(scan, read);

async function read(window: Window): Promise<DocumentOutcome> {
  const header = await window.exactly(0, HEADER_BYTES);
  if (header.byteLength < HEADER_BYTES) return { kind: "cut_off" };
  const view = viewOf(header);
  const shift = view.getUint16(30, true);
  if (shift !== 9 && shift !== 12) return { kind: "damaged" };
  const sectors = new Sectors(window, view, shift);
  if (await sectors.isCutOff()) return { kind: "cut_off" };
  const entries = await directoryOf(sectors, view.getUint32(48, true));
  if (entries === null) return { kind: "damaged" };
  const named = (...names: readonly string[]) => entries.find(({ name }) => names.includes(name));
  if (named("EncryptedPackage", "EncryptedSummary")) return { kind: "locked" };
  if (named("_VBA_PROJECT", "VBA", "Macros", "_VBA_PROJECT_CUR")) return { kind: "macros" };
  const word = named("WordDocument");
  if (word) return (await isLockedWord(sectors, word)) ? { kind: "locked" } : documentOf("application/msword");
  if (named("PowerPoint Document")) return documentOf("application/vnd.ms-powerpoint");
  return {
    kind: "other",
    word: named("Workbook", "Book") ? "an Excel workbook" : "an office document of another kind",
  };
}

const documentOf = (mime: string) => ({ kind: "document", mime, pages: null }) as const;

/** The first sectors of the directory, in which documents have all their streams. */
async function directoryOf(sectors: Sectors, start: number): Promise<readonly Entry[] | null> {
  const entries: Entry[] = [];
  for (let sector = start, count = 0; sector < LAST && count < MAX_DIRECTORY_SECTORS; count += 1) {
    const bytes = await sectors.read(sector);
    const view = viewOf(bytes);
    for (let at = 0; at + ENTRY_BYTES <= bytes.byteLength; at += ENTRY_BYTES) {
      const nameBytes = view.getUint16(at + 64, true);
      if (nameBytes < 2 || nameBytes > 64) continue;
      const name = new TextDecoder("utf-16le").decode(bytes.subarray(at, at + nameBytes - 2));
      entries.push({ name, start: view.getUint32(at + 116, true) });
    }
    const next = await sectors.next(sector);
    if (next === null) return null;
    sector = next;
  }
  return entries.length === 0 ? null : entries;
}

const WORD_FLAGS = 10;
const IS_ENCRYPTED = 0x0100;

/** The flags at the beginning of the text. */
async function isLockedWord(sectors: Sectors, { start }: Entry): Promise<boolean> {
  const bytes = await sectors.read(start);
  return bytes.byteLength >= 12 && (viewOf(bytes).getUint16(WORD_FLAGS, true) & IS_ENCRYPTED) !== 0;
}

/** The sectors of a compound file, and its allocation table, which names the sector after each. */
class Sectors {
  readonly #window: Window;
  readonly #header: DataView;
  readonly #bytes: number;

  constructor(window: Window, header: DataView, shift: number) {
    this.#window = window;
    this.#header = header;
    this.#bytes = 1 << shift;
  }

  read(sector: number): Promise<Uint8Array> {
    this.#window.parts.take();
    return this.#window.exactly((sector + 1) * this.#bytes, this.#bytes);
  }

  /** Null if the table does not reach so far. */
  async next(sector: number): Promise<number | null> {
    const perTable = this.#bytes / 4;
    const table = await this.#table(Math.floor(sector / perTable));
    const at = (sector % perTable) * 4;
    return table === null || at + 4 > table.byteLength ? null : viewOf(table).getUint32(at, true);
  }

  /** Whether the table names a sector behind the end of the file. The last one may be shorter. */
  async isCutOff(): Promise<boolean> {
    const tables = Math.min(this.#header.getUint32(44, true), HEADER_TABLES);
    const table = tables === 0 ? null : await this.#table(tables - 1);
    if (table === null) return true;
    const view = viewOf(table);
    let used = table.byteLength / 4;
    while (used > 0 && view.getUint32((used - 1) * 4, true) === FREE) used -= 1;
    const sectors = (tables - 1) * (this.#bytes / 4) + used;
    return sectors * this.#bytes >= this.#window.length;
  }

  async #table(index: number): Promise<Uint8Array | null> {
    if (index >= HEADER_TABLES) return null;
    const sector = this.#header.getUint32(76 + index * 4, true);
    if (sector >= LAST) return null;
    const bytes = await this.read(sector);
    return bytes.byteLength < this.#bytes ? null : bytes;
  }
}
