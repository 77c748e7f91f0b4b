import type { Caller } from "../core/caller.ts";
import { AppError, absent, invalid } from "../core/errors.ts";
import type { FileId } from "../core/ids.ts";
import { grouped } from "../core/sentences.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import { newFileName } from "../media/own-address.ts";
import { readOwnFile } from "../media/own-files.ts";
import { probe } from "../media/probe.ts";
import type { Deps } from "../service/deps.ts";
import { countUploads, forgetFiles, insertFile, markStored, readFileBytes, type UploadLimits } from "./store.ts";
import type { StoredMedia } from "./stored.ts";

/** The largest file in one request: Cloudflare accepts 100 MB at most. */
export const MAX_WHOLE_BYTES = 95 * 1024 * 1024;

/** A stored file, ready for posts. */
export interface UploadedFile extends StoredMedia {
  readonly name: string;
  readonly bytes: number;
  /** Epoch milliseconds of the expiry, unless a post needs the file; null while one does. */
  readonly forgetAt: number | null;
}

/** The body of a request as a stream, and the length that the request declares. */
export interface Incoming {
  readonly body: ReadableStream<Uint8Array>;
  readonly bytes: number;
}

/**
 * Stores a file that comes in one request. It is announced first, so that the database knows every object in
 * the bucket; then streamed, then probed. Errors: `quota_exceeded`; a 422 on `file` if it is no image or
 * video.
 */
export async function uploadWhole(deps: Deps, caller: Caller, { body, bytes }: Incoming): Promise<UploadedFile> {
  const name = newFileName();
  const id = await announce(deps, caller, { name, bytes, uploadId: null });
  try {
    await deps.files.put(name, exactly(body, bytes));
  } catch (error) {
    // The stream was interrupted: nothing is kept, and nothing counts against the quota.
    await forgetFiles(deps.db, [id]);
    throw error;
  }
  return settle(deps, { id, name });
}

interface Announced {
  readonly name: string;
  readonly bytes: number;
  readonly uploadId: string | null;
}

/** Reserves storage for a file, or throws `quota_exceeded`. */
export async function announce(deps: Deps, caller: Caller, file: Announced): Promise<FileId> {
  const { projectId } = caller;
  const id = await insertFile(deps.db, { ...file, projectId, now: Date.now() }, limitsOf(deps));
  if (id !== null) return id;
  await requireRoom(deps, caller, file.bytes);
  // Room was freed since the insert was refused.
  throw tooMany(limitsOf(deps).underWay);
}

/**
 * Throws `quota_exceeded` if an upload of `bytes` bytes cannot start. Runs before the bucket is called;
 * `announce` checks again.
 */
export async function requireRoom(deps: Deps, { projectId }: Caller, bytes: number): Promise<void> {
  const limits = limitsOf(deps);
  if ((await countUploads(deps.db, projectId, limits.underWay)) >= limits.underWay) throw tooMany(limits.underWay);
  const used = await readFileBytes(deps.db, projectId);
  if (used + bytes <= limits.bytes) return;
  throw new AppError(
    "quota_exceeded",
    `The uploaded files of this project hold ${grouped(used)} bytes, and this file would add ${grouped(bytes)}; the maximum is ${grouped(limits.bytes)}. Files are deleted a week after the last post that needed them was published. For more, contact the operator of this service.`,
    { retryAfterSeconds: HOUR / SECOND },
  );
}

function limitsOf({ config }: Pick<Deps, "config">): UploadLimits {
  return { bytes: config.quotas.uploadedBytes, underWay: config.quotas.uploadsUnderWay };
}

function tooMany(limit: number): AppError {
  const sentence = `${grouped(limit)} uploads of this project are open, which is the maximum. Complete some, or cancel unneeded ones (delete-upload). An upload without a new part for a day is deleted.`;
  return new AppError("quota_exceeded", sentence, { retryAfterSeconds: MINUTE / SECOND });
}

/** Probes the stored bytes. A file that no platform accepts is deleted. */
export async function settle(
  { db, files }: Deps,
  { id, name }: { readonly id: FileId; readonly name: string },
): Promise<UploadedFile> {
  // The error messages name the file by the last part of the address.
  const outcome = await probe((_, request) => readOwnFile(files, name, request), "https://uploaded.invalid/file");
  if (outcome.kind === "unreachable") throw new Error(`An uploaded file is unreadable: ${outcome.message}`);
  if (outcome.kind === "refused") {
    await files.delete(name);
    await forgetFiles(db, [id]);
    throw invalid({ file: [outcome.message] }, "media_invalid");
  }
  const { bytes, kind, mime, width, height, durationSeconds, pages = null } = outcome.media;
  const media = { kind, mime, width, height, durationSeconds, pages };
  const stored = await markStored(db, id, { bytes, media }, Date.now());
  if (stored === null) throw absent("upload", name);
  return { ...media, name, bytes, forgetAt: stored.forgetAt };
}

/** Declares the length, which the bucket requires; a body of another length fails with an error. */
export function exactly(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(bytes);
  // The reader of the other end gets the error.
  void body.pipeTo(writable).catch(() => undefined);
  return readable;
}
