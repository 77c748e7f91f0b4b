import { typeOf } from "../media/file-type.ts";
import type { GuardedFetch } from "../media/guarded-fetch.ts";
import { failed, type ModelFailure, noAnswer } from "./outcome.ts";
import { callWire, isGone, refusalOf, type Wire } from "./wire.ts";

/** A video as a stream. Only its first bytes are kept, to detect its type. */
export type Download =
  | {
      readonly kind: "ok";
      /** Fails if the video is cut off, too long or too slow. */
      readonly stream: ReadableStream<Uint8Array>;
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
  const reader = body.getReader();
  // Some transports do not close a body that is already streaming when the request is aborted.
  signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true });
  try {
    const head = await headOf(reader, signal);
    const type = typeOf(head);
    if (type?.kind === "video") {
      return { kind: "ok", stream: rest(reader, head, length, signal), length, mime: type.mime };
    }
    await reader.cancel().catch(() => undefined);
    return unusableVideo();
  } catch {
    return noAnswer(wire.name);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The first bytes, and the rest of the chunk that they came in. */
async function headOf(reader: Reader, signal: AbortSignal): Promise<Uint8Array> {
  let head = new Uint8Array();
  while (head.byteLength < HEAD_BYTES) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) break;
    const more = new Uint8Array(head.byteLength + value.byteLength);
    more.set(head);
    more.set(value, head.byteLength);
    head = more;
  }
  return head;
}

function rest(
  reader: Reader,
  head: Uint8Array,
  length: number | null,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let size = 0;
  const passOn = (controller: ReadableStreamDefaultController<Uint8Array>, bytes: Uint8Array) => {
    size += bytes.byteLength;
    if (size > (length ?? MAX_VIDEO_BYTES)) throw new Error("The video is too long.");
    controller.enqueue(bytes);
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => passOn(controller, head),
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        signal.throwIfAborted();
        if (!done) return passOn(controller, value);
        if (length !== null && size < length) throw new Error("The video was cut off.");
        controller.close();
      } catch (error) {
        void reader.cancel().catch(() => undefined);
        throw error;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
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
