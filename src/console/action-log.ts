import type { Context } from "hono";
import { beginAct, endAct } from "../audit/store.ts";
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

/** An action that has an entry in its project's audit log. */
export interface RecordedAction {
  /** Keeps the entry. Without a call, the outcome is unknown. */
  done(): Promise<void>;
  /** Deletes the entry: the action was refused, or only showed its form with a report. */
  changedNothing(): Promise<void>;
}

/** Writes the entry of an action before it runs; null for one that has none. */
export async function beginAction(
  c: Context<AppEnv>,
  { path: action, isRecorded }: ActionEntry,
  { project }: Actor,
): Promise<RecordedAction | null> {
  if (!project || !isRecorded) return null;
  // The log is where the project lives.
  const { deps } = project;
  const act = { projectId: project.project.id, at: project.now, source: "console", action, path: c.req.path } as const;
  const id = await beginAct(deps.db, { ...act, actor: project.visitor.person.email });
  return { done: () => endAct(deps, id, "done"), changedNothing: () => endAct(deps, id, "nothing") };
}
