// Media of X: one-shot images, and initialize → append… → finalize → processing for everything else.
// States are not stored, only `finalized_at`, `ready_at` and what will have gone wrong by then.

import { Hono } from "hono";
import { z } from "zod";
import { type MediaFacts, probe } from "../media-probe";
import { readParts } from "../multipart";
import { meets } from "../operation";
import type { Sandbox } from "../sandbox";
import {
  endpoint,
  forbidden,
  id,
  invalid,
  missing,
  readJson,
  readQuery,
  type TwitterContext,
  type TwitterEnv,
} from "./api";
import { findMedia, findUser, isPremium, type MediaRow, snowflake } from "./store";

const DAY_MS = 86_400_000;
const CHUNK = 5_242_880;
const LARGEST_IMAGE = 5_242_880;
const LARGEST_GIF = 15_728_640;
const LARGEST_VIDEO = 536_870_912;
const IMAGE_TYPES = ["image/jpeg", "image/png", "image/webp", "image/gif"];
const VIDEO_TYPES = ["video/mp4", "video/quicktime"];

const MEDIA_TYPES = [
  "video/mp4",
  "video/webm",
  "video/mp2t",
  "video/quicktime",
  "text/srt",
  "text/vtt",
  "image/jpeg",
  "image/pjpeg",
  "image/gif",
  "image/bmp",
  "image/png",
  "image/webp",
  "image/tiff",
  "model/gltf-binary",
  "model/vnd.usdz+zip",
] as const;
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
const segmentIndex = z
  .union([
    z.number().int(),
    z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number),
  ])
  .pipe(z.number().min(0).max(999));
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
    finalize(sandbox, media, facts, meets(c, "processing_failed") ? "InternalError" : null, false);
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
      finalize(sandbox, media, facts, trouble, isProcessed);
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

async function readOneShot(c: TwitterContext): Promise<{ bytes: Uint8Array; category: string }> {
  const Category = z.enum(["tweet_image", "dm_image", "subtitles"]);
  if ((c.req.header("content-type") ?? "").includes("application/json")) {
    const Body = z.strictObject({
      media: z.base64(),
      media_category: Category,
      media_type: z.enum(MEDIA_TYPES).optional(),
      shared: z.boolean().optional(),
      additional_owners: z.array(id).optional(),
    });
    const input = await readJson(c, Body);
    return { bytes: fromBase64(input.media), category: input.media_category };
  }
  const form = await readMultipart(c, ["media", "media_category", "media_type", "shared", "additional_owners"]);
  const category = Category.safeParse(form.text("media_category"));
  if (!category.success)
    throw invalid("The media_category must be one of tweet_image, dm_image, subtitles", "media_category");
  return { bytes: form.media, category: category.data };
}

async function readSegment(c: TwitterContext): Promise<{ bytes: Uint8Array; index: number }> {
  if ((c.req.header("content-type") ?? "").includes("application/json")) {
    const input = await readJson(c, z.strictObject({ media: z.base64(), segment_index: segmentIndex }));
    return { bytes: fromBase64(input.media), index: input.segment_index };
  }
  const form = await readMultipart(c, ["media", "segment_index"]);
  const index = segmentIndex.safeParse(form.text("segment_index"));
  if (!index.success) throw invalid("The segment_index must be a number from 0 to 999", "segment_index");
  return { bytes: form.media, index: index.data };
}

interface Form {
  /** The bytes of the file; a part without a file name is one too. */
  media: Uint8Array;
  text(name: string): string | undefined;
}

async function readMultipart(c: TwitterContext, known: string[]): Promise<Form> {
  if (!(c.req.header("content-type") ?? "").includes("multipart/form-data")) {
    throw invalid("The request body must be multipart/form-data or application/json");
  }
  const parts = await readParts(c.req.raw);
  if (!parts) throw invalid("The multipart body could not be read");
  for (const { name } of parts) if (!known.includes(name)) throw invalid(`The part ${name} is not known`, name);
  const bytesOf = (wanted: string) => parts.find(({ name }) => name === wanted)?.bytes;
  const media = bytesOf("media");
  if (!media) throw invalid("The part media is missing", "media");
  return {
    media,
    text(name) {
      const bytes = bytesOf(name);
      return bytes && new TextDecoder().decode(bytes);
    },
  };
}

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

