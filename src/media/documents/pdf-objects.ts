import { latin1 } from "../bytes.ts";
import { dictionaryAt, numberAt, streamAt } from "./pdf-stream.ts";
import {
  countOf,
  countsOf,
  dictionaryOf,
  type PdfDictionary,
  type PdfReference,
  PdfTokens,
  type PdfValue,
  referenceOf,
} from "./pdf-values.ts";
import type { Window } from "./window.ts";

/**
 * Finds the objects of a PDF file by its cross-reference tables and streams (ISO 32000-1, 7.5). An update
 * adds a section that names the one before it; the newest entry of an object counts.
 */
type Place =
  | { readonly kind: "offset"; readonly offset: number }
  | { readonly kind: "inside"; readonly stream: number; readonly index: number };

interface Section {
  readonly trailer: PdfDictionary;
  /** Null for an object that it has no entry of. */
  place(object: number): Place | null | Promise<Place | null>;
}

/** More updates than this need more reads than a file may cost. */
const MAX_SECTIONS = 24;
const MAX_SUBSECTIONS = 2_000;
const SUBSECTION_BYTES = 64;

export class PdfObjects {
  readonly #window: Window;
  /** The offset of the file's header: offsets count from there. */
  readonly #base: number;
  readonly #sections: Section[] = [];
  readonly #seen = new Set<number>();
  #next: number[];

  constructor(window: Window, base: number, newest: number) {
    this.#window = window;
    this.#base = base;
    this.#next = [newest];
  }

  /** The dictionary of the newest section; null if it cannot be read. */
  async trailer(): Promise<PdfDictionary | null> {
    const section = this.#sections[0] ?? (await this.#load());
    return section?.trailer ?? null;
  }

  /** The dictionary that a reference names; null if it is not found. */
  async dictionary(reference: PdfReference | null): Promise<PdfDictionary | null> {
    const place = reference && (await this.#find(reference.object));
    if (!place) return null;
    return dictionaryOf(place.kind === "offset" ? await this.#at(place.offset) : await this.#inside(place));
  }

  async #at(offset: number): Promise<PdfValue> {
    return (await dictionaryAt(this.#window, this.#base + offset))?.value ?? null;
  }

  async #inside({ stream, index }: Extract<Place, { kind: "inside" }>): Promise<PdfValue> {
    const place = await this.#find(stream);
    const found = place?.kind === "offset" ? await streamAt(this.#window, this.#base + place.offset) : null;
    const first = countOf(found?.dictionary.fields.get("First"));
    if (!found || first === null) return null;
    const table = new PdfTokens(found.data, 0, this.#window.parts);
    for (let skipped = 0; skipped < index * 2 + 1; skipped += 1) table.value();
    const at = countOf(table.value());
    return at === null ? null : new PdfTokens(found.data, first + at, this.#window.parts).value();
  }

  async #find(object: number): Promise<Place | null> {
    for (let index = 0; ; index += 1) {
      const section = this.#sections[index] ?? (await this.#load());
      if (!section) return null;
      const place = await section.place(object);
      if (place) return place;
    }
  }

  async #load(): Promise<Section | null> {
    const offset = this.#next.shift();
    if (offset === undefined || this.#seen.has(offset) || this.#sections.length === MAX_SECTIONS) return null;
    this.#seen.add(offset);
    const at = this.#base + offset;
    if (at >= this.#window.length) return null;
    const start = await this.#window.from(at, SUBSECTION_BYTES);
    const isTable = latin1(start, 0, 4) === "xref";
    const section = isTable ? await readTable(this.#window, at + 4) : await readStream(this.#window, at);
    if (!section) return null;
    this.#sections.push(section);
    const { fields } = section.trailer;
    // A table may have a stream beside it, which counts before the older sections.
    this.#next = [fields.get("XRefStm"), fields.get("Prev")]
      .flatMap((value) => countOf(value) ?? [])
      .concat(this.#next);
    return section;
  }
}

interface Subsection {
  readonly first: number;
  readonly count: number;
  readonly at: number;
  /** The bytes of an entry: 20, or 19 from programs that end a line with one byte. */
  readonly width: number;
}

async function readTable(window: Window, start: number): Promise<Section | null> {
  const subsections: Subsection[] = [];
  for (let at = start; subsections.length <= MAX_SUBSECTIONS; ) {
    window.parts.take();
    const bytes = await window.from(at, SUBSECTION_BYTES);
    const head = latin1(bytes, 0, SUBSECTION_BYTES);
    const [title = "", first = "", count = ""] = /^\s*(\d{1,10})\s+(\d{1,10})\s+/.exec(head) ?? [];
    const rest = head.slice(title.length);
    if (first === "") {
      const trailer = await readTrailer(window, at);
      return trailer && { trailer, place: (object) => placeInTable(window, subsections, object) };
    }
    const entriesAt = at + title.length;
    const width = /^\d{10} \d{5} [nf][\r\n](?:\d|t|$)/.test(rest) ? 19 : 20;
    subsections.push({ first: Number(first), count: Number(count), at: entriesAt, width });
    at = entriesAt + Number(count) * width;
    if (at >= window.length) return null;
  }
  return null;
}

async function readTrailer(window: Window, at: number): Promise<PdfDictionary | null> {
  const tokens = new PdfTokens(await window.from(at, 16 * 1024), 0, window.parts);
  return tokens.takes("trailer") ? dictionaryOf(tokens.value()) : null;
}

async function placeInTable(window: Window, all: readonly Subsection[], object: number): Promise<Place | null> {
  const found = all.find(({ first, count }) => object >= first && object < first + count);
  if (!found) return null;
  const entry = latin1(await window.exactly(found.at + (object - found.first) * found.width, 18), 0, 18);
  const [, offset] = /^(\d{10}) \d{5} n$/.exec(entry) ?? [];
  return offset === undefined ? null : { kind: "offset", offset: Number(offset) };
}

const IN_FILE = 1;
const IN_STREAM = 2;

async function readStream(window: Window, at: number): Promise<Section | null> {
  const stream = await streamAt(window, at);
  const fields = stream?.dictionary.fields;
  const widths = countsOf(fields?.get("W"));
  if (!stream || !fields || widths?.length !== 3) return null;
  const [typeBytes = 0, secondBytes = 0, thirdBytes = 0] = widths;
  const size = countOf(fields.get("Size")) ?? 0;
  const index = countsOf(fields.get("Index")) ?? [0, size];
  const entryBytes = typeBytes + secondBytes + thirdBytes;
  if (entryBytes === 0 || entryBytes > 24) return null;
  const { data, dictionary: trailer } = stream;
  const place = (object: number): Place | null => {
    let before = 0;
    for (let pair = 0; pair + 1 < index.length; pair += 2) {
      const [first = 0, count = 0] = [index[pair], index[pair + 1]];
      if (object >= first && object < first + count) return entry((before + object - first) * entryBytes);
      before += count;
    }
    return null;
  };
  const entry = (offset: number): Place | null => {
    const type = typeBytes === 0 ? IN_FILE : numberAt(data, offset, typeBytes);
    const second = numberAt(data, offset + typeBytes, secondBytes);
    if (type === IN_FILE) return { kind: "offset", offset: second };
    if (type !== IN_STREAM) return null;
    return { kind: "inside", stream: second, index: numberAt(data, offset + typeBytes + secondBytes, thirdBytes) };
  };
  return { trailer, place };
}

/** The references of a dictionary. */
export const referenceIn = ({ fields }: PdfDictionary, name: string): PdfReference | null =>
  referenceOf(fields.get(name));
