import { absent } from "../../core/errors.ts";
import { operation } from "../../http/operation.ts";
import { EXAMPLE_IMPORT, ImportParam } from "../imports/import-schema.ts";
import { findImport } from "../imports/store.ts";
import { Answered, answerOf, COMMON, idIn } from "./import-common.ts";

export const GetImport = operation({
  ...COMMON,
  id: "getImport",
  method: "get",
  path: "/social/get-import/{import_id}",
  summary: "Get an import",
  description: "The progress of an import, and what is wrong with which row.",
  params: ImportParam,
  answer: Answered,
  answerDescription: "The import.",
  example: { import: { ...EXAMPLE_IMPORT, state: "done", created: 119, failed: 1 }, status: true },
  run: async ({ deps, caller }, { params }) => {
    const id = idIn(params.import_id);
    const found = await findImport(deps.db, caller.projectId, id);
    if (!found) throw absent("import", id);
    return await answerOf(deps, found);
  },
});
