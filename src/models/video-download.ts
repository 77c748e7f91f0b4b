import { joined } from "../media/bytes.ts";
import { typeOf } from "../media/file-type.ts";
import type { GuardedFetch } from "../media/guarded-fetch.ts";
import { failed, type ModelFailure, noAnswer } from "./outcome.ts";
import { callWire, isGone, refusalOf, type Wire } from "./wire.ts";

/** A video as it arrives. Only its first bytes are kept, to detect its type. */
export type Download =
  | {
      readonly kind: "ok";
      /** A chunk is valid until the next one is read. Fails if the video is cut off, too long or too slow. */
      readonly chunks: AsyncIterable<Uint8Array>;
      /** Ends the download of chunks that are not wanted. */
      cancel(): Promise<void>;
      /** In bytes; null if the server does not send it. */
      readonly length: number | null;
      /** Detected from the bytes. */
      readonly mime: string;
    }
  | ModelFailure;

const MAX_VIDEO_BYTES = 200 * 1024 * 1024;
/** The limit for another host that does not support ranges. */
const MAX_WHOLE_BYTES = 24 * 1024 * 1024;
/** Enough to detect the type. */
const HEAD_BYTES = 64;

/**
 * Downloads from the server, or from its redirect target; that one gets a guarded request without our key.
 */
export async function downloadVideo(
  wire: Wire,
  guardedFetch: GuardedFetch,
  path: string,
  signal: AbortSignal,
): Promise<Download> {
  const answer = await callWire(wire, { method: "GET", path, headers: { "accept-encoding": "identity" }, signal });
  if (answer.kind === "failed") return answer;
  const { status, headers, body } = answer.response;
  const location = status >= 300 && status < 400 ? headers.get("location") : null;
  if (location !== null) {
    await body?.cancel().catch(() => undefined);
    const address = URL.parse(location, wire.model.baseUrl);
    return address === null ? unusableVideo() : elsewhere(wire, guardedFetch, address.href, signal);
  }
  if (await isGone(answer.response)) {
    return failed("refused", "The video model's server no longer has this video.");
  }
  const refusal = await refusalOf(wire, answer.response);
  if (refusal) return refusal;
  if (body === null) return unusableVideo();
  return readVideo(wire, body, lengthOf(headers), signal);
}

async function elsewhere(wire: Wire, read: GuardedFetch, url: string, signal: AbortSignal): Promise<Download> {
  const range = { start: 0, end: MAX_VIDEO_BYTES };
  const answer = await read(url, { range, isStreamed: true, maxBytes: MAX_WHOLE_BYTES, timeoutMs: 120_000 });
  switch (answer.kind) {
    case "stream":
      return answer.totalBytes === null || answer.totalBytes > MAX_VIDEO_BYTES
        ? tooLong(answer.stream)
        : readVideo(wire, answer.stream, answer.length, signal);
    case "ok":
      if (answer.status >= 300) return failed("down", "The video model's video could not be fetched.");
      return readVideo(wire, new Blob([answer.body]).stream(), answer.body.byteLength, signal);
    case "refused":
      return failed("invalid", "The video model's server redirects to an address that is not allowed.");
    case "too_large":
      return tooLong(null);
    default:
      return failed("down", "The video model's video could not be fetched.");
  }
}

async function readVideo(
  wire: Wire,
  body: ReadableStream<Uint8Array>,
  length: number | null,
  signal: AbortSignal,
): Promise<Download> {
  if (length !== null && length > MAX_VIDEO_BYTES) return tooLong(body);
  const reader = chunkReader(body);
  // Some transports do not close a body that is already streaming when the request is aborted.
  signal.addEventListener("abort", () => void reader.cancel(), { once: true });
  try {
    const head = await headOf(reader, signal);
    const type = typeOf(head);
    if (type?.kind === "video") {
      const chunks = rest(reader, head, length, signal);
      return { kind: "ok", chunks, cancel: () => reader.cancel(), length, mime: type.mime };
    }
    await reader.cancel();
    return unusableVideo();
  } catch {
    return noAnswer(wire.name);
  }
}

const CHUNK_BYTES = 256 * 1024;

interface ChunkReader {
  /** The next chunk, valid until the next call; null at the end. */
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

/**
 * Reads all chunks into one buffer where the stream can: a video of 40 MB would otherwise leave as many bytes
 * for the garbage collector.
 */
function chunkReader(body: ReadableStream<Uint8Array>): ChunkReader {
  const byteReader = byteReaderOf(body);
  if (byteReader === null) {
    const reader = body.getReader();
    return readerOver(reader, () => reader.read());
  }
  let buffer = new ArrayBuffer(CHUNK_BYTES);
  return readerOver(byteReader, async () => {
    const chunk = await byteReader.read(new Uint8Array(buffer));
    // A read moves the memory to a new buffer.
    if (!chunk.done) buffer = chunk.value.buffer;
    return chunk;
  });
}

/** Null for a stream of objects, such as one that our own code makes. */
function byteReaderOf(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return null;
  }
}

function readerOver(
  reader: Pick<ReadableStreamDefaultReader, "cancel">,
  next: () => Promise<ReadableStreamReadResult<Uint8Array>>,
): ChunkReader {
  return {
    async read() {
      const { done, value } = await next();
      return done ? null : value;
    },
    cancel: () => reader.cancel().catch(() => undefined),
  };
}

/** The first bytes, and the rest of the chunk that they came in. */
async function headOf(reader: ChunkReader, signal: AbortSignal): Promise<Uint8Array> {
  let head = new Uint8Array();
  while (head.byteLength < HEAD_BYTES) {
    const chunk = await reader.read();
    signal.throwIfAborted();
    if (chunk === null) break;
    head = joined([head, chunk]);
  }
  return head;
}

async function* rest(
  reader: ChunkReader,
  head: Uint8Array,
  length: number | null,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for (let chunk: Uint8Array | null = head; chunk !== null; chunk = await reader.read()) {
      signal.throwIfAborted();
      size += chunk.byteLength;
      if (size > (length ?? MAX_VIDEO_BYTES)) throw new Error("The video is too long.");
      yield chunk;
    }
    signal.throwIfAborted();
    if (length !== null && size < length) throw new Error("The video was cut off.");
  } finally {
    void reader.cancel();
  }
}

function lengthOf(headers: Headers): number | null {
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  const length = headers.get("content-length") ?? "";
  return encoding === "identity" && /^\d{1,15}$/.test(length) ? Number(length) : null;
}

function unusableVideo(): ModelFailure {
  return failed("invalid", "The video model's answer is not a usable video.");
}

async function tooLong(body: ReadableStream<Uint8Array> | null): Promise<ModelFailure> {
  await body?.cancel().catch(() => undefined);
  return failed("invalid", `The video model's video has more than ${MAX_VIDEO_BYTES / 1024 / 1024} MB.`);
}
