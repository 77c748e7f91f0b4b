import { blobPath } from "./blobs";
import type { Sandbox } from "./sandbox";
import { sourceTypeOf } from "./source-type";

const BLOB = blobPath("");

/** A medium of a live post as the platform received it, in an upload or from an address. */
interface Received {
  /** Where the sandbox serves the bytes; null for its own samples, and for large files from an address. */
  path: string | null;
  /** The Digital Source Type in them. */
  sourceType: string | null;
}

export function receivedMedia(sandbox: Sandbox, url: string): Received {
  if (url.startsWith(BLOB)) {
    return { path: url, sourceType: sourceTypeOf(sandbox.blobs.source(url.slice(BLOB.length))) };
  }
  const row = sandbox.db.first<{ source_type: string | null; blob_id: string | null }>(
    "SELECT source_type, blob_id FROM fetched_media WHERE url = ?",
    url,
  );
  return { path: row?.blob_id ? blobPath(row.blob_id) : null, sourceType: row?.source_type ?? null };
}
