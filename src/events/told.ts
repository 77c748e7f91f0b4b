import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";

/** Of which projects an invocation has told events, so that what waits for them need not wait for the sweep (webhooks/wake.ts). */
const told = new WeakMap<Db, Set<ProjectId>>();

export function noteTold(db: Db, projectId: ProjectId): void {
  const known = told.get(db);
  if (known) known.add(projectId);
  else told.set(db, new Set([projectId]));
}

/** Those since it was last asked. */
export function takeTold(db: Db): readonly ProjectId[] {
  const projects = [...(told.get(db) ?? [])];
  told.delete(db);
  return projects;
}
