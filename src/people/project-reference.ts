import { z } from "zod";
import { listProject, listProjectsNamed, type NamedProject } from "../accounts/list-projects.ts";
import { noProject, ProjectName } from "../accounts/project-name.ts";
import { findOpenProject, type Project } from "../accounts/store.ts";
import { invalid, projectMoving } from "../core/errors.ts";
import { idOf, type ProjectId } from "../core/ids.ts";
import { isoUtc } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import { selectOwners } from "./members.ts";

/**
 * How the operator's commands name a project. Names are chosen by the people who own projects, so a name
 * decides only where one project has it; an id always decides.
 */
export const projectReference = {
  project: ProjectName.optional(),
  id: z
    .int()
    .positive()
    .transform((id) => idOf<ProjectId>(id))
    .optional(),
};

export interface ProjectReference {
  readonly project?: string | undefined;
  readonly id?: ProjectId | undefined;
}

/**
 * The project that is meant, also while it is being moved; null if there is none. Errors: 422
 * `reference_invalid` with the list, if several have the name; 422 if the id has another name.
 */
export async function findMeantProject(db: Db, { project: name, id }: ProjectReference): Promise<Project | null> {
  if (id !== undefined) {
    const found = await findOpenProject(db, id);
    if (found && name !== undefined && found.name !== name) {
      throw invalid({ id: [`Project ${id} is called "${found.name}", not "${name}".`] }, "reference_invalid");
    }
    return found;
  }
  if (name === undefined) throw invalid({ project: ["project or id is required."] });
  const named = await listProjectsNamed(db, name, MOST_LISTED);
  if (named.length > 1) {
    const sentence = `Several projects are called "${name}": name the one that you mean by its id (--id). ${await listed(db, named)}`;
    throw invalid({ project: [sentence] }, "reference_invalid");
  }
  return named[0] ?? null;
}

/** The same, for a command that works on it. Errors also: `not_found`, `project_moving`. */
export async function getMeantProject(db: Db, reference: ProjectReference): Promise<Project> {
  const project = await findMeantProject(db, reference);
  if (!project) throw noProject(reference);
  if (project.movingAt !== null) throw projectMoving();
  return project;
}

/**
 * For a command that destroys: only an id decides. Without one, the error shows which projects have the name,
 * so that the operator sees whose they are first. Null if there is none with this id, or name.
 */
export async function findProjectToDestroy(db: Db, reference: ProjectReference): Promise<Project | null> {
  const { project: name = "", id } = reference;
  if (id !== undefined || name === "") return findMeantProject(db, reference);
  const named = await listProjectsNamed(db, name, MOST_LISTED);
  if (named.length === 0) return null;
  const sentence = `This cannot be undone, so it needs the id of the project (--id). ${await listed(db, named)}`;
  throw invalid({ id: [sentence] }, "reference_invalid");
}

/**
 * Refuses a name that a project of somebody else has too, for a command that creates its project. Errors: 422
 * `reference_invalid` with the list.
 */
export async function requireNoOther(db: Db, name: string, isOwn: (project: Project) => boolean): Promise<void> {
  const named = await listProjectsNamed(db, name, MOST_LISTED);
  if (named.every(isOwn)) return;
  const sentence = `People have projects called "${name}": name the one that you mean by its id (--id), or use another name. ${await listed(db, named)}`;
  throw invalid({ project: [sentence] }, "reference_invalid");
}

const MOST_LISTED = 20;

/** Projects with their owners, as the operator's commands show them. */
export interface ListedProject {
  readonly id: ProjectId;
  readonly name: string;
  /** E-mail addresses; of who created it, if nobody owns it. */
  readonly owners: readonly string[];
  readonly createdAt: number;
}

/** The projects that a reference may mean, at most twenty. */
export async function listMeantProjects(db: Db, { project: name, id }: ProjectReference): Promise<ListedProject[]> {
  return withOwners(
    db,
    id === undefined ? await listProjectsNamed(db, name ?? "", MOST_LISTED) : await listProject(db, id),
  );
}

async function withOwners(db: Db, projects: readonly NamedProject[]): Promise<ListedProject[]> {
  const owners = await selectOwners(
    db,
    projects.map(({ id }) => id),
  );
  return projects.map(({ id, name, createdAt, userEmail }) => {
    const emails = owners.flatMap(({ projectId, email }) => (projectId === id ? [email] : []));
    return { id, name, createdAt, owners: emails.length > 0 ? emails : [userEmail] };
  });
}

/** `Project 12 (owner anna@acme.example, created 2030-03-05).` */
async function listed(db: Db, projects: readonly NamedProject[]): Promise<string> {
  const shown = (await withOwners(db, projects)).map(
    ({ id, owners, createdAt }) =>
      `Project ${id} (owner ${owners.join(", ")}, created ${isoUtc(createdAt).slice(0, 10)}).`,
  );
  return shown.join(" ");
}
