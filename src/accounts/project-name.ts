import { z } from "zod";
import { AppError } from "../core/errors.ts";
import type { ProjectId } from "../core/ids.ts";

/** Projects as the operator's commands name them. */
export const ProjectName = z.string().trim().min(1).max(100);

/**
 * The same for one that the command may create: no line breaks, nothing that turns a text around, and no web
 * or e-mail address, because names stand in mails and pages.
 */
export const NewProjectName = ProjectName.refine(
  (name) => !UNSEEN.test(name),
  "must be one line of visible text.",
).refine((name) => !ADDRESS.test(name), "must not contain a web or e-mail address.");

const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const ADDRESS = /:\/\/|\bwww\.|[^\s@]@[^\s@]+\.[^\s@]/i;

export function noProject({
  project,
  id,
}: {
  readonly project?: string | undefined;
  readonly id?: ProjectId | undefined;
}): AppError {
  return new AppError("not_found", `There is no project ${id === undefined ? `"${project}"` : id}.`);
}
