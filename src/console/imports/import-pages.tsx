import { z } from "zod";
import { absent } from "../../core/errors.ts";
import { type ImportId, idOf } from "../../core/ids.ts";
import { DAY, localTime } from "../../core/time.ts";
import { checkImport } from "../../posts/imports/check-import.ts";
import { deleteImport, startImport } from "../../posts/imports/import-task.ts";
import { DATE_ORDERS } from "../../posts/imports/row-times.ts";
import { findImport, findTwin, firstPostsOf, listImports } from "../../posts/imports/store.ts";
import { selectTitles } from "../../posts/lists/titles.ts";
import { readChannels } from "../channel-choices.ts";
import {
  type Entry,
  FormProblem,
  type ProjectVisit,
  projectAction,
  projectPage,
  type Redirect,
} from "../definition.ts";
import { field, idIn, NoFields } from "../fields.ts";
import { atMostOnce } from "../once-for-form.ts";
import { ImportDetails } from "./import-details.tsx";
import { ImportsPage } from "./import-views.tsx";

/** Files of posts: import-posts, its dry run, and start-import. */

const PATH = "/projects/:project/imports";
const IMPORT_PATH = `${PATH}/:import`;
const LISTED = 20;
/** Posts of an import that its page names. */
const NAMED = 50;

const pathOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/imports`;
const importIdOf = ({ params }: ProjectVisit): ImportId => idOf<ImportId>(idIn(params.import));

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  title: ({ imports }) => imports.title,
  load: async (visit) => {
    const [channels, items] = await Promise.all([
      readChannels(visit),
      listImports(visit.deps.db, visit.project.id, LISTED),
    ]);
    return { channels: channels.items, items };
  },
  view: (list, visit) => <ImportsPage visit={visit} {...list} base={pathOf(visit)} />,
});

/** A file with a post for tomorrow in each of the first channels: it passes the check as it is. */
const samplePage = projectPage({
  path: `${PATH}/sample`,
  role: "viewer",
  title: ({ imports }) => imports.title,
  load: async (visit) => {
    const { imports } = visit.texts;
    const tomorrow = localTime(visit.now + DAY, visit.project.timeZone).slice(0, 10);
    // Excel takes this form for a text and leaves it as it is. With a space it would write 4/1/2030 9:00.
    const time = `${tomorrow}T09:00`;
    const ids = (await readChannels(visit)).items.slice(0, 3).map(({ id }) => id);
    const cells = [
      ["channel_id", "caption_text", "schedule_time", "hash_tags", "media_urls", "alt_texts"],
      ...(ids.length === 0 ? [1] : ids).map((id) => [`${id}`, imports.sampleText, time, "", "", ""]),
    ];
    const lines = cells.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(","));
    // Spreadsheets take a file without this mark for one in another encoding.
    return new Response(`\uFEFF${lines.join("\r\n")}\r\n`, {
      headers: {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": 'attachment; filename="posts.csv"',
        "X-Content-Type-Options": "nosniff",
      },
    });
  },
  view: () => null,
});

const checkAction = projectAction({
  effect: "creates",
  path: PATH,
  page: PATH,
  role: "editor",
  takesFile: true,
  // A dry run creates no post.
  isRecorded: false,
  body: () => z.object({ date_format: field(z.enum([...DATE_ORDERS, ""])) }),
  run: async (visit, { date_format }, key): Promise<Redirect> => {
    const { file, deps, caller, texts } = visit;
    if (!file) throw new FormProblem({ file: [texts.imports.chooseFile] });
    const request = { key, operationId: "importPosts", body: { name: file.name, bytes: file.size, date_format } };
    const dateOrder = date_format === "" ? null : date_format;
    // A browser declares no charset. What Excel calls CSV depends on the language of its computer.
    const charset = visit.language === "ja" ? "shift_jis" : null;
    const id = await atMostOnce(visit, request, async () =>
      String((await checkImport(deps, caller, file.stream(), { charset, dateOrder })).id),
    );
    return { to: id === null ? pathOf(visit) : `${pathOf(visit)}/${id}` };
  },
});

const importPage = projectPage({
  path: IMPORT_PATH,
  role: "viewer",
  title: ({ imports }) => imports.title,
  load: async (visit) => {
    const { db } = visit.deps;
    const id = importIdOf(visit);
    const found = await findImport(db, visit.project.id, id);
    if (!found) throw absent("import", id);
    const ids = firstPostsOf(found, NAMED);
    const twin = await findTwin(db, found);
    return { found, twin, posts: ids.length === 0 ? [] : await selectTitles(db, visit.project.id, ids) };
  },
  view: (page, visit) => <ImportDetails visit={visit} {...page} base={pathOf(visit)} />,
});

const startAction = projectAction({
  effect: "sets",
  path: `${IMPORT_PATH}/start`,
  page: IMPORT_PATH,
  role: "editor",
  body: () => z.object({ skip_refused: field(z.enum(["on", ""])), again: field(z.enum(["on", ""])) }),
  run: async (visit, { skip_refused, again }): Promise<Redirect> => {
    const id = importIdOf(visit);
    await startImport(visit.deps, visit.caller, id, { skipRefused: skip_refused === "on", again: again === "on" });
    return { to: `${pathOf(visit)}/${id}`, flash: { notice: visit.texts.imports.started } };
  },
});

const deleteAction = projectAction({
  effect: "sets",
  path: `${IMPORT_PATH}/delete`,
  page: IMPORT_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit): Promise<Redirect> => {
    await deleteImport(visit.deps, visit.caller, importIdOf(visit));
    return { to: pathOf(visit), flash: { notice: visit.texts.imports.deleted } };
  },
});

export const IMPORTS: readonly Entry[] = [listPage, samplePage, checkAction, importPage, startAction, deleteAction];
