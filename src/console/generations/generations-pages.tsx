import { z } from "zod";
import { absent } from "../../core/errors.ts";
import { createGeneration } from "../../generations/create.ts";
import { deleteGeneration } from "../../generations/remove.ts";
import { CreateGenerationBody, readUuid, toWanted } from "../../generations/schema.ts";
import { findGeneration, listGenerations } from "../../generations/store.ts";
import { apiBody } from "../api-body.ts";
import { type Entry, type ProjectVisit, projectAction, projectPage } from "../definition.ts";
import { field, fields, idIn, NoFields } from "../fields.ts";
import { onceForForm } from "../once-for-form.ts";
import { GenerationDetails, GenerationList, generationsPath, NewGeneration } from "./generation-views.tsx";

/** Generated posts: the operations of the API. A generation is found by its UUID. */

const PATH = "/projects/:project/generations";
const NEW_PATH = "/projects/:project/generations/new";
const GENERATION_PATH = "/projects/:project/generations/:generation";
const SHOWN = 30;

function uuidOf({ params }: ProjectVisit): string {
  const uuid = readUuid(params.generation ?? "");
  if (uuid === null) throw absent("generation", params.generation ?? "");
  return uuid;
}

const listPage = projectPage({
  path: PATH,
  role: "viewer",
  menu: { title: ({ generations }) => generations.title, icon: "spark" },
  title: ({ generations }) => generations.title,
  load: async ({ deps, project, query }) => {
    const after = idIn(query.after) || null;
    const found = await listGenerations(deps.db, project.id, { after, skip: 0, limit: SHOWN });
    return { found, isFirst: after === null };
  },
  view: (found, visit) => <GenerationList visit={visit} {...found} />,
});

const newPage = projectPage({
  path: NEW_PATH,
  role: "editor",
  title: ({ generations }) => generations.createTitle,
  load: async () => ({}),
  view: (_, visit) => <NewGeneration visit={visit} />,
});

const createAction = projectAction({
  effect: "creates",
  path: PATH,
  page: NEW_PATH,
  role: "editor",
  body: () =>
    z.object({ post_type: field(z.string()), input: field(z.string()), platforms: fields(z.array(z.string())) }),
  run: async (visit, form, key) => {
    const { platforms, ...rest } = form;
    const body = apiBody(CreateGenerationBody, { ...rest, ...(platforms.length > 0 ? { platforms } : {}) });
    const wanted = { ...toWanted(body), origin: visit.origin };
    const uuid = await onceForForm(
      visit,
      { key, operationId: "createPostGeneration", body },
      (record) => createGeneration(visit.deps, visit.caller, wanted, record),
      (stored) => stored,
    );
    return { to: `${generationsPath(visit)}/${uuid}`, flash: { notice: visit.texts.generations.accepted } };
  },
});

const generationPage = projectPage({
  path: GENERATION_PATH,
  role: "viewer",
  title: ({ generations }) => generations.title,
  load: async (visit) => {
    const generation = await findGeneration(visit.deps.db, visit.project.id, uuidOf(visit));
    if (!generation) throw absent("generation", uuidOf(visit));
    return generation;
  },
  view: (generation, visit) => <GenerationDetails visit={visit} generation={generation} />,
});

const deleteAction = projectAction({
  effect: "sets",
  path: "/projects/:project/generations/:generation/delete",
  page: GENERATION_PATH,
  role: "editor",
  body: () => NoFields,
  run: async (visit) => {
    await deleteGeneration(visit.deps, visit.caller, uuidOf(visit));
    return { to: generationsPath(visit), flash: { notice: visit.texts.generations.removed } };
  },
});

export const GENERATIONS: readonly Entry[] = [listPage, newPage, createAction, generationPage, deleteAction];
