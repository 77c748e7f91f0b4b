import { z } from "zod";
import { listProjects } from "../../accounts/list-projects.ts";
import { findProject } from "../../accounts/store.ts";
import { type Act, recordDone } from "../../audit/store.ts";
import { setSpendCeiling, standardCeiling } from "../../boosts/ceiling.ts";
import { selectSpend } from "../../boosts/store.ts";
import { AppError } from "../../core/errors.ts";
import { idOf, type ProjectId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { selectOwners } from "../../people/members.ts";
import { selectPostCounts } from "../../posts/lists/counts.ts";
import { inEach } from "../../service/deps.ts";
import { ceilingOf, selectStanding } from "../../usage/ceiling.ts";
import { setCostCeiling } from "../../usage/set-ceiling.ts";
import { type Entry, operatorAction, operatorPage, type PersonVisit } from "../definition.ts";
import { field, idIn } from "../fields.ts";
import { OPERATOR_PATH } from "./operator-parts.tsx";
import { ProjectCeilings, ProjectList } from "./projects-views.tsx";

/** All projects of the service, and what each may spend: the functions of `npm run ceiling`. */

const PATH = "/operator/projects";
const PROJECT_PATH = `${PATH}/:number`;
const SHOWN = 50;
const MOST = 1_000_000_000;

const listPage = operatorPage({
  path: PATH,
  title: ({ operator }) => operator.projects.title,
  load: async ({ deps, query }) => {
    const before = idIn(query.before) || null;
    const rows = await listProjects(deps.directory, before, SHOWN + 1);
    const projects = rows.slice(0, SHOWN);
    const ids = projects.map(({ id }) => id);
    const { owners, counts } = await readTogether(deps.directory, {
      owners: selectOwners(deps.directory, ids),
      counts: selectPostCounts(deps.directory, ids),
    });
    const elsewhere = inEach(deps).filter(({ database }) =>
      projects.some((one) => one.database === database && database > 0),
    );
    const more = await Promise.all(elsewhere.map(async ({ db }) => selectPostCounts(db, ids)));
    return {
      projects,
      owners,
      counts: [...counts, ...more.flat()],
      hasMore: rows.length > SHOWN,
      isFirst: before === null,
    };
  },
  view: (list, visit) => <ProjectList visit={visit} {...list} />,
});

/** The project of the path, and what to use in its database. */
async function projectOf({ deps, params }: PersonVisit) {
  const id = idOf<ProjectId>(idIn(params.number));
  const project = await findProject(deps.directory, id);
  if (!project) throw new AppError("not_found", `There is no project ${id}.`);
  return { project, deps: deps.in(project.database) };
}

const projectPage = operatorPage({
  path: PROJECT_PATH,
  title: ({ operator }) => operator.projects.title,
  load: async (visit) => {
    const { now } = visit;
    const { project, deps } = await projectOf(visit);
    const { spend, cost } = await readTogether(deps.db, {
      spend: selectSpend(deps.db, project.id),
      cost: selectStanding(deps.db, ceilingOf(deps.config, project.id, now)),
    });
    return {
      project,
      spend: spend.map((one) => ({ ...one, standardMinor: standardCeiling(deps, one) })),
      cost: cost[0] ?? null,
    };
  },
  view: (found, visit) => <ProjectCeilings visit={visit} {...found} />,
});

const most = ({ operator }: PersonVisit["texts"]) =>
  field(
    z
      .string()
      .regex(/^\d{1,10}$/, operator.projects.badMost)
      .transform(Number)
      .refine((amount) => amount <= MOST, operator.projects.badMost),
  );

function actOf({ now, visitor }: PersonVisit, projectId: ProjectId, action: string): Act {
  const path = `${OPERATOR_PATH}/projects/${projectId}`;
  return { projectId, at: now, source: "operator", actor: visitor.person.email, action, path };
}

const spendAction = operatorAction({
  effect: "sets",
  path: `${PROJECT_PATH}/spend`,
  page: PROJECT_PATH,
  needsRecentSignIn: true,
  body: (texts) =>
    z.object({
      currency: field(
        z
          .string()
          .toUpperCase()
          .regex(/^[A-Z]{3}$/, texts.operator.projects.badCurrency),
      ),
      most: most(texts),
    }),
  run: async (visit, body) => {
    const { project, deps } = await projectOf(visit);
    const { id } = project;
    await setSpendCeiling(deps.db, body, actOf(visit, id, "setSpendCeiling"));
    return { to: `${OPERATOR_PATH}/projects/${id}`, flash: { notice: visit.texts.operator.projects.saved } };
  },
});

const costAction = operatorAction({
  effect: "sets",
  path: `${PROJECT_PATH}/cost`,
  page: PROJECT_PATH,
  needsRecentSignIn: true,
  body: (texts) => z.object({ dollars: most(texts) }),
  run: async (visit, { dollars }) => {
    const { project, deps } = await projectOf(visit);
    const { id } = project;
    const recorded = recordDone(deps.db, actOf(visit, id, "setCostCeiling"));
    await setCostCeiling(deps, id, dollars, recorded);
    return { to: `${OPERATOR_PATH}/projects/${id}`, flash: { notice: visit.texts.operator.projects.saved } };
  },
});

export const ALL_PROJECTS: readonly Entry[] = [listPage, projectPage, spendAction, costAction];
