import { type AnswerKind, type AnswerParts, type AnswerProblem, answerProblem } from "../core/answer-problems.ts";
import { addressProblem } from "./address.ts";
import type { Budget, Spent } from "./budget.ts";

/**
 * The HTTP request for user-supplied addresses (media, webhooks); it must not reach internal services
 * (address.ts). Redirects are followed by hand, and each target is checked. Time and size are limited while
 * the body streams.
 *
 * Only the requested part of a body is kept, and nothing is read to be skipped. Servers may ignore a range,
 * or claim to honor it and not do so. A part is returned only if it is exactly the requested one.
 */
export interface GuardedRequest {
  readonly method?: "GET" | "HEAD";
  readonly range?: ByteRange;
  /** Besides ours. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The largest whole body that is kept. With a range: for servers that return the whole file instead; 0 if
   * only the part is useful.
   */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly budget?: Budget;
  /**
   * With a range: the part is returned as a stream if it is exactly the requested one. The time limit covers
   * the whole stream; the budget does not.
   */
  readonly isStreamed?: boolean;
}

/** The bytes [start, end). */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type GuardedAnswer =
  | {
      readonly kind: "ok";
      /**
       * 206: the body is the range, up to the end of the file. Any status other than 2xx: the body is empty.
       */
      readonly status: number;
      readonly headers: Headers;
      readonly body: Uint8Array<ArrayBuffer>;
      /** Length of the whole file, if the server sends it. */
      readonly totalBytes: number | null;
      /** The address to which the server says that the file has moved for good. */
      readonly movedTo?: string;
    }
  /** The part as a stream. More or fewer bytes than `length` may arrive: the consumer must count them. */
  | {
      readonly kind: "stream";
      readonly stream: ReadableStream<Uint8Array>;
      readonly length: number;
      readonly totalBytes: number | null;
    }
  /** A whole body of more than `maxBytes`: none of it is kept. */
  | { readonly kind: "too_large"; readonly totalBytes: number | null }
  /** A part other than the requested one. */
  | { readonly kind: "other_range" }
  /** The budget was exhausted before the response was complete. */
  | { readonly kind: "spent"; readonly spent: Spent }
  /** The address is not allowed. */
  | { readonly kind: "refused"; readonly problem: AnswerProblem }
  /** The request was sent, but returned no complete response. */
  | { readonly kind: "failed"; readonly problem: AnswerProblem };

export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<GuardedAnswer>;

export interface GuardOptions {
  /** For development: allows plain http and any port, on this machine only. */
  readonly allowLoopback: boolean;
  readonly fetch?: typeof fetch;
}

const MAX_REDIRECTS = 3;
const MAX_LOCATION = 4096;
/** The initial size for bodies of unknown length; it grows with the body. */
const FIRST_BUFFER_BYTES = 64 * 1024;

export function createGuardedFetch({ allowLoopback, fetch: given }: GuardOptions): GuardedFetch {
  const transport: typeof fetch = given ?? ((input, init) => fetch(input, init));

  return async (url, request) => {
    const { budget, timeoutMs } = request;
    const spent = budget?.spent ?? null;
    if (spent !== null) return { kind: "spent", spent };
    const msLeft = budget?.msLeft ?? timeoutMs;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), Math.min(timeoutMs, msLeft));
    try {
      let address = url;
      let movedTo: string | null = null;
      let isMove = true;
      for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
        const problem = addressProblem(address, allowLoopback);
        if (problem !== null) return { kind: "refused", problem };
        const { method = "GET" } = request;
        const init = { method, headers: headersOf(request), redirect: "manual", signal: limit.signal } as const;
        const response = await transport(address, init);
        const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
        if (location === null) {
          const answer = await readAnswer(response, request, limit.signal);
          return answer.kind === "ok" && movedTo !== null ? { ...answer, movedTo } : answer;
        }
        await response.body?.cancel();
        const next = location.length > MAX_LOCATION ? null : URL.parse(location, address);
        if (next === null) return failed("invalid_redirect");
        address = next.href;
        // A move behind a redirect for now is not one of the given address.
        isMove &&= response.status === 301 || response.status === 308;
        if (isMove) movedTo = address;
      }
      return failed("many_redirects", MAX_REDIRECTS);
    } catch {
      if (!limit.signal.aborted) return failed("unreachable");
      if (budget && msLeft < timeoutMs) return { kind: "spent", spent: budget.nearest("time") };
      return failed("slow_answer", timeoutMs / 1000);
    } finally {
      // The end of a streamed body is not seen here, so its timer keeps running.
      if (!request.isStreamed) clearTimeout(timer);
    }
  };
}

function failed<Kind extends AnswerKind>(kind: Kind, ...parts: AnswerParts<Kind>): GuardedAnswer {
  return { kind: "failed", problem: answerProblem(kind, ...parts) };
}

