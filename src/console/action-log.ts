import type { Context } from "hono";
import { recordAudit } from "../audit/store.ts";
import type { AppEnv } from "../http/environment.ts";
import type { ActionEntry, PersonVisit, ProjectVisit } from "./definition.ts";

interface Actor {
  readonly person: PersonVisit | null;
  readonly project: ProjectVisit | null;
}

/** Who did what: the operator's log has every action, whatever the log level. */
export function noteAction(
  c: Context<AppEnv>,
  { path }: ActionEntry,
  { person, project }: Actor,
  outcome: string,
): void {
  const who = { person: person?.visitor.person.id, project: project?.project.id };
  c.var.deps.log.audit("console_action", { action: path, outcome, ...who });
}

/** The project's own log has what was done, with who did it. */
export function recordAction(c: Context<AppEnv>, { path: action }: ActionEntry, { project }: Actor): void {
  if (!project) return;
  const { deps } = c.var;
  const entry = {
    projectId: project.project.id,
    at: project.now,
    source: "console",
    action,
    path: c.req.path,
  } as const;
  c.executionCtx.waitUntil(recordAudit(deps, { ...entry, actor: project.visitor.person.email }));
}
