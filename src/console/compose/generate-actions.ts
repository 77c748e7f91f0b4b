import { z } from "zod";
import { absent, absentIn } from "../../core/errors.ts";
import { createGeneration } from "../../generations/create.ts";
import { CreateGenerationBody, readUuid, toView, toWanted } from "../../generations/schema.ts";
import { findGeneration, readForComposer } from "../../generations/store.ts";
import type { Generation } from "../../generations/table.ts";
import { apiBody } from "../api-body.ts";
import {
  type Entry,
  type Fields,
  FormProblem,
  NO_FORM,
  PageProblem,
  type ProjectVisit,
  type ShowForm,
} from "../definition.ts";
import { onceForForm, requireFormKey } from "../once-for-form.ts";
import { readChosenChannels } from "./chosen-channels.ts";
import { firstOf, mediaFields, mediaOf } from "./compose-form.ts";
import { formAction } from "./form-action.tsx";
import type { Generating } from "./generate-section.tsx";
import { withUpload } from "./upload.ts";

/** Generations from the composer. Each action shows the form again, with everything that was written. */

const PATH = "/projects/:project/compose";

/** One D1 call. A generation of another project does not exist; a form that names one is shown without it. */
export async function readGenerating({ deps, project, form, query, now }: ProjectVisit): Promise<Generating> {
  const inForm = firstOf(form.fields, "generation");
  const named = inForm || (query.generation ?? "");
  const found = await readForComposer(deps.db, project.id, readUuid(named), now);
  if (named === "" || found.generation !== null || form.errors.generation) return found;
  throw inForm === "" ? absent("generation", named) : absentGeneration(named);
}

const absentGeneration = (named: string) =>
  absentIn("generation", `generation must be a generation of this project, not ${named.slice(0, 40)}.`);

/** The form with the result of a generation: the text replaces the one of the form, files are added. */
export function withGenerated(
  fields: Fields,
  generation: Generation,
  { origin, use = "all" }: { readonly origin: string; readonly use?: string },
): Fields {
  const { caption_text: caption, media_urls: urls } = toView(generation, origin);
  const text = use === "files" ? {} : { caption_text: [caption] };
  if (use === "text" || urls.length === 0) return { ...fields, ...text };
  const before = mediaOf(fields);
  const added = urls.map((url, index) => ({ url, altText: generation.files[index]?.altText ?? "", item: 0 }));
  const isNew = ({ url }: { readonly url: string }) => !before.some((one) => one.url === url);
  // The service declares it for its own files in any case.
  const declared = [...new Set([...(fields.declared ?? []), "made_with_ai"])];
  return { ...fields, ...text, ...mediaFields([...before, ...added.filter(isNew)]), declared };
}

const shownAgain = (fields: Fields, problem: string | null = null): ShowForm => ({
  again: { ...NO_FORM, fields, problem },
  status: 200,
});

const generateAction = formAction({
  effect: "creates",
  page: PATH,
  end: "/generate",
  role: "editor",
  run: async (visit, sent, key) => {
    requireFormKey(sent);
    const { deps, caller, origin } = visit;
    const chosen = [...new Set((await readChosenChannels(visit, sent)).map(({ platform }) => platform))];
    const body = apiBody(CreateGenerationBody, {
      post_type: firstOf(sent, "generate"),
      input: firstOf(sent, "input"),
      ...(chosen.length > 0 ? { platforms: chosen } : {}),
    });
    const fields = await withUpload(visit, sent);
    const wanted = { ...toWanted(body), origin };
    // Once for each generation of a form: the button pressed twice starts one.
    const part = `after-${firstOf(sent, "generation")}`;
    const id = await onceForForm(
      visit,
      { key, part, operationId: "createPostGeneration", body },
      (idempotency) => createGeneration(deps, caller, wanted, idempotency),
      (stored) => stored,
    );
    return { ...shownAgain({ ...fields, generation: [id] }), isRecorded: true };
  },
});

const refreshAction = formAction({
  effect: "sets",
  page: PATH,
  end: "/generation",
  isRecorded: false,
  run: async (visit, sent) => shownAgain(await withUpload(visit, sent)),
});

const useAction = formAction({
  effect: "sets",
  page: PATH,
  end: "/use",
  isRecorded: false,
  run: async (visit, sent) => {
    const { deps, project, texts, origin } = visit;
    const named = firstOf(sent, "generation");
    if (named === "") throw new FormProblem({ generation: [] });
    const uuid = readUuid(named);
    const generation = uuid === null ? null : await findGeneration(deps.db, project.id, uuid);
    if (!generation) throw absentGeneration(named);
    if (generation.state !== "done") throw new PageProblem("not_changeable", texts.compose.generate.notReady);
    const { use: _, ...fields } = await withUpload(visit, sent);
    const use = z.enum(["all", "text", "files"]).catch("all").parse(firstOf(sent, "use"));
    return shownAgain(withGenerated(fields, generation, { origin, use }));
  },
});

export const GENERATE: readonly Entry[] = [generateAction, refreshAction, useAction];
