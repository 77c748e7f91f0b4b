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

/** The largest that comes in one request: Cloudflare takes 100 MB at most. */
export const MAX_WHOLE_BYTES = 95 * 1024 * 1024;

/** A file that posts may use from now on. */
export interface UploadedFile extends StoredMedia {
  readonly name: string;
  readonly bytes: number;
  /** Epoch milliseconds at which it goes unless a post needs it; null while one does. */
  readonly forgetAt: number | null;
}

/** The bytes of a request, as they come, and how many it says that they are. */
export interface Incoming {
  readonly body: ReadableStream<Uint8Array>;
  readonly bytes: number;
}

/**
 * Keeps a file that comes in one request: announced first, so that nothing in the bucket is unknown to the
 * database, then streamed, then looked at. Errors: `quota_exceeded`, and a 422 on `file` for what is no image
 * or video.
 */
export async function uploadWhole(deps: Deps, caller: Caller, { body, bytes }: Incoming): Promise<UploadedFile> {
  const name = newFileName();
  const id = await announce(deps, caller, { name, bytes, uploadId: null });
  try {
    await deps.files.put(name, exactly(body, bytes));
  } catch (error) {
    // It broke off: nothing was kept, and nothing of it counts.
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

/** Makes room for a file, or throws `quota_exceeded`. */
export async function announce(deps: Deps, caller: Caller, file: Announced): Promise<FileId> {
  const { projectId } = caller;
  const id = await insertFile(deps.db, { ...file, projectId, now: Date.now() }, limitsOf(deps));
  if (id !== null) return id;
  await requireRoom(deps, caller, file.bytes);
  // Another one has made room since it was refused.
  throw tooMany(limitsOf(deps).underWay);
}

/**
 * Throws `quota_exceeded` where an upload of so many bytes cannot begin: asked before the bucket is, and
 * again by `announce`.
 */
export async function requireRoom(deps: Deps, { projectId }: Caller, bytes: number): Promise<void> {
  const limits = limitsOf(deps);
  if ((await countUploads(deps.db, projectId, limits.underWay)) >= limits.underWay) throw tooMany(limits.underWay);
  const used = await readFileBytes(deps.db, projectId);
  if (used + bytes <= limits.bytes) return;
  throw new AppError(
    "quota_exceeded",
    `The uploaded files of this project hold ${grouped(used)} bytes, and this one would add ${grouped(bytes)}; ${grouped(limits.bytes)} may be stored. Files go a week after the last post that needed them has gone out; or ask the operator of this service for more.`,
    { retryAfterSeconds: HOUR / SECOND },
  );
}

function limitsOf({ config }: Pick<Deps, "config">): UploadLimits {
  return { bytes: config.quotas.uploadedBytes, underWay: config.quotas.uploadsUnderWay };
}

function tooMany(limit: number): AppError {
  const sentence = `${grouped(limit)} uploads of this project are under way, which is as many as may be. Complete some, or end those that are not needed (cancel-upload); one that gets no part for a day goes by itself.`;
  return new AppError("quota_exceeded", sentence, { retryAfterSeconds: MINUTE / SECOND });
}

/** Looks at what came, by its bytes. What can be posted nowhere is not kept. */
export async function settle(
  { db, files }: Deps,
  { id, name }: { readonly id: FileId; readonly name: string },
): Promise<UploadedFile> {
  // The last part of the address is what its sentences call it.
  const outcome = await probe((_, request) => readOwnFile(files, name, request), "https://uploaded.invalid/file");
  if (outcome.kind === "unreachable") throw new Error(`An uploaded file cannot be read: ${outcome.message}`);
  if (outcome.kind === "refused") {
    await files.delete(name);
    await forgetFiles(db, [id]);
    throw invalid({ file: [outcome.message] }, "media_invalid");
  }
  const { bytes, url: _, ...media } = outcome.media;
  const stored = await markStored(db, id, { bytes, media }, Date.now());
  if (stored === null) throw absent("upload", name);
  return { ...media, name, bytes, forgetAt: stored.forgetAt };
}

/** The bucket wants to know a length beforehand; a body that has another one ends in an error. */
export function exactly(body: ReadableStream<Uint8Array>, bytes: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(bytes);
  // Who reads learns of it.
  void body.pipeTo(writable).catch(() => undefined);
  return readable;
}
