import { z } from "zod";
import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import { SECOND } from "../core/time.ts";
import { type ActResult, type FindResult, JobFailed } from "../jobs/outcomes.ts";
import { markMovie, UnmarkableMovie } from "../media/movie-mark.ts";
import type { ModelFailure } from "../models/outcome.ts";
import type { Download } from "../models/video-download.ts";
import { callOnce } from "./call-model.ts";
import { type GenerationRun, progressEvent } from "./generation-run.ts";
import { openFile, putStream, whileHolding } from "./media.ts";
import { madeBy } from "./source-mark.ts";

/** Portrait, in a size that video models support and that is large enough for every platform's reels. */
const SIZE = { width: 720, height: 1280 } as const;
const BEGIN = "video:begin";
const CHECK = "video:check";
const READY = "video:ready";
const FETCH = "video:fetch";
const FETCHED = "video";

/** How late a server may list a job that it has started. */
const LIST_LAG_MS = 10 * SECOND;
const FETCH_LIMIT_MS = 310 * SECOND;
/** A server that refuses a check, or answers with an unknown form, may still be working. */
const ODD_TRIES = 8;
const SOONEST_SECONDS = 3;
const LATEST_SECONDS = 20;
/** The wait between two checks is this part of the time that the video has taken so far. */
const PATIENCE = 10;

const Begun = z.object({ id: z.string() });

export interface VideoRequest {
  readonly prompt: string;
  readonly seconds: number;
}

/**
 * Gets a video from a video model into our bucket under `name`. Its job is started and paid for once, checked
 * until it is done, over as many deliveries as needed, and downloaded. Throws `RetryLater` to continue,
 * `JobFailed` with the reason, `Deleted`.
 */
export async function generateVideo(making: GenerationRun, name: string, request: VideoRequest): Promise<void> {
  const { journal } = making;
  if (journal.isDone(FETCHED)) return;
  const id = await begin(making, request);
  if (!journal.isDone(READY)) await awaitVideo(making, id);
  await downloadVideo(making, id, name);
}

async function begin(making: GenerationRun, { prompt, seconds }: VideoRequest): Promise<string> {
  const { deps, generation, project } = making;
  const videos = deps.videosFor(project);
  // A unique prompt: after a lost answer the job is found by it.
  const marked = `${prompt}\n\n(take ${generation.uuid.slice(0, 13)}, not to be shown)`;
  const begun = await callOnce<z.output<typeof Begun>>(making, BEGIN, {
    schema: Begun,
    lagMs: LIST_LAG_MS,
    limitMs: 65 * SECOND,
    use: { operation: "video", units: seconds },
    async act(signal) {
      const idempotencyKey = `${generation.uuid}:video`;
      return toActed(await videos.begin({ prompt: marked, seconds, ...SIZE, idempotencyKey, signal }));
    },
    find: async (begunAt) => toFound(await videos.find({ prompt: marked, begunAt })),
  });
  return begun.id;
}

type BeginOutcome = { readonly kind: "ok"; readonly id: string } | ModelFailure;

function toActed(outcome: BeginOutcome): ActResult<z.output<typeof Begun>, ModelFailure> {
  if (outcome.kind === "ok") return { kind: "done", value: { id: outcome.id } };
  // The job may have started, so it can be looked up.
  const isDoubtful = outcome.reason === "down" || outcome.reason === "invalid";
  return isDoubtful ? { kind: "unknown", message: outcome.message } : { kind: "refused", failure: outcome };
}

type FindOutcome = Awaited<ReturnType<ReturnType<GenerationRun["deps"]["videosFor"]>["find"]>>;

function toFound(outcome: FindOutcome): FindResult<z.output<typeof Begun>> {
  switch (outcome.kind) {
    case "found":
      return { kind: "found", value: { id: outcome.id } };
    case "absent":
      return outcome;
    case "unknown": {
      const message = "The video model's answer was lost, and its server does not list the jobs that it has started.";
      return { kind: "unclear", message };
    }
    case "failed":
      return toFailed(outcome);
  }
}

function toFailed({ message, retryAfterSeconds }: ModelFailure) {
  const failed = { kind: "failed", cause: { code: "model_failed", message }, isRefused: false } as const;
  return retryAfterSeconds === undefined ? failed : { ...failed, retryAfterSeconds };
}

/** Returns when the video is done. */
async function awaitVideo({ deps, journal, project }: GenerationRun, id: string): Promise<void> {
  await journal.checkpoint();
  const state = await deps.videosFor(project).getState(id);
  switch (state.kind) {
    case "done":
      return journal.write(READY, true);
    case "pending": {
      const soFar = (Date.now() - journal.begunAt(BEGIN)) / SECOND;
      const seconds = Math.min(LATEST_SECONDS, Math.max(SOONEST_SECONDS, Math.ceil(soFar / PATIENCE)));
      return journal.retryLater(seconds, "The model is making the video.", null);
    }
    case "ended":
      throw new JobFailed(state.reason === "refused" ? "model_refused" : "model_failed", state.message);
    case "failed":
      return tryAgain(journal, CHECK, state);
  }
}

async function downloadVideo(making: GenerationRun, id: string, name: string): Promise<void> {
  const { deps, journal, project } = making;
  const fetching = () =>
    journal.runLong(FETCH_LIMIT_MS, async (signal) => {
      const video = await deps.videosFor(project).fetch(id, signal);
      if (video.kind === "failed") return video;
      try {
        await putMarked(making, name, video);
        return null;
      } catch (error) {
        if (error instanceof JobFailed) throw error;
        if (error instanceof UnmarkableMovie) {
          throw new JobFailed("model_unusable", "The model's video cannot be posted: it is cut off or damaged.");
        }
        const message = "The download of the video from the model server was interrupted.";
        return { kind: "failed", reason: "down", message } as const;
      }
    });
  const failure = await whileHolding(making, MAX_PART_BYTES, fetching);
  if (failure !== null) tryAgain(journal, FETCH, failure);
  await journal.write(FETCHED, true, [progressEvent(making, "video")]);
}

/** The formats that hold the mark. */
const MARKABLE: readonly string[] = ["video/mp4", "video/quicktime"];

/** Stores the video with its mark. The mark needs the length: one of unknown length is stored first. */
async function putMarked(
  making: GenerationRun,
  name: string,
  { chunks, cancel, length, mime }: Extract<Download, { kind: "ok" }>,
): Promise<void> {
  if (!MARKABLE.includes(mime)) {
    await cancel();
    throw new JobFailed("model_unusable", `The video model made ${mime}. Use a model that makes MP4 videos.`);
  }
  const mark = madeBy(making.deps.videosFor(making.project).model);
  if (length !== null) {
    await putStream(making, name, markMovie(chunks, length, mark));
    return;
  }
  const bytes = await putStream(making, name, chunks);
  const { body } = await openFile(making, name);
  await putStream(making, name, markMovie(body, bytes, mark));
}

/** Checks and downloads cost nothing, so they are retried until the deadline. */
function tryAgain(journal: GenerationRun["journal"], name: string, failure: ModelFailure): never {
  const { reason, message } = failure;
  if (reason === "not_configured") throw new JobFailed("model_not_configured", message);
  const code = reason === "throttled" ? ("model_over_quota" as const) : ("model_failed" as const);
  const tries = reason === "refused" || reason === "invalid" ? { maxRetries: ODD_TRIES } : {};
  const wait = failure.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: failure.retryAfterSeconds };
  return journal.retryWithBackoff(name, { code, message }, { ...wait, ...tries });
}
