import { z } from "zod";
import { JobFailed } from "../jobs/outcomes.ts";
import type { ModelFailure, Usage } from "../models/outcome.ts";
import { callModelOnce } from "./call-model.ts";
import { type GenerationRun, progressEvent } from "./generation-run.ts";
import { putFile, typeOfFile } from "./media.ts";

export interface FileCall {
  /** The part of the generation, and the name of its step in the journal. */
  readonly part: "image" | "voice";
  /** The name of the file. */
  readonly name: string;
  /** Time limit of the call in milliseconds, including the time to store its answer. */
  readonly limitMs: number;
  make(signal: AbortSignal): Promise<
    | {
        readonly kind: "ok";
        readonly bytes: Uint8Array<ArrayBuffer>;
        readonly mime: string;
        readonly usage?: Usage;
      }
    | ModelFailure
  >;
}

const OPERATIONS = { image: "image", voice: "speech" } as const;

const Made = z.object({ mime: z.string() });

/**
 * Calls a model that makes a file, and pays for it at most once (`callModelOnce`): a stored file proves that
 * the call was made. Throws as `callModelOnce` does.
 */
export async function generateFile(making: GenerationRun, { part, name, limitMs, make }: FileCall): Promise<void> {
  const answer = await callModelOnce(making, {
    name: part,
    schema: Made,
    operation: OPERATIONS[part],
    limitMs,
    async call(signal) {
      const outcome = await make(signal);
      if (outcome.kind === "failed") return outcome;
      const { bytes, mime, usage } = outcome;
      await putFile(making, name, bytes, mime);
      return { kind: "ok", value: { mime }, ...(usage ? { usage } : {}) };
    },
    async left() {
      const mime = await typeOfFile(making, name);
      return mime === null ? null : { mime };
    },
    settles: () => [progressEvent(making, part)],
  });
  if (answer.kind === "unusable") throw new JobFailed("model_unusable", answer.message);
}
