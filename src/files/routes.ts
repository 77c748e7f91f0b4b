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
const QUOTA = "bytes of files stored, uploads under way";
const Done = z.literal(true);

const Uploaded = z.object({ message: z.string(), data: MediaView, status: Done });
const UPLOADED = {
  message: "The file was stored: name its url in media_urls.",
  data: EXAMPLE_MEDIA,
  status: true,
} as const;
const CANCELLED = { message: "The upload was cancelled; nothing of it is kept.", status: true } as const;
const Open = z.object({ upload: UploadView, status: Done });

/** The caller's own files, for posts (decisions.md: an extension under `social-create-post`). */
export function uploadRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "uploadMedia",
      method: "post",
      path: "/social/upload-media",
      summary: "Upload a file",
      description:
        "Takes the bytes of an image or a video as the body (`application/octet-stream`, or its own type), up to 95 MiB, or a form (`multipart/form-data`) with the field `file`, up to 10 MiB; larger files go up in parts (begin-upload). What it is tell its bytes. Answers its `url` for `media_urls`: open to everyone who knows it, and there until a week after the upload, or after the last post that needed it has gone out.",
      rawBody: { maxBytes: MAX_WHOLE_BYTES, takesForm: true },
      quotas: QUOTA,
      answer: Uploaded,
      answerDescription: "The file, and its address.",
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
        "For files up to 500 MiB. Send each part with upload-part, then complete-upload. Parts may come in any order, several at once, and again; get-upload tells which are there. An upload that gets no part for a day goes.",
      body: BeginUploadBody,
      quotas: QUOTA,
      answer: Open,
      answerDescription: "The upload, and how it is cut into parts.",
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
        "The bytes of one part as the body: `part_bytes` of them, the last part what is left. A part that is sent again takes the place of the one before.",
      params: UploadParam,
      query: PartQuery,
      rawBody: { maxBytes: PART_BYTES, takesForm: false },
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The part is there.",
      example: { message: "Part 3 was stored.", status: true },
    }),
    async (c) => {
      const { part_number: number } = c.req.valid("query");
      const id = readUploadId(c.req.valid("param").upload_id);
      await uploadPart(c.var.deps, c.var.caller, id, number, incoming(c));
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
        "Makes a file of the parts, and answers as upload-media does; so does every repeat. Parts that are missing are a 422 that names them. A file that can be posted nowhere is not kept, and says why.",
      params: UploadParam,
      answer: Uploaded,
      answerDescription: "The file, and its address.",
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
      description:
        "Ends an upload in parts that is not wanted any more. What is there of it goes, and it counts no more.",
      params: UploadParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "The upload has ended.",
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
  if (!file) throw new Error("An operation that takes a file has none.");
  return file;
}

function answerUploaded(c: Context<AppEnv>, file: UploadedFile) {
  const data = toMediaView(file, apiOrigin(c));
  return c.json({ message: UPLOADED.message, data, status: true } as const, 200);
}
