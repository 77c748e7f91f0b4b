import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import type { Failure } from "../platforms/context.ts";
import type { FilePart } from "../platforms/multipart.ts";
import type { MediaFile } from "../platforms/rules.ts";
import { Budget } from "./budget.ts";
import { fileName, READ_TIMEOUT_MS, unreadable, WHOLE_BYTES } from "./file.ts";
import type { GuardedAnswer, GuardedFetch } from "./guarded-fetch.ts";

/** Reads the files of one job delivery for its uploads. */
export interface Reader {
  /**
   * The bytes [start, end) of a probed file, or a failure. `down` if the server has a problem, `rejected` if
   * the file has changed since it was probed. Throws for more than `MAX_PART_BYTES`.
   */
  read(media: MediaFile, start: number, end: number): Promise<FilePart | Failure>;
  /** Whether it keeps a whole file in memory for the next parts. */
  readonly isHolding: boolean;
}

/** At most two requests, within the time limit of one. */
const LIMITS = { bytes: 2 * MAX_PART_BYTES, ms: READ_TIMEOUT_MS };
/** Smaller parts are cheap, and are read into memory first. */
const STREAMED_FROM_BYTES = 256 * 1024;

/**
 * Create one per delivery. Large parts are streamed, and never held in memory. After a failed stream,
 * `isCareful` reads them first, to find out whether the file, its server or the platform failed.
 *
 * If a server ignores ranges, a small file is read whole once, and its parts come from memory until another
 * file is read. A large file gets here only if its server honored ranges when it was probed.
 */
export function createReader(fetch: GuardedFetch, { isCareful }: { readonly isCareful: boolean }): Reader {
  let whole: { readonly url: string; readonly body: Uint8Array<ArrayBuffer> } | null = null;

  return {
    get isHolding() {
      return whole !== null;
    },
    async read(media, start, end) {
      if (end - start > MAX_PART_BYTES) throw new RangeError(`${end - start} bytes are too many to read at once.`);
      if (whole?.url === media.url) return inMemory(whole.body.subarray(start, end));
      whole = null;
      const { url, bytes } = media;
      const maxBytes = bytes <= WHOLE_BYTES ? WHOLE_BYTES : 0;
      const options = { maxBytes, timeoutMs: READ_TIMEOUT_MS, budget: new Budget(LIMITS) };
      const isStreamed = !isCareful && end - start >= STREAMED_FROM_BYTES;
      const part = await fetch(url, { ...options, range: { start, end }, isStreamed });
      const answer = part.kind === "other_range" && maxBytes > 0 ? await fetch(url, options) : part;
      const isSame = (length: number, totalBytes: number | null) =>
        (totalBytes === null || totalBytes === bytes) && length === end - start;
      if (answer.kind === "stream") {
        const { stream, length, totalBytes } = answer;
        if (isSame(length, totalBytes)) return { kind: "stream", length, stream };
        await stream.cancel();
        return changed(media);
      }
      if (answer.kind !== "ok") return failure(answer, media);
      const { body, status, totalBytes } = answer;
      if (status === 206) return isSame(body.byteLength, totalBytes) ? inMemory(body) : changed(media);
      if (status === 416) return changed(media);
      if (status >= 300) return failure(answer, media);
      if (body.byteLength !== bytes) return changed(media);
      whole = { url, body };
      return inMemory(body.subarray(start, end));
    },
  };
}

function inMemory(bytes: Uint8Array<ArrayBuffer>): FilePart {
  return { kind: "bytes", length: bytes.byteLength, bytes };
}

function failure(answer: GuardedAnswer, media: MediaFile): Failure {
  // A small file was read whole, so more bytes mean a different file.
  if (answer.kind === "too_large" && media.bytes <= WHOLE_BYTES) return changed(media);
  const { message } = unreadable(answer, fileName(media.url));
  // The server honored ranges during the probe, and may do so again.
  const reason = answer.kind === "refused" ? "rejected" : "down";
  return { kind: "failed", reason, code: "media_unreachable", message };
}

function changed({ url }: MediaFile): Failure {
  const message = `${fileName(url)} has changed or was cut off while it was uploaded. Post it again.`;
  return { kind: "failed", reason: "rejected", code: "media_unreachable", message };
}
