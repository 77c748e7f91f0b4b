import { goneList, isGone } from "../../projects/deletion/list.ts";
import type { Deletion } from "../../projects/table.ts";
import type { ProjectVisit, Visit } from "../definition.ts";
import { Facts, State } from "../lists.tsx";
import { ChoiceList, Form, fieldValues, Notices, TextField, Time, Top } from "../parts.tsx";

export function DataPage({ visit }: { readonly visit: ProjectVisit }) {
  const { data: texts } = visit.texts;
  const path = `/console/projects/${visit.project.id}/data`;
  return (
    <>
      <Top title={texts.title} lead={texts.lead} />
      <Notices visit={visit} />
      <section class="card" aria-label={texts.export}>
        <h2>{texts.export}</h2>
        <p class="about">{texts.exportLead}</p>
        <p class="about">{texts.exportLarge}</p>
        <div class="buttons">
          <a class="button first" href={`${path}/archive`}>
            {texts.download}
          </a>
        </div>
      </section>
      <DeleteForm visit={visit} />
    </>
  );
}

function DeleteForm({ visit }: { readonly visit: ProjectVisit }) {
  const { data: texts } = visit.texts;
  const { id, name } = visit.project;
  const wanted = fieldValues(visit, "at_platforms") ?? ["logins"];
  return (
    <section class="card" aria-label={texts.delete}>
      <h2>{texts.delete}</h2>
      <p class="about">{texts.deleteLead}</p>
      <p class="about">{texts.campaigns}</p>
      <Form visit={visit} action={`/console/projects/${id}/data/delete`}>
        <ChoiceList
          name="at_platforms"
          options={[
            { value: "posts", title: texts.deletePosts, about: texts.deletePostsAbout },
            { value: "logins", title: texts.revokeLogins, about: texts.revokeLoginsAbout },
          ]}
          chosen={wanted}
        />
        <TextField
          visit={visit}
          name="name"
          label={texts.confirmName({ name })}
          input={{ required: true, autocomplete: "off", spellcheck: "false" }}
        />
        <div class="buttons">
          <button class="button first bad" type="submit">
            {texts.deleteButton}
          </button>
        </div>
      </Form>
    </section>
  );
}

interface DeletionList {
  readonly visit: Visit;
  readonly deletions: readonly Deletion[];
}

/** The projects that this person has had deleted, with what is gone. */
export function DeletionList({ visit, deletions }: DeletionList) {
  const { data: texts } = visit.texts;
  if (deletions.length === 0) return null;
  return (
    <section aria-label={texts.deletions}>
      <h2>{texts.deletions}</h2>
      <p class="about">{texts.deletionsLead}</p>
      {deletions.map((deletion) => (
        <DeletionCard visit={visit} deletion={deletion} />
      ))}
    </section>
  );
}

function DeletionCard({ visit, deletion }: { readonly visit: Visit; readonly deletion: Deletion }) {
  const { data: texts } = visit.texts;
  const { rows, other, platformPosts, logins, remaining } = goneList(deletion);
  const gone = [
    ...rows.map(([kind, count]) => `${count} ${kind}`),
    ...(other > 0 ? [texts.otherRows({ count: other })] : []),
    ...(platformPosts > 0 ? [texts.platformPosts({ count: platformPosts })] : []),
    ...(logins > 0 ? [texts.logins({ count: logins })] : []),
  ];
  const left = [
    ...(remaining.posts > 0 ? [texts.remainingPosts({ count: remaining.posts })] : []),
    ...(remaining.campaigns > 0 ? [texts.remainingCampaigns({ count: remaining.campaigns })] : []),
    ...(remaining.logins > 0 ? [texts.remainingLogins({ count: remaining.logins })] : []),
  ];
  const state = isGone(deletion) ? "gone" : "running";
  return (
    <section class="card" aria-label={deletion.name}>
      <h3>{deletion.name}</h3>
      <p>
        <State kind={state === "gone" ? "good" : "warn"} text={texts.states[state]} /> {texts.steps[deletion.step]}
      </p>
      <Facts
        items={[
          [texts.requestedAt, <Time at={deletion.requestedAt} zone="UTC" visit={visit} />],
          [texts.gone, gone.length === 0 ? null : gone.join(", ")],
          [texts.remaining, left.length === 0 ? null : `${left.join(". ")}.`],
        ]}
      />
    </section>
  );
}