function headersOf({ range, headers: further = {} }: GuardedRequest): Headers {
  // With compression, ranges and lengths would be those of the compressed bytes.
  const headers = new Headers({ accept: "*/*", "accept-encoding": "identity", "user-agent": "Belfry/1.0", ...further });
  if (range) headers.set("range", `bytes=${range.start}-${range.end - 1}`);
  return headers;
}

async function readAnswer(response: Response, request: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> {
  const { status, headers } = response;
  if (status < 200 || status >= 300) {
    await response.body?.cancel();
    return { kind: "ok", status, headers, body: new Uint8Array(), totalBytes: null };
  }
  return status === 206 ? readPart(response, request, signal) : readWhole(response, request, signal);
}

async function readPart(response: Response, request: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> {
  const { status, headers } = response;
  const part = request.range && !isEncoded(headers) ? partOf(headers, request.range) : null;
  if (part === null) {
    await response.body?.cancel();
    return { kind: "other_range" };
  }
  if (request.isStreamed && response.body !== null) {
    return { kind: "stream", stream: response.body, length: part.length, totalBytes: part.total };
  }
  const read = await readBody(response, { max: part.length, expected: part.length }, request, signal);
  if (read.kind === "spent") return read;
  // The body is longer than declared, so the response's headers cannot be trusted.
  if (read.kind === "more") return { kind: "other_range" };
  if (read.body.byteLength < part.length) return failed("cut_off");
  return { kind: "ok", status, headers, body: read.body, totalBytes: part.total };
}

/** The part that a 206 declares, if it is the requested range, up to the end of the file. */
function partOf(headers: Headers, { start, end }: ByteRange): { length: number; total: number | null } | null {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(headers.get("content-range")?.trim() ?? "");
  if (!match) return null;
  const total = match[3] === "*" ? null : Number(match[3]);
  const partEnd = Number(match[2]) + 1;
  if (Number(match[1]) !== start || partEnd <= start || partEnd > end) return null;
  // If the length of the file is unknown, a short part may be its end.
  if (total !== null && partEnd !== Math.min(end, total)) return null;
  return { length: partEnd - start, total };
}

async function readWhole(response: Response, request: GuardedRequest, signal: AbortSignal): Promise<GuardedAnswer> {
  const { status, headers } = response;
  const { method = "GET", maxBytes } = request;
  const length = isEncoded(headers) ? null : lengthOf(headers);
  if (method === "HEAD") return { kind: "ok", status, headers, body: new Uint8Array(), totalBytes: length };
  if (length !== null && length > maxBytes) {
    await response.body?.cancel();
    return { kind: "too_large", totalBytes: length };
  }
  const read = await readBody(response, { max: length ?? maxBytes, expected: length }, request, signal);
  if (read.kind === "spent") return read;
  if (read.kind === "more") {
    return length === null ? { kind: "too_large", totalBytes: null } : failed("excess_bytes");
  }
  if (length !== null && read.body.byteLength < length) return failed("cut_off");
  return { kind: "ok", status, headers, body: read.body, totalBytes: read.body.byteLength };
}

type Read = { readonly kind: "all"; readonly body: Uint8Array<ArrayBuffer> } | { readonly kind: "more" } | SpentAnswer;
type SpentAnswer = Extract<GuardedAnswer, { kind: "spent" }>;

/** The body, if it has at most `max` bytes. With the `expected` length, no byte is held in memory twice. */
async function readBody(
  response: Response,
  { max, expected }: { readonly max: number; readonly expected: number | null },
  { budget }: GuardedRequest,
  signal: AbortSignal,
): Promise<Read> {
  if (response.body === null) return { kind: "all", body: new Uint8Array() };
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", cancel);
  try {
    let kept = new Uint8Array(expected ?? Math.min(max, FIRST_BUFFER_BYTES));
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return { kind: "all", body: kept.subarray(0, size) };
      budget?.spend(value.byteLength);
      if (size + value.byteLength > max) {
        cancel();
        return { kind: "more" };
      }
      if (size + value.byteLength > kept.byteLength) kept = grown(kept, size + value.byteLength, max);
      kept.set(value, size);
      size += value.byteLength;
      if (budget?.bytesLeft === 0 && size !== expected) {
        cancel();
        return { kind: "spent", spent: budget.nearest("bytes") };
      }
    }
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function grown(bytes: Uint8Array<ArrayBuffer>, needed: number, max: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(max, Math.max(needed, bytes.byteLength * 2)));
  larger.set(bytes);
  return larger;
}

/** If true, lengths and ranges are those of the encoded bytes, but the runtime returns decoded ones. */
function isEncoded(headers: Headers): boolean {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  return encoding !== "" && encoding !== "identity";
}

function lengthOf(headers: Headers): number | null {
  const length = headers.get("content-length");
  return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
}
