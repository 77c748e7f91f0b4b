import { z } from "zod";
import { AppError } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";

/** Projects as the operator's commands name them. */
export const ProjectName = z.string().trim().min(1).max(100);

export function noProject({
  project,
  id,
}: {
  readonly project?: string | undefined;
  readonly id?: ProjectId | undefined;
}): AppError {
  return new AppError("not_found", `There is no project ${id === undefined ? `"${project}"` : id}.`);
}
