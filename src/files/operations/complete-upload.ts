import { operation } from "../../http/operation.ts";
import { completeUpload } from "../parts.ts";
import { readUploadId, UploadParam } from "../schema.ts";
import { answerUploaded, COMMON, UPLOADED, Uploaded } from "./common.ts";

export const CompleteUpload = operation({
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
  run: async (as, { params }) => {
    const { deps, caller } = as;
    const id = readUploadId(params.upload_id);
    return answerUploaded(as, await completeUpload(deps, caller, id));
  },
});
