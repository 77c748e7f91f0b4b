import { blobPath } from "./blobs";
import type { Sandbox } from "./sandbox";
import { sourceTypeOf } from "./source-type";

const BLOB = blobPath("");

/** The Digital Source Type in the bytes that a platform received, in an upload or from an address. */
export function sourceTypeAt(sandbox: Sandbox, url: string): string | null {
  if (url.startsWith(BLOB)) return sourceTypeOf(sandbox.blobs.source(url.slice(BLOB.length)));
  const row = sandbox.db.first<{ source_type: string | null }>(
    "SELECT source_type FROM fetched_media WHERE url = ?",
    url,
  );
  return row?.source_type ?? null;
}
