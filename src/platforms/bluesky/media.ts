import { z } from "zod";
import { MAX_PART_BYTES } from "../../core/max-part-bytes.ts";
import type { AccountContext, Failure } from "../context.ts";
import type { FilePart, FileSeries } from "../multipart.ts";
import { rejected } from "../outcomes.ts";
import type { Content } from "../publishing.ts";
import type { MediaFile } from "../rules.ts";
import { sendingMs } from "../uploads.ts";
import { read } from "./api.ts";
import { Blob } from "./records.ts";

/**
 * Uploads to the account's server, one call per file. The server reads the type from the bytes and returns
 * the file's description, which the post must repeat word for word. Unused files are deleted after an hour or
 * more. The same bytes give the same description.
 */
const Uploaded = z.object({ blob: Blob });

type Upload = { readonly kind: "uploaded"; readonly blob: Blob } | Failure;

export async function upload(
  context: AccountContext,
  origin: string,
  content: Pick<Content, "read">,
  file: MediaFile,
): Promise<Upload> {
  const source = await bodyOf(content, file);
  if (source.kind === "failed") return source;
  const { part, failure } = source;
  const call = {
    method: "POST",
    name: "com.atproto.repo.uploadBlob",
    headers: { "content-type": file.mime },
    part,
    timeoutMs: sendingMs(file.bytes),
  } as const;
  const answer = await read(context, origin, call, Uploaded);
  if (answer.kind === "failed") return failure() ?? answer;
  const { blob } = answer.value;
  // A film in Apple's container is accepted here and refused with the post.
  if (file.kind === "video" && blob.mimeType !== "video/mp4")
    return rejected(`The account's server does not take ${file.url} for an MP4 video.`, "media_invalid");
  return { kind: "uploaded", blob };
}

interface Body {
  readonly kind: "body";
  readonly part: FilePart | FileSeries;
  /** Why the file could not be read to its end. */
  failure(): Failure | null;
}

/** A large file is read part by part while it is sent. */
async function bodyOf({ read: readFile }: Pick<Content, "read">, file: MediaFile): Promise<Body | Failure> {
  let failure: Failure | null = null;
  if (file.bytes <= MAX_PART_BYTES) {
    const part = await readFile(file, 0, file.bytes);
    return part.kind === "failed" ? part : { kind: "body", part, failure: () => null };
  }
  async function* parts(): AsyncGenerator<FilePart> {
    for (let start = 0; start < file.bytes; start += MAX_PART_BYTES) {
      const part = await readFile(file, start, Math.min(start + MAX_PART_BYTES, file.bytes));
      if (part.kind === "failed") {
        failure = part;
        throw new Error(part.message);
      }
      yield part;
    }
  }
  return { kind: "body", part: { kind: "series", length: file.bytes, parts }, failure: () => failure };
}
