import { z } from "zod";
import { AppError } from "../../core/errors.ts";
import { deleteProject } from "../../projects/deletion/delete-project.ts";
import { archiveResponse, readPosition } from "../../projects/export.ts";
import { type Entry, FormProblem, projectAction, projectPage } from "../definition.ts";
import { field, fields } from "../fields.ts";
import { DataPage } from "./data-views.tsx";

/** What concerns all that a project has: its export and its deletion. */

const PATH = "/projects/:project/data";

const dataPage = projectPage({
  path: PATH,
  role: "owner",
  menu: { title: ({ data }) => data.title, icon: "down" },
  title: ({ data }) => data.title,
  load: async () => ({}),
  view: (_, visit) => <DataPage visit={visit} />,
});

const archivePage = projectPage({
  path: `${PATH}/archive`,
  role: "owner",
  needsRecentSignIn: true,
  title: ({ data }) => data.title,
  load: async ({ deps, project, origin, query, now }) => {
    const from = readPosition(query.from);
    if (!from) throw new AppError("not_found", "There is no such archive.");
    const addressOf = (position: string) => `${origin}/console/projects/${project.id}/data/archive?from=${position}`;
    return archiveResponse(deps, { project, from, now, addressOf });
  },
  view: () => null,
});

const deleteAction = projectAction({
  effect: "sets",
  path: `${PATH}/delete`,
  page: PATH,
  role: "owner",
  needsRecentSignIn: true,
  body: () => z.object({ name: field(z.string()), at_platforms: fields(z.array(z.enum(["posts", "logins"]))) }),
  run: async ({ deps, project, visitor, texts }, { name, at_platforms: wanted }) => {
    if (name !== project.name.trim()) throw new FormProblem({ name: [texts.data.wrongName] });
    const options = { deletesPosts: wanted.includes("posts"), revokesLogins: wanted.includes("logins") };
    await deleteProject(deps, project, { by: visitor.person.email, options });
    return { to: "/console/projects", flash: { notice: texts.data.deleting({ name: project.name }) } };
  },
});

export const DATA: readonly Entry[] = [dataPage, archivePage, deleteAction];
