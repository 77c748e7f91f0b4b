import type { FileRules, MediaFile, TypeRules } from "../platforms/rules.ts";
import { formatOf } from "./kind-words.ts";

/**
 * Which picture of a post needs a copy that fits, and which copy. Pure. A copy is encoded again, scaled down,
 * turned, in sRGB, with transparency on white. Nothing is cropped and nothing is scaled up: a ratio outside
 * of the rules, and a picture that is too small, stay as they are, and the rules refuse them.
 */
export interface PictureFit {
  readonly mime: CopyMime;
  /** The sides of the copy, as it is displayed. */
  readonly width: number;
  readonly height: number;
  readonly maxBytes: number;
  /** Such as "a JPEG of 1440 × 1080". */
  describe(copy: Pick<MediaFile, "mime" | "width" | "height">): string;
}

/** What the engine writes; the first that the platform takes is made. Its AVIF has 1,200 pixels at most. */
const WRITTEN = ["image/jpeg", "image/png", "image/webp"] as const;
export type CopyMime = (typeof WRITTEN)[number];
/** The format of a planned copy; JPEG for any other. */
export const copyMime = (mime: string): CopyMime => WRITTEN.find((one) => one === mime) ?? WRITTEN[0];

/**
 * What Cloudflare's Images reads: developers.cloudflare.com/images/get-started/limits and
 * /images/optimization/binding, read 2026-11-29. AVIF only on an Enterprise plan.
 */
const READ = ["image/jpeg", "image/png", "image/webp", "image/heic", "image/avif"];
/** What the binding takes; the limits page of the same date allows more for addresses. */
export const MAX_FIT_BYTES = 20_000_000;
export const MAX_FIT_PIXELS = 100_000_000;
/** Of each side, other than WebP and AVIF. */
const MAX_FIT_SIDE = 12_000;
/** Larger copies are not needed: what the platform takes beyond, it scales down itself. */
export const MAX_COPY_BYTES = 8_000_000;

/** The copy that the platform needs of this file; null if it takes the file, or none can be made. */
export function pictureFit(file: MediaFile, { files }: Pick<TypeRules, "files">): PictureFit | null {
  const rules = files.image;
  const { kind, width, height } = file;
  if (!rules || kind !== "image" || width === null || height === null) return null;
  if (!needsCopy(file, rules, { width, height }) || !isReadable(file, { width, height })) return null;
  const mime = WRITTEN.find((one) => rules.mimes.includes(one));
  if (!mime) return null;
  const size = scaledDown({ width, height }, rules);
  const still = file.picture?.isAnimated ? " that stands still" : "";
  return {
    mime,
    ...size,
    maxBytes: Math.min(rules.maxBytes, rules.copyBytes ?? MAX_COPY_BYTES),
    describe: (copy) => `a ${formatOf(copy.mime)} of ${copy.width} × ${copy.height}${still}`,
  };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function needsCopy({ mime, bytes, picture }: MediaFile, rules: FileRules, size: Size): boolean {
  if (!rules.mimes.includes(mime) || bytes > rules.maxBytes || exceeds(size, rules)) return true;
  return picture !== undefined && (picture.isCmyk || (picture.isTurned && rules.ignoresTurn === true));
}

function exceeds({ width, height }: Size, { maxWidth, maxHeight, maxPixels, maxShortSide }: FileRules): boolean {
  const infinite = Number.POSITIVE_INFINITY;
  if (width > (maxWidth ?? infinite) || height > (maxHeight ?? infinite)) return true;
  return width * height > (maxPixels ?? infinite) || Math.min(width, height) > (maxShortSide ?? infinite);
}

/** Whether the engine reads the file. */
function isReadable({ mime, bytes }: MediaFile, { width, height }: Size): boolean {
  if (!READ.includes(mime) || bytes > MAX_FIT_BYTES || width * height > MAX_FIT_PIXELS) return false;
  return ["image/webp", "image/avif"].includes(mime) || Math.max(width, height) <= MAX_FIT_SIDE;
}

/** How many widths are tried for one whose rounded height keeps the ratio within the rules. */
const TRIED_WIDTHS = 64;

/** The largest size within the rules, in the ratio of the picture. */
function scaledDown(size: Size, rules: FileRules): Size {
  const { maxWidth, maxHeight, maxPixels, maxShortSide, shownWidth } = rules;
  const ratio = size.width / size.height;
  const shortest = maxShortSide ?? Number.POSITIVE_INFINITY;
  const widest = Math.min(
    size.width,
    maxWidth ?? size.width,
    shownWidth ?? size.width,
    Math.floor((maxHeight ?? size.height) * ratio),
    Math.floor(ratio < 1 ? shortest : shortest * ratio),
    maxPixels === undefined ? size.width : Math.floor(Math.sqrt(maxPixels * ratio)),
  );
  if (widest >= size.width) return size;
  for (let width = widest; width > Math.max(1, widest - TRIED_WIDTHS); width -= 1) {
    const scaled = { width, height: Math.max(1, Math.round(width / ratio)) };
    if (!exceeds(scaled, rules) && keepsRatio(size, scaled, rules)) return scaled;
  }
  return { width: widest, height: Math.max(1, Math.round(widest / ratio)) };
}

/** A rounded side must not make a ratio too wide or too narrow that was within the rules. */
function keepsRatio(size: Size, scaled: Size, { minRatio = 0, maxRatio = Number.POSITIVE_INFINITY }: FileRules) {
  const isWithin = ({ width, height }: Size) => width / height >= minRatio && width / height <= maxRatio;
  return !isWithin(size) || isWithin(scaled);
}
