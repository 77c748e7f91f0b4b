import type { PersonVisit, ProjectVisit, Visit } from "../definition.ts";
import { ChoiceList, Empty, Form, fieldValue, Notices, SubmitOrCancel, TextField, Top } from "../parts.tsx";

export function ProjectList({ visit }: { readonly visit: PersonVisit }) {
  const { projects: texts, project: kinds, roles } = visit.texts;
  const { memberships } = visit.visitor;
  const create = (
    <a class="button first" href="/console/projects/new">
      {texts.create}
    </a>
  );
  return (
    <>
      <Top title={texts.title} lead={texts.lead}>
        {memberships.length > 0 && create}
      </Top>
      <Notices visit={visit} />
      {memberships.length === 0 ? (
        <Empty icon="post" title={texts.emptyTitle} lead={texts.emptyLead}>
          {create}
        </Empty>
      ) : (
        <ul class="card flush items links" aria-label={texts.title}>
          {memberships.map(({ project, role }) => (
            <li>
              <a class="what" href={`/console/projects/${project.id}`}>
                <span class="name">{project.name}</span>
                <span class="facts">
                  <span>{roles[role]}</span>
                  <span>{project.timeZone}</span>
                </span>
              </a>
              <span class={project.isTest ? "kind test" : "kind"}>{project.isTest ? kinds.test : kinds.live}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function NewProjectForm({ visit }: { readonly visit: PersonVisit }) {
  const { projects: texts } = visit.texts;
  const kind = fieldValue(visit, "kind", "test");
  return (
    <>
      <Top title={texts.createTitle} lead={texts.lead} />
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action="/console/projects">
          <NameField visit={visit} value="" />
          <fieldset class="field">
            <legend>{texts.kind}</legend>
            <ChoiceList
              name="kind"
              options={(["test", "live"] as const).map((value) => ({ value, ...texts.kinds[value] }))}
              chosen={kind}
            />
          </fieldset>
          <ZoneField visit={visit} value="UTC" />
          <SubmitOrCancel visit={visit} submit={texts.create} cancel="/console/projects" />
        </Form>
      </section>
    </>
  );
}

export function SettingsForm({ visit }: { readonly visit: ProjectVisit }) {
  const { projects: texts } = visit.texts;
  const { id, name, timeZone } = visit.project;
  return (
    <>
      <Top title={texts.settings} lead={texts.settingsLead} />
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action={`/console/projects/${id}/settings`}>
          <NameField visit={visit} value={name} />
          <ZoneField visit={visit} value={timeZone} />
          <div class="buttons">
            <button class="button first" type="submit">
              {texts.save}
            </button>
          </div>
        </Form>
      </section>
    </>
  );
}

function NameField({ visit, value }: { readonly visit: Visit; readonly value: string }) {
  const { projects: texts } = visit.texts;
  return (
    <TextField
      visit={visit}
      name="name"
      label={texts.name}
      hint={texts.nameHint}
      value={value}
      input={{ maxlength: 100, required: true, autocomplete: "off" }}
    />
  );
}

/** The browser offers the zones that the runtime knows. */
function ZoneField({ visit, value }: { readonly visit: Visit; readonly value: string }) {
  const { projects: texts } = visit.texts;
  return (
    <>
      <TextField
        visit={visit}
        name="time_zone"
        label={texts.timeZone}
        hint={texts.timeZoneHint}
        value={value}
        input={{ list: "zones", required: true, autocomplete: "off", spellcheck: "false" }}
      />
      <datalist id="zones">
        {["UTC", ...Intl.supportedValuesOf("timeZone")].map((zone) => (
          <option>{zone}</option>
        ))}
      </datalist>
    </>
  );
}
