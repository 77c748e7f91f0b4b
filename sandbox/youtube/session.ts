// Responses of a resumable upload session. 308 is not a redirect: `Range` contains the stored bytes.

import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import type { YoutubeContext } from "./api";
import { ApiError } from "./errors";
import { insertVideo } from "./insert";
import { findVideo, resourceOf, type SessionRow } from "./store";
import { videoView } from "./views";

const UNIT = 262_144;

type Range =
  | { kind: "bytes"; start: number; end: number; total: number | null }
  | { kind: "question"; total: number | null };

/** `Content-Range` with an exclusive end; null if missing or invalid. */
export function rangeOf(c: YoutubeContext): Range | null {
  const header = c.req.header("content-range") ?? "";
  const [, first, last, size] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header) ?? [];
  if (size === undefined) return null;
  const total = size === "*" ? null : Number(size);
  if (first === undefined || last === undefined) return { kind: "question", total };
  return { kind: "bytes", start: Number(first), end: Number(last) + 1, total };
}

const badRequest = (message: string) => new ApiError(400, "badRequest", message);
/** An unknown or expired session. This does not say whether its video exists. */
const gone = () => new Response("Not Found", { status: 404, headers: { "content-type": "text/html; charset=utf-8" } });

export async function answerTo(sandbox: Sandbox, c: YoutubeContext): Promise<Response> {
  const session = findSession(sandbox, c.req.query("upload_id") ?? "");
  if (!session) return gone();
  if (session.refusal !== null) return Response.json(JSON.parse(session.refusal), { status: 400 });
  if (session.video_id !== null) return finalAnswer(sandbox, c, { ...session, video_id: session.video_id }, 200);
  const range = await sentRange(c);
  const total = session.total ?? range.total;
  if (range.total !== null && total !== range.total) {
    throw badRequest(`The upload has ${total} bytes, not ${range.total} as announced.`);
  }
  const stored = sandbox.blobs.size(session.blob_id);
  if (range.kind === "question") {
    // The bytes were sent without a total size. This request has it, and nothing is left to send.
    return session.total === null && total === stored ? complete(sandbox, c, session) : incomplete(sandbox, session);
  }
  const bytes = new Uint8Array(await c.req.raw.arrayBuffer());
  checkBytes(range, bytes, total);
  if (range.start !== stored) return misplaced(sandbox, session);
  if (meets(c, "reject_media")) return refuse(sandbox, session);
  if (meets(c, "processing_failed")) spoil(sandbox, session);
  sandbox.blobs.append(session.blob_id, bytes.subarray(0, kept(sandbox, bytes.length)));
  if (total === null || sandbox.blobs.size(session.blob_id) < total) return incomplete(sandbox, session);
  return complete(sandbox, c, session);
}

function findSession(sandbox: Sandbox, id: string): SessionRow | null {
  const { youtube_session_seconds, youtube_finished_session } = sandbox.settings.all;
  const session = sandbox.db.first<SessionRow>("SELECT * FROM youtube_sessions WHERE id = ?", id);
  if (!session || session.created_at + youtube_session_seconds * 1000 <= sandbox.now()) return null;
  return session.video_id !== null && youtube_finished_session === "gone" ? null : session;
}

/** Whether a request only queries the session, and whether it completes the upload. */
export function whatComes(sandbox: Sandbox, id: string, range: Range | null): { isLast: boolean; isQuestion: boolean } {
  if (range === null) return { isLast: true, isQuestion: false };
  const session = findSession(sandbox, id);
  const total = session?.total ?? range.total;
  if (range.kind === "bytes") return { isLast: total !== null && range.end >= total, isQuestion: false };
  const isOpen = session !== null && session.video_id === null && session.total === null;
  return { isLast: isOpen && total !== null && sandbox.blobs.size(session.blob_id) === total, isQuestion: true };
}

