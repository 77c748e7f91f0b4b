import type { Failure, Media } from "../platforms/platform.ts";
import { boxAt, type FileType, imageSize, readMovie, type Size, typeOf } from "./container.ts";
import type { GuardedAnswer, GuardedFetch } from "./guarded-fetch.ts";

/**
 * What the file at an address is: type by its bytes, size, dimensions and duration from its header, read by a few range
 * requests. A moving and a still GIF are both of the kind "gif". WebM is recognised, but its header is not read.
 */
export type Probed =
  | { readonly kind: "media"; readonly media: Media }
  /** Final: this is nothing that can be posted. */
  | { readonly kind: "refused"; readonly message: string }
  /** May pass: the file could not be read now. */
  | { readonly kind: "unreachable"; readonly message: string };

const READ_BYTES = 64 * 1024;
/** Large EXIF blocks and colour profiles stand before the size in a JPEG. */
const JPEG_HEAD_BYTES = 1024 * 1024;
const MOOV_BYTES = 2 * 1024 * 1024;
const MAX_READS = 12;
/** A file of unknown length is read whole to learn it, up to here. */
const COUNTED_BYTES = 32 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

export async function probe(read: GuardedFetch, url: string): Promise<Probed> {
  const name = fileName(url);
  const head = await readBytes(read, url, 0, READ_BYTES);
  if (head.kind !== "ok") return head;
  const total = head.totalBytes ?? (await countBytes(read, url));
  if (typeof total !== "number") return total;
  if (head.body.byteLength === 0) return refused(`${name} is empty.`);

  const type = typeOf(head.body);
  if (type === null) return refused(`${name} is neither an image nor a video of a kind that we know.`);
  if (type.kind === "other") return refused(`${name} is ${type.word}; only images, GIFs and videos can be posted.`);
  const media = {
    url,
    kind: type.kind,
    mime: type.mime,
    bytes: total,
    width: null,
    height: null,
    durationSeconds: null,
  };
  if (type.mime === "video/mp4" || type.mime === "video/quicktime") {
    return probeMovie(read, media, head.body, name, type.word);
  }
  if (type.kind === "video") return { kind: "media", media };
  return probeImage(read, media, head.body, name, type);
}

async function probeImage(
  read: GuardedFetch,
  media: Media,
  head: Uint8Array,
  name: string,
  type: FileType,
): Promise<Probed> {
  let size: Size | null = imageSize(media.mime, head);
  if (size === null && media.mime === "image/jpeg" && media.bytes > head.byteLength) {
    const more = await readBytes(read, media.url, 0, JPEG_HEAD_BYTES);
    if (more.kind !== "ok") return more;
    size = imageSize(media.mime, more.body);
  }
  if (size !== null && (size.width === 0 || size.height === 0))
    return refused(`${name} is ${type.word} without a picture.`);
  return { kind: "media", media: { ...media, ...size } };
}

/** Goes from box to box to the movie header, which may stand at either end of the file. */
async function probeMovie(
  read: GuardedFetch,
  media: Media,
  head: Uint8Array,
  name: string,
  word: string,
): Promise<Probed> {
  const isDamaged = refused(`${name} is ${word} that is cut off or damaged: it has no readable movie header.`);
  let bytes = head;
  let base = 0;
  let offset = 0;
  for (let reads = 1; offset < media.bytes; ) {
    const box = boxAt(bytes, offset - base);
    if (box === null) {
      // Either the header lies behind what was read, or there is no box at all.
      if (offset === base || reads >= MAX_READS) return isDamaged;
      const next = await readBytes(read, media.url, offset, offset + READ_BYTES);
      if (next.kind !== "ok") return next;
      [bytes, base, reads] = [next.body, offset, reads + 1];
      continue;
    }
    if (box.type === "moov") {
      const start = base + box.start;
      const end = Math.min(box.end === null ? media.bytes : base + box.end, media.bytes, start + MOOV_BYTES);
      const isHere = end <= base + bytes.byteLength;
      const moov = isHere
        ? { kind: "ok" as const, body: bytes.subarray(start - base, end - base) }
        : await readBytes(read, media.url, start, end);
      if (moov.kind !== "ok") return moov;
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

/** Reads the bytes [start, end) of a file for an upload: all of them, or why not. */
export async function readRange(
  read: GuardedFetch,
  url: string,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer> | Failure> {
  const answer = await readBytes(read, url, start, end);
  if (answer.kind === "refused") return { kind: "failed", reason: "rejected", message: answer.message };
  if (answer.kind === "unreachable") return { kind: "failed", reason: "down", message: answer.message };
  if (answer.body.byteLength === end - start) return answer.body;
  const message = `${fileName(url)} has changed or was cut off while it was uploaded.`;
  return { kind: "failed", reason: "rejected", message };
}

type Bytes = Extract<GuardedAnswer, { kind: "ok" }> | Exclude<Probed, { kind: "media" }>;

async function readBytes(read: GuardedFetch, url: string, start: number, end: number): Promise<Bytes> {
  const answer = await read(url, { range: { start, end }, maxBytes: end - start, timeoutMs: TIMEOUT_MS });
  return judge(answer, fileName(url));
}

async function countBytes(read: GuardedFetch, url: string): Promise<number | Exclude<Probed, { kind: "media" }>> {
  const answer = judge(await read(url, { maxBytes: COUNTED_BYTES, timeoutMs: TIMEOUT_MS }), fileName(url));
  return answer.kind === "ok" ? answer.body.byteLength : answer;
}

function judge(answer: GuardedAnswer, name: string): Bytes {
  if (answer.kind === "refused") return refused(`${name}: ${answer.message}`);
  if (answer.kind === "failed") return unreachable(`${name} could not be read. ${answer.message}`);
  // An empty file has no range to give.
  if (answer.status === 416) return answer;
  if (answer.status >= 200 && answer.status < 300) return answer;
  return unreachable(`${name} could not be read: its server answered with status ${answer.status}.`);
}

/** The last part of the path, by which a person knows the file. */
export function fileName(url: string): string {
  const parsed = URL.parse(url);
  const last = parsed?.pathname.split("/").findLast((part) => part !== "");
  if (last === undefined) return parsed?.hostname ?? url.slice(0, 80);
  try {
    return decodeURIComponent(last).slice(0, 80);
  } catch {
    return last.slice(0, 80);
  }
}

function refused(message: string) {
  return { kind: "refused", message } as const;
}

function unreachable(message: string) {
  return { kind: "unreachable", message } as const;
}
