import type { OpenAPIHono } from "@hono/zod-openapi";
import { zValidator } from "@hono/zod-validator";
import { z } from "zod";
import { findServingProject, getServingProject, noProject, ProjectName } from "../accounts/project-name.ts";
import { findProjectByName } from "../accounts/store.ts";
import { commandOf, recordDone } from "../audit/store.ts";
import { AppError, invalid } from "../core/errors.ts";
import { runBatch } from "../db/client.ts";
import { MAX_DATABASES } from "../db/databases.ts";
import { jsonObjectBody } from "../http/body.ts";
import type { AppEnv } from "../http/environment.ts";
import { refuseUnlike } from "../http/validation.ts";
import { type Deps, inEach } from "../service/deps.ts";
import { deleteProject } from "./deletion/delete-project.ts";
import { toDeletionView } from "./deletion/list.ts";
import { findDeletionByName } from "./deletion/store.ts";
import { archiveResponse, readPosition } from "./export.ts";
import { moveProject, undoProjectMove } from "./moving/move-project.ts";
import { findMoveByName } from "./moving/store.ts";
import { toMoveView } from "./moving/view.ts";

const ExportBody = z.object({
  project: ProjectName,
  /** Where the archive before has ended; the first one if omitted. */
  from: z.string().max(2_000).optional(),
});

const DeleteBody = z.object({
  project: ProjectName,
  delete_posts: z.boolean().default(false),
  revoke_logins: z.boolean().default(true),
});
const MoveBody = z.object({
  project: ProjectName,
  /** The number of the database; left out: how far its last move is. */
  to: z
    .int()
    .min(0)
    .max(MAX_DATABASES - 1)
    .optional(),
  undo: z.boolean().default(false),
});
const DeletionBody = z.object({ project: ProjectName });

/** The API behind `npm run project`. Requires the operator's key (accounts/operator.ts). */
export function projectRoutes(app: OpenAPIHono<AppEnv>): void {
  app.post(
    "/internal/projects/export",
    ...jsonObjectBody,
    zValidator("json", ExportBody, refuseUnlike(ExportBody)),
    async (c) => {
      c.set("operationId", "exportProject");
      const { project: name, from: text } = c.req.valid("json");
      const project = await getServingProject(c.var.deps.directory, name);
      const deps = c.var.deps.in(project.database);
      const from = readPosition(text);
      if (!from) throw invalid({ from: ["from must be the end of an archive."] });
      await runBatch(deps.db, [recordDone(deps.db, commandOf(project.id, "project", "exportProject"))]);
      const addressOf = (position: string) => `npm run project -- --export "${name}" (position ${position})`;
      return archiveResponse(deps, { project, from, now: Date.now(), addressOf });
    },
  );

  app.post(
    "/internal/projects/delete",
    ...jsonObjectBody,
    zValidator("json", DeleteBody, refuseUnlike(DeleteBody)),
    async (c) => {
      c.set("operationId", "deleteProject");
      const { project: name, delete_posts: deletesPosts, revoke_logins: revokesLogins } = c.req.valid("json");
      const { deps } = c.var;
      const project = await findServingProject(deps.directory, name);
      if (project)
        await deleteProject(deps.in(project.database), project, { by: null, options: { deletesPosts, revokesLogins } });
      return c.json({ status: true, deletion: await deletionOf(deps, name) });
    },
  );

  /** How far the newest deletion of a project of this name is, and what is gone. */
  app.post(
    "/internal/projects/deletion",
    ...jsonObjectBody,
    zValidator("json", DeletionBody, refuseUnlike(DeletionBody)),
    async (c) => {
      c.set("operationId", "projectDeletion");
      return c.json({ status: true, deletion: await deletionOf(c.var.deps, c.req.valid("json").project) });
    },
  );

  /** Begins a move or takes it back, and shows how far it is. */
  app.post(
    "/internal/projects/move",
    ...jsonObjectBody,
    zValidator("json", MoveBody, refuseUnlike(MoveBody)),
    async (c) => {
      c.set("operationId", "moveProject");
      const { project: name, to, undo } = c.req.valid("json");
      const { deps } = c.var;
      if (to !== undefined) {
        const project = await findProjectByName(deps.directory, name);
        if (!project) throw noProject(name);
        await moveProject(deps, project, to);
      }
      const move = await findMoveByName(deps.directory, name);
      if (!move) throw new AppError("not_found", `The project "${name}" was never moved.`);
      if (undo) await undoProjectMove(deps, move);
      const shown = undo ? ((await findMoveByName(deps.directory, name)) ?? move) : move;
      return c.json({ status: true, move: toMoveView(shown) });
    },
  );
}

async function deletionOf(deps: Deps, name: string) {
  const found = await Promise.all(inEach(deps).map(({ db }) => findDeletionByName(db, name)));
  const [deletion] = found.filter((one) => one !== null).sort((a, b) => b.requestedAt - a.requestedAt);
  if (!deletion) throw noProject(name);
  return toDeletionView(deletion);
}
