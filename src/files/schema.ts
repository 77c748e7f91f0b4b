import { z } from "@hono/zod-openapi";
import { absent } from "../core/errors.ts";
import { isBlank } from "../core/text.ts";
import { text } from "../core/text-field.ts";
import { isoUtc, isoUtcOrNull } from "../core/time.ts";
import { IdCursorQuery, wholeNumber } from "../http/page.ts";
import { fileAddress, isFileName } from "../media/own-address.ts";
import { MEDIA_KINDS } from "../platforms/media-kinds.ts";
import type { LibraryFile } from "./library.ts";
import { MAX_FILE_BYTES, type OpenUpload, PART_BYTES } from "./parts.ts";
import type { LibraryEntry } from "./stored.ts";
import type { UploadedFile } from "./upload.ts";

const EXAMPLE_NAME = "h0R3kq9TzWm2Xb7LcY5vNf8JdP4sGa1E";

export const BeginUploadBody = z
  .object({
    bytes: z
      .int()
      .min(1)
      .max(MAX_FILE_BYTES)
      .openapi({ example: 314_572_800, description: "Size of the whole file in bytes." }),
  })
  .openapi("BeginUpload", { example: { bytes: 314_572_800 } });

/** A malformed id is a 404 (`readUploadId`), like an unknown one. */
export const UploadParam = z.object({
  upload_id: z.string().openapi({ example: EXAMPLE_NAME, param: { name: "upload_id", in: "path" } }),
});

export const PartQuery = z.object({
  part_number: wholeNumber(1, Math.ceil(MAX_FILE_BYTES / PART_BYTES)).openapi({
    type: "integer",
    minimum: 1,
    example: 3,
    description: "From 1; part n begins at byte (n - 1) × part_bytes.",
  }),
});

const MEDIA = {
  media_id: z.string().openapi({ description: "For the media library." }),
  url: z.string().openapi({ description: "For `media_urls`." }),
  kind: z.enum(MEDIA_KINDS),
  mime: z.string().openapi({ description: "Detected from the bytes; the type in the request is ignored." }),
  bytes: z.int(),
  width: z.int().nullable(),
  height: z.int().nullable(),
  duration_seconds: z.number().nullable(),
  pages: z.int().nullable().openapi({
    description: "Pages or slides of a document. Null if they could not be counted, and for other files.",
  }),
  expires_at: z
    .string()
    .nullable()
    .openapi({ description: "When the file is deleted. Null while a post needs it, and in the media library." }),
};

export const MediaView = z.object(MEDIA).openapi("UploadedMedia");

export const UploadView = z
  .object({
    upload_id: z.string(),
    bytes: z.int(),
    part_bytes: z.int().openapi({ description: "Size of every part except the last, which has the rest." }),
    parts: z.int(),
    received: z.array(z.int()).openapi({ description: "Numbers of the received parts." }),
    expires_at: z.string().openapi({ description: "When the upload is deleted unless another part is sent." }),
  })
  .openapi("MediaUpload");

export const EXAMPLE_MEDIA = {
  media_id: EXAMPLE_NAME,
  url: `https://belfry.example/media/${EXAMPLE_NAME}.mp4`,
  kind: "video",
  mime: "video/mp4",
  bytes: 314_572_800,
  width: 1080,
  height: 1920,
  duration_seconds: 58.2,
  pages: null,
  expires_at: "2030-03-12T09:00:00.000+00:00",
} as const;

export const EXAMPLE_UPLOAD = {
  upload_id: EXAMPLE_NAME,
  bytes: 314_572_800,
  part_bytes: PART_BYTES,
  parts: 19,
  received: [1, 2],
  expires_at: "2030-03-06T09:00:00.000+00:00",
};

export function readUploadId(text: string): string {
  if (!isFileName(text)) throw absent("upload", text);
  return text;
}

export function toMediaView({ name, forgetAt, durationSeconds, pages = null, ...file }: UploadedFile, origin: string) {
  return {
    media_id: name,
    url: fileAddress(origin, name, file.mime),
    ...file,
    duration_seconds: durationSeconds,
    pages,
    expires_at: isoUtcOrNull(forgetAt),
  };
}

