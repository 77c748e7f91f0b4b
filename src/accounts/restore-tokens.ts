import { asc, gt, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { isNearlySpent } from "../core/meter.ts";
import { RESTORED } from "../jobs/set-back-notes.ts";
import { isNoted, notePlace, placeOf, readNotes, storeNotes } from "../jobs/sweep-notes.ts";
import type { Deps } from "../service/deps.ts";
import { projectsTable } from "./table.ts";
import { refreshRecords } from "./tokens.ts";

/**
 * After a restoration from a copy, KV knows no token: a walk over the projects writes the records again. A
 * note holds how far it is; it exists from the restoration until the walk is through.
 */
const Place = z.object({ after: z.int() });
const PROJECTS_A_SWEEP = 100;

/** As a condition: whether a walk is under way. */
export const isRestoringTokens = (): SQL => isNoted(RESTORED);

/** Writes the records of the next projects' tokens. Repeatable. */
export async function restoreTokens(deps: Pick<Deps, "directory" | "kv" | "meter">): Promise<void> {
  const { directory: db } = deps;
  const notes = await readNotes(db);
  const place = placeOf(notes, RESTORED, Place);
  if (place === null) return;
  const projects = await db
    .select()
    .from(projectsTable)
    .where(gt(sql<number>`${projectsTable.id}`, place.after))
    .orderBy(asc(projectsTable.id))
    .limit(PROJECTS_A_SWEEP);
  let done = 0;
  for (; done < projects.length && !isNearlySpent(deps.meter); done++) {
    const project = projects[done];
    if (project) await refreshRecords(deps, project, Date.now());
  }
  const isThrough = done === projects.length && projects.length < PROJECTS_A_SWEEP;
  const last = projects[done - 1];
  notePlace(notes, RESTORED, isThrough ? null : { after: last ? Number(last.id) : place.after });
  await storeNotes(db, notes);
}
