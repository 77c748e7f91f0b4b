import { MINUTE } from "../core/time.ts";
import { audioTypeOf } from "../media/audio-type.ts";
import { failed, type ModelFailure } from "./outcome.ts";
import type { Model } from "./server.ts";
import { createWire, fetchBytes, type WireOptions, within } from "./wire.ts";

/**
 * A speech model: a text in, the same spoken out. One question, one answer, each paid for; whoever asks
 * decides about another.
 */
export interface Speech {
  /** Never throws. A refusal, which costs nothing, has it ask again for the next form. */
  speak(request: SpeechRequest): Promise<SpeechOutcome>;
}

export interface SpeechRequest {
  /** Up to `MAX_SPOKEN` characters. */
  readonly text: string;
  /** The one that is liked best first. Not every server knows AAC. */
  readonly formats: readonly [SpeechFormat, ...SpeechFormat[]];
  readonly signal?: AbortSignal;
}

/** `aac` comes in ADTS. */
export type SpeechFormat = "aac" | "mp3" | "wav";

export type SpeechOutcome =
  | {
      readonly kind: "ok";
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** By the bytes. Some servers know one form only, whatever they are asked for. */
      readonly mime: string;
    }
  | ModelFailure;

/** What servers take at once. */
export const MAX_SPOKEN = 4096;
const TIME_LIMIT_MS = MINUTE;
/** Five minutes of WAV are about 15 MB. */
const MAX_BYTES = 24 * 1024 * 1024;

export function createSpeech(model: Model, voice: string, options: WireOptions = {}): Speech {
  const { timeLimitMs = TIME_LIMIT_MS } = options;
  const wire = createWire("speech model", model, options);
  return {
    async speak({ text, formats: [first, ...others], signal }) {
      const ask = (format: SpeechFormat) => {
        const body = { model: model.model, input: text, voice, response_format: format };
        const call = { method: "POST", path: "/audio/speech", body, signal: within(timeLimitMs, signal) } as const;
        return fetchBytes(wire, call, MAX_BYTES);
      };
      let answer = await ask(first);
      for (const format of others) {
        if (answer.kind === "failed" && answer.reason === "refused") answer = await ask(format);
      }
      if (answer.kind === "failed") return answer;
      const mime = audioTypeOf(answer.bytes);
      if (mime !== null) return { kind: "ok", bytes: answer.bytes, mime };
      return failed("invalid", "The speech model's answer is no sound that can be used.");
    },
  };
}

/** For where no model is set up. */
export function noSpeech(message: string): Speech {
  return { speak: async () => failed("not_configured", message) };
}
