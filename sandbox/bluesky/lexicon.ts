// What a server checks in a post before it stores it. Messages name the path, as the real ones do.

import type { z } from "zod";
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

const refusedPost = (what: string, ...path: readonly PropertyKey[]) =>
  invalid(`Invalid ${COLLECTION} record: ${what} at ${pathOf(path)}`);

const pathOf = (path: readonly PropertyKey[]) =>
  path.reduce<string>((text, key) => text + (typeof key === "number" ? `[${key}]` : `.${String(key)}`), "$.record");

export function checkedPost(sandbox: Sandbox, did: string, sent: unknown): PostRecord {
  requirePlain(sent, []);
  const parsed = PostRecord.safeParse(sent);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw issue ? refusedBy(issue, sent) : invalid("Invalid record");
  }
  const post = parsed.data;
  const graphemes = [...segmenter.segment(post.text)].length;
  const bytes = new TextEncoder().encode(post.text).length;
  if (graphemes > MAX_GRAPHEMES)
    throw refusedPost(`grapheme too big (maximum ${MAX_GRAPHEMES}, got ${graphemes})`, "text");
  if (bytes > MAX_BYTES) throw refusedPost(`string too big (maximum ${MAX_BYTES}, got ${bytes})`, "text");
  if (!INSTANT.test(post.createdAt) || post.createdAt.endsWith("-00:00"))
    throw refusedPost(`Invalid datetime (got ${JSON.stringify(post.createdAt)})`, "createdAt");
  for (const facet of post.facets ?? []) {
    // A handle is no account.
    if (facet.features.some(({ $type, did: of }) => $type.endsWith("#mention") && of === undefined))
      throw refusedPost("Invalid DID", "facets");
  }
  for (const shown of filesOf(post)) requireFile(sandbox, did, shown);
  return post;
}

function refusedBy({ path, ...issue }: z.core.$ZodIssue, sent: unknown): XrpcError {
  const value = path.reduce<unknown>(
    (of, key) => (typeof of === "object" && of ? Reflect.get(of, key) : undefined),
    sent,
  );
  const last = path.at(-1);
  if (value === undefined) return refusedPost(`Missing required key "${String(last)}"`, ...path.slice(0, -1));
  if (issue.code === "too_big" && Array.isArray(value))
    return refusedPost(`array too big (maximum ${issue.maximum}, got ${value.length})`, ...path);
  if (last === "did") return refusedPost(`Invalid DID (got ${JSON.stringify(value)})`, ...path);
  return refusedPost(issue.message, ...path);
}

const PLAIN = "null, boolean, integer, string, cid, bytes, array or object";

/** Numbers with fractions and nulls do not exist in records. */
function requirePlain(value: unknown, path: readonly PropertyKey[]): void {
  if (value === null) throw refusedPost("Expected a value, got null", ...path);
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw invalid(`Expected one of ${PLAIN} value type (got ${value}) at ${pathOf(path)}`);
  if (typeof value !== "object") return;
  for (const [key, one] of Object.entries(value))
    requirePlain(one, [...path, Array.isArray(value) ? Number(key) : key]);
}

function requireFile(sandbox: Sandbox, did: string, { file, kind, path }: ShownFile): void {
  const most = { image: sandbox.settings.all.bluesky_image_max_bytes, video: MAX_VIDEO, thumb: MAX_THUMB }[kind];
  if (file.size > most) throw refusedPost(`blob too big (maximum ${most}, got ${file.size})`, ...path);
  const expected = kind === "video" ? "video/mp4" : "image/*";
  if (!file.mimeType.startsWith(expected.replace("*", "")))
    throw refusedPost(`Expected "${expected}" (got "${file.mimeType}")`, ...path, "mimeType");
  const stored = findFile(sandbox, did, file.ref.$link);
  if (!stored) throw new XrpcError(400, "BlobNotFound", `Could not find blob: ${file.ref.$link}`);
  const differs = (name: string, what: string, [own, sent]: readonly (string | number)[]) =>
    new XrpcError(400, name, `Referenced ${what} does not match stored blob. Expected: ${own}, Got: ${sent}`);
  if (stored.type !== file.mimeType) throw differs("InvalidMimeType", "Mimetype", [stored.type, file.mimeType]);
  if (stored.size !== file.size) throw differs("InvalidSize", "Size", [stored.size, file.size]);
}
