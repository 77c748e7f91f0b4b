import type { SQL } from "drizzle-orm";
import { z } from "zod";
import type { PostId, ProjectId } from "../core/ids.ts";
import { MAX_PART_BYTES } from "../core/max-part-bytes.ts";
import { runBatch } from "../db/client.ts";
import { fileName } from "../media/file.ts";
import { newFileName } from "../media/own-address.ts";
import type { Failure } from "../platforms/context.ts";
import type { FilePart } from "../platforms/multipart.ts";
import type { MediaFile } from "../platforms/rules.ts";
import type { Deps } from "../service/deps.ts";
import { insertCopies, useFiles } from "./store.ts";
import { exactly } from "./upload.ts";

/**
 * A copy of a user's file in our bucket, for a platform that fetches from our address only; stored in a job's
 * journal after each step:
 *
 *   named (in the database) ──part, part, …──▶ whole
 */
export const Copy = z.object({
  url: z.string(),
  name: z.string(),
  /**
   * The bucket's id of a multipart upload; null for a file sent in one request, or before the upload began.
   */
  uploadId: z.string().nullable(),
  etags: z.array(z.string()),
  isWhole: z.boolean(),
});
export type Copy = z.output<typeof Copy>;

export function newCopy({ url }: MediaFile): Copy {
  return { url, name: newFileName(), uploadId: null, etags: [], isWhole: false };
}

/**
 * The owner of the copies; the copies are kept as long as it needs them. `isOpen` holds while the post may
 * still need them.
 */
export interface CopyOwner {
  readonly projectId: ProjectId;
  readonly postId: PostId;
  readonly isOpen: SQL;
}

/**
 * Records the copies in the database before any byte is in the bucket. They are kept while the post needs
 * them, and for one more day. Idempotent.
 */
export async function announceCopies(
  { db }: Pick<Deps, "db">,
  { projectId, postId, isOpen }: CopyOwner,
  copies: readonly { readonly name: string; readonly bytes: number }[],
): Promise<void> {
  const names = copies.map(({ name }) => name);
  await runBatch(db, [
    insertCopies(db, projectId, copies, Date.now()),
    ...useFiles(db, { projectId, postId }, names, isOpen),
  ]);
}

type Read = (media: MediaFile, start: number, end: number) => Promise<FilePart | Failure>;

/**
 * Copies the next part, at most `MAX_PART_BYTES`, as a stream. Idempotent: the bucket keeps the latest copy
 * of a part.
 */
export async function copyStep(
  { files }: Pick<Deps, "files">,
  copy: Copy,
  media: MediaFile,
  read: Read,
): Promise<Copy | Failure> {
  const { name, etags } = copy;
  const isSmall = media.bytes <= MAX_PART_BYTES;
  if (!isSmall && copy.uploadId === null) {
    const { uploadId } = await files.createMultipartUpload(name);
    return { ...copy, uploadId };
  }
  const start = etags.length * MAX_PART_BYTES;
  if (start >= media.bytes) return joined(files, copy);
  const part = await read(media, start, Math.min(start + MAX_PART_BYTES, media.bytes));
  if (part.kind === "failed") return part;
  const body = part.kind === "bytes" ? part.bytes : exactly(part.stream, part.length);
  try {
    if (copy.uploadId === null) {
      await files.put(name, body);
      return { ...copy, isWhole: true };
    }
    const { etag } = await files.resumeMultipartUpload(name, copy.uploadId).uploadPart(etags.length + 1, body);
    return { ...copy, etags: [...etags, etag] };
  } catch {
    const message = `${fileName(media.url)} could not be copied: the transfer was interrupted.`;
    return { kind: "failed", reason: "down", code: "media_unreachable", message };
  }
}

async function joined(files: R2Bucket, copy: Copy): Promise<Copy> {
  const { name, uploadId, etags } = copy;
  // A delivery that died after the bucket joined the parts left the whole file.
  if (uploadId !== null && (await files.head(name)) === null) {
    const parts = etags.map((etag, index) => ({ partNumber: index + 1, etag }));
    await files.resumeMultipartUpload(name, uploadId).complete(parts);
  }
  return { ...copy, isWhole: true };
}
