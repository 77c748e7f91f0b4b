import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateText, InvalidResponseDataError, type LanguageModel, Output } from "ai";
import type { z } from "zod";
import { readBody } from "./body.ts";
import { failed, failureOfStatus, type ModelFailure, noAnswer, oddAnswer } from "./outcome.ts";
import type { Model } from "./server.ts";

/**
 * A language model that fills in a form: instructions and material in, a value of the schema out. One
 * question, one answer; whoever asks decides whether to ask again. The model's words are untrusted: the
 * schema bounds their shape, nothing their sense.
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
  /** How long the answer may take, where it is a long one; left out: 25 s. */
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

export type ChatOutcome<T> = { readonly kind: "ok"; readonly value: T; readonly usage: Usage } | ChatFailure;

/** In tokens; null where the server does not count. */
export interface Usage {
  readonly input: number | null;
  readonly output: number | null;
}

export type ChatFailure = ModelFailure;

const TIME_LIMIT_MS = 25_000;
/** Of one answer; a reply has some hundred bytes. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface ChatOptions {
  readonly fetch?: typeof fetch;
  readonly timeLimitMs?: number;
}

export function createChat({ baseUrl, apiKey, model }: Model, options: ChatOptions = {}): Chat {
  const { fetch: reach = (input, init) => fetch(input, init), timeLimitMs = TIME_LIMIT_MS } = options;
  const server = { name: "models", baseURL: baseUrl, apiKey, fetch: boundedFetch(reach) };
  const models = {
    whole: createOpenAICompatible({ ...server, supportsStructuredOutputs: true }).chatModel(model),
    plain: createOpenAICompatible({ ...server, transformRequestBody: withNewerLimit }).chatModel(model),
  };
  return {
    async generate(request) {
      const limit = AbortSignal.timeout(request.timeLimitMs ?? timeLimitMs);
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
        return failureOf(error);
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
    // Some servers know no forms, models that think take no temperature, and both say so with the status of a
    // bad request.
    const status = APICallError.isInstance(error) ? error.statusCode : undefined;
    if (status !== 400 && status !== 422) throw error;
    return await generateText({ ...call, model: plain });
  }
}

/** Models that think refuse the older name, and other servers pass over what they do not know. */
function withNewerLimit({ max_tokens, ...body }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

/**
 * The one JSON object of an answer, without what models put around it: thoughts, fences, a preface. Undefined
 * without one.
 */
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
    const body = response.body && (await readBody(response.body, MAX_ANSWER_BYTES, init?.signal ?? null));
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

function failureOf(error: unknown): ChatFailure {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (InvalidResponseDataError.isInstance(error) || (status !== undefined && status < 300)) return oddAnswer(MODEL);
  if (!APICallError.isInstance(error) || status === undefined) return noAnswer(MODEL);
  return failureOfStatus(MODEL, status, error.responseHeaders?.["retry-after"] ?? null);
}

const MODEL = "language model";
