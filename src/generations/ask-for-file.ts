import { z } from "zod";
import { JobFailed } from "../jobs/outcomes.ts";
import type { ModelFailure } from "../models/outcome.ts";
import { askOnce } from "./ask.ts";
import { type Making, progressed } from "./making.ts";
import { putFile, typeOfFile } from "./media.ts";

export interface FileQuestion {
  /** The part of the generation, and the name of its step in the journal. */
  readonly part: "image" | "voice";
  /** The name of the file. */
  readonly name: string;
  /** Time limit of the call in milliseconds, including the time to store its answer. */
  readonly limitMs: number;
  make(
    signal: AbortSignal,
  ): Promise<{ readonly kind: "ok"; readonly bytes: Uint8Array<ArrayBuffer>; readonly mime: string } | ModelFailure>;
}

const Made = z.object({ mime: z.string() });

/**
 * Calls a model that makes a file, and pays for it at most once (`askOnce`): a stored file proves that the
 * call was made. Throws as `askOnce` does.
 */
export async function askForFile(making: Making, { part, name, limitMs, make }: FileQuestion): Promise<void> {
  const answer = await askOnce(making, {
    name: part,
    schema: Made,
    limitMs,
    async ask(signal) {
      const outcome = await make(signal);
      if (outcome.kind === "failed") return outcome;
      const { bytes, mime } = outcome;
      await putFile(making, name, bytes, mime);
      return { kind: "ok", value: { mime } };
    },
    async left() {
      const mime = await typeOfFile(making, name);
      return mime === null ? null : { mime };
    },
    settles: () => [progressed(making, part)],
  });
  if (answer.kind === "unusable") throw new JobFailed("model_unusable", answer.message);
}
