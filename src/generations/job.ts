import type { GenerationId } from "../core/ids.ts";
import { idOf } from "../core/ids.ts";
import { HOUR } from "../core/time.ts";
import type { JobHandler } from "../jobs/handler.ts";
import type { Journal } from "../jobs/journal.ts";
import type { Deps } from "../service/deps.ts";
import { drawBanners } from "./banner.ts";
import { cleanUp, generationDone, generationFailure, unreadableFailure, waitEvent } from "./conclusion.ts";
import { altTextOf, type GeneratedText } from "./generated-text.ts";
import { Deleted, type GenerationRun } from "./generation-run.ts";
import { chooseNames, type Kept } from "./media.ts";
import { drawImage } from "./picture.ts";
import { makeBreel, makeFacelessReel, makeTalkingReel } from "./reel.ts";
import { readForJob } from "./store.ts";
import { writeText } from "./write-text.ts";

export const GENERATE = "generate";
/** Videos take minutes, and servers without capacity are retried for a while. */
export const GENERATION_LIMIT_MS = HOUR;

/**
 * Runs one generation: the job `generate:<id>`. Text, image, voice and video are steps of its journal. Each
 * model is called at most once per step, wherever a delivery dies (call-model.ts, generate-video.ts).
 */
export const generationJob: JobHandler<Deps> = {
  kind: GENERATE,
  queues: ["generation"],
  limitMs: () => GENERATION_LIMIT_MS,
  version: 1,
  // Paid results are never requested again.
  isLasting: () => true,
  run,
  async failed(deps, job, end, journal) {
    if (!journal) return unreadableFailure(deps, job, end);
    const making = await openMaking(deps, journal);
    return making ? generationFailure(making, end) : cleanUp(deps, journal);
  },
  waiting: waitEvent,
};

async function run(deps: Deps, journal: Journal): Promise<void> {
  const making = await openMaking(deps, journal);
  if (!making) return journal.finish(cleanUp(deps, journal));
  try {
    const words = await writeText(making);
    const files = await makeFiles(making, words);
    const altText = altTextOf(words, making.generation.type);
    const shown = altText === null ? files : files.map((file) => ({ ...file, altText }));
    await journal.finish(generationDone(making, words.caption, shown));
  } catch (error) {
    if (!(error instanceof Deleted)) throw error;
    await journal.finish(cleanUp(deps, journal));
  }
}

/** Null if the generation was deleted or has ended. */
async function openMaking(deps: Deps, journal: Journal): Promise<GenerationRun | null> {
  const found = await readForJob(deps.db, idOf<GenerationId>(journal.job.subjectId));
  if (!found || found.generation.deletedAt !== null || found.generation.state !== "queued") return null;
  return { deps, journal, ...found };
}

async function makeFiles(making: GenerationRun, words: GeneratedText): Promise<readonly Kept[]> {
  const { type } = making.generation;
  const names = await chooseNames(making);
  const [picture, script] = [words.picture ?? "", words.script ?? ""];
  switch (type) {
    case "text_only":
      return [];
    case "ai_image_post":
      return drawImage(making, names, picture);
    case "ai_banner_post":
      return words.banner ? drawBanners(making, names, words.banner) : [];
    case "breel":
      return makeBreel(making, names, picture);
    case "talking_reel":
      return makeTalkingReel(making, names, { picture, script });
    case "faceless_reel":
      return makeFacelessReel(making, names, { picture, script });
  }
}
