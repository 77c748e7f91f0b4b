import { toView } from "../../generations/schema.ts";
import { GENERATION_TYPES, type Generation, type GenerationType } from "../../generations/table.ts";
import { includesRole } from "../../people/roles.ts";
import type { ProjectVisit } from "../definition.ts";
import { Select, TextArea } from "../form-fields.tsx";
import { State } from "../lists.tsx";
import { firstOf } from "./compose-form.ts";

/** What the composer knows of generations. */
export interface Generating {
  /** The one that was begun from this form, or that the address names. */
  readonly generation: Generation | null;
  /** Its latest event. */
  readonly progress: string | null;
  /** Of the project, today. */
  readonly begun: number;
}

interface Section {
  readonly visit: ProjectVisit;
  readonly path: string;
  readonly generating: Generating;
}

/**
 * A part of the form: its buttons send the whole form, so nothing that was written is lost. Who may publish
 * may start a generation; everyone who writes may use one.
 */
export function GenerateSection({ visit, path, generating }: Section) {
  const { generate } = visit.texts.compose;
  const { generation, begun } = generating;
  const canStart = includesRole(visit.role, "editor");
  if (!canStart && generation === null) return null;
  const most = visit.deps.config.quotas.generationsADay;
  const number = (value: number) => value.toLocaleString(visit.language);
  return (
    <section class="card">
      <details open={generation !== null || firstOf(visit.form.fields, "input") !== ""}>
        <summary class="name">{generate.title}</summary>
        <div class="inside">
          {generation && <Outcome visit={visit} path={path} generating={generating} generation={generation} />}
          {canStart && (
            <>
              <p class="hint">{generate.lead}</p>
              <TextArea visit={visit} name="input" label={generate.input} hint={generate.inputHint} rows={2} />
              <Select
                visit={visit}
                name="generate"
                label={generate.kind}
                options={offeredTypes(visit).map((value) => ({
                  value,
                  text: visit.texts.generations.kinds[value].title,
                }))}
              />
              <p class="hint">{generate.price({ used: number(begun), most: number(most) })}</p>
              <div class="buttons">
                <button class="button" type="submit" formaction={`${path}/generate#generation`} formnovalidate>
                  {generation === null ? generate.submit : generate.again}
                </button>
              </div>
            </>
          )}
        </div>
      </details>
    </section>
  );
}

/** The kinds for which the service has models. */
function offeredTypes({ deps, project }: ProjectVisit): readonly GenerationType[] {
  const hasVideo = deps.videosFor(project).model !== null;
  const hasVoice = deps.speechFor(project).model !== null;
  const needs: Readonly<Partial<Record<GenerationType, boolean>>> = {
    ai_image_post: deps.imagesFor(project).model !== null,
    breel: hasVideo,
    talking_reel: hasVideo && hasVoice,
    faceless_reel: hasVideo && hasVoice,
  };
  return GENERATION_TYPES.filter((type) => needs[type] ?? true);
}

interface Outcome extends Section {
  readonly generation: Generation;
}

/** The progress, then the result with the buttons that take it. scripts/progress.ts renews it. */
function Outcome({ visit, path, generating, generation }: Outcome) {
  const { generate, preview } = visit.texts.compose;
  const { state, uuid, error } = generation;
  const { caption_text: caption, media_urls: media } = toView(generation, visit.origin);
  const use = (value: string, text: string) => (
    <button
      class="button small"
      type="submit"
      name="use"
      value={value}
      formaction={`${path}/use#caption_text`}
      formnovalidate
    >
      {text}
    </button>
  );
  return (
    <div id="generation" class="inside" data-poll={state === "queued" ? `${path}?generation=${uuid}` : undefined}>
      <input type="hidden" name="generation" value={uuid} />
      <div class="line" role="status">
        <State
          kind={state === "queued" ? "warn" : state === "done" ? "good" : "bad"}
          text={state === "queued" ? generate.progress : state === "done" ? generate.done : generate.failed}
        />
        {state === "queued" && <span class="about">{generating.progress}</span>}
      </div>
      {state === "queued" && (
        <>
          <p class="hint">{generate.accepted}</p>
          <progress aria-label={generate.progress} />
          <div class="buttons">
            <button class="button small" type="submit" formaction={`${path}/generation#generation`} formnovalidate>
              {generate.refresh}
            </button>
          </div>
        </>
      )}
      {error !== null && <p class="note bad">{error}</p>}
      {state === "done" && (
        <>
          <article class="preview" aria-label={preview}>
            <p class="text">{caption}</p>
            {media.length > 0 && (
              <ul class="grid">
                {generation.files.map(({ mime, altText }, index) => (
                  <li>
                    {mime.startsWith("image/") ? (
                      <img src={media[index]} alt={altText ?? ""} loading="lazy" />
                    ) : (
                      <a class="file" href={media[index]}>
                        {visit.texts.generations.openMedia({ number: index + 1 })}
                      </a>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </article>
          <p class="hint">{generate.replaces}</p>
          <div class="buttons">
            {media.length > 0 && use("all", generate.useAll)}
            {use("text", generate.useText)}
            {media.length > 0 && use("files", generate.useFiles)}
          </div>
        </>
      )}
    </div>
  );
}
