import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import type { ImportId } from "../../core/ids.ts";
import type { Api } from "../../http/api.ts";
import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import type { Deps } from "../../service/deps.ts";
import { checkImport } from "./check-import.ts";
import {
  EXAMPLE_IMPORT,
  ImportParam,
  ImportQuery,
  ImportView,
  StartImportBody,
  toImportView,
} from "./import-schema.ts";
import { deleteImport, startImport } from "./import-task.ts";
import { findImport, findTwin, type Import } from "./store.ts";

const COMMON = { tag: "Posts", permission: "social-create-post", extension: true } as const;
const Answered = z.object({ import: ImportView, status: z.literal(true) });
const EXAMPLE = { import: EXAMPLE_IMPORT, status: true } as const;

/** A file of 10,000 posts has 2 to 4 MB. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** The extension for files of posts. */
export function importRoutes(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "importPosts",
      method: "post",
      path: "/social/import-posts",
      summary: "Check a CSV file of posts",
      description:
        "A dry run: reads a CSV file of up to 10,000 posts and checks each row as create-post would, without its media. Creates nothing. The first row has names of create-post's fields; those of objects are written with a dot (`options.title`, `post_extra.title`). `channel_id` is required. Without the columns, `channel_type` is the channel's, `post_type` is `post`, `publish_mode` is `scheduled` for rows with a `schedule_time` and else `draft`, and `time_zone` is the project's. `schedule_time` is `2030-03-18 09:00`, any time with the year first or the name of the month, with an offset (`2030-03-18T09:00:00+01:00`), or a number of Excel (`47195.375`); other dates need `date_format`. Separate several `media_urls` by spaces, `alt_texts` by `|`, items of a thread by a line `---`. start-import creates the posts. The file is kept for a week, a `checking` one for a day; `same_as` names an import of the same rows that has started.",
      query: ImportQuery,
      quotas: "files that are not imported yet, bytes of text stored",
      rawBody: { maxBytes: MAX_FILE_BYTES, takesForm: true, of: "csv" },
      answer: Answered,
      answerDescription: "What the import would create, and what is wrong with which row.",
      example: EXAMPLE,
    }),
    async (c) => {
      const { deps, caller, file } = c.var;
      if (!file) throw new Error("An operation for files has no file.");
      const { date_format: dateOrder = null } = c.req.valid("query");
      const { body, charset } = file;
      return c.json(await answerOf(deps, await checkImport(deps, caller, body, { charset, dateOrder })), 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "startImport",
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
    }),
    async (c) => {
      const id = idIn(c.req.valid("param").import_id);
      const { skip_refused: skipRefused = false, again = false } = c.req.valid("json");
      const { deps, caller } = c.var;
      return c.json(await answerOf(deps, await startImport(deps, caller, id, { skipRefused, again })), 200);
    },
  );

  app.openapi(
    operation({
      ...COMMON,
      id: "getImport",
      method: "get",
      path: "/social/import/{import_id}",
      summary: "Get an import",
      description: "The progress of an import, and what is wrong with which row.",
      params: ImportParam,
      answer: Answered,
      answerDescription: "The import.",
      example: { import: { ...EXAMPLE_IMPORT, state: "done", created: 119, failed: 1 }, status: true },
    }),
    async (c) => {
      const id = idIn(c.req.valid("param").import_id);
      const found = await findImport(c.var.deps.db, c.var.caller.projectId, id);
      if (!found) throw absent("import", id);
      return c.json(await answerOf(c.var.deps, found), 200);
    },
  );

  deleteImportRoute(app);
}

/** Frees its place among the open imports. */
function deleteImportRoute(app: Api): void {
  app.openapi(
    operation({
      ...COMMON,
      id: "deleteImport",
      method: "delete",
      path: "/social/delete-import/{import_id}",
      summary: "Delete an import",
      description: "Forgets a file that is not being imported. Posts that it has created stay.",
      params: ImportParam,
      answer: z.object({ message: z.string(), status: z.literal(true) }),
      answerDescription: "It is gone.",
      example: { message: "Import 7 was deleted.", status: true },
    }),
    async (c) => {
      const id = idIn(c.req.valid("param").import_id);
      await deleteImport(c.var.deps, c.var.caller, id);
      return c.json({ message: `Import ${id} was deleted.`, status: true } as const, 200);
    },
  );
}

const answerOf = async ({ db }: Deps, found: Import) =>
  ({ import: toImportView(found, (await findTwin(db, found))?.id ?? null), status: true }) as const;

const idIn = (text: string): ImportId => readPathId("import", text);
