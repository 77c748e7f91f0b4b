/**
 * How a video is split for TikTok: into one chunk, or into several of one size. Their number is rounded down,
 * and the last chunk takes the remainder.
 *
 * - TikTok requires 5 to 64 MB per chunk, at most 1,000 chunks, and does not define its megabyte.
 * - Since August 2026 some apps are refused every upload of several chunks. So a video starts as one chunk if
 *   it fits.
 * - Otherwise as many chunks of at least 5 MiB as fit, of equal size. The remainder is less than 1,000 bytes,
 *   so no chunk exceeds what is read at a time. The exception is a file of less than 10 MiB that must be sent
 *   as one.
 */
export type Form = "one" | "several";

/** 64 megabytes in the smaller definition. */
const ONE_BYTES = 64_000_000;
/** The larger definition: tried only after several chunks were refused. */
const MOST_ONE_BYTES = 64 * 1024 * 1024;
const SMALLEST = 5 * 1024 * 1024;
const MOST = 1_000;

export interface Chunks {
  readonly size: number;
  readonly count: number;
}

export function firstForm(bytes: number): Form {
  return bytes <= ONE_BYTES ? "one" : "several";
}

/** The form to try after another was refused; null if none is left. */
export function otherForm(bytes: number, form: Form): Form | null {
  if (form === "one") return chunksOf(bytes, "several").count > 1 ? "several" : null;
  return bytes <= MOST_ONE_BYTES && chunksOf(bytes, form).count > 1 ? "one" : null;
}

export function chunksOf(bytes: number, form: Form): Chunks {
  const count = form === "one" ? 1 : Math.min(MOST, Math.max(1, Math.floor(bytes / SMALLEST)));
  return { size: Math.floor(bytes / count), count };
}

/** Where the last chunk begins: its arrival publishes the video. */
export function lastStart(bytes: number, form: Form): number {
  const { size, count } = chunksOf(bytes, form);
  return size * (count - 1);
}

/** The end of the chunk that begins at `start`. */
export function endOf(bytes: number, form: Form, start: number): number {
  return start >= lastStart(bytes, form) ? bytes : start + chunksOf(bytes, form).size;
}

/** Whether a chunk begins at this offset. */
export function isStart(bytes: number, form: Form, at: number): boolean {
  return at % chunksOf(bytes, form).size === 0 && at <= lastStart(bytes, form);
}