export function toUploadView({ name, bytes, parts, received, forgetAt }: OpenUpload) {
  const expires_at = isoUtc(forgetAt);
  return { upload_id: name, bytes, part_bytes: PART_BYTES, parts, received: [...received], expires_at };
}

const MAX_TITLE = 200;
const MAX_ALT_TEXT = 1_000;
const MAX_TAGS = 20;
const MAX_TAG = 50;
/** Files per page. */
const MOST = 100;

const tag = text(MAX_TAG).refine((words) => !isBlank(words), "must not be blank.");

export const KeepMediaBody = z
  .object({
    title: text(MAX_TITLE).optional().default("").openapi({ example: "Saffron buns" }),
    alt_text: text(MAX_ALT_TEXT).nullable().optional().openapi({
      example: "Buns on a wooden table",
      description: "What it shows, for people who cannot see it. Posts with the file have it unless they name another.",
    }),
    tags: z
      .array(tag)
      .max(MAX_TAGS)
      .optional()
      .default([])
      .openapi({ example: ["bakery", "friday"], description: "Without duplicates; upper and lower case differ." }),
  })
  .openapi("KeepMedia", { example: { title: "Saffron buns", alt_text: "Buns on a wooden table", tags: ["bakery"] } });

/** How the library describes a file that is kept with this body. */
export function toEntry({ title, alt_text, tags }: z.output<typeof KeepMediaBody>): LibraryEntry {
  return { title: title.trim(), altText: alt_text?.trim() || null, tags: [...new Set(tags)] };
}

export const LibraryQuery = z.object({
  search: text(MAX_TITLE).optional().openapi({ description: "A part of the title, the alternative text or a tag." }),
  tag: text(MAX_TAG).optional().openapi({ description: "Only files with this tag." }),
  kind: z.enum(MEDIA_KINDS).optional().openapi({ description: "Only files of this kind." }),
  cursor: IdCursorQuery,
  limit: wholeNumber(1, MOST)
    .optional()
    .default(MOST)
    .openapi({ type: "integer", minimum: 1, maximum: MOST, default: MOST, description: "Files per page." }),
});

/** A malformed id is a 404 (`readMediaId`), like an unknown one. */
export const MediaParam = z.object({
  media_id: z.string().openapi({ example: EXAMPLE_NAME, param: { name: "media_id", in: "path" } }),
});

export function readMediaId(words: string): string {
  if (!isFileName(words)) throw absent("media file", words);
  return words;
}

const LIBRARY = {
  ...MEDIA,
  title: z.string(),
  alt_text: z.string().nullable(),
  tags: z.array(z.string()),
  in_library: z.boolean().openapi({ description: "Whether it is kept until it is deleted." }),
  in_use: z.boolean().openapi({ description: "Whether a draft, or a post that is not published yet, needs it." }),
  created_at: z.string(),
};

export const LibraryFileView = z.object(LIBRARY).openapi("LibraryFile");

export const LibraryFileDetailView = z
  .object({
    ...LIBRARY,
    post_ids: z.array(z.int()).openapi({ description: "The posts that need it, at most 100." }),
  })
  .openapi("LibraryFileDetail");

export const EXAMPLE_LIBRARY_FILE = {
  ...EXAMPLE_MEDIA,
  expires_at: null,
  title: "Saffron buns",
  alt_text: "Buns on a wooden table",
  tags: ["bakery"],
  in_library: true,
  in_use: true,
  created_at: "2030-03-05T09:00:00.000+00:00",
};

export function toLibraryView(file: LibraryFile, origin: string): z.input<typeof LibraryFileView> {
  const { name, bytes, media, forgetAt, library, isUsed, createdAt } = file;
  // Files of the library are complete.
  if (media === null) throw new Error("A file in the library has no properties.");
  return {
    ...toMediaView({ name, bytes, forgetAt, ...media }, origin),
    title: library?.title ?? "",
    alt_text: library?.altText ?? null,
    tags: [...(library?.tags ?? [])],
    in_library: library !== null,
    in_use: isUsed,
    created_at: isoUtc(createdAt),
  };
}
