import type { z } from "zod";
import { readBody } from "./body.ts";
import { failureOfStatus, type ModelFailure, type ModelName, noAnswer, oddAnswer } from "./outcome.ts";
import type { Model } from "./server.ts";

/**
 * One OpenAI-compatible call that is not text. The AI SDK has no speech and no video for such servers. Its
 * image calls follow a URL in the response with our key and without a limit. So all three kinds use this
 * module.
 */
export interface Wire {
  readonly name: ModelName;
  readonly model: Model;
  readonly reach: typeof fetch;
}

export interface WireCall {
  readonly method: "GET" | "POST";
  /** The path after the server's address, with a leading slash. */
  readonly path: string;
  /** Form data, or an object that is sent as JSON. */
  readonly body?: FormData | Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Covers the call and the body of its response. */
  readonly signal: AbortSignal;
}

export interface WireOptions {
  readonly fetch?: typeof fetch;
  /** Covers the call with its whole response. */
  readonly timeLimitMs?: number;
}

export function createWire(name: ModelName, model: Model, { fetch: given }: WireOptions): Wire {
  return { name, model, reach: given ?? ((input, init) => fetch(input, init)) };
}

/** Combines the caller's signal with the time limit. */
export function within(timeLimitMs: number, signal: AbortSignal | undefined): AbortSignal {
  const limit = AbortSignal.timeout(timeLimitMs);
  return signal ? AbortSignal.any([signal, limit]) : limit;
}

/**
 * The response as a stream, with any status. Follows no redirects, which would send the key elsewhere. Never
 * throws.
 */
export async function callWire(
  { name, model, reach }: Wire,
  { method, path, body, headers, signal }: WireCall,
): Promise<{ readonly kind: "answer"; readonly response: Response } | ModelFailure> {
  const isForm = body instanceof FormData;
  const sent = isForm || body === undefined ? (body ?? null) : JSON.stringify(body);
  const all = {
    authorization: `Bearer ${model.apiKey}`,
    ...(sent === null || isForm ? {} : { "content-type": "application/json" }),
    ...headers,
  };
  try {
    const init = { method, headers: all, body: sent, redirect: "manual", signal } as const;
    return { kind: "answer", response: await reach(`${model.baseUrl}${path}`, init) };
  } catch {
    return noAnswer(name);
  }
}

/** Null if the server accepted the call. Otherwise the rest of its response is not read. */
export async function refusalOf({ name }: Wire, { status, headers, body }: Response): Promise<ModelFailure | null> {
  if (status >= 200 && status < 300) return null;
  await body?.cancel().catch(() => undefined);
  return failureOfStatus(name, status, headers.get("retry-after"));
}

/** Whether the resource does not exist or was deleted; then the rest of the response is not read. */
export async function isGone({ status, body }: Response): Promise<boolean> {
  if (status !== 404 && status !== 410) return false;
  await body?.cancel().catch(() => undefined);
  return true;
}

type Bytes = { readonly kind: "bytes"; readonly bytes: Uint8Array<ArrayBuffer> };
type Value<T> = { readonly kind: "value"; readonly value: T };

/** The whole body of a successful response. Never throws. */
export async function fetchBytes(wire: Wire, call: WireCall, maxBytes: number): Promise<Bytes | ModelFailure> {
  const answer = await callWire(wire, call);
  return answer.kind === "failed" ? answer : readBytes(wire, answer.response, call.signal, maxBytes);
}

/** The same for a JSON response. */
export async function fetchJson<S extends z.ZodType>(
  wire: Wire,
  call: WireCall,
  schema: S,
  maxBytes: number,
): Promise<Value<z.output<S>> | ModelFailure> {
  const answer = await callWire(wire, call);
  return answer.kind === "failed" ? answer : readJson(wire, answer.response, call.signal, { schema, maxBytes });
}

export async function readJson<S extends z.ZodType>(
  wire: Wire,
  response: Response,
  signal: AbortSignal,
  { schema, maxBytes }: { readonly schema: S; readonly maxBytes: number },
): Promise<Value<z.output<S>> | ModelFailure> {
  const read = await readBytes(wire, response, signal, maxBytes);
  if (read.kind === "failed") return read;
  const parsed = schema.safeParse(jsonOf(read.bytes));
  return parsed.success ? { kind: "value", value: parsed.data } : oddAnswer(wire.name);
}

async function readBytes(
  wire: Wire,
  response: Response,
  signal: AbortSignal,
  maxBytes: number,
): Promise<Bytes | ModelFailure> {
  const refusal = await refusalOf(wire, response);
  if (refusal) return refusal;
  try {
    const whole = response.body === null ? new Blob() : await readBody(response.body, maxBytes, signal);
    if (whole === null) return oddAnswer(wire.name);
    return { kind: "bytes", bytes: new Uint8Array(await whole.arrayBuffer()) };
  } catch {
    return noAnswer(wire.name);
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
