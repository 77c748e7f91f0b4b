import { z } from "zod";
import type { AccountContext } from "../context.ts";
import { PlatformId, parseJson } from "../json.ts";
import { get, post } from "../meta/graph.ts";
import { rejected } from "../outcomes.ts";
import type { Content } from "../publishing.ts";
import { parseBody } from "../request.ts";
import type { Media } from "../rules.ts";
import { isPauseDue, MAX_RESTARTS, type UploadStep } from "../uploads.ts";
import { graphOf } from "./api.ts";

/**
 * A feed video, which is uploaded in chunks before it is published.
 *
 * start → the video has an id → transfer, chunk by chunk, at the offsets that Facebook requests → (commit)
 * finish → live
 *
 * - Unlike with `file_url`, the id is known before anything is public, so a lost answer is looked up by id.
 * - A transfer whose answer was lost is sent again. If Facebook already has it, it refuses the old offset.
 *   The upload then continues at the offset that Facebook reports, or restarts once if it reports none. So
 *   progress may be stored every few chunks.
 *   Unfinished uploads are harmless.
 */

/** Facebook requests about a megabyte at a time; at most this much is held in memory. */
const MAX_CHUNK_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** They are small, so a delivery has time for many. */
const CHUNKS_PER_DELIVERY = 128;

export const ChunkUpload = z.object({
  /** The video's id; empty before `start`. */
  id: z.string(),
  session: z.string(),
  /** The bytes [start, end) that Facebook requests next; both are equal once it has everything. */
  start: z.number(),
  end: z.number(),
  chunks: z.number(),
  restarts: z.number(),
});
export type ChunkUpload = z.output<typeof ChunkUpload>;

type ChunkStep = UploadStep<ChunkUpload>;

const NONE: ChunkUpload = { id: "", session: "", start: 0, end: 0, chunks: 0, restarts: 0 };

// Strings of digits, because offsets may exceed 2^53 in other APIs; a video's offsets do not.
const offset = z.coerce.number().int().nonnegative();
const Offsets = z.object({ start_offset: offset, end_offset: offset });
const Started = Offsets.extend({ upload_session_id: PlatformId, video_id: PlatformId });

export async function prepareChunks(
  context: AccountContext,
  content: Content,
  file: Media,
  stored: ChunkUpload | null,
): Promise<ChunkStep> {
  const upload = stored ?? NONE;
  if (upload.id === "") return start(context, file, upload);
  return upload.start === upload.end ? { kind: "ready", upload } : transfer(context, content, file, upload);
}

async function start(context: AccountContext, file: Media, upload: ChunkUpload): Promise<ChunkStep> {
  const form = { upload_phase: "start", file_size: String(file.bytes) };
  const answer = await graphOf(context).read(post(`${context.account.id}/videos`, form), Started);
  if (answer.kind === "failed") return answer;
  const { upload_session_id: session, video_id: id, start_offset, end_offset } = answer.value;
  return { kind: "more", upload: { ...upload, id, session, start: start_offset, end: end_offset, chunks: 0 } };
}

async function transfer(
  context: AccountContext,
  content: Content,
  file: Media,
  upload: ChunkUpload,
): Promise<ChunkStep> {
  const end = Math.min(upload.end, upload.start + MAX_CHUNK_BYTES, file.bytes);
  if (end <= upload.start) return restart(upload, "Facebook requested bytes beyond the end of the video.");
  const part = await content.read(file, upload.start, end);
  if (part.kind === "failed") return part;
  const form = { upload_phase: "transfer", upload_session_id: upload.session, start_offset: String(upload.start) };
  const files = { video_file_chunk: { filename: "chunk", mime: "application/octet-stream", part } };
  const graph = graphOf(context);
  const answer = await graph.request(post(`${context.account.id}/videos`, form, files));
  const outcome = graph.interpretRead(answer, Offsets);
  if (outcome.kind === "ok") {
    const { start_offset, end_offset } = outcome.value;
    // Sending the same offsets again would never end.
    if (start_offset <= upload.start) return restart(upload, "Facebook did not accept a part of the video.");
    const chunks = upload.chunks + 1;
    const next = { ...upload, start: start_offset, end: end_offset, chunks };
    if (start_offset === end_offset) return { kind: "ready", upload: next };
    if (!isPauseDue(chunks, CHUNKS_PER_DELIVERY)) {
      return { kind: "more", upload: next, repeatableBytes: end - upload.start };
    }
    return { kind: "more", upload: next, afterSeconds: 1, reason: "The video is being uploaded to Facebook." };
  }
  const isRefused = answer.kind === "answered" && outcome.reason === "rejected";
  if (!isRefused) return outcome;
  const stand = offsetsIn(answer.body) ?? (await readStand(context, file, upload));
  if (stand === null || stand.start_offset <= upload.start) return restart(upload, outcome.message);
  return { kind: "more", upload: { ...upload, start: stand.start_offset, end: stand.end_offset } };
}

type Stand = z.output<typeof Offsets>;

const Refusal = z.object({ error: z.object({ error_data: z.unknown() }) });
const ErrorData = z.union([
  z
    .string()
    .transform((text) => parseJson(text))
    .pipe(Offsets),
  Offsets,
]);

/** The offsets that a refusal reports: `error_data` is JSON, in a string or not. */
function offsetsIn(body: unknown): Stand | null {
  const refusal = Refusal.safeParse(body);
  const parsed = ErrorData.safeParse(refusal.data?.error.error_data);
  return parsed.success ? parsed.data : null;
}

// The documentation spells the number of bytes differently from the SDK.
const Bytes = z.object({
  status: z.object({
    uploading_phase: z.object({ bytes_transferred: offset.optional(), bytes_transfered: offset.optional() }),
  }),
});

/** How much of the video Facebook has; null if its status does not report it. */
async function readStand(context: AccountContext, file: Media, upload: ChunkUpload): Promise<Stand | null> {
  const answer = await graphOf(context).request(get(upload.id, { fields: "status" }));
  const phase = answer.kind === "answered" ? parseBody(Bytes, answer)?.status.uploading_phase : undefined;
  const taken = phase?.bytes_transferred ?? phase?.bytes_transfered;
  if (taken === undefined || taken > file.bytes) return null;
  return { start_offset: taken, end_offset: Math.min(taken + CHUNK_BYTES, file.bytes) };
}

/** Restarts the upload once, because its state at Facebook is unknown. */
function restart(upload: ChunkUpload, message: string): ChunkStep {
  if (upload.restarts >= MAX_RESTARTS) return rejected(message, "media_invalid");
  return { kind: "more", upload: { ...NONE, restarts: upload.restarts + 1 } };
}
