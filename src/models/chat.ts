import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, InvalidResponseDataError, type LanguageModel, Output } from "ai";
import type { z } from "zod";
import type { ModelServer } from "./server.ts";

/**
 * A language model that fills in a form: instructions and material in, a value of the schema out. One question, one answer;
 * whoever asks decides whether to ask again. The model's words are untrusted: the schema bounds their shape, nothing their sense.
 */
export interface Chat {
  /** Never throws. What the answer holds beyond the schema is dropped. */
  generate<S extends z.ZodType>(request: ChatRequest<S>): Promise<ChatOutcome<z.output<S>>>;
}

export interface ChatRequest<S extends z.ZodType> {
  /** What to do. It should also describe the form in words: not every server enforces it. */
  readonly system: string;
  /** What to do it with. */
  readonly prompt: string;
  /** An object; optional fields as `nullable`, since strict servers want every field. */
  readonly schema: S;
  /** Of the whole answer, thoughts included where a model has them. */
  readonly maxOutputTokens: number;
  /** 0 to 2. */
  readonly temperature: number;
  readonly signal?: AbortSignal;
}

export type ChatOutcome<T> = { readonly kind: "ok"; readonly value: T; readonly usage: Usage } | ChatFailure;

/** In tokens; null where the server does not count. */
export interface Usage {
  readonly input: number | null;
  readonly output: number | null;
}

/**
 * - `not_configured`: no model is set up, or its server does not take our key, model or account: an operator must act.
 * - `refused`: the server or the model will not answer this: final. - `throttled`: later, after `retryAfterSeconds` if told.
 * - `down`: no answer; passing trouble. - `invalid`: an answer that is not of the form; another one might be.
 */
export type ChatReason = "not_configured" | "refused" | "throttled" | "down" | "invalid";

