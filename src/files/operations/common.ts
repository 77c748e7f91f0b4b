import { z } from "@hono/zod-openapi";
import { type As, Done } from "../../http/operation.ts";
import { EXAMPLE_MEDIA, EXAMPLE_UPLOAD, MediaView, toMediaView, UploadView } from "../schema.ts";
import type { UploadedFile } from "../upload.ts";

export const COMMON = { tag: "Media", permission: "social-create-post", extension: true } as const;

/** A file of the library. */

export const QUOTA = "stored bytes of files, open uploads";

/** The refusal of what only an open upload allows. */
export const COMPLETE = `upload_id must not be ${EXAMPLE_UPLOAD.upload_id}: that upload is complete.`;

export const Uploaded = z.object({ message: z.string(), data: MediaView, status: Done });

export const UPLOADED = {
  message: "The file was stored. Use its url in media_urls.",
  data: EXAMPLE_MEDIA,
  status: true,
} as const;

export const Open = z.object({ upload: UploadView, status: Done });

export function answerUploaded({ origin }: As, file: UploadedFile): z.input<typeof Uploaded> {
  return { message: UPLOADED.message, data: toMediaView(file, origin), status: true };
}
