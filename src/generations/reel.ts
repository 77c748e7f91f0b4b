import { z } from "zod";
import { SECOND } from "../core/time.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import { movieMark } from "../media/movie-mark.ts";
import { withBox } from "../video/mp4-file.ts";
import { soundOf } from "../video/sound-track.ts";
import { withVoice } from "../video/voice-over.ts";
import { generateFile } from "./generate-file.ts";
import { generateVideo } from "./generate-video.ts";
import type { GenerationRun } from "./generation-run.ts";
import { type Kept, keepFile, MAX_WORKED_ON, type Names, putWritten, withFiles } from "./media.ts";
import { madeBy } from "./source-mark.ts";

/** Seconds of the requested video; video models support these lengths. */
const SECONDS = { breel: 8, talking_reel: 12, faceless_reel: 12 } as const;

/** A video as the model made it. */
export async function makeBreel(making: GenerationRun, names: Names, picture: string): Promise<readonly Kept[]> {
  const name = names("video");
  await generateVideo(making, name, { prompt: picture, seconds: SECONDS.breel });
  return [await keepFile(making, "video", name)];
}

/** A video of a person who speaks. A video without sound gets the script from the speech model. */
export async function makeTalkingReel(
  making: GenerationRun,
  names: Names,
  { picture, script }: { readonly picture: string; readonly script: string },
): Promise<readonly Kept[]> {
  const { journal } = making;
  const video = names("video");
  await generateVideo(making, video, { prompt: picture, seconds: SECONDS.talking_reel });
  const isSilent = journal.read("silent", z.boolean()) ?? (await hasNoSound(making, video));
  if (!isSilent) return [await keepFile(making, "video", video)];
  return voiced(making, names, script);
}

/** A video of scenes, with a voice-over in place of its own sound. */
export async function makeFacelessReel(
  making: GenerationRun,
  names: Names,
  { picture, script }: { readonly picture: string; readonly script: string },
): Promise<readonly Kept[]> {
  // The cheaper call comes first, so its failure costs no video.
  await recordVoice(making, names, script);
  await generateVideo(making, names("video"), { prompt: picture, seconds: SECONDS.faceless_reel });
  return voiced(making, names, script);
}

async function hasNoSound(making: GenerationRun, video: string): Promise<boolean> {
  // A video that cannot be probed is kept as it is.
  const isSilent =
    (await withFiles(making, { video, voice: null }, async (bytes) => soundOf(bytes) === "none")) ?? false;
  await making.journal.write("silent", isSilent);
  return isSilent;
}

async function voiced(making: GenerationRun, names: Names, script: string): Promise<readonly Kept[]> {
  const { journal } = making;
  const voice = await recordVoice(making, names, script);
  const name = names("reel");
  if (!journal.isDone("joined")) {
    await journal.checkpoint();
    await join(making, { video: names("video"), voice, name });
    await journal.write("joined", true);
  }
  return [await keepFile(making, "reel", name)];
}

async function join(
  making: GenerationRun,
  { video, voice, name }: { readonly video: string; readonly voice: string; readonly name: string },
): Promise<void> {
  const { deps, project } = making;
  const mark = madeBy(deps.videosFor(project).model, deps.speechFor(project).model);
  const isJoined = await withFiles(making, { video, voice }, async (pictures, sound) => {
    const joined = await withVoice(pictures, sound);
    if (joined.kind === "failed") throw new JobFailed("model_unusable", joined.message);
    await putWritten(making, name, withBox(joined.file, movieMark(mark)), "video/mp4");
    return true;
  });
  if (isJoined) return;
  const limit = `${MAX_WORKED_ON / 1024 / 1024} MB`;
  throw new JobFailed("model_unusable", `The generated video is larger than ${limit}, too large for a voice-over.`);
}

const VOICE_LIMIT_MS = 90 * SECOND;

/**
 * The script, spoken by the speech model; returns the name of its file. AAC where the server supports it,
 * because every platform accepts AAC in a video.
 */
async function recordVoice(making: GenerationRun, names: Names, script: string): Promise<string> {
  const { deps, project } = making;
  const name = names("voice");
  await generateFile(making, {
    part: "voice",
    name,
    limitMs: VOICE_LIMIT_MS,
    make: (signal) => deps.speechFor(project).speak({ text: script, formats: ["aac", "mp3"], signal }),
  });
  return name;
}
