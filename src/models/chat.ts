import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, InvalidResponseDataError, type JSONSchema7 } from "@ai-sdk/provider";
import { z } from "zod";
import { readBody } from "./body.ts";
import { failed, failureOfStatus, type ModelFailure, noAnswer, oddAnswer, type Usage } from "./outcome.ts";
import type { Model } from "./server.ts";

/**
 * A language model with structured output: instructions and data in, a value of the schema out. One call per
 * request; the caller decides on retries. The output is untrusted: the schema validates its shape, not its
 * meaning.
 */
export interface Chat {
  /** Never throws. Properties that the schema does not have are dropped. */
  generate<S extends z.ZodType>(request: ChatRequest<S>): Promise<ChatOutcome<z.output<S>>>;
}

export interface ChatRequest<S extends z.ZodType> {
  /**
   * The system prompt. It should also describe the schema in words, because not every server enforces
   * schemas.
   */
  readonly system: string;
  /** The user prompt. */
  readonly prompt: string;
  /** An object schema; optional fields must be `nullable`, because strict servers require every field. */
  readonly schema: S;
  /** The limit for the whole output, including reasoning tokens. */
  readonly maxOutputTokens: number;
  /** From 0 to 2. */
  readonly temperature: number;
  /** The time limit for a long answer; default: 25 s. */
  readonly timeLimitMs?: number;
  readonly signal?: AbortSignal;
}

type ChatOutcome<T> = { readonly kind: "ok"; readonly value: T; readonly usage: Usage } | ChatFailure;

export type ChatFailure = ModelFailure;

const TIME_LIMIT_MS = 25_000;
/** The limit of one response; a typical one has a few hundred bytes. */
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
        const { content, finishReason, usage: reported } = await callModel(models, request, signal);
        const usage = { input: reported.inputTokens.total ?? null, output: reported.outputTokens.total ?? null };
        if (finishReason.unified === "content-filter") {
          return { ...failed("refused", "The language model declined to answer."), usage };
        }
        const text = content.map((part) => (part.type === "text" ? part.text : ""));
        const parsed = request.schema.safeParse(jsonIn(text.join("")));
        if (parsed.success) return { kind: "ok", value: parsed.data, usage };
        return { ...failed("invalid", "The language model's answer does not have the requested form."), usage };
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

/** The implementation if no model is configured. */
export function noChat(message: string): Chat {
  return { generate: async () => failed("not_configured", message) };
}

type LanguageModel = ReturnType<ReturnType<typeof createOpenAICompatible>["chatModel"]>;

interface Models {
  /** With the schema of the answer. */
  readonly whole: LanguageModel;
  /** With the minimum of parameters, for strict servers. */
  readonly plain: LanguageModel;
}

async function callModel<S extends z.ZodType>(
  { whole, plain }: Models,
  request: ChatRequest<S>,
  abortSignal: AbortSignal,
) {
  const { system, prompt, schema, maxOutputTokens, temperature } = request;
  const call = {
    prompt: [
      { role: "system" as const, content: system },
      { role: "user" as const, content: [{ type: "text" as const, text: prompt }] },
    ],
    maxOutputTokens,
    abortSignal,
  };
  const responseFormat = { type: "json", schema: jsonSchemaOf(schema) } as const;
  try {
    return await whole.doGenerate({ ...call, temperature, responseFormat });
  } catch (error) {
    // Some servers support no schemas, and reasoning models refuse a temperature; both return the status of a
    // bad request.
    const status = APICallError.isInstance(error) ? error.statusCode : undefined;
    if (status !== 400 && status !== 422) throw error;
    return await plain.doGenerate(call);
  }
}

/** Strict servers require that objects have no other properties. */
function jsonSchemaOf(schema: z.ZodType): JSONSchema7 {
  const made = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    override({ jsonSchema }) {
      if (jsonSchema.type === "object") jsonSchema.additionalProperties = false;
    },
  });
  // zod's type covers all drafts; the target makes it one of draft 7.
  return made as JSONSchema7;
}

/** Reasoning models refuse the older name; other servers ignore unknown fields. */
function withNewerLimit({ max_tokens, ...body }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { ...body, max_completion_tokens: max_tokens };
}

/**
 * The single JSON object of an answer, without the model's surrounding text, such as reasoning, fences or a
 * preface. Undefined if there is none.
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

/** Follows no redirects, which would send the key elsewhere; fails if the response is too long. */
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
