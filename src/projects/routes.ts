import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
import { noProject } from "../accounts/project-name.ts";
import { commandOf, recordDone } from "../audit/store.ts";
import { AppError, invalid, projectMoving } from "../core/errors.ts";
import { isoUtc } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import { MAX_DATABASES } from "../db/databases.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { refuseUnlike } from "../http/validation.ts";
import {
  findMeantProject,
  findProjectToDestroy,
  getMeantProject,
  listMeantProjects,
  type ProjectReference,
  projectReference,
} from "../people/project-reference.ts";
import { type Deps, inEach } from "../service/deps.ts";
import { deleteProject } from "./deletion/delete-project.ts";
import { toDeletionView } from "./deletion/list.ts";
import { findDeletion, findDeletionByName } from "./deletion/store.ts";
import { archiveResponse, readPosition } from "./export.ts";
import { moveProject, undoProjectMove } from "./moving/move-project.ts";
import { findMove } from "./moving/store.ts";
import { toMoveView } from "./moving/view.ts";

const ExportBody = z.object({
  ...projectReference,
  /** Where the archive before has ended; the first one if omitted. */
  from: z.string().max(2_000).optional(),
});

const DeleteBody = z.object({
  ...projectReference,
  delete_posts: z.boolean().default(false),
  revoke_logins: z.boolean().default(true),
});
const MoveBody = z.object({
  ...projectReference,
  /** The number of the database; left out: how far its last move is. */
  to: z
    .int()
    .min(0)
    .max(MAX_DATABASES - 1)
    .optional(),
  undo: z.boolean().default(false),
});
const NamedBody = z.object(projectReference);

/** The API behind `npm run project`. Requires the operator's key (people/operator.ts). */
export function projectRoutes(app: OpenAPIHono<AppEnv>): void {
  app.post(
    "/internal/projects/export",
    ...jsonObjectBody,
    zValidator("json", ExportBody, refuseUnlike(ExportBody)),
    async (c) => {
      c.set("operationId", "exportProject");
      const { from: text, ...reference } = c.req.valid("json");
      const project = await getMeantProject(c.var.deps.directory, reference);
      const deps = c.var.deps.in(project.database);
      const from = readPosition(text);
      if (!from) throw invalid({ from: ["from must be the end of an archive."] });
      await runBatch(deps.db, [recordDone(deps.db, commandOf(project.id, "project", "exportProject"))]);
      const addressOf = (position: string) =>
        `npm run project -- --export "${project.name}" --id ${project.id} (position ${position})`;
      return archiveResponse(deps, { project, from, now: Date.now(), addressOf });
    },
  );

  /** Whose projects a name or an id means, before a command destroys one. */
  app.post(
    "/internal/projects/find",
    ...jsonObjectBody,
    zValidator("json", NamedBody, refuseUnlike(NamedBody)),
    async (c) => {
      c.set("operationId", "findProjects");
      const found = await listMeantProjects(c.var.deps.directory, c.req.valid("json"));
      const projects = found.map(({ createdAt, ...project }) => ({ ...project, created_at: isoUtc(createdAt) }));
      return c.json({ status: true, projects });
    },
  );

  app.post(
    "/internal/projects/delete",
    ...jsonObjectBody,
    zValidator("json", DeleteBody, refuseUnlike(DeleteBody)),
    async (c) => {
      c.set("operationId", "deleteProject");
      const { delete_posts: deletesPosts, revoke_logins: revokesLogins, ...reference } = c.req.valid("json");
      const { deps } = c.var;
      const project = await findProjectToDestroy(deps.directory, reference);
      if (project?.movingAt) throw projectMoving();
      if (project)
        await deleteProject(deps.in(project.database), project, { by: null, options: { deletesPosts, revokesLogins } });
      return c.json({ status: true, deletion: await deletionOf(deps, reference) });
    },
  );

  /** How far the newest deletion of a project of this name is, and what is gone. */
  app.post(
    "/internal/projects/deletion",
    ...jsonObjectBody,
    zValidator("json", NamedBody, refuseUnlike(NamedBody)),
    async (c) => {
      c.set("operationId", "projectDeletion");
      return c.json({ status: true, deletion: await deletionOf(c.var.deps, c.req.valid("json")) });
    },
  );

  /** Begins a move or takes it back, and shows how far it is. */
  app.post(
    "/internal/projects/move",
    ...jsonObjectBody,
    zValidator("json", MoveBody, refuseUnlike(MoveBody)),
    async (c) => {
      c.set("operationId", "moveProject");
      const { to, undo, ...reference } = c.req.valid("json");
      const { deps } = c.var;
      const project = await findMeantProject(deps.directory, reference);
      if (!project) throw noProject(reference);
      if (to !== undefined) await moveProject(deps, project, to);
      const move = await findMove(deps.directory, project.id);
      if (!move) throw new AppError("not_found", `The project "${project.name}" was never moved.`);
      if (undo) await undoProjectMove(deps, move);
      const shown = undo ? ((await findMove(deps.directory, project.id)) ?? move) : move;
      return c.json({ status: true, move: toMoveView(shown) });
    },
  );
}

async function deletionOf(deps: Deps, reference: ProjectReference) {
  const { project: name = "", id } = reference;
  const found = await Promise.all(
    inEach(deps).map(({ db }) => (id === undefined ? findDeletionByName(db, name) : findDeletion(db, id))),
  );
  const [deletion] = found.filter((one) => one !== null).sort((a, b) => b.requestedAt - a.requestedAt);
  if (!deletion) throw noProject(reference);
  return toDeletionView(deletion);
}
