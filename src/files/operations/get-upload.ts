import { operation } from "../../http/operation.ts";
import { readUpload } from "../parts.ts";
import { EXAMPLE_UPLOAD, readUploadId, toUploadView, UploadParam } from "../schema.ts";
import { COMMON, COMPLETE, Open } from "./common.ts";

export const GetUpload = operation({
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
  run: async ({ deps, caller }, { params }) => {
    const upload = await readUpload(deps, caller, readUploadId(params.upload_id));
    return { upload: toUploadView(upload), status: true } as const;
  },
});
