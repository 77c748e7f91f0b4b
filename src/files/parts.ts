/**
 * Multipart uploads, for files that are too large for one request:
 *
 *   begun ──parts, in any order, concurrent and repeated──▶ complete ──▶ a file like any other
 *
 * The client can list the received parts, so it can resume an interrupted upload. An upload that gets no part
 * for a day expires.
 */
import type { Caller } from "../core/caller.ts";
import { absent, invalid } from "../core/errors.ts";
import { must } from "../core/sentences.ts";
import { listWords } from "../core/text.ts";
import { newFileName } from "../media/own-address.ts";
import type { Deps } from "../service/deps.ts";
import { findFile, forgetFiles, listParts, putPart, type StoredFile, UPLOAD_LIFE_MS } from "./store.ts";
import { announce, exactly, type Incoming, requireRoom, settle, type UploadedFile } from "./upload.ts";

/** The largest file that is accepted. */
export const MAX_FILE_BYTES = 500 * 1024 * 1024;
/** The exact size of every part but the last; R2 requires equal parts of at least 5 MiB. */
export const PART_BYTES = 16 * 1024 * 1024;

/** An upload that is not complete yet. */
export interface OpenUpload {
  readonly name: string;
  readonly bytes: number;
  readonly parts: number;
  /** Numbers of the parts that were received, in order. */
  readonly received: readonly number[];
  readonly forgetAt: number;
}

/** Starts an upload of a file of `bytes` bytes. Errors: `quota_exceeded`. */
export async function beginUpload(deps: Deps, caller: Caller, bytes: number): Promise<OpenUpload> {
  await requireRoom(deps, caller, bytes);
  const name = newFileName();
  const upload = await deps.files.createMultipartUpload(name);
  try {
    await announce(deps, caller, { name, bytes, uploadId: upload.uploadId });
  } catch (error) {
    await upload.abort();
    throw error;
  }
  return { name, bytes, parts: partsOf(bytes), received: [], forgetAt: Date.now() + UPLOAD_LIFE_MS };
}

/** Returns the status of an upload. Errors: `not_found`; a 422 when it is complete. */
export async function readUpload(deps: Deps, caller: Caller, name: string): Promise<OpenUpload> {
  const file = await findUpload(deps, caller, name);
  requireOpen(file);
  const { bytes, forgetAt } = file;
  const received = (await listParts(deps.db, file.id)).map(({ number }) => number);
  return { name, bytes, parts: partsOf(bytes), received, forgetAt: forgetAt ?? Date.now() };
}

/** Stores part `number`, counted from 1. Errors: `not_found`; a 422 for an invalid number or length. */
export async function uploadPart(
  deps: Deps,
  caller: Caller,
  { name, number }: { readonly name: string; readonly number: number },
  part: Incoming,
): Promise<void> {
  const file = await findUpload(deps, caller, name);
  const uploadId = requireOpen(file);
  const parts = partsOf(file.bytes);
  if (number > parts) throw invalid({ part_number: [must("part_number", `be one of 1 to ${parts}`, number)] });
  const expected = number < parts ? PART_BYTES : file.bytes - (parts - 1) * PART_BYTES;
  if (part.bytes !== expected) {
    throw invalid({ file: [must("file", `have exactly ${expected} bytes as part ${number} of ${parts}`, part.bytes)] });
  }
  const upload = deps.files.resumeMultipartUpload(name, uploadId);
  try {
    const { etag } = await upload.uploadPart(number, exactly(part.body, expected));
    await putPart(deps.db, file.id, { number, etag }, Date.now());
  } catch (error) {
    // The upload may have been cancelled or completed meanwhile.
    requireOpen(await findUpload(deps, caller, name));
    throw error;
  }
}

/**
 * Joins the parts into a file. Idempotent: a repeat returns the same file. Errors: `not_found`; a 422 that
 * names the missing parts, or says why the file is not accepted.
 */
export async function completeUpload(deps: Deps, caller: Caller, name: string): Promise<UploadedFile> {
  const file = await findUpload(deps, caller, name);
  const { bytes, media, forgetAt, uploadId } = file;
  if (media !== null) return { ...media, name, bytes, forgetAt };
  if (uploadId === null) throw absent("upload", name);
  const received = await listParts(deps.db, file.id);
  requireAll(
    partsOf(bytes),
    received.map(({ number }) => number),
  );
  await joinParts(deps, name, uploadId, received);
  return settle(deps, file);
}

/**
 * Cancels an upload: its parts are deleted, and it no longer counts against the quota. Errors: `not_found`,
 * also for an upload that has ended; a 422 when it is complete.
 */
export async function cancelUpload(deps: Deps, caller: Caller, name: string): Promise<void> {
  const file = await findUpload(deps, caller, name);
  // If this stops in between, the upload still exists, and the bucket refuses its next part.
  await endUpload(deps, { name, uploadId: requireOpen(file) });
  await forgetFiles(deps.db, [file.id]);
}

/** Aborts the multipart upload in the bucket; does nothing for an upload that was completed or aborted. */
export async function endUpload(
  { files }: Pick<Deps, "files">,
  { name, uploadId }: { readonly name: string; readonly uploadId: string },
): Promise<void> {
  await files
    .resumeMultipartUpload(name, uploadId)
    .abort()
    .catch(() => undefined);
}

type Part = Awaited<ReturnType<typeof listParts>>[number];

/** A completion that is repeated after the bucket joined the parts finds the whole file. */
async function joinParts({ files }: Deps, name: string, uploadId: string, parts: readonly Part[]): Promise<void> {
  if ((await files.head(name)) !== null) return;
  try {
    const upload = files.resumeMultipartUpload(name, uploadId);
    await upload.complete(parts.map(({ number, etag }) => ({ partNumber: number, etag })));
  } catch (error) {
    // A concurrent completion may have joined the parts.
    if ((await files.head(name)) === null) throw error;
  }
}

async function findUpload({ db }: Deps, { projectId }: Caller, name: string): Promise<StoredFile> {
  const file = await findFile(db, projectId, name);
  if (!file) throw absent("upload", name);
  return file;
}

/** The bucket's id of an upload that still accepts parts. */
function requireOpen({ name, uploadId }: StoredFile): string {
  if (uploadId !== null) return uploadId;
  throw invalid({ upload_id: [`upload_id must not be ${name}: that upload is complete.`] }, "not_changeable");
}

function requireAll(parts: number, received: readonly number[]): void {
  const there = new Set(received);
  const missing = Array.from({ length: parts }, (_, index) => index + 1).filter((number) => !there.has(number));
  if (missing.length === 0) return;
  const named = missing.length > 10 ? `${missing.slice(0, 10).join(", ")}, …` : listWords(missing.map(String));
  throw invalid({
    file: [`file must have all of its ${parts} parts, not ${received.length}: ${named} must be sent first.`],
  });
}

function partsOf(bytes: number): number {
  return Math.ceil(bytes / PART_BYTES);
}
