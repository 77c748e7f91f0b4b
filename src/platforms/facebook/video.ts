import { z } from "zod";
import { MINUTE } from "../../core/time.ts";
import type { AccountContext, Failure } from "../context.ts";
import { PlatformId } from "../json.ts";
import { get, post, Success, VERSION } from "../meta/graph.ts";
import { down, quoting, rejected } from "../outcomes.ts";
import { parseBody } from "../request.ts";
import type { Media } from "../rules.ts";
import type { UploadStep } from "../uploads.ts";
import { graphOf } from "./api.ts";
import { Video, videoState } from "./video-state.ts";

/**
 * Reels and video stories, which are uploaded before they are published.
 *
 * start → the video has an id → Facebook fetches the file by URL → it processes → (commit) finish → live
 *
 * After a lost answer the status shows the state (video-state.ts); it is never guessed.
 */
const UPLOAD_ORIGIN = "https://rupload.facebook.com";
const MAX_UPLOADS = 3;
/** An upload that the status does not show after this long has failed. */
const UPLOAD_PATIENCE_MS = 20_000;
/** After this long, the status "processing" no longer delays `finish`, which Facebook accepts earlier. */
const PROCESSING_PATIENCE_MS = 10 * MINUTE;

export const VideoUpload = z.object({
  id: z.string(),
  uploadUrl: z.string(),
  /** Epoch milliseconds of the last upload; null before it. */
  sentAt: z.number().nullable(),
  uploads: z.number(),
});
export type VideoUpload = z.output<typeof VideoUpload>;

type VideoStep = UploadStep<VideoUpload>;

const Started = z.object({ video_id: PlatformId, upload_url: z.string() });

export async function prepareVideo(
  context: AccountContext,
  edge: string,
  file: Media,
  video: VideoUpload | null,
): Promise<VideoStep> {
  if (video === null) {
    const start = post(`${context.account.id}/${edge}`, { upload_phase: "start" });
    const answer = await graphOf(context).read(start, Started);
    if (answer.kind === "failed") return answer;
    const { video_id: id, upload_url: uploadUrl } = answer.value;
    return { kind: "more", upload: { id, uploadUrl, sentAt: null, uploads: 0 } };
  }
  if (video.sentAt !== null) return checkUpload(context, video, video.sentAt);
  if (video.uploads >= MAX_UPLOADS) {
    return rejected("Facebook did not accept the video after several attempts.", "media_invalid");
  }
  const refusal = await upload(context, video, file);
  // Facebook refuses a second upload if the first one, whose answer was lost, arrived.
  if (refusal !== null && !(await hasArrived(context, video))) return refusal;
  // A lost answer may have been a success: the status shows it.
  const sent = { ...video, sentAt: context.now, uploads: video.uploads + 1 };
  return { kind: "more", upload: sent, afterSeconds: 2, reason: "Facebook is fetching the video." };
}

/** Has Facebook fetch the file. Null if it accepts, or if only the status can show it. */
async function upload(context: AccountContext, video: VideoUpload, file: Media): Promise<Failure | null> {
  // The token is sent to Meta's upload host only, whatever URL the answer has.
  const given = URL.parse(video.uploadUrl);
  const url = given?.origin === UPLOAD_ORIGIN ? given.href : `${UPLOAD_ORIGIN}/video-upload/${VERSION}/${video.id}`;
  const headers = { authorization: `OAuth ${context.credentials.accessToken}`, file_url: file.publicUrl };
  const answer = await context.send({ method: "POST", url, headers });
  const said = answer.kind === "answered" ? parseBody(UploadError, answer)?.debug_info : undefined;
  if (said) return uploadFailure(said);
  const graph = graphOf(context);
  // A 4xx proves that the upload was not accepted.
  const isRefused = answer.kind === "answered" && answer.status >= 400 && answer.status <= 499;
  const outcome = isRefused ? graph.interpretRead(answer, Success) : graph.interpretWrite(answer, Success);
  return outcome.kind === "failed" ? outcome : null;
}

const UploadError = z.object({
  debug_info: z.object({
    retriable: z.boolean().optional(),
    type: z.string().optional(),
    message: z.string().optional(),
  }),
});

function uploadFailure({ retriable, message }: z.output<typeof UploadError>["debug_info"]): Failure {
  const sentence = quoting("Facebook could not process the video. Try another file.", "Facebook", message);
  return retriable ? down(sentence) : rejected(sentence, "media_invalid");
}

async function hasArrived(context: AccountContext, video: VideoUpload): Promise<boolean> {
  const answer = await graphOf(context).read(get(video.id, { fields: "status" }), Video);
  const status = answer.kind === "ok" ? answer.value.status : undefined;
  return (
    /^completed?$/.test(status?.uploading_phase?.status ?? "") ||
    ["upload_complete", "processing", "ready"].includes(status?.video_status ?? "")
  );
}

async function checkUpload(context: AccountContext, video: VideoUpload, sentAt: number): Promise<VideoStep> {
  const answer = await graphOf(context).read(get(video.id, { fields: "status" }), Video);
  if (answer.kind === "failed") return answer;
  const state = videoState(answer.value);
  if (state.kind === "broken") return rejected(state.message, state.code);
  const { uploading, processing } = state;
  const waitedMs = context.now - sentAt;
  if (uploading === "not_started" && waitedMs > UPLOAD_PATIENCE_MS) {
    return { kind: "more", upload: { ...video, sentAt: null } };
  }
  const isProcessed = processing !== "in_progress" || waitedMs > PROCESSING_PATIENCE_MS;
  if (uploading === "complete" && isProcessed) return { kind: "ready", upload: video };
  return { kind: "more", upload: video, afterSeconds: 3, reason: "Facebook is processing the video." };
}
