import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { cancelUpload } from "../parts.ts";
import { readUploadId, UploadParam } from "../schema.ts";
import { COMMON, COMPLETE } from "./common.ts";

const CANCELLED = { message: "The upload was cancelled, and its parts were deleted.", status: true } as const;

export const DeleteUpload = operation({
  ...COMMON,
  id: "deleteUpload",
  method: "delete",
  path: "/social/delete-upload/{upload_id}",
  summary: "Cancel an upload",
  description: "Cancels a multipart upload. Its parts are deleted and no longer count against the quota.",
  refusedByState: COMPLETE,
  params: UploadParam,
  answer: z.object({ message: z.string(), status: Done }),
  answerDescription: "The upload was cancelled.",
  example: CANCELLED,
  run: async ({ deps, caller }, { params }) => {
    await cancelUpload(deps, caller, readUploadId(params.upload_id));
    return CANCELLED;
  },
});
