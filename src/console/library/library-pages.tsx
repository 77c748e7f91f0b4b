import { deleteFromLibrary, getLibraryFile, keepInLibrary, keepPart, listLibrary } from "../../files/library.ts";
import { KeepMediaBody, readMediaId, toEntry } from "../../files/schema.ts";
import { uploadWhole } from "../../files/upload.ts";
import { MEDIA_KINDS } from "../../platforms/media-kinds.ts";
import { apiBody, orNull } from "../api-body.ts";
import { firstOf } from "../compose/compose-form.ts";
import { formAction } from "../compose/form-action.tsx";
import { receiveFile } from "../compose/upload.ts";
import {
  type Entry,
  type Fields,
  FormProblem,
  NO_FORM,
  type ProjectVisit,
  projectAction,
  projectPage,
  type Redirect,
  type ShowForm,
} from "../definition.ts";
import { idIn, NoFields } from "../fields.ts";
import { atMostOnce } from "../once-for-form.ts";
import { CropForm, LibraryFileForm, LibraryFilePage } from "./file-views.tsx";
import { LibraryPage } from "./library-views.tsx";

/** The media library: files that are kept, with what describes them (files/library.ts). */

const PATH = "/projects/:project/library";
const FILE_PATH = `${PATH}/:file`;
const PER_PAGE = 24;

const pathOf = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/library`;
const nameOf = ({ params }: ProjectVisit): string => readMediaId(params.file ?? "");

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ library }) => library.title, icon: "picture" },
  title: ({ library }) => library.title,
  load: async ({ deps, project, query }) => {
    const kind = MEDIA_KINDS.find((one) => one === query.kind) ?? null;
    const values = { search: query.search?.slice(0, 200) || null, tag: query.tag?.slice(0, 50) || null, kind };
    const after = idIn(query.after) || null;
    const { items, next } = await listLibrary(deps.db, project.id, { ...values, after, limit: PER_PAGE });
    return { values, items, next, isFirst: after === null };
  },
  view: (list, visit) => <LibraryPage visit={visit} {...list} base={pathOf(visit)} />,
});

async function keepUploaded(visit: ProjectVisit, sent: Fields): Promise<Redirect | ShowForm> {
  const { deps, caller, texts } = visit;
  const { fields, uploaded } = await receiveFile(visit, sent);
  if (!uploaded && firstOf(fields, "upload_id") !== "") return { again: { ...NO_FORM, fields }, status: 200 };
  if (!uploaded) throw new FormProblem({ file: [texts.library.chooseFile] });
  const title = (visit.file?.name ?? firstOf(fields, "upload_name")).replace(/\.\w{1,5}$/, "").slice(0, 100);
  await keepInLibrary(deps, caller, uploaded.name, toEntry(apiBody(KeepMediaBody, { title })));
  return { to: `${pathOf(visit)}/${uploaded.name}`, flash: { notice: texts.library.uploaded } };
}

/** A file of a form is kept at once; its page asks for what describes it. */
const uploadAction = formAction({
  effect: "creates",
  page: PATH,
  run: async (visit, sent, key) => {
    const { file, texts } = visit;
    // A part of an upload counts once by its number.
    if (firstOf(sent, "upload_step") !== "") return keepUploaded(visit, sent);
    if (!file) throw new FormProblem({ file: [texts.library.chooseFile] });
    const request = { key, operationId: "uploadMedia", body: { name: file.name, bytes: file.size } };
    const kept = await atMostOnce(visit, request, async () => {
      const done = await keepUploaded(visit, sent);
      return "to" in done ? done.to : pathOf(visit);
    });
    return { to: kept ?? pathOf(visit), flash: { notice: texts.library.uploaded } };
  },
});

const filePage = projectPage({
  path: FILE_PATH,
  role: "viewer",
  title: ({ library }) => library.file,
  load: (visit) => getLibraryFile(visit.deps.db, visit.project.id, nameOf(visit)),
  view: (found, visit) => <LibraryFilePage visit={visit} {...found} base={pathOf(visit)} />,
});

/** The part is made by the browser (scripts/crop.ts). Another part of the same file is another one. */
const cropAction = projectAction({
  effect: "creates",
  path: `${FILE_PATH}/crop`,
  page: FILE_PATH,
  role: "author",
  takesFile: true,
  body: () => CropForm,
  run: async (visit, { area, alt_text }, key): Promise<Redirect> => {
    const { deps, caller, file: sent, texts } = visit;
    const name = nameOf(visit);
    const { file: whole } = await getLibraryFile(deps.db, visit.project.id, name);
    if (!sent) throw new FormProblem({ file: [texts.library.chooseFile] });
    const request = { key, part: area, operationId: "cropMedia", body: { name, area } };
    const made = await atMostOnce(visit, request, async () => {
      const part = await uploadWhole(deps, caller, { body: sent.stream(), bytes: sent.size });
      const altText = orNull(alt_text) ?? whole.library?.altText ?? null;
      const library = { title: "", tags: [], ...whole.library, altText };
      await keepPart(deps, caller, part.name, { name, library });
      return `${pathOf(visit)}/${part.name}`;
    });
    return { to: made ?? pathOf(visit), flash: { notice: texts.library.crop.saved } };
  },
});

const saveAction = projectAction({
  effect: "sets",
  path: FILE_PATH,
  page: FILE_PATH,
  role: "author",
  body: () => LibraryFileForm,
  run: async (visit, { title, alt_text, tags }): Promise<Redirect> => {
    const words = tags.split(",").map((tag) => tag.trim());
    const body = { title, alt_text: orNull(alt_text), tags: words.filter((tag) => tag !== "") };
    const entry = toEntry(apiBody(KeepMediaBody, body));
    await keepInLibrary(visit.deps, visit.caller, nameOf(visit), entry);
    return { to: `${pathOf(visit)}/${nameOf(visit)}`, flash: { notice: visit.texts.library.saved } };
  },
});

const deleteAction = projectAction({
  effect: "sets",
  path: `${FILE_PATH}/delete`,
  page: FILE_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit): Promise<Redirect> => {
    const { library } = visit.texts;
    const isDeleted = await deleteFromLibrary(visit.deps, visit.caller, nameOf(visit));
    return { to: pathOf(visit), flash: { notice: isDeleted ? library.deleted : library.left } };
  },
});

export const LIBRARY: readonly Entry[] = [listPage, uploadAction, filePage, cropAction, saveAction, deleteAction];
