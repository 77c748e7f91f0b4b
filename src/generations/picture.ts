import { z } from "zod";
import { SECOND } from "../core/time.ts";
import { GiveUp } from "../jobs/once.ts";
import { askOnce } from "./ask.ts";
import { addJpeg } from "./banner.ts";
import { type Making, progressed } from "./making.ts";
import { type Kept, keepFile, type Names, putFile, typeOfFile } from "./media.ts";

/** A size that image models know, and a shape that every platform takes. */
const SIDE = 1024;
const ASK_LIMIT_MS = 120 * SECOND;
/** With what it takes to store it. */
const LIMIT_MS = ASK_LIMIT_MS + 30 * SECOND;

const Made = z.object({ mime: z.string() });

/** An image from an image model, as JPEG where its server can: every platform takes that. */
export async function drawImage(making: Making, names: Names, prompt: string): Promise<readonly Kept[]> {
  const { deps, project } = making;
  const name = names("image");
  const answer = await askOnce(making, {
    name: "image",
    schema: Made,
    limitMs: LIMIT_MS,
    async ask(signal) {
      const outcome = await deps.imagesFor(project).make({ prompt, width: SIDE, height: SIDE, format: "jpeg", signal });
      if (outcome.kind === "failed") return outcome;
      const { bytes, mime } = outcome;
      await putFile(making, name, bytes, mime);
      return { kind: "ok", value: { mime } };
    },
    async left() {
      const mime = await typeOfFile(making, name);
      return mime === null ? null : { mime };
    },
    settles: () => [progressed(making, "image")],
  });
  if (answer.kind === "unusable") throw new GiveUp("model_unusable", answer.message);
  const kept = await keepFile(making, "image", name);
  await addJpeg(making, names, kept, { width: SIDE, height: SIDE });
  return [kept];
}
