import { operation } from "../../http/operation.ts";
import { beginUpload } from "../parts.ts";
import { BeginUploadBody, EXAMPLE_UPLOAD, toUploadView } from "../schema.ts";
import { COMMON, Open, QUOTA } from "./common.ts";

export const CreateUpload = operation({
  ...COMMON,
  id: "createUpload",
  method: "post",
  path: "/social/create-upload",
  summary: "Start a multipart upload",
  description:
    "For files up to 500 MiB. Send each part with upload-part, then call complete-upload. Parts can be sent in any order, in parallel, and repeatedly; get-upload lists the received parts. An upload without a new part for a day is deleted.",
  body: BeginUploadBody,
  quotas: QUOTA,
  answer: Open,
  answerDescription: "The upload, and the sizes of its parts.",
  example: { upload: { ...EXAMPLE_UPLOAD, received: [] }, status: true },
  run: async ({ deps, caller }, { body }) => {
    const upload = await beginUpload(deps, caller, body.bytes);
    return { upload: toUploadView(upload), status: true } as const;
  },
});
