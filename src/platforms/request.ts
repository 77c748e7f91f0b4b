import type { z } from "zod";
import type { RawAnswer } from "../core/failures.ts";
import { withoutEnding } from "../core/text.ts";
import { parseJson } from "./json.ts";
import { secretsOf } from "./masking.ts";
import { type EncodedBody, encodePart, type FilePart, type FileSeries, type Multipart } from "./multipart.ts";

export interface CallRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** At most one of these bodies. */
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly multipart?: Multipart;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** Bytes of a file as the whole body, sent once; their type and range belong in `headers`. */
  readonly part?: FilePart | FileSeries;
  readonly timeoutMs?: number;
  /** The line of the platform's price list, where the call alone does not show it (pricing.ts). */
  readonly chargedAs?: string;
}

/** A platform's answer, not yet interpreted (answers.ts). */
export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  readonly headers: Headers;
  /** The body as received. */
  readonly text: string;
  /** The text as JSON, ids above 2^53 as strings (json.ts); null if it is not JSON (gateway pages). */
  readonly body: unknown;
  /** Secrets that the answer may quote: those of the request, and others that the caller knows. */
  readonly secrets?: readonly string[];
  /** The form for the timeline; absent for calls that belong to no timeline. */
  readonly toRaw?: () => RawAnswer;
}

/** No answer: the request may or may not have been carried out. */
export interface Lost {
  readonly kind: "lost";
  readonly message: string;
  /** True if the file's last byte was never handed over: the platform cannot have the whole body. */
  readonly isCutOff?: boolean;
  /** The platform's answer to a streamed file that it may not have received completely. */
  readonly refusal?: Answered;
  readonly secrets?: readonly string[];
  readonly toRaw?: () => RawAnswer;
}

/**
 * Sends one request to a platform, with a time limit, a size limit, no redirects and no secrets in logs.
 * Never throws.
 */
export type Send = (request: CallRequest) => Promise<Answered | Lost>;

/** What may be logged of a call; `status` is null if the answer was lost. */
interface CallReport {
  readonly platform: string;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
  readonly ms: number;
}

export interface SendOptions {
  /** The address of the sandbox; set for test projects only. */
  readonly sandboxUrl: string | null;
  readonly fetch?: typeof fetch;
  /**
   * Why an address must not be called, null if it may be: some hosts are named by account owners. Not for the
   * sandbox.
   */
  readonly checkAddress?: (address: string) => string | null;
  readonly onCall?: (report: CallReport) => void;
  readonly defaultTimeoutMs?: number;
  readonly maxBytes?: number;
}

export function createSend(options: SendOptions): Send {
  const { sandboxUrl, checkAddress, onCall, defaultTimeoutMs = 25_000, maxBytes = 1024 * 1024 } = options;
  // workerd's fetch must not be called as a method of another object.
  const transport: typeof fetch = options.fetch ?? ((input, init) => fetch(input, init));

  return async (request) => {
    const startedAt = Date.now();
    const url = addressOf(request);
    const report = (status: number | null) =>
      onCall?.({ platform: url.host, method: request.method, path: url.pathname, status, ms: Date.now() - startedAt });

    if (sandboxUrl === null && checkAddress?.(url.href))
      return { ...lost(url, "is not a public address"), isCutOff: true };

    const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    let file: EncodedBody | undefined;
    try {
      const target = sandboxUrl === null ? url : sandboxAddress(url, sandboxUrl);
      file = request.multipart?.encode(limit.signal) ?? (request.part && encodePart(request.part, limit.signal));
      const { headers, body } = file ? withBody(request, file) : bodyOf(request);
      const init = { method: request.method, headers, body, redirect: "manual", signal: limit.signal } as const;
      const response = await transport(target.href, init);
      const text = await readText(response, maxBytes, limit.signal);
      report(response.status);
      if (text === null) return lost(url, `sent more than ${maxBytes} bytes`);
      const { status } = response;
      const { headers: sent } = response;
      const secrets = secretsOf(request);
      const answer: Answered = { kind: "answered", status, headers: sent, text, body: parseJson(text), secrets };
      // The platform may not have received the whole file. A retry sends one that was read completely
      // beforehand (media/reader.ts).
      if (file?.isStreamed && status >= 400 && status !== 429)
        return { ...lost(url, "did not accept a part of a file"), refusal: answer };
      return answer;
    } catch {
      report(null);
      const what = limit.signal.aborted
        ? `did not answer within ${timeoutMs / 1000} s`
        : "could not be reached, or closed the connection";
      return { ...lost(url, what), ...(file?.isHandedOver() === false ? { isCutOff: true } : {}) };
    } finally {
      clearTimeout(timer);
      // The platform may answer before it has received the whole body: stop sending the rest.
      limit.abort();
    }
  };
}

/** The address at which the sandbox simulates the host: `https://HOST/PATH` becomes `SANDBOX/HOST/PATH`. */
export function sandboxAddress(url: URL, sandboxUrl: string): URL {
  return new URL(`${withoutEnding(sandboxUrl, /\//)}/${url.host}${url.pathname}${url.search}`);
}

/** Parses a body by a schema; null if the platform answered in an undocumented form. */
export function parseBody<S extends z.ZodType>(schema: S, answer: Answered): z.output<S> | null {
  const parsed = schema.safeParse(answer.body);
  return parsed.success ? parsed.data : null;
}

function addressOf(request: CallRequest): URL {
  const url = new URL(request.url);
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

interface Sent {
  readonly headers: Headers;
  readonly body: BodyInit | null;
}

function headersOf(request: CallRequest): Headers {
  const headers = new Headers(request.headers);
  if (!headers.has("accept")) headers.set("accept", "application/json");
  return headers;
}

function withBody(request: CallRequest, { contentType, body }: EncodedBody): Sent {
  const headers = headersOf(request);
  if (contentType !== null) headers.set("content-type", contentType);
  return { headers, body };
}

function bodyOf(request: CallRequest): Sent {
  const headers = headersOf(request);
  if (request.form) return { headers, body: new URLSearchParams(request.form) };
  if (request.bytes) return { headers, body: request.bytes };
  if (request.json === undefined) return { headers, body: null };
  headers.set("content-type", "application/json");
  return { headers, body: JSON.stringify(request.json) };
}

/** The body as text, or null if it is larger than allowed. Rejects on timeout. */
async function readText(response: Response, maxBytes: number, signal: AbortSignal): Promise<string | null> {
  if (response.body === null) return "";
  const reader = response.body.getReader();
  // Some transports do not stop a body that is already being read when the request is aborted.
  const abort = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", abort);
  try {
    const decoder = new TextDecoder();
    let text = "";
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return text + decoder.decode();
      size += value.byteLength;
      if (size > maxBytes) {
        abort();
        return null;
      }
      text += decoder.decode(value, { stream: true });
    }
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function lost(url: URL, what: string): Lost {
  return { kind: "lost", message: `${url.host} ${what}.` };
}
