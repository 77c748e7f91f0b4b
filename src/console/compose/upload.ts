import { beginUpload, completeUpload, uploadPart } from "../../files/parts.ts";
import { BeginUploadBody, PartQuery, readUploadId, toMediaView } from "../../files/schema.ts";
import { type UploadedFile, uploadWhole } from "../../files/upload.ts";
import { apiBody } from "../api-body.ts";
import type { Fields, ProjectVisit } from "../definition.ts";
import { asNumber, firstOf, mediaFields, mediaOf } from "./compose-form.ts";

/**
 * The file of a form becomes one of its media, through the functions of upload-media. A script sends a large
 * file in parts: `upload_step` names the operation (scripts/upload.ts).
 */
export async function withUpload(visit: ProjectVisit, fields: Fields): Promise<Fields> {
  const { deps, caller, file } = visit;
  const { upload_step: [step = ""] = [], upload_id: [id = ""] = [], ...rest } = fields;
  const part = file && { body: file.stream(), bytes: file.size };
  switch (step) {
    case "begin": {
      const { bytes } = apiBody(BeginUploadBody, { bytes: asNumber(firstOf(fields, "upload_bytes")) });
      const { name } = await beginUpload(deps, caller, bytes);
      return { ...rest, upload_id: [name] };
    }
    case "part": {
      const { part_number: number } = apiBody(PartQuery, { part_number: firstOf(fields, "part_number") });
      if (part) await uploadPart(deps, caller, { name: readUploadId(id), number }, part);
      return { ...rest, upload_id: [id] };
    }
    case "complete":
      return withFile(visit, rest, await completeUpload(deps, caller, readUploadId(id)));
    default:
      return part ? withFile(visit, rest, await uploadWhole(deps, caller, part)) : rest;
  }
}

function withFile({ origin }: ProjectVisit, fields: Fields, uploaded: UploadedFile): Fields {
  const added = { url: toMediaView(uploaded, origin).url, altText: "", item: 0 };
  return { ...fields, ...mediaFields([...mediaOf(fields), added]) };
}
