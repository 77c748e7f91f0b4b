import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import type { Failure } from "./context.ts";
import type { FilePart, FileSeries } from "./multipart.ts";
import type { Content } from "./publishing.ts";
import type { Media } from "./rules.ts";

/** A chunk of a file, to be sent once. */
export interface Chunk {
  readonly kind: "chunk";
  readonly part: FilePart | FileSeries;
  /** Why reading the file failed while it was sent; null if it did not. */
  failure(): Failure | null;
}

/**
 * The chunk [start, end) of the file. The part that cannot be read at once is streamed while the chunk is
 * sent.
 */
export async function readChunk({ read }: Content, file: Media, start: number, end: number): Promise<Chunk | Failure> {
  const middle = Math.min(end, start + MAX_PART_BYTES);
  const first = await read(file, start, middle);
  if (first.kind === "failed") return first;
  if (middle === end) return { kind: "chunk", part: first, failure: () => null };
  let failure: Failure | null = null;
  const parts = async function* () {
    yield first;
    for (let at = middle; at < end; at += MAX_PART_BYTES) {
      const part = await read(file, at, Math.min(end, at + MAX_PART_BYTES));
      if (part.kind === "failed") {
        failure = part;
        throw new Error(part.message);
      }
      yield part;
    }
  };
  return { kind: "chunk", part: { kind: "series", length: end - start, parts }, failure: () => failure };
}
