import type { WalkOf } from "../../db/id-list.ts";
import { toView } from "../../generations/schema.ts";
import { GENERATION_TYPES, type Generation, type GenerationState } from "../../generations/table.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import type { ProjectVisit } from "../definition.ts";
import { FailureText } from "../failure-text.tsx";
import { DeleteButton } from "../form-buttons.tsx";
import { TextArea } from "../form-fields.tsx";
import { projectPath } from "../layout.tsx";
import { Facts, State, type StateKind, WalkedList } from "../lists.tsx";
import {
  ChoiceList,
  FieldErrors,
  Form,
  fieldValue,
  fieldValues,
  Notices,
  Secret,
  SubmitOrCancel,
  Time,
  Top,
} from "../parts.tsx";

const KINDS: Readonly<Record<GenerationState, StateKind>> = { queued: "warn", done: "good", failed: "bad" };
const PICTURE = /\.(?:jpe?g|png|webp|gif)$/;

export const generationsPath = ({ project }: ProjectVisit): string => `/console/projects/${project.id}/generations`;

interface GenerationList {
  readonly visit: ProjectVisit;
  readonly found: WalkOf<Generation>;
  readonly isFirst: boolean;
}

export function GenerationList({ visit, found, isFirst }: GenerationList) {
  const { generations: texts } = visit.texts;
  return (
    <WalkedList
      visit={visit}
      icon="spark"
      texts={texts}
      base={generationsPath(visit)}
      found={found}
      isFirst={isFirst}
      item={(generation) => (
        <>
          <div class="what">
            <a class="name" href={`${generationsPath(visit)}/${generation.uuid}`}>
              {generation.input.slice(0, MOST_LETTERS)}
            </a>
            <span class="facts">
              <span>{texts.kinds[generation.type].title}</span>
              <Time at={generation.createdAt} zone={visit.project.timeZone} visit={visit} />
            </span>
            {generation.error !== null && (
              <span class="about">
                <FailureText visit={visit} code={generation.errorCode} sentence={generation.error} />
              </span>
            )}
          </div>
          <State kind={KINDS[generation.state]} text={texts.states[generation.state]} />
        </>
      )}
    />
  );
}

/** A list shows the beginning of a topic. */
const MOST_LETTERS = 160;

export function NewGeneration({ visit }: { readonly visit: ProjectVisit }) {
  const { generations: texts } = visit.texts;
  const type = fieldValue(visit, "post_type", "text_only");
  const meant = fieldValues(visit, "platforms") ?? [];
  return (
    <>
      <Top title={texts.createTitle} lead={texts.createLead} />
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action={generationsPath(visit)}>
          <TextArea visit={visit} name="input" label={texts.input} hint={texts.inputHint} />
          <fieldset class="field">
            <legend>{texts.kind}</legend>
            <ChoiceList
              name="post_type"
              options={GENERATION_TYPES.map((value) => ({ value, ...texts.kinds[value] }))}
              chosen={type}
            />
            <FieldErrors visit={visit} name="post_type" />
          </fieldset>
          <fieldset class="field">
            <legend>{texts.platforms}</legend>
            <p class="hint">{texts.platformsHint}</p>
            <ChoiceList
              name="platforms"
              options={PLATFORM_NAMES.map((value) => ({ value, title: platformTitle(value) }))}
              chosen={meant}
            />
            <FieldErrors visit={visit} name="platforms" />
          </fieldset>
          <SubmitOrCancel visit={visit} submit={texts.create} cancel={generationsPath(visit)} />
        </Form>
      </section>
    </>
  );
}

interface GenerationDetails {
  readonly visit: ProjectVisit;
  readonly generation: Generation;
}

export function GenerationDetails({ visit, generation }: GenerationDetails) {
  const { generations: texts } = visit.texts;
  const zone = visit.project.timeZone;
  return (
    <>
      <Top title={texts.kinds[generation.type].title} lead={generation.input}>
        <a class="button" href={generationsPath(visit)}>
          {texts.all}
        </a>
      </Top>
      <Notices visit={visit} />
      <section class="card">
        <div class="top">
          <h2>{texts.result}</h2>
          <State kind={KINDS[generation.state]} text={texts.states[generation.state]} />
        </div>
        {generation.state === "queued" && <p>{texts.waiting}</p>}
        {generation.error !== null && (
          <p class="note bad">
            <FailureText visit={visit} code={generation.errorCode} sentence={generation.error} />
          </p>
        )}
        <Result visit={visit} generation={generation} />
        <Facts
          items={[
            [texts.created, <Time at={generation.createdAt} zone={zone} visit={visit} />],
            [texts.ended, generation.endedAt && <Time at={generation.endedAt} zone={zone} visit={visit} />],
            [texts.number, generation.uuid],
          ]}
        />
        {generation.state === "done" && includesRole(visit.role, "author") && (
          <div class="buttons">
            <a class="button first" href={`${projectPath(visit.project.id)}/compose?generation=${generation.uuid}`}>
              {texts.use}
            </a>
          </div>
        )}
        {includesRole(visit.role, "editor") && (
          <div class="buttons">
            <DeleteButton visit={visit} texts={texts} path={`${generationsPath(visit)}/${generation.uuid}`} />
          </div>
        )}
      </section>
    </>
  );
}

/** Our own pictures are shown; the content policy has no videos, so these are links. */
function Result({ visit, generation }: GenerationDetails) {
  const { generations: texts } = visit.texts;
  const { caption_text: caption, media_urls: media } = toView(generation, visit.origin);
  return (
    <>
      {caption !== "" && <Secret visit={visit} id="caption" label={texts.caption} text={caption} />}
      {media.length > 0 && (
        <ul class="choices" aria-label={texts.media}>
          {media.map((url, index) => (
            <li>
              <a href={url}>
                {PICTURE.test(url) ? (
                  <img class="preview" src={url} alt={texts.picture} />
                ) : (
                  texts.openMedia({ number: index + 1 })
                )}
              </a>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
