// X media uploads: one-shot images, and initialize → append… → finalize → processing for everything else.
// Only `finalized_at`, `ready_at` and the future error are stored; the state follows from them.

import { Hono } from "hono";
import { z } from "zod";
import { type MediaFacts, probe } from "../media-probe";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import { id, invalid, missing, readJson, readQuery, type TwitterContext, type TwitterEnv } from "./api";
import { endpoint } from "./endpoint";
import { MEDIA_TYPES, readOneShot, readSegment } from "./media-bodies";
import { view, whatIsWrong } from "./media-states";
import { findMedia, type MediaRow, snowflake } from "./store";

const DAY_MS = 86_400_000;
const CHUNK = 5_242_880;
const CATEGORIES = [
  "tweet_image",
  "tweet_gif",
  "tweet_video",
  "amplify_video",
  "dm_image",
  "dm_gif",
  "dm_video",
  "subtitles",
] as const;

const Initialize = z.strictObject({
  media_type: z.enum(MEDIA_TYPES),
  total_bytes: z.number().int().min(1).max(17_179_869_184),
  media_category: z.enum(CATEGORIES),
  shared: z.boolean().optional(),
  additional_owners: z.array(id).optional(),
});
const Metadata = z.strictObject({
  id,
  metadata: z.strictObject({
    alt_text: z.strictObject({ text: z.string().max(1000) }).optional(),
    allow_download_status: z.strictObject({ allow_download: z.boolean() }).optional(),
    upload_source: z.strictObject({ upload_source: z.string() }).optional(),
  }),
});
const Subtitles = z.strictObject({
  id,
  media_category: z.enum(["TweetVideo", "AmplifyVideo"]),
  subtitles: z.strictObject({ id, language_code: z.string().regex(/^[A-Z]{2}$/), display_name: z.string() }),
});

export function mediaRoutes(sandbox: Sandbox) {
  const app = new Hono<TwitterEnv>();
  const scopes = ["media.write"];
  const upload = (name: string, limit: number) => endpoint(sandbox, { name, limit, operation: "upload", scopes });

  app.post("/2/media/upload", ...upload("POST /2/media/upload", 500), async (c) => {
    const { bytes, category } = await readOneShot(c);
    if (meets(c, "reject_media")) throw invalid("Your media could not be read.", "media");
    const media = create(sandbox, c, { category, type: "application/octet-stream", totalBytes: bytes.length });
    sandbox.blobs.append(media.blob_id, bytes);
    const facts = probe(sandbox.blobs.source(media.blob_id));
    const trouble = whatIsWrong(sandbox, media, facts);
    if (trouble) throw invalid(trouble, "media");
    finalize(sandbox, media, facts, {
      trouble: meets(c, "processing_failed") ? "InternalError" : null,
      isProcessed: false,
    });
    return c.json({ data: view(sandbox, getMedia(sandbox, c, media.id)) });
  });

  app.post("/2/media/upload/initialize", ...upload("initialize", 1875), async (c) => {
    const input = await readJson(c, Initialize);
    const isVideo = input.media_category.endsWith("video");
    if (isVideo !== input.media_type.startsWith("video/") && input.media_category !== "subtitles") {
      throw invalid("The media_category does not match the media_type", "media_category", input.media_category);
    }
    if (meets(c, "reject_media")) throw invalid("The media type is not supported.", "media_type", input.media_type);
    const media = create(sandbox, c, {
      category: input.media_category,
      type: input.media_type,
      totalBytes: input.total_bytes,
    });
    if (meets(c, "processing_failed")) spoil(sandbox, media.id);
    return c.json({ data: { id: media.id, media_key: media.media_key, expires_after_secs: 86_400 } });
  });

  app.post("/2/media/upload/:id/append", ...upload("append", 1875), async (c) => {
    const { bytes, index } = await readSegment(c);
    const media = getMedia(sandbox, c, c.req.param("id"));
    if (media.finalized_at !== null) throw invalid("The upload is already finalized.", "id", media.id);
    if (bytes.length === 0 || bytes.length > CHUNK) throw invalid("A segment must have 1 to 5242880 bytes.", "media");
    if (index !== media.next_segment)
      throw invalid(`The next segment_index is ${media.next_segment}.`, "segment_index", String(index));
    if (sandbox.blobs.size(media.blob_id) + bytes.length > media.total_bytes) {
      throw invalid("There are more bytes than total_bytes said.", "media");
    }
    if (meets(c, "reject_media")) throw invalid("The segment could not be read.", "media");
    if (meets(c, "processing_failed")) spoil(sandbox, media.id);
    sandbox.blobs.append(media.blob_id, bytes);
    sandbox.db.run("UPDATE twitter_media SET next_segment = ? WHERE id = ?", index + 1, media.id);
    return c.json({ data: { expires_at: Math.floor(media.expires_at / 1000) } });
  });

  app.post("/2/media/upload/:id/finalize", ...upload("finalize", 1875), (c) => {
    const media = getMedia(sandbox, c, c.req.param("id"));
    if (media.finalized_at === null) {
      const received = sandbox.blobs.size(media.blob_id);
      if (received !== media.total_bytes)
        throw invalid(`Received ${received} of ${media.total_bytes} bytes.`, "id", media.id);
      if (meets(c, "reject_media")) throw invalid("The media could not be read.", "id", media.id);
      if (meets(c, "processing_failed")) spoil(sandbox, media.id);
      const facts = probe(sandbox.blobs.source(media.blob_id));
      const trouble = media.trouble ?? getMedia(sandbox, c, media.id).trouble ?? whatIsWrong(sandbox, media, facts);
      const isProcessed = /video|gif/.test(media.category);
      if (!isProcessed && trouble) throw invalid(trouble, "id", media.id);
      finalize(sandbox, media, facts, { trouble, isProcessed });
    }
    return c.json({ data: view(sandbox, getMedia(sandbox, c, media.id)) });
  });

  const status = endpoint(sandbox, { name: "GET /2/media/upload", limit: 1000, operation: "status", scopes });
  app.get("/2/media/upload", ...status, (c) => {
    const query = readQuery(c, z.object({ command: z.literal("STATUS").optional(), media_id: id }));
    const media = getMedia(sandbox, c, query.media_id);
    if (media.finalized_at === null || media.ready_at === null) {
      throw invalid("The media has no processing status.", "media_id", media.id);
    }
    if (meets(c, "processing_failed") || meets(c, "reject_media")) {
      spoil(sandbox, media.id);
      sandbox.db.run("UPDATE twitter_media SET ready_at = ? WHERE id = ?", sandbox.now(), media.id);
    }
    return c.json({ data: view(sandbox, getMedia(sandbox, c, media.id)) });
  });

  app.post("/2/media/metadata", ...upload("POST /2/media/metadata", 500), async (c) => {
    const input = await readJson(c, Metadata);
    const media = getMedia(sandbox, c, input.id);
    const alt = input.metadata.alt_text?.text;
    if (alt !== undefined) sandbox.db.run("UPDATE twitter_media SET alt_text = ? WHERE id = ?", alt, media.id);
    return c.json({ data: { id: media.id, associated_metadata: input.metadata } });
  });

  app.post("/2/media/subtitles", ...upload("POST /2/media/subtitles", 100), async (c) => {
    const input = await readJson(c, Subtitles);
    getMedia(sandbox, c, input.id);
    getMedia(sandbox, c, input.subtitles.id);
    return c.json({
      data: { id: input.id, media_category: input.media_category, associated_subtitles: [input.subtitles] },
    });
  });

  return app;
}

