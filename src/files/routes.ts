import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Api } from "../http/api.ts";
import type { AppEnv } from "../http/environment.ts";
import { operation } from "../http/operation.ts";
import { apiOrigin } from "../http/origin.ts";
import { beginUpload, cancelUpload, completeUpload, PART_BYTES, readUpload, uploadPart } from "./parts.ts";
import {
  BeginUploadBody,
  EXAMPLE_MEDIA,
  EXAMPLE_UPLOAD,
  MediaView,
  PartQuery,
  readUploadId,
  toMediaView,
  toUploadView,
  UploadParam,
  UploadView,
} from "./schema.ts";
import { MAX_WHOLE_BYTES, type UploadedFile, uploadWhole } from "./upload.ts";

const COMMON = { tag: "Media", permission: "social-create-post", extension: true } as const;
const QUOTA = "stored bytes of files, open uploads";
const Done = z.literal(true);
/** The refusal of what only an open upload allows. */
const COMPLETE = `upload_id must not be ${EXAMPLE_UPLOAD.upload_id}: that upload is complete.`;

const Uploaded = z.object({ message: z.string(), data: MediaView, status: Done });
const UPLOADED = {
  message: "The file was stored. Use its url in media_urls.",
  data: EXAMPLE_MEDIA,
  status: true,
} as const;
const CANCELLED = { message: "The upload was cancelled, and its parts were deleted.", status: true } as const;
const Open = z.object({ upload: UploadView, status: Done });

/** The caller's own files, for posts: an extension under `social-create-post`. */
export function uploadRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "uploadMedia",
      method: "post",
      path: "/social/upload-media",
      summary: "Upload a file",
      description:
        "Uploads an image, a video or a document (PDF, PPTX, DOCX, PPT, DOC). Send its bytes as the body (`application/octet-stream`, or its own type), up to 95 MiB, or as the field `file` of a form (`multipart/form-data`), up to 10 MiB. Upload larger files in parts (begin-upload). The type is detected from the bytes. Returns a `url` for `media_urls`. The URL is public, and the file is kept for a week after the upload or after the last post that needed it was published.",
      rawBody: { maxBytes: MAX_WHOLE_BYTES, takesForm: true },
      quotas: QUOTA,
      answer: Uploaded,
      answerDescription: "The file and its URL.",
      example: UPLOADED,
    }),
    async (c) => answerUploaded(c, await uploadWhole(c.var.deps, c.var.caller, incoming(c))),
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "beginUpload",
      method: "post",
      path: "/social/begin-upload",
      summary: "Start a multipart upload",
      description:
        "For files up to 500 MiB. Send each part with upload-part, then call complete-upload. Parts can be sent in any order, in parallel, and repeatedly; get-upload lists the received parts. An upload without a new part for a day is deleted.",
      body: BeginUploadBody,
      quotas: QUOTA,
      answer: Open,
      answerDescription: "The upload, and the sizes of its parts.",
      example: { upload: { ...EXAMPLE_UPLOAD, received: [] }, status: true },
    }),
    async (c) => {
      const upload = await beginUpload(c.var.deps, c.var.caller, c.req.valid("json").bytes);
      return c.json({ upload: toUploadView(upload), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "uploadPart",
      method: "put",
      path: "/social/upload-part/{upload_id}",
      summary: "Upload a part",
      description:
        "Send the bytes of one part as the body: `part_bytes`, and the rest in the last part. A part that is sent again replaces the previous one.",
      params: UploadParam,
      query: PartQuery,
      rawBody: { maxBytes: PART_BYTES, takesForm: false },
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The part was stored.",
      example: { message: "Part 3 was stored.", status: true },
    }),
    async (c) => {
      const { part_number: number } = c.req.valid("query");
      const id = readUploadId(c.req.valid("param").upload_id);
      await uploadPart(c.var.deps, c.var.caller, { name: id, number }, incoming(c));
      return c.json({ message: `Part ${number} was stored.`, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getUpload",
      method: "get",
      path: "/social/get-upload/{upload_id}",
      summary: "Get upload status",
      description: "Lists the parts that were received, to resume an interrupted upload.",
      refusedByState: COMPLETE,
      params: UploadParam,
      answer: Open,
      answerDescription: "The upload.",
      example: { upload: EXAMPLE_UPLOAD, status: true },
    }),
    async (c) => {
      const upload = await readUpload(c.var.deps, c.var.caller, readUploadId(c.req.valid("param").upload_id));
      return c.json({ upload: toUploadView(upload), status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "completeUpload",
      method: "post",
      path: "/social/complete-upload/{upload_id}",
      summary: "Complete an upload",
      description:
        "Joins the parts into a file and returns what upload-media returns; so does every repeat. Missing parts return a 422 that names them. A file that no platform accepts is not kept; the error gives the reason.",
      params: UploadParam,
      refusedByState: { file: ["file must have all of its 12 parts, not 11: 7 must be sent first."] },
      answer: Uploaded,
      answerDescription: "The file and its URL.",
      example: UPLOADED,
    }),
    async (c) => {
      const id = readUploadId(c.req.valid("param").upload_id);
      return answerUploaded(c, await completeUpload(c.var.deps, c.var.caller, id));
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "cancelUpload",
      method: "delete",
      path: "/social/cancel-upload/{upload_id}",
      summary: "Cancel an upload",
      description: "Cancels a multipart upload. Its parts are deleted and no longer count against the quota.",
      refusedByState: COMPLETE,
      params: UploadParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The upload was cancelled.",
      example: CANCELLED,
    }),
    async (c) => {
      await cancelUpload(c.var.deps, c.var.caller, readUploadId(c.req.valid("param").upload_id));
      return c.json(CANCELLED, 200);
    },
  );
}

function incoming(c: Context<AppEnv>) {
  const { file } = c.var;
  if (!file) throw new Error("An operation for files has no file.");
  return file;
}

function answerUploaded(c: Context<AppEnv>, file: UploadedFile) {
  const data = toMediaView(file, apiOrigin(c));
  return c.json({ message: UPLOADED.message, data, status: true } as const, 200);
}
