// open-upload.tiktokapis.com: the bytes of a video, in ordered chunks. The last chunk publishes the video.

import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Operation } from "../faults";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import { faults, type TiktokContext, type TiktokEnv } from "./api";
import { outage } from "./errors";
import { filesOf, saveTask, type TaskRow } from "./store";
import { beginTask, troubleInUpload } from "./tasks";

const TYPES = ["video/mp4", "video/quicktime", "video/webm"];

export function uploadApp(sandbox: Sandbox) {
  const app = new Hono<TiktokEnv>({ strict: false });
  app.use(bodyLimit({ maxSize: 80_000_000 }));
  app.put(
    "/video",
    faults(sandbox, (c) => operationOf(c)),
    (c) => store(sandbox, c),
  );
  app.notFound(() => new Response(null, { status: 404 }));
  app.onError(() => outage().toResponse());
  return app;
}

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly total: number;
}

function rangeOf(c: TiktokContext): Range | null {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(c.req.header("content-range") ?? "") ?? [];
  return total === undefined ? null : { start: Number(first), end: Number(last) + 1, total: Number(total) };
}

function operationOf(c: TiktokContext): Operation {
  const range = rangeOf(c);
  return range !== null && range.end >= range.total ? "publish" : "upload";
}

/** The URL authorizes the upload: no token is required. */
async function store(sandbox: Sandbox, c: TiktokContext): Promise<Response> {
  const { upload_id = "", upload_token } = c.req.query();
  const bytes = new Uint8Array(await c.req.raw.arrayBuffer());
  // No await from here on: of two equal concurrent chunks, one finds the other's bytes.
  const task = sandbox.db.first<TaskRow>("SELECT * FROM tiktok_tasks WHERE upload_id = ?", upload_id);
  if (!task || task.upload_token !== upload_token || task.trouble === "publish_cancelled") return bare(404);
  const { tiktok_upload_seconds } = sandbox.settings.all;
  if (task.opened_at + tiktok_upload_seconds * 1000 <= sandbox.now()) return bare(403);
  const range = rangeOf(c);
  if (!range || !TYPES.includes(c.req.header("content-type") ?? "")) return bare(400);
  if (range.total !== task.total || bytes.length !== range.end - range.start) return bare(400);
  const [blobId = ""] = filesOf(task);
  const stored = sandbox.blobs.size(blobId);
  if (range.start !== stored) return rangeAnswer(416, stored, task.total);
  if (range.end !== endOfChunk(task, stored)) return bare(400);
  const isSpoilt = meets(c, "reject_media") || meets(c, "processing_failed");
  const current = isSpoilt ? saveTask(sandbox, { ...task, trouble: "file_format_check_failed" }) : task;
  const size = sandbox.blobs.append(blobId, bytes);
  if (size === task.total) beginTask(sandbox, current, [blobId], troubleInUpload(sandbox, task, blobId));
  if (sandbox.settings.all.tiktok_chunk_answers === "bare") return bare(200);
  return rangeAnswer(size === task.total ? 201 : 206, size, task.total);
}

/** All chunks have the announced size, except the last one, which includes the remainder. */
function endOfChunk({ total, chunk_size, chunks }: TaskRow, start: number): number {
  return start >= chunk_size * (chunks - 1) ? total : start + chunk_size;
}

const bare = (status: number) => new Response(null, { status });

function rangeAnswer(status: number, stored: number, total: number): Response {
  const range = stored === 0 ? `bytes */${total}` : `bytes 0-${stored - 1}/${total}`;
  return new Response(null, { status, headers: { "content-range": range } });
}
