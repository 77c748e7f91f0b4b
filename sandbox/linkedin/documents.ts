// What LinkedIn takes as a document, by its bytes. Written from the contract: PDF, PPT, PPTX, DOC and DOCX,
// of at most 100 MB and 300 pages.

import { type ByteSource, latin } from "../media-probe";

const MB = 1024 * 1024;
const LARGEST = 100 * MB;
const MOST_PAGES = 300;
/** Of larger files the beginning and the end are searched. */
const SEARCHED = 4 * MB;
const PIECE = 8_192;

/** Null for a document that can be processed. */
export function whatIsWrongWithDocument(source: ByteSource): string | null {
  if (source.size > LARGEST) return "The document is larger than 100 MB.";
  const text = textOf(source);
  if (text.slice(0, 1024).includes("%PDF-")) return wrongPdf(text);
  if (text.startsWith("PK\x03\x04")) return wrongOffice(text);
  if (text.startsWith("\xd0\xcf\x11\xe0")) return wrongBinary(text);
  return "The file is no PDF, PPT, PPTX, DOC or DOCX.";
}

function textOf(source: ByteSource): string {
  const parts: string[] = [];
  const read = (from: number, to: number) => {
    for (let at = from; at < to; at += PIECE) parts.push(latin(source.read(at, Math.min(PIECE, to - at))));
  };
  if (source.size <= 2 * SEARCHED) read(0, source.size);
  else {
    read(0, SEARCHED);
    read(source.size - SEARCHED, source.size);
  }
  return parts.join("");
}

function wrongPdf(text: string): string | null {
  if (!text.slice(-2048).includes("%%EOF")) return "The document is incomplete.";
  if (/\/Encrypt\s+\d+ \d+ R/.test(text)) return "The document is protected by a password.";
  const pages = [...text.matchAll(/\/Type\s*\/Page(?![A-Za-z])/g)].length;
  return pages > MOST_PAGES ? "The document has more than 300 pages." : null;
}

function wrongOffice(text: string): string | null {
  if (!text.slice(-65_557).includes("PK\x05\x06")) return "The document is incomplete.";
  if (text.includes("vbaProject.bin")) return "The document has macros.";
  const slides = new Set([...text.matchAll(/ppt\/slides\/slide(\d+)\.xml/g)].map(([, number]) => number));
  if (slides.size > MOST_PAGES) return "The document has more than 300 pages.";
  const isKnown = text.includes("word/document.xml") || text.includes("ppt/presentation.xml");
  return isKnown ? null : "The file is no PPTX or DOCX.";
}

const wide = (name: string) => [...name].map((letter) => `${letter}\0`).join("");

function wrongBinary(text: string): string | null {
  if (text.includes(wide("EncryptedPackage"))) return "The document is protected by a password.";
  const isKnown = text.includes(wide("WordDocument")) || text.includes(wide("PowerPoint Document"));
  return isKnown ? null : "The file is no PPT or DOC.";
}
