import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import { grouped } from "../../core/sentences.ts";
import { SECOND } from "../../core/time.ts";
import { contentKey } from "../../files/fitted-copy.ts";
import { storePdf } from "../../files/store-pdf.ts";
import { jpegPage } from "../../media/documents/jpeg-page.ts";
import { type PdfPage, UnfitPicture } from "../../media/documents/pdf-page.ts";
import { pngPage } from "../../media/documents/png-page.ts";
import { fileName } from "../../media/file.ts";
import { ownFileName } from "../../media/own-address.ts";
import { createReader, type Reader } from "../../media/reader.ts";
import type { PostOptions } from "../../platforms/options.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import type { FileRules, Media, MediaFile, TypeRules } from "../../platforms/rules.ts";
import type { Deps } from "../../service/deps.ts";
import { type CopyFailure, type CopyMaker, type CopyPlan, type FitRun, fitFile } from "./fit-files.ts";

/**
 * The pictures of a post as one PDF, a page each, for `options.document`. It is a copy that fits
 * (files/fitted-copy.ts) whose original is the list of the pictures, so it is made once for all posts that
 * have the same pictures in the same order.
 */
const RULE = "document";
const PDF = "application/pdf";
/** What a page has beside its picture: objects, and a profile of colors. */
const PAGE_BYTES = 8 * 1024;
const SLOT_WAIT_MS = 15 * SECOND;

/** The items as they are sent: with the document in place of the pictures, if the post asks for one. */
export async function fitDocument(
  run: FitRun,
  options: PostOptions,
  rules: TypeRules,
  items: readonly ContentItem[],
): Promise<readonly ContentItem[]> {
  const [item] = items;
  const limits = rules.files.document;
  if (!item || !limits || !isMadeOf(options, item.media)) return items;
  const [first] = item.media;
  if (!first) return items;
  const plan = planOf(item.media, limits);
  const file = await fitFile({ ...run, file: first, plan }, makerOf(item.media, limits));
  return [{ ...item, media: [{ ...file, publicUrl: file.url, altText: altTextOf(item.media, limits) }] }];
}

/** Whether these files become one document. */
export function isMadeOf({ document }: PostOptions, media: readonly Pick<MediaFile, "kind">[]): boolean {
  return document === true && media.length > 0 && media.every(({ kind }) => kind === "image");
}

function planOf(media: readonly Media[], { maxBytes }: FileRules): CopyPlan {
  const most = media.reduce((sum, one) => sum + mostBytes(one), 0);
  const pages = media.length;
  const file = { url: media[0]?.url ?? "", kind: "document", mime: PDF, bytes: 0, pages } as const;
  const size = { width: null, height: null, durationSeconds: null };
  const describe = () => `a PDF of ${pages} ${pages === 1 ? "page" : "pages"}`;
  return { rule: RULE, maxBytes: Math.min(most, maxBytes), file: { ...file, ...size }, describe };
}

/** A transparent PNG is compressed again, perhaps worse. */
function mostBytes({ mime, bytes, width, height }: Media): number {
  const pixels = mime === "image/png" ? 3 * (width ?? 0) * (height ?? 0) : 0;
  return PAGE_BYTES + Math.max(bytes, pixels);
}

/** The alt texts of the pictures, by page. */
function altTextOf(media: readonly Media[], { maxAltText }: FileRules): string | null {
  const texts = media.flatMap(({ altText }, index) =>
    altText === null ? [] : [media.length === 1 ? altText : `${index + 1}: ${altText}`],
  );
  return texts.length === 0 || maxAltText === undefined ? null : texts.join("\n").slice(0, maxAltText);
}

function makerOf(media: readonly Media[], limits: FileRules): CopyMaker {
  return {
    plan: () => planOf(media, limits),
    async open(deps) {
      const reader = createReader(deps.guardedFetch, { isCareful: true });
      const of = await identityOf(media, reader);
      if (typeof of !== "string") return of;
      return { kind: "open", of, next: (name) => make(deps, { media, limits, reader }, name), close: () => undefined };
    },
  };
}

/** The names of our files, and the bytes of others, in order. */
async function identityOf(media: readonly Media[], reader: Reader): Promise<string | CopyFailure> {
  const keys: string[] = [];
  for (const one of media) {
    const own = ownFileName(one.url);
    if (own !== null) {
      keys.push(own);
      continue;
    }
    const bytes = await readWhole(reader, one);
    if ("kind" in bytes) return bytes;
    keys.push(await contentKey(bytes));
  }
  return contentKey(new Uint8Array(new TextEncoder().encode(keys.join("\n"))));
}

async function readWhole(reader: Reader, one: Media): Promise<Uint8Array<ArrayBuffer> | CopyFailure> {
  const part = await reader.read(one, 0, one.bytes);
  if (part.kind === "bytes") return part.bytes;
  const message = part.kind === "failed" ? part.message : `${fileName(one.url)} could not be read.`;
  const isFinal = part.kind === "failed" && part.reason === "rejected";
  return { kind: "failed", isFinal, code: "media_unreachable", message };
}

interface Pictures {
  readonly media: readonly Media[];
  readonly limits: FileRules;
  readonly reader: Reader;
}

/** A page that ends the document, with the reason. */
class PageFailed extends Error {
  readonly failure: CopyFailure;

  constructor(failure: CopyFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** One picture is in memory, and what is sent to the bucket. */
async function make(deps: Deps, { media, limits, reader }: Pictures, name: string) {
  const slot = deps.uploads.slot();
  if (!(await slot.take(2 * MAX_PART_BYTES, SLOT_WAIT_MS))) {
    return failed(false, "media_unreachable", "Other files are being uploaded.");
  }
  try {
    const pages = media.length;
    const size = { width: null, height: null, durationSeconds: null };
    const stored = { kind: "document", mime: PDF, ...size, pages } as const;
    const bytes = await storePdf(deps.files, { name, media: stored, most: limits.maxBytes }, pagesOf(media, reader));
    if (bytes !== null) return { kind: "made", bytes, media: stored } as const;
    const most = grouped(limits.maxBytes);
    return failed(true, "media_invalid", `The document of these pictures would have more than ${most} bytes.`);
  } catch (error) {
    if (error instanceof PageFailed) return error.failure;
    throw error;
  } finally {
    slot.release();
  }
}

async function* pagesOf(media: readonly Media[], reader: Reader): AsyncGenerator<PdfPage> {
  for (const one of media) {
    const bytes = await readWhole(reader, one);
    if ("kind" in bytes) throw new PageFailed(bytes);
    try {
      yield one.mime === "image/png" ? await pngPage(bytes) : jpegPage(bytes);
    } catch (error) {
      if (!(error instanceof UnfitPicture) && !(error instanceof RangeError)) throw error;
      const why = error instanceof UnfitPicture ? error.message : "its header is damaged";
      const message = `${fileName(one.url)} cannot be a page of a document: ${why}. Save it as an ordinary JPEG or PNG.`;
      throw new PageFailed(failed(true, "media_invalid", message));
    }
  }
}

function failed(isFinal: boolean, code: CopyFailure["code"], message: string): CopyFailure {
  return { kind: "failed", isFinal, code, message };
}
