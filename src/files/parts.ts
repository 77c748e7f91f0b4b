/**
 * Uploads in parts, for files that no single request can carry:
 *
 *   begun ──part, part, … in any order, several at once, each as often as wanted──▶ complete ──▶ a file like any other
 *
 * What has arrived can be asked for, so an upload that broke off goes on where it was. One that gets no part
 * for a day goes.
 */
import type { Caller } from "../core/caller.ts";
import { absent, invalid } from "../core/errors.ts";
import { must } from "../core/sentences.ts";
import { listWords } from "../core/text.ts";
import { newFileName } from "../media/own-address.ts";
import type { Deps } from "../service/deps.ts";
import { findFile, forgetFiles, listParts, putPart, type StoredFile, UPLOAD_LIFE_MS } from "./store.ts";
import { announce, exactly, type Incoming, requireRoom, settle, type UploadedFile } from "./upload.ts";

/** The largest file that is kept. */
export const MAX_FILE_BYTES = 500 * 1024 * 1024;
/** Every part but the last has exactly this; R2 wants them equal, and at least 5 MiB. */
export const PART_BYTES = 16 * 1024 * 1024;

/** An upload that is not complete yet. */
export interface OpenUpload {
  readonly name: string;
  readonly bytes: number;
  readonly parts: number;
  /** Numbers of the parts that are there, in order. */
  readonly received: readonly number[];
  readonly forgetAt: number;
}

/** Begins an upload of a file of that many bytes. Errors: `quota_exceeded`. */
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

/** Get upload status. Errors: `not_found`; a 422 when it is complete. */
export async function readUpload(deps: Deps, caller: Caller, name: string): Promise<OpenUpload> {
  const file = await findUpload(deps, caller, name);
  requireOpen(file);
  const { bytes, forgetAt } = file;
  const received = (await listParts(deps.db, file.id)).map(({ number }) => number);
  return { name, bytes, parts: partsOf(bytes), received, forgetAt: forgetAt ?? Date.now() };
}

/** Takes part `number`, from 1. Errors: `not_found`; a 422 for a number or a length that it cannot have. */
export async function uploadPart(
  deps: Deps,
  caller: Caller,
  name: string,
  number: number,
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
    // It may have been cancelled, or completed, meanwhile.
    requireOpen(await findUpload(deps, caller, name));
    throw error;
  }
}

/**
 * Makes a file of the parts, once: a repeat answers the same. Errors: `not_found`; a 422 that names the parts
 * that have not come, or says why the file is not kept.
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
 * Ends an upload that is not wanted: its parts go, and it counts no more. Errors: `not_found`, as for one
 * that has ended; a 422 when it is complete.
 */
export async function cancelUpload(deps: Deps, caller: Caller, name: string): Promise<void> {
  const file = await findUpload(deps, caller, name);
  // Should this end in between, the upload is there still, and its next part is refused by the bucket.
  await endUpload(deps, { name, uploadId: requireOpen(file) });
  await forgetFiles(deps.db, [file.id]);
}

/** Gives up the parts in the bucket; of an upload that was completed or given up nothing is left to do. */
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

/** A completion that died after the bucket had joined the parts finds the whole file. */
async function joinParts({ files }: Deps, name: string, uploadId: string, parts: readonly Part[]): Promise<void> {
  if ((await files.head(name)) !== null) return;
  try {
    const upload = files.resumeMultipartUpload(name, uploadId);
    await upload.complete(parts.map(({ number, etag }) => ({ partNumber: number, etag })));
  } catch (error) {
    // Another completion may have been first.
    if ((await files.head(name)) === null) throw error;
  }
}

async function findUpload({ db }: Deps, { projectId }: Caller, name: string): Promise<StoredFile> {
  const file = await findFile(db, projectId, name);
  if (!file) throw absent("upload", name);
  return file;
}

/** The bucket's id of an upload that still takes parts. */
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
