import { z } from "zod";
import { AppError, projectMoving } from "../core/errors.ts";
import type { Db } from "../db/client.ts";
import { findProjectByName, type Project } from "./store.ts";

/** Projects as the operator's commands name them. */
export const ProjectName = z.string().trim().min(1).max(100);

export const noProject = (name: string): AppError => new AppError("not_found", `There is no project "${name}".`);

/** A project that a command changes; null if there is none. Errors: `project_moving`. */
export async function findServingProject(db: Db, name: string): Promise<Project | null> {
  const project = await findProjectByName(db, name);
  if (project && project.movingAt !== null) throw projectMoving();
  return project;
}

/** The same. Errors: `not_found`, `project_moving`. */
export async function getServingProject(db: Db, name: string): Promise<Project> {
  const project = await findServingProject(db, name);
  if (!project) throw noProject(name);
  return project;
}
