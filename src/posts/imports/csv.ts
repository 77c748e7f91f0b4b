import { TableDecoder, UndecodableTable } from "./decode-table.ts";

/** Reads CSV (RFC 4180) as it arrives, row by row: only the row that is being read is in memory. */

/** More characters in one row are no row of a table of posts. */
const MAX_ROW_LENGTH = 250_000;

/** The row has bytes that the encoding of the file does not have. */
export class UndecodableRow extends Error {
  readonly row: number;
  /** What the file was read as. */
  readonly encoding: string;
  constructor(row: number, encoding: string) {
    super(`Row ${row} is not ${encoding}.`);
    this.row = row;
    this.encoding = encoding;
  }
}

/** The file is a workbook of Excel or LibreOffice. */
export class NotATable extends Error {}

/** A quote is not closed, or the row is too long. */
export class UnreadableRow extends Error {
  readonly row: number;
  constructor(row: number) {
    super(`Row ${row} cannot be read.`);
    this.row = row;
  }
}

const SEPARATORS = [",", ";", "\t"] as const;
/** The line by which Excel and LibreOffice name the separator; they do not show it as a row. */
const SEPARATOR_LINE = /^"?sep=(.)"?$/i;

/** The rows of a file as they arrive. */
export interface CsvRows {
  readonly rows: AsyncGenerator<CsvRow>;
  /** What the file was read as so far. */
  readonly encoding: () => string;
}

/**
 * The rows of the file; the first one has the names. Columns are separated by commas, semicolons or tabs:
 * by what the first row has most of, or by what a line `sep=;` before it names. Line ends are LF, CRLF or
 * CR, and empty lines are skipped but counted. `charset`: the canonical name of the one that the sender
 * declares. Reading throws `UnreadableRow`, `UndecodableRow` and `NotATable`.
 */
export function readCsv(body: ReadableStream<Uint8Array>, charset: string | null = null): CsvRows {
  const decoder = new TableDecoder(charset);
  return { rows: readRows(body, decoder), encoding: () => decoder.encoding };
}

async function* readRows(body: ReadableStream<Uint8Array>, decoder: TableDecoder): AsyncGenerator<CsvRow> {
  const reader = new RowReader();
  // A file that is refused is not read on: the rest of the request is discarded (http/body.ts).
  for await (const chunk of body.values({ preventCancel: true }))
    yield* reader.read(certain(reader, () => decoder.write(chunk)));
  yield* reader.read(certain(reader, () => decoder.end()));
  yield* reader.end();
}

/** The decoded text; or throws the row that cannot be decoded. */
function certain(reader: RowReader, decode: () => string): string {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof UndecodableTable)) throw error;
    if (error.encoding === null) throw new NotATable();
    // The rows before it are not needed any more.
    for (const _ of reader.read(`${error.before}?`));
    throw new UndecodableRow(reader.row, error.encoding);
  }
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
  #isSeparatorLine = false;

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
    const head = this.#head ?? "";
    const [names = ""] = head.split(/[\r\n]/, 1);
    const named = SEPARATOR_LINE.exec(names)?.[1];
    const [first] = SEPARATORS.toSorted((a, b) => names.split(b).length - names.split(a).length);
    this.#separator = named ?? first ?? ",";
    this.#isSeparatorLine = named !== undefined;
    this.#head = null;
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
    const row = { row: this.#row, cells: this.#isSeparatorLine ? [] : this.#cells };
    if (!this.#isSeparatorLine) this.#row += 1;
    this.#isSeparatorLine = false;
    this.#cells = [];
    this.#length = 0;
    this.#isQuoted = false;
    this.#isQuoteOpen = false;
    if (row.cells.some((cell) => cell.trim() !== "")) yield row;
  }
}
