import { beginUpload, completeUpload, uploadPart } from "../../files/parts.ts";
import { BeginUploadBody, PartQuery, readUploadId, toMediaView } from "../../files/schema.ts";
import { type UploadedFile, uploadWhole } from "../../files/upload.ts";
import { apiBody } from "../api-body.ts";
import type { Fields, ProjectVisit } from "../definition.ts";
import { asNumber, type FormMedia, firstOf, mediaFields, mediaOf } from "./compose-form.ts";

/** The file of a form becomes one of its media. */
export async function withUpload(visit: ProjectVisit, sent: Fields): Promise<Fields> {
  const { fields, uploaded } = await receiveFile(visit, sent);
  if (!uploaded) return fields;
  return withMedia(fields, { url: toMediaView(uploaded, visit.origin).url, altText: "" });
}

export function withMedia(fields: Fields, { url, altText }: Pick<FormMedia, "url" | "altText">): Fields {
  const before = mediaOf(fields);
  if (before.some((one) => one.url === url)) return fields;
  return { ...fields, ...mediaFields([...before, { url, altText, item: 0 }]) };
}

interface Received {
  /** Without the fields of the upload, which a form sends once. */
  readonly fields: Fields;
  /** Null until the whole file is stored. */
  readonly uploaded: UploadedFile | null;
}

/**
 * Stores the file of a form, through the functions of upload-media. A script sends a large file in parts:
 * `upload_step` names the operation (scripts/upload.ts).
 */
export async function receiveFile(visit: ProjectVisit, fields: Fields): Promise<Received> {
  const { deps, caller, file } = visit;
  const { upload_step: [step = ""] = [], upload_id: [id = ""] = [], ...rest } = fields;
  const part = file && { body: file.stream(), bytes: file.size };
  switch (step) {
    case "begin": {
      const { bytes } = apiBody(BeginUploadBody, { bytes: asNumber(firstOf(fields, "upload_bytes")) });
      const { name } = await beginUpload(deps, caller, bytes);
      return { fields: { ...rest, upload_id: [name] }, uploaded: null };
    }
    case "part": {
      const { part_number: number } = apiBody(PartQuery, { part_number: firstOf(fields, "part_number") });
      if (part) await uploadPart(deps, caller, { name: readUploadId(id), number }, part);
      return { fields: { ...rest, upload_id: [id] }, uploaded: null };
    }
    case "complete":
      return { fields: rest, uploaded: await completeUpload(deps, caller, readUploadId(id)) };
    default:
      return { fields: rest, uploaded: part && (await uploadWhole(deps, caller, part)) };
  }
}