/** Cancels a session without a video; Google returns 499. */
export function cancel(sandbox: Sandbox, c: YoutubeContext): Response {
  const session = findSession(sandbox, c.req.query("upload_id") ?? "");
  if (!session || session.video_id !== null) return gone();
  sandbox.db.run("DELETE FROM youtube_sessions WHERE id = ?", session.id);
  return new Response(null, { status: 499, headers: { "x-guploader-uploadid": session.id } });
}

/** Without `Content-Range`, the body is the whole file. */
async function sentRange(c: YoutubeContext): Promise<Range> {
  const range = rangeOf(c);
  if (range) return range;
  if (c.req.header("content-range") !== undefined) throw badRequest("Failed to parse Content-Range header.");
  const total = Number(c.req.header("content-length") ?? Number.NaN);
  if (!Number.isSafeInteger(total)) throw badRequest("Content-Length is missing.");
  return { kind: "bytes", start: 0, end: total, total };
}

/** `bytes a-b/*` has no total size: unless the session knows it, more bytes follow. */
function checkBytes(range: Extract<Range, { kind: "bytes" }>, bytes: Uint8Array, total: number | null): void {
  if (bytes.length !== range.end - range.start) {
    throw badRequest(
      `There were ${range.end - range.start} byte(s) in the request range, and ${bytes.length} were sent.`,
    );
  }
  if (total !== null && range.end > total) throw badRequest("There are more bytes than were announced.");
  if (range.end !== total && bytes.length % UNIT !== 0) {
    throw badRequest(`The number of bytes uploaded is required to be equal to or a multiple of ${UNIT}.`);
  }
}

/** How much of a chunk is stored. */
function kept(sandbox: Sandbox, length: number): number {
  if (!sandbox.settings.all.youtube_partial_storage || length <= UNIT) return length;
  return Math.ceil(length / 2 / UNIT) * UNIT;
}

function incomplete(sandbox: Sandbox, { id, blob_id }: SessionRow): Response {
  const stored = sandbox.blobs.size(blob_id);
  const range: Record<string, string> = stored === 0 ? {} : { range: `bytes=0-${stored - 1}` };
  return new Response(null, { status: 308, headers: { ...range, "x-guploader-uploadid": id } });
}

function misplaced(sandbox: Sandbox, session: SessionRow): Response {
  if (sandbox.settings.all.youtube_misplaced_bytes === "range") return incomplete(sandbox, session);
  throw badRequest("Invalid request. The bytes do not follow those that are stored.");
}

/** A permanent error, which later calls repeat. */
function refuse(sandbox: Sandbox, session: SessionRow): Response {
  const { body } = new ApiError(400, "badContent", "The media could not be read.");
  sandbox.db.run("UPDATE youtube_sessions SET refusal = ? WHERE id = ?", JSON.stringify(body), session.id);
  return Response.json(body, { status: 400 });
}

function spoil(sandbox: Sandbox, session: SessionRow): void {
  session.trouble = "failed:conversion";
  sandbox.db.run("UPDATE youtube_sessions SET trouble = ? WHERE id = ?", session.trouble, session.id);
}

function complete(sandbox: Sandbox, c: YoutubeContext, session: SessionRow): Response {
  const video = insertVideo(sandbox, {
    channelId: session.channel_id,
    resource: resourceOf(session),
    blobId: session.blob_id,
    fileName: session.file_name,
    trouble: session.trouble,
  });
  sandbox.db.run("UPDATE youtube_sessions SET video_id = ? WHERE id = ?", video.id, session.id);
  if (sandbox.settings.all.youtube_silent_end) return incomplete(sandbox, session);
  return finalAnswer(sandbox, c, { ...session, video_id: video.id }, 201);
}

function finalAnswer(
  sandbox: Sandbox,
  c: YoutubeContext,
  { video_id, parts }: { video_id: string; parts: string },
  status: 200 | 201,
): Response {
  const video = findVideo(sandbox, video_id);
  return video ? c.json(videoView(sandbox, video, parts.split(","), c.env.origin), status) : gone();
}
