import { z } from "zod";
import { typeOf } from "../media/file-type.ts";
import type { GuardedFetch } from "../media/guarded-fetch.ts";
import { failed, type ModelFailure, oddAnswer } from "./outcome.ts";
import type { Model } from "./server.ts";
import { createWire, fetchJson, type WireOptions, within } from "./wire.ts";

/**
 * An image model: words in, one picture out. One question, one answer, each paid for; whoever asks decides
 * about another.
 */
export interface Images {
  /** Never throws. */
  make(request: ImageRequest): Promise<ImageOutcome>;
}

export interface ImageRequest {
  readonly prompt: string;
  /** In pixels. Servers know a few sizes and refuse others; what comes may still be of another one. */
  readonly width: number;
  readonly height: number;
  /**
   * Asks for JPEG, which every platform takes, or else for what the server likes best, mostly PNG. Servers
   * that do not know the question are asked once more without it, so a refusal may take two calls.
   */
  readonly format?: "jpeg";
  readonly signal?: AbortSignal;
}

export type ImageOutcome =
  | {
      readonly kind: "ok";
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** By the bytes: PNG, JPEG or WebP. */
      readonly mime: string;
    }
  | ModelFailure;

export interface ImageOptions extends WireOptions {
  /** The way to pictures that an answer names by their address. */
  readonly guardedFetch: GuardedFetch;
}

const TIME_LIMIT_MS = 120_000;
/** Of a picture. Its answer holds it in base64, and an isolate both at once. */
const MAX_BYTES = 12 * 1024 * 1024;
const MAX_ANSWER_BYTES = 18 * 1024 * 1024;
/** By then the picture is paid for, and another attempt at fetching it is not. */
const FETCHES = 3;
const FETCH_LIMIT_MS = 20_000;
const MIMES: readonly string[] = ["image/png", "image/jpeg", "image/webp"];

const Answer = z.object({
  data: z.tuple([z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })]).rest(z.unknown()),
});

export function createImages(model: Model, options: ImageOptions): Images {
  const { guardedFetch, timeLimitMs = TIME_LIMIT_MS } = options;
  const wire = createWire("image model", model, options);
  return {
    async make({ prompt, width, height, format, signal: given }) {
      const signal = within(timeLimitMs, given);
      // No `response_format`: newer models refuse it, and both forms of an answer are understood.
      const body = { model: model.model, prompt, n: 1, size: `${width}x${height}` };
      const ask = (more: Readonly<Record<string, string>>) => {
        const call = { method: "POST", path: "/images/generations", body: { ...body, ...more }, signal } as const;
        return fetchJson(wire, call, Answer, MAX_ANSWER_BYTES);
      };
      const first = await ask(format ? { output_format: format } : {});
      const isRefused = first.kind === "failed" && first.reason === "refused";
      const answer = format && isRefused ? await ask({}) : first;
      if (answer.kind === "failed") return answer;
      const [{ b64_json: text, url }] = answer.value.data;
      if (text) return imageIn(bytesIn(text));
      if (!url) return oddAnswer(wire.name);
      return fetchImage(guardedFetch, url, signal);
    },
  };
}

/** For where no model is set up. */
export function noImages(message: string): Images {
  return { make: async () => failed("not_configured", message) };
}

async function fetchImage(read: GuardedFetch, url: string, signal: AbortSignal): Promise<ImageOutcome> {
  for (let attempt = 1; attempt <= FETCHES && !signal.aborted; attempt += 1) {
    const answer = await read(url, { maxBytes: MAX_BYTES, timeoutMs: FETCH_LIMIT_MS });
    if (answer.kind === "ok" && answer.status >= 200 && answer.status < 300) return imageIn(answer.body);
    if (answer.kind === "refused")
      return failed("invalid", "The image model's answer names an address that is not asked.");
    if (answer.kind === "too_large") return imageIn(null);
  }
  return failed("down", "The picture that the image model made could not be fetched.");
}

function imageIn(bytes: Uint8Array<ArrayBuffer> | null): ImageOutcome {
  const type = bytes && bytes.byteLength <= MAX_BYTES ? typeOf(bytes) : null;
  if (bytes && type?.kind === "image" && MIMES.includes(type.mime)) return { kind: "ok", bytes, mime: type.mime };
  return failed("invalid", "The image model's answer is not a picture that can be used.");
}

/** Null where it is no base64. A prefix `data:…,` is passed over. */
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
