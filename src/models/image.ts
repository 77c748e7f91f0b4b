import { z } from "zod";
import { typeOf } from "../media/file-type.ts";
import type { GuardedFetch } from "../media/guarded-fetch.ts";
import { failed, type ModelFailure, oddAnswer, type Usage } from "./outcome.ts";
import type { Model } from "./server.ts";
import { createWire, fetchJson, type WireOptions, within } from "./wire.ts";

/**
 * An image model: a prompt in, one image out. One call per request, and each is charged; the caller decides
 * on retries.
 */
export interface Images {
  /** The model's name; null if none is configured. */
  readonly model: string | null;
  /** Never throws. */
  make(request: ImageRequest): Promise<ImageOutcome>;
}

interface ImageRequest {
  readonly prompt: string;
  /** In pixels. Servers support a few sizes and refuse others; the image may still have another size. */
  readonly width: number;
  readonly height: number;
  /**
   * Requests JPEG, which every platform accepts; otherwise the server's default, mostly PNG. A server that
   * refuses the parameter is called again without it, so a refusal may take two calls.
   */
  readonly format?: "jpeg";
  readonly signal?: AbortSignal;
}

export type ImageOutcome =
  | {
      readonly kind: "ok";
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** Detected from the bytes: PNG, JPEG or WebP. */
      readonly mime: string;
      readonly usage?: Usage;
    }
  | ModelFailure;

export interface ImageOptions extends WireOptions {
  /** Fetches images that a response returns by URL. */
  readonly guardedFetch: GuardedFetch;
}

const TIME_LIMIT_MS = 120_000;
/** The limit of an image. The response has it in base64, and an isolate holds both at once. */
const MAX_BYTES = 12 * 1024 * 1024;
const MAX_ANSWER_BYTES = 18 * 1024 * 1024;
/** The image is already paid for, and fetching it again is free. */
const FETCHES = 3;
const FETCH_LIMIT_MS = 20_000;
const MIMES: readonly string[] = ["image/png", "image/jpeg", "image/webp"];

const count = z.int().min(0).nullable().catch(null);
const Answer = z.object({
  /** Empty in an answer without an image. */
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })),
  /** Not every server reports it. */
  usage: z
    .object({ input_tokens: count, output_tokens: count })
    .transform(({ input_tokens: input, output_tokens: output }) => ({ input, output }))
    .optional()
    .catch(undefined),
});

export function createImages(model: Model, options: ImageOptions): Images {
  const { guardedFetch, timeLimitMs = TIME_LIMIT_MS } = options;
  const wire = createWire("image model", model, options);
  return {
    model: model.model,
    async make({ prompt, width, height, format, signal: given }) {
      const signal = within(timeLimitMs, given);
      // Without `response_format`: newer models refuse it, and both response formats are handled.
      const body = { model: model.model, prompt, n: 1, size: `${width}x${height}` };
      const call = (more: Readonly<Record<string, string>>) => {
        const call = { method: "POST", path: "/images/generations", body: { ...body, ...more }, signal } as const;
        return fetchJson(wire, call, Answer, MAX_ANSWER_BYTES);
      };
      const first = await call(format ? { output_format: format } : {});
      const isRefused = first.kind === "failed" && first.reason === "refused";
      const answer = format && isRefused ? await call({}) : first;
      if (answer.kind === "failed") return answer;
      const { data, usage } = answer.value;
      const [{ b64_json: text, url } = {}] = data;
      const image = text
        ? imageIn(bytesIn(text))
        : url
          ? await fetchImage(guardedFetch, url, signal)
          : oddAnswer(wire.name);
      return usage ? { ...image, usage } : image;
    },
  };
}

/** The implementation if no model is configured. */
export function noImages(message: string): Images {
  return { model: null, make: async () => failed("not_configured", message) };
}

async function fetchImage(read: GuardedFetch, url: string, signal: AbortSignal): Promise<ImageOutcome> {
  for (let attempt = 1; attempt <= FETCHES && !signal.aborted; attempt += 1) {
    const answer = await read(url, { maxBytes: MAX_BYTES, timeoutMs: FETCH_LIMIT_MS });
    if (answer.kind === "ok" && answer.status >= 200 && answer.status < 300) return imageIn(answer.body);
    if (answer.kind === "refused")
      return failed("invalid", "The image model's answer names an address that is not allowed.");
    if (answer.kind === "too_large") return imageIn(null);
  }
  return failed("down", "The image model's picture could not be fetched.");
}

function imageIn(bytes: Uint8Array<ArrayBuffer> | null): ImageOutcome {
  const type = bytes && bytes.byteLength <= MAX_BYTES ? typeOf(bytes) : null;
  if (bytes && type?.kind === "image" && MIMES.includes(type.mime)) return { kind: "ok", bytes, mime: type.mime };
  return failed("invalid", "The image model's answer is not a usable picture.");
}

/** Null if the text is not base64. A prefix `data:…,` is skipped. */
function bytesIn(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(text.replace(/^data:[^,]{0,100},/, ""));
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
    return bytes;
  } catch {
    return null;
  }
}