function create(
  sandbox: Sandbox,
  c: TwitterContext,
  media: { category: string; type: string; totalBytes: number },
): MediaRow {
  const mediaId = snowflake(sandbox);
  const prefix =
    media.category === "amplify_video"
      ? 13
      : media.category.endsWith("video")
        ? 7
        : media.category.endsWith("gif")
          ? 16
          : 3;
  sandbox.db.run(
    `INSERT INTO twitter_media (id, user_id, category, type, media_key, total_bytes, blob_id, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    mediaId,
    c.var.caller.userId,
    media.category,
    media.type,
    `${prefix}_${mediaId}`,
    media.totalBytes,
    sandbox.blobs.create(media.type),
    sandbox.now() + DAY_MS,
  );
  return getMedia(sandbox, c, mediaId);
}

/** Media belongs to the account that uploaded it; to others it does not exist. */
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
  trouble: string | null,
  isProcessed: boolean,
): void {
  const now = sandbox.now();
  sandbox.blobs.setType(media.blob_id, facts.type);
  sandbox.db.run(
    `UPDATE twitter_media SET finalized_at = ?, ready_at = ?, expires_at = ?, trouble = ?, type = ?, total_bytes = ?,
       width = ?, height = ?, duration_ms = ? WHERE id = ?`,
    now,
    isProcessed ? now + sandbox.settings.all.processing_ms : null,
    now + DAY_MS,
    trouble,
    facts.type,
    facts.size,
    facts.width,
    facts.height,
    facts.durationMs,
    media.id,
  );
}

function whatIsWrong(sandbox: Sandbox, media: MediaRow, facts: MediaFacts): string | null {
  const { type, size, width, height, durationMs, frames, frameRate } = facts;
  if (media.category === "subtitles") return null;
  if (media.category.endsWith("video")) {
    if (!VIDEO_TYPES.includes(type)) return "InvalidMedia: the file is not an MP4 or MOV video";
    if (width === null || height === null || durationMs === null) return "InvalidMedia: the video cannot be read";
    if (size > LARGEST_VIDEO) return "InvalidMedia: the video is too large";
    if (width < 32 || height < 32 || width > 1920 || height > 1920)
      return "InvalidMedia: the dimensions are not supported";
    if (width / height > 3 || height / width > 3) return "InvalidMedia: the aspect ratio is not supported";
    if (frameRate !== null && frameRate > 60.5) return "InvalidMedia: more than 60 frames a second";
    const user = findUser(sandbox, media.user_id);
    const longest = user && isPremium(user) ? 125 * 60_000 : sandbox.settings.all.twitter_video_max_ms;
    if (durationMs < 500 || durationMs > longest) return "InvalidMedia: the duration is not supported";
    return null;
  }
  if (media.category.endsWith("gif")) {
    if (type !== "image/gif") return "InvalidMedia: the file is not a GIF";
    if (size > LARGEST_GIF) return "InvalidMedia: the GIF is too large";
    const [w, h, n] = [width ?? 0, height ?? 0, frames ?? 1];
    if (w > 1280 || h > 1080 || n > 350 || w * h * n > 300_000_000)
      return "InvalidMedia: the GIF has too many pixels or frames";
    return null;
  }
  if (!IMAGE_TYPES.includes(type)) return "media type unrecognized.";
  if (size > LARGEST_IMAGE) return "The image is larger than 5242880 bytes.";
  return null;
}

function view(sandbox: Sandbox, media: MediaRow) {
  const now = sandbox.now();
  const isImage = /image$/.test(media.category);
  return {
    id: media.id,
    media_key: media.media_key,
    size: media.total_bytes,
    expires_after_secs: Math.max(0, Math.floor((media.expires_at - now) / 1000)),
    ...(isImage && media.width !== null ? { image: { w: media.width, h: media.height, image_type: media.type } } : {}),
    ...(media.ready_at === null ? {} : { processing_info: processing(sandbox, media, media.ready_at, now) }),
  };
}

function processing(sandbox: Sandbox, media: MediaRow, readyAt: number, now: number) {
  const left = readyAt - now;
  if (left <= 0 && media.trouble === null) return { state: "succeeded", progress_percent: 100 };
  if (left <= 0) {
    return {
      state: "failed",
      progress_percent: 100,
      error: { code: 1, name: media.trouble?.split(":")[0], message: media.trouble },
    };
  }
  const whole = Math.max(1, sandbox.settings.all.processing_ms);
  const done = Math.max(0, Math.min(99, Math.round(100 - (100 * left) / whole)));
  const check_after_secs = Math.max(1, Math.min(5, Math.ceil(left / 1000)));
  return done < 34
    ? { state: "pending", check_after_secs }
    : { state: "in_progress", check_after_secs, progress_percent: done };
}

/** Refuses media that cannot be attached: foreign, unfinished, failed, expired, or a mix X does not take. */
export function attachable(sandbox: Sandbox, c: TwitterContext, ids: string[], use: "tweet" | "dm"): void {
  const parameter = use === "tweet" ? "media.media_ids" : "attachments";
  const bad = () => invalid("Your media IDs are invalid.", parameter, ids.join(","));
  if (ids.length > 0 && meets(c, "reject_media")) throw bad();
  const media = ids.map((mediaId) => findMedia(sandbox, mediaId));
  for (const one of media) {
    const isReady = one && one.finalized_at !== null && (one.ready_at ?? 0) <= sandbox.now();
    const isForUse = use === "tweet" ? one?.category.match(/^(tweet|amplify)_/) : one?.category.startsWith("dm_");
    if (!isReady || one.trouble !== null || one.expires_at <= sandbox.now() || !isForUse) throw bad();
    if (one.user_id !== c.var.caller.userId) throw bad();
  }
  if (new Set(ids).size < ids.length) throw bad();
  const moving = media.filter((one) => one && /video|gif/.test(one.category)).length;
  if (moving > 0 && media.length > 1)
    throw invalid("Media must be up to 4 images, or one GIF, or one video.", parameter, ids.join(","));
  const [only] = media;
  const user = findUser(sandbox, c.var.caller.userId);
  const isLong = (only?.duration_ms ?? 0) > sandbox.settings.all.twitter_video_max_ms;
  if (isLong && user && !isPremium(user))
    throw forbidden("This user is not allowed to post a video longer than 2 minutes");
}
