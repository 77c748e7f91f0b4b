import { z } from "zod";
import { HOUR, MINUTE } from "../../core/time.ts";
import type { AccountContext, Failure, Json, Unprepared } from "../context.ts";
import { PlatformId } from "../json.ts";
import { Multipart } from "../multipart.ts";
import { quoting, rejected } from "../outcomes.ts";
import type { Commit, Content, PrepareOutcome } from "../publishing.ts";
import type { Media } from "../rules.ts";
import { isPauseDue, MAX_RESTARTS } from "../uploads.ts";
import { read } from "./api.ts";

/**
 * Uploads to X: one bounded act per call.
 *
 * image:       nothing → done                                                    (one multipart request)
 * gif, video:  nothing → appending (chunk by chunk) → processing (polled) → done
 *
 * - An alt text has a request of its own, which may be repeated. It has a price, so it belongs to the act
 *   that publishes the item, and is reserved with it.
 * - Segments must follow each other without a gap, and the announced size must be exact.
 * - Media can be attached for 24 h after the upload, by the same user through the same app; older ones are
 *   uploaded again.
 * - A refusal inside an upload (a segment sent twice, an expired id) restarts that file once.
 */

/** X takes 5 MB a segment and a thousand segments. */
const CHUNK_BYTES = 4 * 1024 * 1024;
export const MAX_CHUNKED_BYTES = 1000 * CHUNK_BYTES;
const USABLE_MS = 23 * HOUR;
const PROCESSING_LIMIT_MS = 30 * MINUTE;
const DEFAULT_CHECK_SECONDS = 2;

const Upload = z.object({
  state: z.enum(["none", "appending", "processing", "done"]),
  id: z.string(),
  /** Segments that X has accepted. */
  segments: z.number(),
  /** Epoch milliseconds at which the state was entered. */
  at: z.number(),
  /** Whether X has the alt text. */
  isDescribed: z.boolean(),
  restarts: z.number(),
});
type Upload = z.output<typeof Upload>;
/** One entry per file, in the order of items and media. */
const Progress = z.object({ uploads: z.array(Upload) });

const NONE: Upload = { state: "none", id: "", segments: 0, at: 0, isDescribed: false, restarts: 0 };

function uploadsOf(content: Content, stored: Json | null): { file: Media; upload: Upload }[] {
  const parsed = Progress.safeParse(stored);
  const uploads = parsed.success ? parsed.data.uploads : [];
  return content.items.flatMap((item) => item.media).map((file, index) => ({ file, upload: uploads[index] ?? NONE }));
}

/** Where an item's files are among all of them. */
function placesOf({ items }: Content, index: number): [from: number, to: number] {
  const from = items.slice(0, index).reduce((count, item) => count + item.media.length, 0);
  return [from, from + (items[index]?.media.length ?? 0)];
}

/** The ids of an item's media, in order; null if one of them is not uploaded. */
export function mediaIds(content: Content, stored: Json, index: number): readonly string[] | null {
  const own = uploadsOf(content, stored).slice(...placesOf(content, index));
  return own.every(({ upload }) => upload.state === "done") ? own.map(({ upload }) => upload.id) : null;
}

export async function prepare(context: AccountContext, content: Content, stored: Json | null): Promise<PrepareOutcome> {
  const all = uploadsOf(content, stored).map(({ file, upload }) => {
    const isStale = upload.state !== "none" && context.now - upload.at > USABLE_MS;
    return { file, upload: isStale ? NONE : upload };
  });
  const store = (index: number, changed: Upload) => ({
    uploads: all.map(({ upload }, other) => (other === index ? changed : upload)),
  });
  const index = all.findIndex(({ upload }) => upload.state !== "done");
  const next = all[index];
  if (!next) return { kind: "ready", progress: store(-1, NONE) };

  const step = await advance(context, content, next.file, next.upload);
  if (step.kind === "failed") return aboutFile(step);
  const progress = store(index, step.upload);
  const isLast = step.upload.state === "done" && index === all.length - 1;
  if (isLast) return { kind: "ready", progress };
  if (step.afterSeconds === undefined) {
    // X deletes an image that no post uses.
    const isImage = next.file.kind === "image" && step.upload.id !== "";
    return { kind: "more", progress, ...(isImage ? { repeatableBytes: next.file.bytes } : {}) };
  }
  const reason =
    step.upload.state === "appending" ? "The media are being uploaded to X." : "X is processing the media.";
  return { kind: "more", progress, afterSeconds: step.afterSeconds, reason };
}

/** An unspecific refusal here concerns the file. */
function aboutFile(failure: Failure): Failure {
  return failure.reason === "rejected" ? { code: "media_invalid", ...failure } : failure;
}

type Step = { readonly kind: "step"; readonly upload: Upload; readonly afterSeconds?: number } | Failure;

function advance(context: AccountContext, content: Content, file: Media, upload: Upload): Promise<Step> {
  switch (upload.state) {
    case "none":
      return file.kind === "image" ? uploadImage(context, content, file, upload) : initialize(context, file, upload);
    case "appending":
      return upload.segments * CHUNK_BYTES < file.bytes
        ? append(context, content, file, upload)
        : finalize(context, file, upload);
    case "processing":
      return checkProcessing(context, file, upload);
    case "done":
      return Promise.resolve({ kind: "step", upload });
  }
}

const Uploaded = z.object({
  data: z.object({
    id: PlatformId,
    processing_info: z
      .object({
        state: z.string(),
        check_after_secs: z.number().optional(),
        // Not in the schema of 2.167, but sent by older versions.
        error: z.object({ message: z.string().optional() }).nullish(),
      })
      .nullish(),
  }),
});
type Uploaded = z.output<typeof Uploaded>["data"];

