import { type Checked, said } from "../core/checks.ts";
import { grouped } from "../core/sentences.ts";
import type { MediaFile } from "../platforms/rules.ts";
import { Budget } from "./budget.ts";
import { readCompound } from "./documents/compound.ts";
import { readArchive } from "./documents/office.ts";
import { readPdf } from "./documents/pdf.ts";
import { fileName, type OpenFile, openFile, type Unreadable, unreachable } from "./file.ts";
import { type FileType, typeOf } from "./file-type.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";
import {
  area,
  type DocumentOutcome,
  type HeaderOutcome,
  isTooLarge,
  MAX_PIXELS,
  MAX_SIDE,
  type Size,
} from "./header.ts";
import { readHeif } from "./heif.ts";
import { readMatroska } from "./matroska.ts";
import { readMovieFile } from "./movie.ts";
import { type Parts, TooManyParts } from "./parts.ts";
import { readPicture } from "./picture.ts";
import { Scan } from "./scan.ts";
import { readTiff } from "./tiff.ts";

/**
 * The file at an address: type by its bytes; size, dimensions and duration from its header, read by a few
 * range requests. Animated and still GIFs are both of the kind "gif".
 */
export type ProbeOutcome = { readonly kind: "media"; readonly media: MediaFile } | Unreadable;

/**
 * The limits for one file. The time is shorter than the limit of an act within a job's lease (jobs/lease.ts).
 */
const FILE_LIMITS = { bytes: 8 * 1024 * 1024, ms: 25_000 };

/**
 * Probes a file. `refused` is permanent: the file cannot be posted. `unreachable` may be temporary. Sends at
 * most 12 requests, within the limits of one file and of the budget, whichever is reached first.
 */
export async function probe(read: GuardedFetch, url: string, budget?: Budget): Promise<ProbeOutcome> {
  const name = fileName(url);
  const own = budget ? budget.within(FILE_LIMITS) : new Budget(FILE_LIMITS);
  const file = await openFile(read, url, own);
  if (file.kind !== "open") return file;
  if (file.bytes === 0) return refused(said(`${name} is empty.`, "empty_file", name));
  const type = typeOf(file.head);
  if (type === null) {
    return refused(noMedia(name, "neither an image nor a video nor a document of a supported format."));
  }
  if (type.kind === "other") return refused(otherType(name, type.word));
  const { header, kind, mime, word } = await readTyped(own.parts, type, file);
  switch (header.kind) {
    case "other":
      return refused(otherType(name, header.word));
    case "document": {
      const { pages } = header;
      const size = { width: null, height: null, durationSeconds: null };
      return { kind: "media", media: { url, kind, mime: header.mime, bytes: file.bytes, ...size, pages } };
    }
    case "locked":
      return refused(
        said(`${name} is ${word} with a password or with restrictions. Save it without them.`, "locked", name),
      );
    case "macros":
      return refused(said(`${name} is ${word} with macros. Save it without them.`, "macros", name));
    case "header": {
      const { size, durationSeconds, encoding, picture, pages, isFragmented, isMoving } = header;
      if (size !== null && isTooLarge(size)) return refused(tooLarge(name, size));
      if (size !== null && area(size) === 0) {
        return refused(said(`${name} is ${word} without a picture.`, "no_picture", name));
      }
      const { width = null, height = null } = size ?? {};
      const known = {
        ...(encoding && { encoding }),
        ...(picture && { picture }),
        ...(pages === undefined ? {} : { pages }),
        ...(isFragmented && { isFragmented }),
        ...(isMoving && { isMoving }),
      };
      return { kind: "media", media: { url, kind, mime, bytes: file.bytes, width, height, durationSeconds, ...known } };
    }
    case "cut_off":
      return refused(damaged(name, `${word} that is cut off: it has fewer bytes than its header states.`));
    case "no_end":
      return refused(damaged(name, `${word} that is cut off: its end is missing.`));
    case "broken":
      return refused(damaged(name, `${word} that is damaged: a part of the picture is missing or was changed.`));
    case "damaged":
      return refused(damaged(name, `${word} that is cut off or damaged: its header cannot be read.`));
    case "no_video":
      return refused(said(`${name} has sound but no video.`, "no_picture", name));
    case "too_many_parts":
      return refused(tooManyParts(name, word, own.parts.limit));
    case "others_took_all":
      return unreachable(said(`${name} was not checked: ${OTHERS_TOOK_ALL}`, "unchecked", name));
    default:
      return header;
  }
}

const OTHERS_TOOK_ALL = "the files of this request have too many parts to be checked at once.";
const otherType = (name: string, word: string): Checked =>
  noMedia(name, `${word}; only images, GIFs, videos and documents (PDF, PPTX, DOCX, PPT, DOC) can be posted.`);
const noMedia = (name: string, is: string): Checked => said(`${name} is ${is}`, "no_media", name);
const damaged = (name: string, is: string): Checked => said(`${name} is ${is}`, "damaged", name);

function tooManyParts(name: string, word: string, most: number): Checked {
  const message = `${name} is ${word} of more than ${grouped(most)} parts, which is too many to check.`;
  return said(message, "too_complex", name);
}

function tooLarge(name: string, { width, height }: Size): Checked {
  const most = `at most ${grouped(MAX_SIDE)} per side and ${grouped(MAX_PIXELS)} altogether are allowed`;
  const message = `${name} declares ${grouped(width)}×${grouped(height)} pixels; ${most}.`;
  return said(message, "pixels", name, `${width}×${height}`, grouped(MAX_PIXELS));
}

type PartsOutcome = { readonly kind: "too_many_parts" | "others_took_all" };

/** What the bytes say, and how the file is named in a sentence. */
async function readTyped(parts: Parts, type: Exclude<FileType, { kind: "other" }>, file: OpenFile) {
  if (type.kind !== "container") {
    const header = await readWithin(parts, file, (scan) => readHeader(type.mime, scan));
    return { header, kind: type.kind, mime: type.mime, word: type.word };
  }
  const read = type.of === "zip" ? readArchive : readCompound;
  const header: DocumentOutcome | PartsOutcome = await readWithin(parts, file, read);
  const mime = header.kind === "document" ? header.mime : "";
  return { header, kind: "document" as const, mime, word: "an office document" };
}

async function readWithin<Outcome>(
  parts: Parts,
  file: OpenFile,
  read: (scan: Scan) => Promise<Outcome> | Outcome,
): Promise<Outcome | PartsOutcome> {
  try {
    return await read(new Scan(file, parts));
  } catch (error) {
    if (!(error instanceof TooManyParts)) throw error;
    return { kind: error.of === parts ? "too_many_parts" : "others_took_all" };
  }
}

/** The header's properties; the header of an AVI is not read. */
function readHeader(mime: string, scan: Scan): Promise<HeaderOutcome> | HeaderOutcome {
  switch (mime) {
    case "video/mp4":
    case "video/quicktime":
      return readMovieFile(scan);
    case "image/jpeg":
    case "image/png":
    case "image/gif":
    case "image/webp":
    case "image/bmp":
      return readPicture(mime, scan);
    case "image/tiff":
      return readTiff(scan);
    case "application/pdf":
      return readPdf(scan);
    case "image/heic":
    case "image/avif":
      return readHeif(scan);
    case "video/webm":
    case "video/x-matroska":
      return readMatroska(scan);
    default:
      return { kind: "header", size: null, durationSeconds: null };
  }
}

function refused({ message, check }: Checked) {
  return { kind: "refused", code: "media_invalid", message, check } as const;
}
