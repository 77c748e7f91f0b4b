// What a server checks in a post before it stores it. Messages name the path, as the real ones do.

import type { Sandbox } from "../sandbox";
import { invalid, XrpcError } from "./errors";
import { COLLECTION, filesOf, findFile, PostRecord, type ShownFile } from "./store";

const MAX_GRAPHEMES = 300;
const MAX_BYTES = 3_000;
const MAX_THUMB = 1_000_000;
const MAX_VIDEO = 300_000_000;
/** RFC 3339 with a zone. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const segmenter = new Intl.Segmenter();

const refusedPost = (what: string, path: string) =>
  invalid(`Invalid ${COLLECTION} record: ${what} at $.record.${path}`);

export function checkedPost(sandbox: Sandbox, did: string, sent: unknown): PostRecord {
  requirePlain(sent);
  const parsed = PostRecord.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refusedPost(issue?.message ?? "Invalid", issue?.path.join(".") ?? "");
  }
  const post = parsed.data;
  const graphemes = [...segmenter.segment(post.text)].length;
  const bytes = new TextEncoder().encode(post.text).length;
  if (graphemes > MAX_GRAPHEMES)
    throw refusedPost(`grapheme too big (maximum ${MAX_GRAPHEMES}, got ${graphemes})`, "text");
  if (bytes > MAX_BYTES) throw refusedPost(`string too big (maximum ${MAX_BYTES}, got ${bytes})`, "text");
  if (!INSTANT.test(post.createdAt) || post.createdAt.endsWith("-00:00"))
    throw refusedPost("Invalid datetime", "createdAt");
  for (const facet of post.facets ?? []) {
    // A handle is no account.
    if (facet.features.some(({ $type, did: of }) => $type.endsWith("#mention") && of === undefined))
      throw refusedPost("Invalid DID", "facets");
  }
  for (const shown of filesOf(post)) requireFile(sandbox, did, shown);
  return post;
}

/** Numbers with fractions and nulls do not exist in records. */
function requirePlain(value: unknown): void {
  if (value === null) throw refusedPost("Expected a value, got null", "");
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw invalid("Record has a float");
  if (typeof value === "object") for (const one of Object.values(value)) requirePlain(one);
}

function requireFile(sandbox: Sandbox, did: string, { file, kind }: ShownFile): void {
  const most = { image: sandbox.settings.all.bluesky_image_max_bytes, video: MAX_VIDEO, thumb: MAX_THUMB }[kind];
  if (file.size > most) throw refusedPost(`blob too big (maximum ${most}, got ${file.size})`, "embed");
  const isKind = kind === "video" ? file.mimeType === "video/mp4" : file.mimeType.startsWith("image/");
  if (!isKind) throw refusedPost(`Unsupported mime type ${file.mimeType}`, "embed");
  const stored = findFile(sandbox, did, file.ref.$link);
  if (!stored) throw new XrpcError(400, "BlobNotFound", `Could not find blob: ${file.ref.$link}`);
  if (stored.type !== file.mimeType) throw new XrpcError(400, "InvalidMimeType", "Referenced Mimetype does not match");
  if (stored.size !== file.size) throw new XrpcError(400, "InvalidSize", "Referenced Size does not match");
}
