import type { ChannelState } from "../../channels/store.ts";
import { includesRole } from "../../people/roles.ts";
import { platformTitle } from "../../platforms/facts.ts";
import type { Import } from "../../posts/imports/store.ts";
import type { ImportState } from "../../posts/imports/table.ts";
import type { ProjectVisit } from "../definition.ts";
import { Select } from "../form-fields.tsx";
import { DataTable, State, type StateKind } from "../lists.tsx";
import { FieldErrors, Form, Notices, Time, Top } from "../parts.tsx";

interface Imports {
  readonly visit: ProjectVisit;
  readonly base: string;
  readonly channels: readonly ChannelState[];
  readonly items: readonly Import[];
}

export function ImportsPage({ visit, base, channels, items }: Imports) {
  const { imports } = visit.texts;
  return (
    <>
      <Top title={imports.title} lead={imports.lead} />
      <Notices visit={visit} />
      {includesRole(visit.role, "editor") ? (
        <FileForm visit={visit} base={base} />
      ) : (
        <p class="note">{imports.viewer}</p>
      )}
      <Columns visit={visit} base={base} channels={channels} />
      {items.length > 0 && <Earlier visit={visit} base={base} items={items} />}
    </>
  );
}

function FileForm({ visit, base }: Pick<Imports, "visit" | "base">) {
  const { imports } = visit.texts;
  return (
    <section class="card">
      <Form visit={visit} action={base} attributes={{ enctype: "multipart/form-data" }}>
        <div class="field">
          <label for="file">{imports.file}</label>
          <input id="file" type="file" name="file" accept=".csv,.tsv,text/csv" aria-describedby="file-hint" required />
          <p class="hint" id="file-hint">
            {imports.fileHint}
          </p>
          <FieldErrors visit={visit} name="file" />
        </div>
        <Select
          visit={visit}
          name="date_format"
          label={imports.dates.title}
          options={[
            { value: "", text: imports.dates.none },
            { value: "dmy", text: imports.dates.dmy },
            { value: "mdy", text: imports.dates.mdy },
          ]}
        />
        <div class="buttons">
          <button class="button first" type="submit">
            {imports.check}
          </button>
          <a class="button" href={`${base}/sample`}>
            {imports.sample}
          </a>
        </div>
      </Form>
    </section>
  );
}

const COLUMNS = ["channel_id", "caption_text", "schedule_time", "publish_mode", "media_urls", "alt_texts"] as const;

/** What a file needs to say, and the numbers of the channels, which it names. */
function Columns({ visit, base, channels }: Omit<Imports, "items">) {
  const { imports } = visit.texts;
  return (
    <section class="card">
      <details open={channels.length === 0}>
        <summary>
          <h2>{imports.columns.title}</h2>
        </summary>
        <div class="group">
          <dl class="pairs">
            {COLUMNS.map((name) => (
              <div>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd>{imports.columns[name]}</dd>
              </div>
            ))}
          </dl>
          <p class="hint">
            {imports.columns.others} <a href={`${base}/sample`}>{imports.sample}</a>
          </p>
        </div>
      </details>
      {channels.length > 0 && (
        <details>
          <summary>
            <h2>{imports.channels}</h2>
          </summary>
          <ul class="siblings">
            {channels.map(({ id, name, platform }) => (
              <li>
                <code>{id}</code> {name} <span class="about">{platformTitle(platform)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const KINDS: Readonly<Record<ImportState, StateKind>> = {
  checking: "warn",
  checked: "off",
  importing: "warn",
  done: "good",
};

export const ImportMark = ({ visit, state }: { readonly visit: ProjectVisit; readonly state: ImportState }) => (
  <State kind={KINDS[state]} text={visit.texts.imports.states[state]} />
);

function Earlier({ visit, base, items }: Omit<Imports, "channels">) {
  const { imports } = visit.texts;
  const number = (value: number) => value.toLocaleString(visit.language);
  return (
    <>
      <div>
        <h2>{imports.earlier}</h2>
        <p class="hint">{imports.earlierLead}</p>
      </div>
      <DataTable
        caption={imports.earlier}
        columns={[
          { title: imports.number },
          { title: imports.state },
          { title: imports.rows, isNumber: true },
          { title: imports.refused, isNumber: true },
          { title: imports.created, isNumber: true },
          { title: imports.time },
        ]}
        rows={items.map(({ id, state, rows, refused, created, createdAt }) => [
          <a href={`${base}/${id}`}>{imports.name({ number: id })}</a>,
          <ImportMark visit={visit} state={state} />,
          number(rows),
          number(refused),
          number(created),
          <Time at={createdAt} zone={visit.project.timeZone} visit={visit} />,
        ])}
      />
    </>
  );
}
