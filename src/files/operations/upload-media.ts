import { operation } from "../../http/operation.ts";
import { MAX_WHOLE_BYTES, uploadWhole } from "../upload.ts";
import { answerUploaded, COMMON, QUOTA, UPLOADED, Uploaded } from "./common.ts";

export const UploadMedia = operation({
  ...COMMON,
  id: "uploadMedia",
  method: "post",
  path: "/social/upload-media",
  summary: "Upload a file",
  description:
    "Uploads an image, a video or a document (PDF, PPTX, DOCX, PPT, DOC). Send its bytes as the body (`application/octet-stream`, or its own type), up to 95 MiB, or as the field `file` of a form (`multipart/form-data`), up to 10 MiB. Upload larger files in parts (create-upload). The type is detected from the bytes. Returns a `url` for `media_urls`. The URL is public, and the file is kept for a week after the upload or after the last post that needed it was published.",
  rawBody: { maxBytes: MAX_WHOLE_BYTES, takesForm: true },
  quotas: QUOTA,
  answer: Uploaded,
  answerDescription: "The file and its URL.",
  example: UPLOADED,
  run: async (as, { file }) => answerUploaded(as, await uploadWhole(as.deps, as.caller, file)),
});
