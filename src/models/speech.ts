import { MINUTE } from "../core/time.ts";
import { audioTypeOf } from "../media/audio-type.ts";
import { failed, type ModelFailure } from "./outcome.ts";
import type { Model } from "./server.ts";
import { createWire, fetchBytes, type WireOptions, within } from "./wire.ts";

/**
 * A speech model: a text in, its audio out. One call per request, and each is charged; the caller decides on
 * retries.
 */
export interface Speech {
  /** The model's name; null if none is configured. */
  readonly model: string | null;
  /** Never throws. If the server refuses a format, which is free, it is called again with the next one. */
  speak(request: SpeechRequest): Promise<SpeechOutcome>;
}

interface SpeechRequest {
  /** Up to 4,096 characters: the maximum that servers accept. */
  readonly text: string;
  /** In order of preference. Not every server supports AAC. */
  readonly formats: readonly [SpeechFormat, ...SpeechFormat[]];
  readonly signal?: AbortSignal;
}

/** `aac` is in ADTS. */
type SpeechFormat = "aac" | "mp3" | "wav";

type SpeechOutcome =
  | {
      readonly kind: "ok";
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** Detected from the bytes. Some servers return one format only, whatever is requested. */
      readonly mime: string;
    }
  | ModelFailure;

const TIME_LIMIT_MS = MINUTE;
/** Five minutes of WAV are about 15 MB. */
const MAX_BYTES = 24 * 1024 * 1024;

export function createSpeech(model: Model, voice: string, options: WireOptions = {}): Speech {
  const { timeLimitMs = TIME_LIMIT_MS } = options;
  const wire = createWire("speech model", model, options);
  return {
    model: model.model,
    async speak({ text, formats: [first, ...others], signal }) {
      const requestIn = (format: SpeechFormat) => {
        const body = { model: model.model, input: text, voice, response_format: format };
        const call = { method: "POST", path: "/audio/speech", body, signal: within(timeLimitMs, signal) } as const;
        return fetchBytes(wire, call, MAX_BYTES);
      };
      let answer = await requestIn(first);
      for (const format of others) {
        if (answer.kind === "failed" && answer.reason === "refused") answer = await requestIn(format);
      }
      if (answer.kind === "failed") return answer;
      const mime = audioTypeOf(answer.bytes);
      if (mime !== null) return { kind: "ok", bytes: answer.bytes, mime };
      return failed("invalid", "The speech model's answer is not usable audio.");
    },
  };
}

/** The implementation if no model is configured. */
export function noSpeech(message: string): Speech {
  return { model: null, speak: async () => failed("not_configured", message) };
}