async function uploadImage(context: AccountContext, content: Content, file: Media, upload: Upload): Promise<Step> {
  const part = await content.read(file, 0, file.bytes);
  if (part.kind === "failed") return part;
  const multipart = new Multipart();
  multipart.set("media", { filename: "media", mime: file.mime, part });
  multipart.set("media_category", "tweet_image");
  const answer = await read(context, { method: "POST", path: "media/upload", multipart }, Uploaded);
  return answer.kind === "failed" ? answer : uploaded(context, answer.value.data, upload);
}

async function initialize(context: AccountContext, file: Media, upload: Upload): Promise<Step> {
  const media_category = file.kind === "gif" ? "tweet_gif" : "tweet_video";
  const json = { media_type: file.mime, total_bytes: file.bytes, media_category };
  const answer = await read(context, { method: "POST", path: "media/upload/initialize", json }, Uploaded);
  if (answer.kind === "failed") return answer;
  const { id } = answer.value.data;
  return { kind: "step", upload: { ...upload, state: "appending", id, segments: 0, at: context.now } };
}

// The body of a success has changed over time, and may be empty.
const Appended = z
  .unknown()
  .refine((body) => !(body instanceof Object && "errors" in body))
  .transform(() => true);

async function append(context: AccountContext, content: Content, file: Media, upload: Upload): Promise<Step> {
  const start = upload.segments * CHUNK_BYTES;
  const part = await content.read(file, start, Math.min(start + CHUNK_BYTES, file.bytes));
  if (part.kind === "failed") return part;
  const multipart = new Multipart();
  multipart.set("media", { filename: "chunk", mime: "application/octet-stream", part });
  multipart.set("segment_index", String(upload.segments));
  const answer = await read(context, { method: "POST", path: `media/upload/${upload.id}/append`, multipart }, Appended);
  if (answer.kind === "failed") return restartIfRefused(answer, upload);
  const segments = upload.segments + 1;
  return { kind: "step", upload: { ...upload, segments }, ...(isPauseDue(segments) ? { afterSeconds: 1 } : {}) };
}

async function finalize(context: AccountContext, file: Media, upload: Upload): Promise<Step> {
  const answer = await read(context, { method: "POST", path: `media/upload/${upload.id}/finalize` }, Uploaded);
  if (answer.kind === "failed") return restartIfRefused(answer, upload);
  return processed(context, file, answer.value.data, { ...upload, at: context.now });
}

async function checkProcessing(context: AccountContext, file: Media, upload: Upload): Promise<Step> {
  const query = { command: "STATUS", media_id: upload.id };
  const answer = await read(context, { method: "GET", path: "media/upload", query }, Uploaded);
  if (answer.kind === "failed") return restartIfRefused(answer, upload);
  return processed(context, file, answer.value.data, upload);
}

function processed(context: AccountContext, file: Media, answer: Uploaded, upload: Upload): Step {
  const { state = "succeeded", check_after_secs = DEFAULT_CHECK_SECONDS, error } = answer.processing_info ?? {};
  if (state === "succeeded") return uploaded(context, answer, upload);
  if (state === "failed") {
    return rejected(quoting(`X could not process the ${file.kind} ${file.url}.`, "X", error?.message), "media_invalid");
  }
  if (context.now - upload.at > PROCESSING_LIMIT_MS)
    return rejected(`X did not finish with the ${file.kind} ${file.url}.`, "media_invalid");
  return { kind: "step", upload: { ...upload, state: "processing" }, afterSeconds: Math.max(1, check_after_secs) };
}

function uploaded(context: AccountContext, { id }: Uploaded, upload: Upload): Step {
  return { kind: "step", upload: { ...upload, state: "done", id, at: context.now } };
}

const Described = z.object({ data: z.object({ id: PlatformId }) });

/** Sends the alt texts of an item that X does not have yet, within the act that publishes the item. */
export async function describeMedia(
  context: AccountContext,
  content: Content,
  stored: Json,
  { index, keep }: Commit,
): Promise<{ readonly kind: "described" } | Unprepared | Failure> {
  const all = uploadsOf(content, stored);
  const uploads = all.map(({ upload }) => upload);
  const [from, to] = placesOf(content, index);
  for (let at = from; at < to; at++) {
    const { file, upload } = all[at] ?? { file: null, upload: NONE };
    if (!file?.altText || upload.isDescribed) continue;
    const json = { id: upload.id, metadata: { alt_text: { text: file.altText } } };
    const answer = await read(context, { method: "POST", path: "media/metadata", json }, Described);
    if (answer.kind === "failed") {
      const step = answer.reason === "down" ? { kind: "step" as const, upload } : restartIfRefused(answer, upload);
      if (step.kind === "failed") return aboutFile(step);
      uploads[at] = step.upload;
      return { ...answer, kind: "unprepared", progress: { uploads }, afterSeconds: answer.retryAfterSeconds ?? 1 };
    }
    uploads[at] = { ...upload, isDescribed: true };
    keep?.({ uploads: [...uploads] });
  }
  return { kind: "described" };
}

/** A refusal of one call does not prove that the file is bad: the upload may be in an unknown state. */
function restartIfRefused(failure: Failure, upload: Upload): Step {
  if (failure.reason !== "rejected" || upload.restarts >= MAX_RESTARTS) return failure;
  return { kind: "step", upload: { ...NONE, restarts: upload.restarts + 1 } };
}
