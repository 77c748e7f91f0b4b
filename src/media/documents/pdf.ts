import { latin1 } from "../bytes.ts";
import type { HeaderOutcome } from "../header.ts";
import type { Scan } from "../scan.ts";
import { PdfObjects, referenceIn } from "./pdf-objects.ts";
import { countOf, NoValue } from "./pdf-values.ts";
import { readThrough, type Window } from "./window.ts";

/**
 * A PDF file (ISO 32000-1): whether it is whole, whether it is encrypted, and its number of pages, found as a
 * reader does, from its end. What cannot be followed cheaply leaves the number unknown.
 */
const TAIL_BYTES = 16 * 1024;
/** The header may follow other bytes, up to this offset. */
export const MAX_PDF_START = 1024;

export async function readPdf(scan: Scan): Promise<HeaderOutcome> {
  try {
    return await readThrough(scan, read);
  } catch (error) {
    if (error instanceof NoValue) return pdfOf(null);
    throw error;
  }
}

async function read(window: Window): Promise<HeaderOutcome> {
  const head = await window.from(0, MAX_PDF_START + 512);
  const base = Math.max(0, latin1(head, 0, MAX_PDF_START).indexOf("%PDF-"));
  const tailAt = Math.max(0, window.length - TAIL_BYTES);
  const tail = latin1(await window.exactly(tailAt, TAIL_BYTES), 0, TAIL_BYTES);
  const endAt = tail.lastIndexOf("%%EOF");
  if (endAt < 0 || isCutOff(latin1(head, 0, MAX_PDF_START), window.length - base)) return { kind: "no_end" };
  const startAt = tail.lastIndexOf("startxref", endAt);
  const [, offset] = /^startxref\s{1,8}(\d{1,12})\s/.exec(tail.slice(Math.max(0, startAt), endAt)) ?? [];
  if (startAt < 0 || offset === undefined) return { kind: "damaged" };
  const objects = new PdfObjects(window, base, Number(offset));
  const trailer = await objects.trailer();
  if (trailer === null) return pdfOf(null);
  if ((trailer.fields.get("Encrypt") ?? null) !== null) return { kind: "locked" };
  const root = await objects.dictionary(referenceIn(trailer, "Root"));
  const pages = root && (await objects.dictionary(referenceIn(root, "Pages")));
  return pdfOf(countOf(pages?.fields.get("Count")));
}

/** A file for the web states its length at its beginning. What was added to it later makes it longer. */
function isCutOff(head: string, length: number): boolean {
  const stated = /\/Linearized[^>]{0,400}?\/L\s{1,8}(\d{1,12})/.exec(head)?.[1];
  return stated !== undefined && length < Number(stated);
}

function pdfOf(pages: number | null): HeaderOutcome {
  return { kind: "header", size: null, durationSeconds: null, pages: pages === 0 ? null : pages };
}

/** Whether the bytes are the beginning of a PDF file. */
export const isPdf = (head: Uint8Array): boolean => latin1(head, 0, MAX_PDF_START).includes("%PDF-");
