import { sql } from "drizzle-orm";
import { z } from "zod";
import { chooseDatabase, copyProjects } from "../../accounts/copies.ts";
import { ensureUser, findProject, insertProject, projectIdOf, updateProject } from "../../accounts/store.ts";
import { refreshRecords } from "../../accounts/tokens.ts";
import { idOf, type ProjectId } from "../../core/ids.ts";
import { isTimeZone, zoneName } from "../../core/time.ts";
import {
  type Db,
  type IdempotencyRecord,
  isChangedSince,
  isUniqueViolation,
  refuseRepeat,
  requireStill,
  writeTogether,
} from "../../db/client.ts";
import type { Texts } from "../../pages/texts.ts";
import { insertMember, ownsFewer } from "../../people/members.ts";
import { selectDeletions } from "../../projects/deletion/store.ts";
import { inEach } from "../../service/deps.ts";
import { DeletionList } from "../data/data-views.tsx";
import {
  type Entry,
  FormProblem,
  PageProblem,
  type PersonVisit,
  personAction,
  personPage,
  projectAction,
  projectPage,
} from "../definition.ts";
import { field, line } from "../fields.ts";
import { onceForPerson } from "../once-for-form.ts";
import { NewProjectForm, ProjectList, SettingsForm } from "./project-views.tsx";

/** The projects of a person, and the settings of one. */

const LIST_PATH = "/projects";
const NEW_PATH = "/projects/new";
const SETTINGS_PATH = "/projects/:project/settings";
/** The most projects that a person may own. */
const MAX_OWNED = 100;

const listPage = personPage({
  path: LIST_PATH,
  title: ({ projects }) => projects.title,
  load: async ({ deps, visitor }) =>
    (await Promise.all(inEach(deps).map(async ({ db }) => selectDeletions(db, visitor.person.email)))).flat(),
  view: (deletions, visit) => (
    <>
      <ProjectList visit={visit} />
      <DeletionList visit={visit} deletions={deletions} />
    </>
  ),
});

const newPage = personPage({
  path: NEW_PATH,
  title: ({ projects }) => projects.createTitle,
  load: async () => ({}),
  view: (_, visit) => <NewProjectForm visit={visit} />,
});

const timeZone = ({ projects }: Texts) =>
  field(z.string().refine(isTimeZone, projects.badTimeZone).overwrite(zoneName));

const createAction = personAction({
  effect: "creates",
  path: LIST_PATH,
  page: NEW_PATH,
  body: (texts) => z.object({ name: line(100), time_zone: timeZone(texts), kind: field(z.enum(["test", "live"])) }),
  run: async (visit, body, key) => {
    const { deps, texts } = visit;
    const { id, name } = await onceForPerson(
      visit,
      { key, operationId: "createProject", body },
      (record) => firstOf(deps.directory, record, () => create(visit, body, record)),
      (stored) => ({ id: idOf<ProjectId>(Number(stored)), name: body.name }),
    );
    const project = await findProject(deps.directory, id);
    if (project) await copyProjects(deps, project);
    return { to: `/console/projects/${id}`, flash: { notice: texts.projects.created({ name }) } };
  },
});

/** What the act throws, unless the same form has done it meanwhile, such as taken the name. */
async function firstOf<T>(db: Db, record: IdempotencyRecord, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    await refuseRepeat(db, record);
    throw error;
  }
}

interface NewProject {
  readonly name: string;
  readonly time_zone: string;
  readonly kind: "test" | "live";
}

/** A project with its owner. Its name is taken from then on. */
async function create({ deps, visitor, texts, now }: PersonVisit, body: NewProject, record: IdempotencyRecord) {
  const { person } = visitor;
  await refuseRepeat(deps.directory, record);
  const database = await chooseDatabase(deps);
  const userId = await ensureUser(deps.directory, person.email, person.email, now);
  const wanted = { userId, database, name: body.name, timeZone: body.time_zone, isTest: body.kind === "test" };
  const owner = { personId: person.id, projectId: projectIdOf(wanted), role: "owner" } as const;
  // One batch: a project without an owner could not be opened, and would keep its name taken.
  const { created } = await orNameTaken(
    texts,
    writeTogether(deps.directory, {
      mayOwn: requireStill(deps.directory, ownsFewer(person.id, MAX_OWNED)),
      created: insertProject(deps.directory, wanted, now),
      owner: insertMember(deps.directory, owner, now),
      record: record.write(sql`CAST(${projectIdOf(wanted)} AS TEXT)`),
    }),
  ).catch((error: unknown) => {
    throw isChangedSince(error) ? new PageProblem("quota_exceeded", texts.projects.limit({ most: MAX_OWNED })) : error;
  });
  const [project] = created;
  if (!project) throw new Error("D1 returned no new project.");
  return project;
}

/** The result of a write, or the problem of the form that the name is taken. */
async function orNameTaken<Result>({ projects }: Texts, written: Promise<Result>): Promise<Result> {
  try {
    return await written;
  } catch (error) {
    if (isUniqueViolation(error, "projects")) throw new FormProblem({ name: [projects.nameTaken] });
    throw error;
  }
}

const settingsPage = projectPage({
  path: SETTINGS_PATH,
  role: "owner",
  menu: { title: ({ nav }) => nav.settings, icon: "settings" },
  title: ({ projects }) => projects.settings,
  load: async () => ({}),
  view: (_, visit) => <SettingsForm visit={visit} />,
});

const saveAction = projectAction({
  effect: "sets",
  path: SETTINGS_PATH,
  page: SETTINGS_PATH,
  role: "owner",
  body: (texts) => z.object({ name: line(100), time_zone: timeZone(texts) }),
  run: async ({ deps, project, texts, now }, body) => {
    const change = { name: body.name, timeZone: body.time_zone };
    const changed = await orNameTaken(texts, updateProject(deps.directory, project.id, change));
    await copyProjects(deps, project);
    // Tokens carry the time zone of their project.
    if (changed && changed.timeZone !== project.timeZone) await refreshRecords(deps, changed, now);
    return { to: `/console/projects/${project.id}/settings`, flash: { notice: texts.projects.saved } };
  },
});

/** Before the page of a project in the catalog: `new` is no project. */
export const PROJECTS: readonly Entry[] = [listPage, newPage, createAction];
export const SETTINGS: readonly Entry[] = [settingsPage, saveAction];
