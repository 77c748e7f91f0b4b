import { SECOND } from "../core/time.ts";
import { markPicture } from "../media/picture-mark.ts";
import type { ImageOutcome } from "../models/image.ts";
import { failed } from "../models/outcome.ts";
import { addJpeg } from "./banner.ts";
import { generateFile } from "./generate-file.ts";
import type { GenerationRun } from "./generation-run.ts";
import { type Kept, keepFile, type Names } from "./media.ts";
import { madeBy } from "./source-mark.ts";

/** A size that image models support, and a shape that every platform accepts. */
const SIDE = 1024;
const ASK_LIMIT_MS = 120 * SECOND;
/** Time limit of the call, including the time to store its answer. */
const LIMIT_MS = ASK_LIMIT_MS + 30 * SECOND;

/**
 * An image from an image model, as JPEG where the server supports it, because every platform accepts JPEG.
 */
export async function drawImage(making: GenerationRun, names: Names, prompt: string): Promise<readonly Kept[]> {
  const { deps, project } = making;
  const name = names("image");
  const images = deps.imagesFor(project);
  await generateFile(making, {
    part: "image",
    name,
    limitMs: LIMIT_MS,
    make: async (signal) =>
      marked(await images.make({ prompt, width: SIDE, height: SIDE, format: "jpeg", signal }), images.model),
  });
  const kept = await keepFile(making, "image", name);
  await addJpeg(making, names, kept, { width: SIDE, height: SIDE });
  return [kept];
}

function marked(outcome: ImageOutcome, model: string | null): ImageOutcome {
  if (outcome.kind === "failed") return outcome;
  const bytes = markPicture(outcome.bytes, madeBy(model));
  if (bytes !== null) return { ...outcome, bytes };
  const damaged = failed("invalid", "The image model's answer is a damaged picture.");
  return outcome.usage ? { ...damaged, usage: outcome.usage } : damaged;
}