function create(
  sandbox: Sandbox,
  c: TwitterContext,
  media: { category: string; type: string; totalBytes: number },
): MediaRow {
  const mediaId = snowflake(sandbox);
  sandbox.db.insert("twitter_media", {
    id: mediaId,
    user_id: c.var.caller.userId,
    category: media.category,
    type: media.type,
    media_key: `${keyPrefix(media.category)}_${mediaId}`,
    total_bytes: media.totalBytes,
    blob_id: sandbox.blobs.create(media.type),
    expires_at: sandbox.now() + DAY_MS,
  });
  return getMedia(sandbox, c, mediaId);
}

function keyPrefix(category: string): number {
  if (category === "amplify_video") return 13;
  if (category.endsWith("video")) return 7;
  return category.endsWith("gif") ? 16 : 3;
}

/** Media belongs to the account that uploaded it; other accounts get "not found". */
function getMedia(sandbox: Sandbox, c: TwitterContext, mediaId: string): MediaRow {
  const media = findMedia(sandbox, mediaId);
  if (!media || media.user_id !== c.var.caller.userId) throw missing("media", mediaId);
  if (media.expires_at <= sandbox.now()) throw missing("media", mediaId);
  return media;
}

function spoil(sandbox: Sandbox, mediaId: string): void {
  sandbox.db.run("UPDATE twitter_media SET trouble = 'InternalError' WHERE id = ?", mediaId);
}

function finalize(
  sandbox: Sandbox,
  media: MediaRow,
  facts: MediaFacts,
  { trouble, isProcessed }: { trouble: string | null; isProcessed: boolean },
): void {
  const now = sandbox.now();
  sandbox.blobs.setType(media.blob_id, facts.type);
  sandbox.db.update("twitter_media", media.id, {
    finalized_at: now,
    ready_at: isProcessed ? now + sandbox.settings.all.processing_ms : null,
    expires_at: now + DAY_MS,
    trouble,
    type: facts.type,
    total_bytes: facts.size,
    width: facts.width,
    height: facts.height,
    duration_ms: facts.durationMs,
  });
}
