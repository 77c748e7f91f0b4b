import type { listProjects } from "../../accounts/list-projects.ts";
import type { Project } from "../../accounts/store.ts";
import { spoken } from "../../core/money.ts";
import { spokenMicros } from "../../platforms/pricing.ts";
import type { Standing } from "../../usage/ceiling.ts";
import type { PersonVisit } from "../definition.ts";
import { DataTable, ListPager } from "../lists.tsx";
import { Form, TextField, Time } from "../parts.tsx";
import { OPERATOR_PATH, OperatorPage } from "./operator-parts.tsx";

const BASE = `${OPERATOR_PATH}/projects`;

interface ProjectList {
  readonly visit: PersonVisit;
  readonly projects: Awaited<ReturnType<typeof listProjects>>;
  readonly owners: readonly { readonly projectId: number; readonly email: string }[];
  readonly counts: readonly {
    readonly projectId: number;
    readonly counts: Readonly<Record<string, number>>;
    readonly waiting: number;
  }[];
  readonly hasMore: boolean;
  readonly isFirst: boolean;
}

export function ProjectList({ visit, projects, owners, counts, hasMore, isFirst }: ProjectList) {
  const { projects: texts } = visit.texts.operator;
  const { columns } = texts;
  const number = new Intl.NumberFormat(visit.language);
  return (
    <OperatorPage visit={visit} room="projects" title={texts.title} lead={texts.lead}>
      <DataTable
        caption={texts.title}
        columns={[
          { title: columns.project },
          { title: columns.kind },
          { title: columns.owners },
          { title: columns.posts, isNumber: true },
          { title: columns.waiting, isNumber: true },
          { title: columns.failed, isNumber: true },
          { title: texts.created },
        ]}
        rows={projects.map(({ id, name, isTest, createdAt }) => {
          const own = owners.filter(({ projectId }) => projectId === id).map(({ email }) => email);
          const row = counts.find(({ projectId }) => projectId === id);
          const posts = Object.entries(row?.counts ?? {});
          const sum = (state: RegExp) => posts.reduce((all, [key, count]) => (state.test(key) ? all + count : all), 0);
          return [
            <a href={`${BASE}/${id}`}>{name}</a>,
            isTest ? visit.texts.project.test : visit.texts.project.live,
            own.length === 0 ? texts.command : own.join(", "),
            number.format(sum(/./)),
            number.format(row?.waiting ?? 0),
            number.format(sum(/\.failed$/)),
            <Time at={createdAt} zone="UTC" visit={visit} />,
          ];
        })}
      />
      <ListPager
        texts={texts}
        newest={isFirst ? null : BASE}
        older={hasMore ? `${BASE}?before=${projects.at(-1)?.id}` : null}
      />
    </OperatorPage>
  );
}

interface ProjectCeilings {
  readonly visit: PersonVisit;
  readonly project: Project;
  readonly spend: readonly {
    readonly currency: string;
    readonly decimals: number;
    readonly committedMinor: number;
    readonly mostMinor: number | null;
    readonly standardMinor: number;
  }[];
  readonly cost: Standing | null;
}

export function ProjectCeilings({ visit, project, spend, cost }: ProjectCeilings) {
  const { projects: texts } = visit.texts.operator;
  const { columnsOfSpend: columns } = texts;
  const path = `${BASE}/${project.id}`;
  return (
    <OperatorPage visit={visit} room="projects" title={project.name}>
      <section class="card">
        <div>
          <h2>{texts.spend}</h2>
          <p class="lead">{texts.spendLead}</p>
        </div>
        {spend.length === 0 ? (
          <p>{texts.noSpend}</p>
        ) : (
          <DataTable
            caption={texts.spend}
            columns={[
              { title: columns.currency },
              { title: columns.most, isNumber: true },
              { title: columns.committed, isNumber: true },
              { title: columns.kind },
            ]}
            rows={spend.map(({ currency, decimals, committedMinor, mostMinor, standardMinor }) => [
              currency,
              spoken(mostMinor ?? standardMinor, currency, decimals),
              spoken(committedMinor, currency, decimals),
              mostMinor === null ? texts.standard : texts.own,
            ])}
          />
        )}
        <Form visit={visit} action={`${path}/spend`}>
          <div class="row">
            <TextField
              visit={visit}
              name="currency"
              label={texts.currency}
              input={{ required: true, maxlength: 3, autocomplete: "off" }}
            />
            <TextField visit={visit} name="most" label={texts.most} input={{ required: true, inputmode: "numeric" }} />
            <button class="button" type="submit">
              {texts.set}
            </button>
          </div>
        </Form>
      </section>
      <section class="card">
        <div>
          <h2>{texts.cost}</h2>
          <p class="lead">{texts.costLead({ spent: spokenMicros(cost?.spentMicros ?? 0) })}</p>
        </div>
        <p>
          {cost === null || cost.mostMicros === null
            ? texts.noCeiling
            : texts.costNow({ most: spokenMicros(cost.mostMicros) })}
        </p>
        <Form visit={visit} action={`${path}/cost`}>
          <div class="row">
            <TextField
              visit={visit}
              name="dollars"
              label={texts.most}
              input={{ required: true, inputmode: "numeric" }}
            />
            <button class="button" type="submit">
              {texts.set}
            </button>
          </div>
        </Form>
      </section>
    </OperatorPage>
  );
}
