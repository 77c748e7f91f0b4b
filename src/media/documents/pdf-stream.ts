import { inflated } from "./inflate.ts";
import { countOf, dictionaryOf, nameOf, type PdfDictionary, PdfTokens, type PdfValue } from "./pdf-values.ts";
import type { Window } from "./window.ts";

/**
 * The streams of a PDF file that hold other objects, or say where objects are (ISO 32000-1, 7.5.7 and 7.5.8):
 * compressed by Flate, with the predictors of PNG.
 */

/** Compressed, and decompressed: the table of a file with some 100,000 objects. */
const MAX_STREAM_BYTES = 2 * 1024 * 1024;
/** A dictionary is far smaller. */
export const MAX_OBJECT_BYTES = 64 * 1024;

export interface PdfStream {
  readonly dictionary: PdfDictionary;
  readonly data: Uint8Array;
}

/** The dictionary of the object at an offset, and the offset after the word that begins its data. */
export async function dictionaryAt(window: Window, offset: number) {
  const bytes = await window.from(offset, MAX_OBJECT_BYTES);
  const tokens = new PdfTokens(bytes.subarray(0, MAX_OBJECT_BYTES), 0, window.parts);
  const number = countOf(tokens.value());
  const generation = countOf(tokens.value());
  if (number === null || generation === null || !tokens.takes("obj")) return null;
  const value: PdfValue = tokens.value();
  const isStream = tokens.takes("stream");
  if (isStream && bytes[tokens.at] === 0x0d) tokens.at += 1;
  if (isStream && bytes[tokens.at] === 0x0a) tokens.at += 1;
  return { value, dataAt: isStream ? offset + tokens.at : null };
}

/** The decompressed stream at an offset; null if it is none, too large, or compressed in another way. */
export async function streamAt(window: Window, offset: number): Promise<PdfStream | null> {
  const found = await dictionaryAt(window, offset);
  const dictionary = dictionaryOf(found?.value);
  if (!found || found.dataAt === null || dictionary === null) return null;
  const length = countOf(dictionary.fields.get("Length"));
  if (length === null || length > MAX_STREAM_BYTES) return null;
  const raw = await window.exactly(found.dataAt, length);
  const data = await decoded(raw, dictionary);
  return data === null ? null : { dictionary, data };
}

function only(value: PdfValue | undefined): PdfValue | undefined {
  return Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value;
}

async function decoded(raw: Uint8Array, { fields }: PdfDictionary): Promise<Uint8Array | null> {
  const filter = fields.get("Filter");
  if (filter === undefined) return raw;
  if (nameOf(only(filter)) !== "FlateDecode") return null;
  const data = await inflated(raw, "deflate", MAX_STREAM_BYTES);
  const parameters = dictionaryOf(only(fields.get("DecodeParms")))?.fields;
  const predictor = countOf(parameters?.get("Predictor")) ?? 1;
  if (data === null || predictor === 1) return data;
  const samples = (countOf(parameters?.get("Colors")) ?? 1) * (countOf(parameters?.get("BitsPerComponent")) ?? 8);
  const pixelBytes = Math.max(1, Math.ceil(samples / 8));
  const rowBytes = Math.ceil((samples * (countOf(parameters?.get("Columns")) ?? 1)) / 8);
  return predictor >= 10 && rowBytes > 0 && rowBytes <= data.byteLength
    ? unpredicted(data, rowBytes, pixelBytes)
    : null;
}

/** Undoes the filters of PNG: each row begins with the number of its own. */
function unpredicted(data: Uint8Array, rowBytes: number, pixelBytes: number): Uint8Array {
  const rows = Math.floor(data.byteLength / (rowBytes + 1));
  const out = new Uint8Array(rows * rowBytes);
  let above = new Uint8Array(rowBytes);
  for (let row = 0; row < rows; row += 1) {
    const at = row * (rowBytes + 1);
    const line = out.subarray(row * rowBytes, (row + 1) * rowBytes);
    line.set(data.subarray(at + 1, at + 1 + rowBytes));
    unfilterRow(data[at] ?? 0, line, above, pixelBytes);
    above = line;
  }
  return out;
}

/** Undoes the filter of one row of a PNG (ISO 15948, 9.2) in place. */
export function unfilterRow(filter: number, line: Uint8Array, above: Uint8Array, pixelBytes: number): void {
  for (let at = 0; filter > 0 && at < line.byteLength; at += 1) {
    const left = at < pixelBytes ? 0 : (line[at - pixelBytes] ?? 0);
    const up = above[at] ?? 0;
    const corner = at < pixelBytes ? 0 : (above[at - pixelBytes] ?? 0);
    const predicted =
      filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
    line[at] = (line[at] ?? 0) + predicted;
  }
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - corner - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** A number of so many bytes. */
export function numberAt(data: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let index = 0; index < width; index += 1) value = value * 256 + (data[at + index] ?? 0);
  return value;
}
