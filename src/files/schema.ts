import { z } from "@hono/zod-openapi";
import { absent } from "../core/errors.ts";
import { isoUtc } from "../core/time.ts";
import { wholeNumber } from "../http/page.ts";
import { fileAddress, isFileName } from "../media/own-address.ts";
import { MAX_FILE_BYTES, type OpenUpload, PART_BYTES } from "./parts.ts";
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

export const MediaView = z
  .object({
    url: z.string().openapi({ description: "For `media_urls`." }),
    kind: z.enum(["image", "gif", "video"]),
    mime: z.string().openapi({ description: "Detected from the bytes; the type in the request is ignored." }),
    bytes: z.int(),
    width: z.int().nullable(),
    height: z.int().nullable(),
    duration_seconds: z.number().nullable(),
    expires_at: z.string().nullable().openapi({ description: "When the file is deleted. Null while a post needs it." }),
  })
  .openapi("UploadedMedia");

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
  url: `https://belfry.example/media/${EXAMPLE_NAME}.mp4`,
  kind: "video",
  mime: "video/mp4",
  bytes: 314_572_800,
  width: 1080,
  height: 1920,
  duration_seconds: 58.2,
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

export function toMediaView({ name, forgetAt, durationSeconds, ...file }: UploadedFile, origin: string) {
  return {
    url: fileAddress(origin, name, file.mime),
    ...file,
    duration_seconds: durationSeconds,
    expires_at: forgetAt === null ? null : isoUtc(forgetAt),
  };
}

export function toUploadView({ name, bytes, parts, received, forgetAt }: OpenUpload) {
  const expires_at = isoUtc(forgetAt);
  return { upload_id: name, bytes, part_bytes: PART_BYTES, parts, received: [...received], expires_at };
}
