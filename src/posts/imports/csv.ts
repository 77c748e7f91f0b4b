import { decodeUtf8 } from "../../core/text-faults.ts";

/** Reads CSV (RFC 4180) as it arrives, row by row: only the row that is being read is in memory. */

/** More characters in one row are no row of a table of posts. */
const MAX_ROW_LENGTH = 250_000;

/** The row has bytes that are not UTF-8, or the file begins as UTF-16. */
export class RowNotUtf8 extends Error {
  readonly row: number;
  constructor(row: number) {
    super(`Row ${row} is not UTF-8.`);
    this.row = row;
  }
}

/** A quote is not closed, or the row is too long. */
export class UnreadableRow extends Error {
  readonly row: number;
  constructor(row: number) {
    super(`Row ${row} cannot be read.`);
    this.row = row;
  }
}

const SEPARATORS = [",", ";", "\t"] as const;

/**
 * The rows of the file; the first one has the names. Columns are separated by commas, semicolons or tabs: by
 * what the first row has most of. The file is UTF-8. Line ends are LF, CRLF or CR, and empty lines are
 * skipped but counted. Throws `UnreadableRow` and `RowNotUtf8`.
 */
export async function* readCsv(body: ReadableStream<Uint8Array>): AsyncGenerator<CsvRow> {
  const reader = new RowReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw new RowNotUtf8(reader.row + (chunk ? linesBefore(chunk) : 0));
    }
  };
  for await (const chunk of body) yield* reader.read(decode(chunk));
  yield* reader.read(decode());
  yield* reader.end();
}

/** The line ends before the first byte that is not UTF-8. */
function linesBefore(chunk: Uint8Array): number {
  const bad = decodeUtf8(chunk);
  return typeof bad === "string" ? 0 : chunk.subarray(0, bad.at).filter((byte) => byte === 0x0a).length;
}

export interface CsvRow {
  /** From 1. */
  readonly row: number;
  readonly cells: readonly string[];
}

class RowReader {
  #row = 1;
  /** The beginning of the file until its first line end, which decides on the separator. */
  #head: string | null = "";
  #separator = ",";
  #cells: string[] = [];
  #cell = "";
  #length = 0;
  #isQuoted = false;
  /** A quote within quotes: the next character decides whether it ends them. */
  #isQuoteOpen = false;
  #wasReturn = false;

  /** The row that is being read. */
  get row(): number {
    return this.#row;
  }

  *read(text: string): Generator<CsvRow> {
    if (this.#head === null) return yield* this.#take(text);
    this.#head += text;
    // Of the new piece alone: a slow sender decides how many there are.
    if (!/[\r\n]/.test(text) && this.#head.length < MAX_ROW_LENGTH) return;
    yield* this.#begin();
  }

  *end(): Generator<CsvRow> {
    if (this.#head !== null) yield* this.#begin();
    if (this.#isQuoted && !this.#isQuoteOpen) throw new UnreadableRow(this.#row);
    if (this.#length > 0) yield* this.#endRow();
  }

  *#begin(): Generator<CsvRow> {
    const head = (this.#head ?? "").replace(/^\uFEFF/, "");
    this.#head = null;
    const [names = ""] = head.split(/[\r\n]/, 1);
    const [first] = SEPARATORS.toSorted((a, b) => names.split(b).length - names.split(a).length);
    this.#separator = first ?? ",";
    yield* this.#take(head);
  }

  *#take(text: string): Generator<CsvRow> {
    for (const letter of text) {
      const isNewLine = letter === "\n" && this.#wasReturn;
      this.#wasReturn = false;
      // The second half of CRLF.
      if (isNewLine && !this.#isQuoted) continue;
      this.#length += letter.length;
      if (this.#length > MAX_ROW_LENGTH) throw new UnreadableRow(this.#row);
      if (this.#isQuoted && !this.#isQuoteOpen) {
        if (letter === '"') this.#isQuoteOpen = true;
        else this.#cell += letter;
        continue;
      }
      if (this.#isQuoteOpen) {
        this.#isQuoteOpen = false;
        if (letter === '"') {
          this.#cell += '"';
          continue;
        }
        this.#isQuoted = false;
      }
      if (letter === '"' && this.#cell === "") this.#isQuoted = true;
      else if (letter === this.#separator) this.#endCell();
      else if (letter === "\n" || letter === "\r") {
        this.#wasReturn = letter === "\r";
        yield* this.#endRow();
      } else this.#cell += letter;
    }
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    this.#cell = "";
  }

  *#endRow(): Generator<CsvRow> {
    this.#endCell();
    const row = { row: this.#row, cells: this.#cells };
    this.#row += 1;
    this.#cells = [];
    this.#length = 0;
    this.#isQuoted = false;
    this.#isQuoteOpen = false;
    if (row.cells.some((cell) => cell.trim() !== "")) yield row;
  }
}
