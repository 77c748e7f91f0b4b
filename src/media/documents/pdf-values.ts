import { latin1 } from "../bytes.ts";
import type { Parts } from "../parts.ts";

/**
 * The values of a PDF file (ISO 32000-1, 7.3) that lead to its pages. Text strings are skipped: no address
 * and no number is one.
 */
export type PdfValue = number | PdfName | PdfReference | PdfDictionary | readonly PdfValue[] | null;

export interface PdfName {
  readonly name: string;
}

export interface PdfReference {
  readonly object: number;
}

export interface PdfDictionary {
  readonly fields: ReadonlyMap<string, PdfValue>;
}

export const dictionaryOf = (value: PdfValue | undefined): PdfDictionary | null =>
  typeof value === "object" && value !== null && "fields" in value ? value : null;

export const referenceOf = (value: PdfValue | undefined): PdfReference | null =>
  typeof value === "object" && value !== null && "object" in value ? value : null;

export const nameOf = (value: PdfValue | undefined): string | null =>
  typeof value === "object" && value !== null && "name" in value ? value.name : null;

/** A whole number that is not negative; null for any other value. */
export const countOf = (value: PdfValue | undefined): number | null =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** An array of such numbers; null if one is no such number. */
export function countsOf(value: PdfValue | undefined): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  const counts = value.flatMap((one: PdfValue) => countOf(one) ?? []);
  return counts.length === value.length ? counts : null;
}

/** Nested values of a valid file are a few levels deep. */
const MAX_DEPTH = 32;

/** The bytes end before the value, or are none. */
export class NoValue extends Error {
  constructor() {
    super("The bytes are no value of a PDF file.");
  }
}

/** Reads values one after the other. Each counts as a part of the file. */
export class PdfTokens {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #parts: Parts;

  constructor(bytes: Uint8Array, at: number, parts: Parts) {
    this.#bytes = bytes;
    this.#parts = parts;
    this.at = at;
  }

  /** Throws `NoValue`, and `TooManyParts`. */
  value(depth = 0): PdfValue {
    this.#parts.take();
    if (depth > MAX_DEPTH) throw new NoValue();
    this.skipSpace();
    const first = this.#char();
    if (first === "/") return { name: this.#name() };
    if (first === "<") return this.#bytes[this.at + 1] === 0x3c ? this.#dictionary(depth) : this.#skipTo(">");
    if (first === "[") return this.#array(depth);
    if (first === "(") return this.#skipString();
    if (/[-+.\d]/.test(first)) return this.#numberOrReference();
    return this.#word();
  }

  /** Whether this word follows; reads it if so. */
  takes(word: string): boolean {
    this.skipSpace();
    if (latin1(this.#bytes, this.at, word.length) !== word) return false;
    this.at += word.length;
    return true;
  }

  skipSpace(): void {
    for (; this.at < this.#bytes.byteLength; this.at += 1) {
      const char = this.#char();
      if (char === "%") this.#skipComment();
      else if (!isSpace(char)) return;
    }
  }

  #char(): string {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw new NoValue();
    return String.fromCharCode(byte);
  }

  #skipComment(): void {
    while (this.at < this.#bytes.byteLength && !/[\r\n]/.test(this.#char())) this.at += 1;
  }

  #skipTo(end: string): null {
    const at = this.#bytes.indexOf(end.charCodeAt(0), this.at);
    if (at < 0) throw new NoValue();
    this.at = at + 1;
    return null;
  }

  #skipString(): null {
    let depth = 0;
    do {
      const char = this.#char();
      if (char === "\\") this.at += 1;
      else if (char === "(") depth += 1;
      else if (char === ")") depth -= 1;
      this.at += 1;
    } while (depth > 0);
    return null;
  }

  #regular(): string {
    const start = this.at;
    while (this.at < this.#bytes.byteLength && isRegular(this.#char())) this.at += 1;
    return latin1(this.#bytes, start, Math.min(this.at - start, 256));
  }

  #name(): string {
    this.at += 1;
    return this.#regular().replace(/#([\da-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  }

  #dictionary(depth: number): PdfDictionary {
    this.at += 2;
    const fields = new Map<string, PdfValue>();
    while (!this.takes(">>")) {
      const key = nameOf(this.value(depth + 1));
      if (key === null) throw new NoValue();
      fields.set(key, this.value(depth + 1));
    }
    return { fields };
  }

  #array(depth: number): readonly PdfValue[] {
    this.at += 1;
    const values: PdfValue[] = [];
    while (!this.takes("]")) values.push(this.value(depth + 1));
    return values;
  }

  #numberOrReference(): number | PdfReference {
    const number = Number(this.#regular());
    if (Number.isNaN(number)) throw new NoValue();
    const after = /^\s{1,8}\d{1,5}\s{1,8}R(?![A-Za-z])/.exec(latin1(this.#bytes, this.at, 24));
    if (!after || countOf(number) === null) return number;
    this.at += after[0].length;
    return { object: number };
  }

  #word(): null {
    if (this.#regular() === "") throw new NoValue();
    return null;
  }
}

function isSpace(char: string): boolean {
  return char === "\0" || char === "\t" || char === "\n" || char === "\f" || char === "\r" || char === " ";
}

function isRegular(char: string): boolean {
  return !isSpace(char) && !"()<>[]{}/%".includes(char);
}
