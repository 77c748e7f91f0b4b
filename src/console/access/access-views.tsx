import type { OpenRequest } from "../../access/store.ts";
import { PERMISSIONS } from "../../core/permissions.ts";
import { Heading } from "../../pages/layout.tsx";
import { includesRole } from "../../people/roles.ts";
import type { PersonVisit, Visit } from "../definition.ts";
import { FormButton } from "../form-buttons.tsx";
import { Select } from "../form-fields.tsx";
import { Facts } from "../lists.tsx";
import { Form, Notices, TextField, Time, Top } from "../parts.tsx";
import { ExpiryFields, PermissionFields } from "../tokens/token-fields.tsx";

/** Where the code of a terminal is entered. `code`: from the address, to compare. */
export function DeviceForm({ visit, code }: { readonly visit: Visit; readonly code: string }) {
  const { access: texts } = visit.texts;
  return (
    <>
      <Top title={texts.deviceTitle} lead={code === "" ? texts.deviceLead : texts.compare} />
      <Notices visit={visit} />
      <section class="card">
        <Form visit={visit} action="/console/device">
          <TextField
            visit={visit}
            name="code"
            label={texts.code}
            hint={texts.codeHint}
            value={code}
            input={{ class: "code", maxlength: 20, required: true, autocomplete: "off", autocapitalize: "characters" }}
          />
          <div class="buttons">
            <button class="button first" type="submit">
              {texts.next}
            </button>
          </div>
        </Form>
      </section>
    </>
  );
}

/** The page of a request: who requests what, and the person's decision. */
export function AccessForm({ visit, request }: { readonly visit: PersonVisit; readonly request: OpenRequest }) {
  const { access: texts } = visit.texts;
  const { clientName, kind, origin, createdAt, redirectUri, requested } = request;
  const owned = visit.visitor.memberships.filter(({ role }) => includesRole(role, "owner"));
  const own = `/console/access/${visit.params.secret}`;
  const zone = owned[0]?.project.timeZone ?? "UTC";
  const deny = <FormButton visit={visit} action={`${own}/deny`} text={texts.deny} />;
  return (
    <>
      <Top title={texts.title({ name: clientName })} lead={texts.lead} />
      <Notices visit={visit} />
      <section class="card">
        <Facts
          items={[
            [texts.facts.name, `${clientName} (${texts.kinds[kind]})`],
            [texts.facts.from, origin === "" ? visit.texts.form.unknown : origin],
            [texts.facts.at, <Time at={createdAt} zone={zone} visit={visit} />],
            [texts.facts.returns, redirectUri && returnHost(redirectUri)],
          ]}
        />
        <p class="note">{texts.unverified}</p>
      </section>
      {owned.length === 0 ? (
        <section class="card">
          <Heading mark="bad" title={texts.noProjectTitle} lead={texts.noProjectLead} />
          <div class="buttons">
            <a class="button first" href="/console/projects/new">
              {texts.createProject}
            </a>
            {deny}
          </div>
        </section>
      ) : (
        <section class="card">
          <Form visit={visit} action={`${own}/allow`}>
            <Select
              visit={visit}
              name="project"
              label={texts.project}
              options={owned.map(({ project }) => ({ value: String(project.id), text: project.name }))}
            />
            <PermissionFields
              visit={visit}
              task={requested.length === PERMISSIONS.length ? "publish" : "custom"}
              offered={requested}
            />
            <ExpiryFields visit={visit} expiries={["days", "never"]} days={90} />
            <div class="buttons">
              <button class="button first" type="submit">
                {texts.allow}
              </button>
            </div>
          </Form>
          {deny}
        </section>
      )}
    </>
  );
}

/** The host of an address, or the scheme of an app on the person's device. */
function returnHost(address: string): string {
  const { protocol, host } = new URL(address);
  return protocol === "https:" || protocol === "http:" ? host : protocol;
}
