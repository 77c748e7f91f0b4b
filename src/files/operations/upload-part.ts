import { z } from "@hono/zod-openapi";
import { Done, operation } from "../../http/operation.ts";
import { PART_BYTES, uploadPart } from "../parts.ts";
import { PartQuery, readUploadId, UploadParam } from "../schema.ts";
import { COMMON } from "./common.ts";

export const UploadPart = operation({
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
  run: async ({ deps, caller }, { query, params, file }) => {
    const { part_number: number } = query;
    const id = readUploadId(params.upload_id);
    await uploadPart(deps, caller, { name: id, number }, file);
    return { message: `Part ${number} was stored.`, status: true } as const;
  },
});
