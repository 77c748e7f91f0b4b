import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { ImportParam } from "../imports/import-schema.ts";
import { deleteImport } from "../imports/import-task.ts";
import { COMMON, idIn } from "./import-common.ts";

export const DeleteImport = operation({
  ...COMMON,
  id: "deleteImport",
  audited: true,
  method: "delete",
  path: "/social/delete-import/{import_id}",
  summary: "Delete an import",
  description: "Forgets a file that is not being imported. Posts that it has created stay.",
  params: ImportParam,
  answer: z.object({ message: z.string(), status: z.literal(true) }),
  answerDescription: "It is gone.",
  example: { message: "Import 7 was deleted.", status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = idIn(params.import_id);
    await deleteImport(deps, caller, id);
    return { message: `Import ${id} was deleted.`, status: true } as const;
  },
});
