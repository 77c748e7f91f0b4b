import type { Failure } from "../context.ts";
import type { FilePart } from "../multipart.ts";
import type { Content } from "../publishing.ts";
import type { Media } from "../rules.ts";

/**
 * How a video is cut for TikTok: chunks of one size, their number rounded down, so that the last one takes what is left over.
 *
 * TikTok wants 5 to 64 MB a chunk, at most 1,000, and does not say which megabyte it means. As many of 5 MiB as fit, made equal:
 * less than 1,000 bytes are left over, so no chunk is larger than what is read at a time, but where a file of less than 10 MiB
 * has to go as one.
 */
const SMALLEST = 5 * 1024 * 1024;
const MOST = 1_000;

export interface Chunks {
  readonly size: number;
  readonly count: number;
}

export function chunksOf(bytes: number): Chunks {
  const count = Math.min(MOST, Math.max(1, Math.floor(bytes / SMALLEST)));
  return { size: Math.floor(bytes / count), count };
}

/** Where the last chunk begins: its arrival publishes the video. */
export function lastStart(bytes: number): number {
  const { size, count } = chunksOf(bytes);
  return size * (count - 1);
}

/** The end of the chunk that begins there. */
export function endOf(bytes: number, start: number): number {
  return start >= lastStart(bytes) ? bytes : start + chunksOf(bytes).size;
}

/** Whether a chunk begins there. */
export function isStart(bytes: number, at: number): boolean {
  return at % chunksOf(bytes).size === 0 && at <= lastStart(bytes);
}

/** As much as can be read at once (`Content.read`). */
const READ_BYTES = 8 * 1024 * 1024;

/** The chunk [start, end) of the file; one that cannot be read at once is read on while it is sent. */
export async function readChunk(
  { read }: Content,
  file: Media,
  start: number,
  end: number,
): Promise<FilePart | Failure> {
  const middle = start + READ_BYTES;
  if (end <= middle) return read(file, start, end);
  const first = await read(file, start, middle);
  if (first.kind === "failed") return first;
  const stream = streamOf(inTurn(first, () => read(file, middle, end)));
  return { kind: "stream", length: end - start, stream };
}

/** A second part that cannot be read breaks the stream off, and with it the call. */
async function* inTurn(first: FilePart, readSecond: () => Promise<FilePart | Failure>): AsyncGenerator<Uint8Array> {
  yield* bytesOf(first);
  const second = await readSecond();
  if (second.kind === "failed") throw new Error(second.message);
  yield* bytesOf(second);
}

async function* bytesOf(part: FilePart): AsyncGenerator<Uint8Array> {
  if (part.kind === "bytes") yield part.bytes;
  else yield* part.stream;
}

function streamOf(source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await source.return(undefined);
    },
  });
}