export interface ChatFailure {
  readonly kind: "failed";
  readonly reason: ChatReason;
  /** One sentence of ours: nothing that the server said, which may quote the key or the material. */
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

const TIME_LIMIT_MS = 25_000;
/** Of one answer; a reply has some hundred bytes. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface ChatOptions {
  readonly fetch?: typeof fetch;
  readonly timeLimitMs?: number;
}

export function createChat({ baseUrl, apiKey, chatModel }: ModelServer, options: ChatOptions = {}): Chat {
  const { fetch: reach = (input, init) => fetch(input, init), timeLimitMs = TIME_LIMIT_MS } = options;
  const server = { name: "models", baseURL: baseUrl, apiKey, fetch: boundedFetch(reach) };
  const models = {
    whole: createOpenAICompatible({ ...server, supportsStructuredOutputs: true }).chatModel(chatModel),
    plain: createOpenAICompatible({ ...server, transformRequestBody: withNewerLimit }).chatModel(chatModel),
  };
  return {
    async generate(request) {
      const limit = AbortSignal.timeout(timeLimitMs);
      const signal = request.signal ? AbortSignal.any([request.signal, limit]) : limit;
      try {
        const { text, finishReason, usage } = await ask(models, request, signal);
        if (finishReason === "content-filter") return failed("refused", "The language model declined to answer.");
        const parsed = request.schema.safeParse(jsonIn(text));
        if (!parsed.success)
          return failed("invalid", "The language model's answer is not of the form that was asked for.");
        const { inputTokens = null, outputTokens = null } = usage;
        return { kind: "ok", value: parsed.data, usage: { input: inputTokens, output: outputTokens } };
      } catch (error) {
        return failureOf(error, Date.now());
      }
    },
  };
}

/** For where no model is set up. */
export function noChat(message: string): Chat {
  return { generate: async () => failed("not_configured", message) };
}

interface Models {
  /** With the form of the answer. */
  readonly whole: LanguageModel;
  /** With as little as a server may insist on. */
  readonly plain: LanguageModel;
}

async function ask<S extends z.ZodType>({ whole, plain }: Models, request: ChatRequest<S>, abortSignal: AbortSignal) {
  const { system, prompt, schema, maxOutputTokens, temperature } = request;
  const call = { instructions: system, prompt, maxOutputTokens, maxRetries: 0, abortSignal };
  // Parsed here in any case, for what servers send instead of the form is still to be had.
  const { responseFormat } = Output.object({ schema });
  try {
    return await generateText({ ...call, model: whole, temperature, output: { ...Output.text(), responseFormat } });
  } catch (error) {
    // Some servers know no forms, models that think take no temperature, and both say so with the status of a bad request.
    const status = APICallError.isInstance(error) ? error.statusCode : undefined;
    if (status !== 400 && status !== 422) throw error;
    return await generateText({ ...call, model: plain });
  }
}

/** Models that think refuse the older name, and other servers pass over what they do not know. */
function withNewerLimit({ max_tokens, ...body }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

/** The one JSON object of an answer, without what models put around it: thoughts, fences, a preface. Undefined without one. */
function jsonIn(text: string): unknown {
  const answer = text.replace(/^\s*<think>.*?<\/think>/s, "");
  const [start, end] = [answer.indexOf("{"), answer.lastIndexOf("}")];
  if (start === -1 || end < start) return undefined;
  try {
    return JSON.parse(answer.slice(start, end + 1));
  } catch {
    return undefined;
  }
}

/** No redirects, which would carry the key elsewhere; and an answer too long is none. */
function boundedFetch(reach: typeof fetch): typeof fetch {
  return async (input, init) => {
    const response = await reach(input, { ...init, redirect: "manual" });
    const body = response.body && (await readBytes(response.body, init?.signal ?? null));
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

/** Nothing of a body beyond the limit. Rejects when the time is up. */
async function readBytes(body: ReadableStream<Uint8Array>, signal: AbortSignal | null): Promise<Blob> {
  const reader = body.getReader();
  // Not every transport ends a body that it has begun to hand over when the request is aborted.
  const end = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener("abort", end);
  try {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return new Blob(parts);
      size += value.byteLength;
      if (size > MAX_ANSWER_BYTES) {
        end();
        return new Blob();
      }
      parts.push(new Uint8Array(value));
    }
  } finally {
    signal?.removeEventListener("abort", end);
  }
}

function failureOf(error: unknown, now: number): ChatFailure {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (InvalidResponseDataError.isInstance(error) || (status !== undefined && status < 300)) {
    return failed("invalid", "The language model's server answered in a form that it does not document.");
  }
  if (!APICallError.isInstance(error) || status === undefined) {
    return failed("down", "The language model's server did not answer in time, or could not be reached.");
  }
  const wait = waitSeconds(error.responseHeaders ?? {}, now);
  const told = `with status ${status}`;
  if (status === 429) return failed("throttled", "The language model's allowance is used up for now.", wait);
  if (status >= 500 || PASSING.includes(status)) {
    return failed("down", `The language model's server answered ${told}.`, wait);
  }
  if (status < 400 || UNWELCOME.includes(status)) {
    const what = "its address, key, model or account";
    return failed("not_configured", `The language model's server turned us away ${told}: ${what} must be put right.`);
  }
  return failed("refused", `The language model's server refused the request ${told}.`);
}

/** Timeouts and conflicts of the server's own. */
const PASSING: readonly number[] = [408, 409, 425];
/** The key, the payment, the permission, the address or model: the same for whatever is asked. */
const UNWELCOME: readonly number[] = [401, 402, 403, 404, 405];

function waitSeconds(headers: Readonly<Record<string, string>>, now: number): number | null {
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,6}$/.test(value)) return Number(value);
  const until = Date.parse(value);
  return Number.isNaN(until) ? null : Math.max(0, Math.ceil((until - now) / 1000));
}

function failed(reason: ChatReason, message: string, retryAfterSeconds: number | null = null): ChatFailure {
  return { kind: "failed", reason, message, ...(retryAfterSeconds === null ? {} : { retryAfterSeconds }) };
}
