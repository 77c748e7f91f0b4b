import { type MediaFacts, probe } from "../media-probe";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import type { LinkedinContext } from "./api";
import { whatIsWrongWithDocument } from "./documents";
import type { AssetKind, AssetRow } from "./store";

const MB = 1024 * 1024;
export const LARGEST_VIDEO = 500 * MB;
/** Processes a complete file, by its content. */
export function complete(sandbox: Sandbox, c: LinkedinContext, asset: AssetRow, blob: string): void {
  const source = sandbox.blobs.source(blob);
  const facts = probe(source);
  sandbox.blobs.setType(blob, facts.type);
  const found = asset.kind === "document" ? whatIsWrongWithDocument(source) : whatIsWrong(asset.kind, facts);
  const trouble = meets(c, "processing_failed") ? "The file could not be processed." : found;
  sandbox.db.run(
    "UPDATE linkedin_assets SET blob_id = ?, bytes = ?, ready_at = ?, trouble = ? WHERE id = ?",
    blob,
    facts.size,
    sandbox.now() + sandbox.settings.all.processing_ms,
    trouble,
    asset.id,
  );
}

const MOST_PIXELS = 36_152_320;

function whatIsWrong(kind: Exclude<AssetKind, "document">, facts: MediaFacts): string | null {
  const { type, size, width, height, durationMs, frames } = facts;
  if (width === null || height === null || width === 0 || height === 0) return "The file cannot be read.";
  if (kind === "image") {
    if (!/^image\/(jpeg|png|gif)$/.test(type)) return "The file is no JPG, PNG or GIF.";
    if (width * height >= MOST_PIXELS) return "The image has too many pixels.";
    return (frames ?? 1) > 250 ? "The GIF has more than 250 frames." : null;
  }
  if (type !== "video/mp4") return "The file is no MP4.";
  if (size < 75 * 1024 || size > LARGEST_VIDEO) return "The size is not supported.";
  if (durationMs === null || durationMs < 3000 || durationMs > 1_800_000) return "The duration is not supported.";
  const ratio = width / height;
  return ratio > 2.4 || ratio < 1 / 2.4 ? "The aspect ratio is not supported." : null;
}

export type AssetStatus = "WAITING_UPLOAD" | "PROCESSING" | "AVAILABLE" | "PROCESSING_FAILED";

export function statusOf({ blob_id, ready_at, trouble }: AssetRow, now: number): AssetStatus {
  if (blob_id === null || ready_at === null) return "WAITING_UPLOAD";
  if (ready_at > now) return "PROCESSING";
  return trouble === null ? "AVAILABLE" : "PROCESSING_FAILED";
}
