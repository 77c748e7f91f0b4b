import { operation } from "../../http/operation.ts";
import { EXAMPLE_IMPORT, ImportParam, StartImportBody } from "../imports/import-schema.ts";
import { startImport } from "../imports/import-task.ts";
import { Answered, answerOf, COMMON, idIn } from "./import-common.ts";

export const StartImport = operation({
  ...COMMON,
  id: "startImport",
  audited: true,
  method: "post",
  path: "/social/start-import/{import_id}",
  summary: "Import a checked file",
  description:
    "Creates a post for each row, once, whatever is repeated or interrupted; a repeat of this request changes nothing. Rows are checked again. Follow it with get-import.",
  params: ImportParam,
  body: StartImportBody,
  answer: Answered,
  answerDescription: "The import runs.",
  example: { import: { ...EXAMPLE_IMPORT, state: "importing", problems: [] }, status: true },
  run: async ({ deps, caller }, { body, params }) => {
    const id = idIn(params.import_id);
    const { skip_refused: skipRefused = false, again = false } = body;
    return await answerOf(deps, await startImport(deps, caller, id, { skipRefused, again }));
  },
});
