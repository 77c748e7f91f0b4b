import type { Media } from "../platforms/platform.ts";
import { Budget } from "./budget.ts";
import { boxAt, type FileType, imageSize, readMovie, type Size, typeOf } from "./container.ts";
import { fileName, HEAD_BYTES, type OpenFile, openFile, type Unreadable } from "./file.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

/**
 * What the file at an address is: type by its bytes, size, dimensions and duration from its header, read by a few range
 * requests. A moving and a still GIF are both of the kind "gif". WebM is recognised, but its header is not read.
 */
export type ProbeOutcome = { readonly kind: "media"; readonly media: Media } | Unreadable;

/** What one file may cost. The time is less than what an act may take within the lease of a job (jobs/steps.ts). */
const FILE_LIMITS = { bytes: 8 * 1024 * 1024, ms: 25_000 };
/** Large EXIF blocks and colour profiles stand before the size in a JPEG. */
const JPEG_HEAD_BYTES = 1024 * 1024;
const MOOV_BYTES = 2 * 1024 * 1024;
/** From box to box; opening takes one or two more, and the movie header one. */
const MAX_READS = 9;
const MAX_BOXES = 1000;

/**
 * `refused` is final: this is nothing that can be posted. `unreachable` may pass. At most 12 requests, within the limits
 * of one file and those of the budget, whichever end first.
 */
export async function probe(read: GuardedFetch, url: string, budget?: Budget): Promise<ProbeOutcome> {
  const name = fileName(url);
  const file = await openFile(read, url, budget ? budget.within(FILE_LIMITS) : new Budget(FILE_LIMITS));
  if (file.kind !== "open") return file;
  const { head, bytes } = file;
  if (bytes === 0) return refused(`${name} is empty.`);

  const type = typeOf(head);
  if (type === null) return refused(`${name} is neither an image nor a video of a kind that we know.`);
  if (type.kind === "other") return refused(`${name} is ${type.word}; only images, GIFs and videos can be posted.`);
  const media = {
    url,
    kind: type.kind,
    mime: type.mime,
    bytes,
    width: null,
    height: null,
    durationSeconds: null,
  };
  if (type.mime === "video/mp4" || type.mime === "video/quicktime") {
    return probeMovie(file, media, name, type.word);
  }
  if (type.kind === "video") return { kind: "media", media };
  return probeImage(file, media, name, type);
}

async function probeImage(file: OpenFile, media: Media, name: string, type: FileType): Promise<ProbeOutcome> {
  let size: Size | null = imageSize(media.mime, file.head);
  if (size === null && media.mime === "image/jpeg" && media.bytes > file.head.byteLength) {
    const more = await file.part(file.head.byteLength, JPEG_HEAD_BYTES);
    if (more.kind !== "part") return more;
    size = imageSize(media.mime, joined(file.head, more.body));
  }
  if (size !== null && (size.width === 0 || size.height === 0))
    return refused(`${name} is ${type.word} without a picture.`);
  return { kind: "media", media: { ...media, ...size } };
}

/** Goes from box to box to the movie header, which may stand at either end of the file. */
async function probeMovie(file: OpenFile, media: Media, name: string, word: string): Promise<ProbeOutcome> {
  const isDamaged = refused(`${name} is ${word} that is cut off or damaged: it has no readable movie header.`);
  let bytes = file.head;
  let base = 0;
  let offset = 0;
  let reads = 0;
  for (let boxes = 0; offset < media.bytes && boxes < MAX_BOXES; boxes += 1) {
    const box = boxAt(bytes, offset - base);
    if (box === null) {
      // Either the header lies behind what was read, or there is no box at all.
      if (offset === base || reads >= MAX_READS) return isDamaged;
      const next = await file.part(offset, Math.min(offset + HEAD_BYTES, media.bytes));
      if (next.kind !== "part") return next;
      [bytes, base, reads] = [next.body, offset, reads + 1];
      continue;
    }
    if (box.type === "moov") {
      const moov = await readBox(file, { bytes, base }, base + box.start, box.end === null ? null : base + box.end);
      if (moov.kind !== "part") return moov;
      const { durationSeconds, size, hasVideo } = readMovie(moov.body);
      if (hasVideo === false) return refused(`${name} has sound but no video.`);
      return {
        kind: "media",
        media: { ...media, durationSeconds, width: size?.width ?? null, height: size?.height ?? null },
      };
    }
    if (box.end === null) return isDamaged;
    offset = base + box.end;
  }
  return isDamaged;
}

/** What a box holds, its first `MOOV_BYTES`: as far as it was read already, and the rest. */
async function readBox(
  file: OpenFile,
  known: { readonly bytes: Uint8Array<ArrayBuffer>; readonly base: number },
  start: number,
  boxEnd: number | null,
): ReturnType<OpenFile["part"]> {
  const end = Math.min(boxEnd ?? file.bytes, file.bytes, start + MOOV_BYTES);
  const knownEnd = known.base + known.bytes.byteLength;
  const here = known.bytes.subarray(start - known.base, end - known.base);
  if (end <= knownEnd) return { kind: "part", body: here };
  const rest = await file.part(Math.max(start, knownEnd), end);
  return rest.kind === "part" ? { kind: "part", body: joined(here, rest.body) } : rest;
}

function joined(first: Uint8Array<ArrayBuffer>, second: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.byteLength + second.byteLength);
  whole.set(first);
  whole.set(second, first.byteLength);
  return whole;
}

function refused(message: string) {
  return { kind: "refused", message } as const;
}
