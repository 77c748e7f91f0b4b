import type { DocumentOutcome } from "../header.ts";
import type { Scan } from "../scan.ts";
import { readThrough, type Window } from "./window.ts";
import { readEntry, readZip, type ZipEntry } from "./zip.ts";

/**
 * Documents of Office Open XML (ISO 29500): ZIP files whose list of content types names the kind of document.
 */
const KINDS: readonly (readonly [contentType: RegExp, mime: string])[] = [
  [/wordprocessingml\.document\.main\+xml/, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  [
    /presentationml\.presentation\.main\+xml/,
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ],
];
/** Others that we can name. */
const OTHERS: readonly (readonly [contentType: RegExp, word: string])[] = [
  [/presentationml\.slideshow\.main\+xml/, "a PowerPoint show (PPSX)"],
  [/(?:wordprocessingml|presentationml)\.template\.main\+xml/, "an Office template"],
  [/spreadsheetml/, "an Excel workbook"],
];
const MACROS = /macroEnabled|vnd\.ms-office\.vbaProject/;
const MAX_XML_BYTES = 1024 * 1024;
const SLIDE = /^ppt\/slides\/slide\d{1,6}\.xml$/;

/** Reads the kind of a ZIP file, and the pages of a document. */
export const readArchive = (scan: Scan): Promise<DocumentOutcome> => readThrough(scan, read);

async function read(window: Window): Promise<DocumentOutcome> {
  const zip = await readZip(window);
  if (zip.kind !== "zip") return { kind: zip.kind === "cut_off" ? "no_end" : zip.kind };
  const { entries } = zip;
  const named = (name: string) => entries.find((entry) => entry.name === name);
  const types = await textOf(window, named("[Content_Types].xml"));
  if (types === null) return { kind: "other", word: await wordOf(window, named("mimetype")) };
  if (entries.some(({ isEncrypted }) => isEncrypted)) return { kind: "locked" };
  if (MACROS.test(types) || entries.some(({ name }) => /(^|\/)vbaProject\.bin$/i.test(name))) return { kind: "macros" };
  const [, mime] = KINDS.find(([contentType]) => contentType.test(types)) ?? [];
  if (mime === undefined) {
    const [, word] = OTHERS.find(([contentType]) => contentType.test(types)) ?? [];
    return { kind: "other", word: word ?? "an office document of another kind" };
  }
  const slides = entries.filter(({ name }) => SLIDE.test(name)).length;
  const pages = slides > 0 ? slides : pagesIn(await textOf(window, named("docProps/app.xml")));
  return { kind: "document", mime, pages };
}

async function textOf(window: Window, entry: ZipEntry | undefined): Promise<string | null> {
  const bytes = entry && (await readEntry(window, entry, MAX_XML_BYTES));
  return bytes ? new TextDecoder().decode(bytes) : null;
}

/** What the program counted when it saved the document last. */
function pagesIn(properties: string | null): number | null {
  const [, pages] = /<(?:\w{1,20}:)?Pages>\s{0,20}(\d{1,7})\s{0,20}</.exec(properties ?? "") ?? [];
  return pages === undefined || Number(pages) === 0 ? null : Number(pages);
}

const FORMATS: readonly (readonly [mime: string, word: string])[] = [
  ["application/vnd.oasis.opendocument.text", "an OpenDocument text (ODT)"],
  ["application/vnd.oasis.opendocument.presentation", "an OpenDocument presentation (ODP)"],
  ["application/vnd.oasis.opendocument", "an OpenDocument file"],
  ["application/epub+zip", "an e-book (EPUB)"],
];

async function wordOf(window: Window, entry: ZipEntry | undefined): Promise<string> {
  const mime = (await textOf(window, entry)) ?? "";
  return FORMATS.find(([start]) => mime.startsWith(start))?.[1] ?? "a ZIP archive";
}
