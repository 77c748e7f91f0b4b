import { z } from "zod";
import { JobFailed } from "../jobs/outcomes.ts";
import type { ModelFailure } from "../models/outcome.ts";
import { askOnce } from "./ask.ts";
import { type Making, progressed } from "./making.ts";
import { putFile, typeOfFile } from "./media.ts";

export interface FileQuestion {
  /** What it is of the generation, and the name of the step in the journal. */
  readonly part: "image" | "voice";
  /** Of the file. */
  readonly name: string;
  /** How long the call may take, in milliseconds, with what it takes to store its answer. */
  readonly limitMs: number;
  make(
    signal: AbortSignal,
  ): Promise<{ readonly kind: "ok"; readonly bytes: Uint8Array<ArrayBuffer>; readonly mime: string } | ModelFailure>;
}

const Made = z.object({ mime: z.string() });

/**
 * Has a model make a file, paid for at most once (`askOnce`): a stored file proves that the call was made.
 * Throws as `askOnce` does.
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
