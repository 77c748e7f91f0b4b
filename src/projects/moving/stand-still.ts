import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { isMovingProject } from "../../accounts/moving.ts";
import { leaveLines } from "../../acting/moved-paces.ts";
import type { ProjectId } from "../../core/ids.ts";
import { isNearlySpent, type Meter } from "../../core/meter.ts";
import { type Db, runBatch, type Statement } from "../../db/client.ts";
import { hasOpenTimes, putOffJobs, putOffTasks, takeUpJobs, takeUpTasks } from "../../jobs/put-off.ts";
import { anyPiece } from "../pieces.ts";
import { belongsTo, tableOf } from "../tables.ts";

/**
 * The work of a project that moves (move-project.ts), a piece of its tables at a time: it is put off while
 * the project is on its way, and taken up where it works afterwards. All of it may be repeated.
 */

type InPiece = (where: SQL) => Statement;

/** Runs a statement on each piece of a table; whether it came to the end before the invocation was spent. */
async function inPieces(
  { db, meter }: { readonly db: Db; readonly meter: Meter },
  id: ProjectId,
  table: string,
  run: InPiece,
): Promise<boolean> {
  const stored = tableOf(table);
  const isSpent = await anyPiece(db, stored, belongsTo(stored, id), async (where) => {
    if (isNearlySpent(meter)) return true;
    await runBatch(db, [run(where)]);
    return false;
  });
  return !isSpent;
}

type Home = Parameters<typeof inPieces>[0];

/** Puts off all that would act, while the project is on its way; whether that is all. */
export async function standStill(
  home: Home,
  id: ProjectId,
  how: { readonly now: number; readonly alsoLeased: boolean },
): Promise<boolean> {
  const { db } = home;
  const condition = isMovingProject(sql`${id}`);
  return (
    (await inPieces(home, id, "jobs", (where) => putOffJobs(db, where, { ...how, condition }))) &&
    (await inPieces(home, id, "recurring", (where) => putOffTasks(db, where, condition))) &&
    (await inPieces(home, id, "rate_waits", (where) => leaveLines(db, where, condition)))
  );
}

/** Whether a job of the project is not put off. */
export function isLoose(db: Db, id: ProjectId): Promise<boolean> {
  const stored = tableOf("jobs");
  return anyPiece(db, stored, belongsTo(stored, id), (where) => hasOpenTimes(db, where));
}

/** Gives all that was put off its times back; whether that is all. */
export async function takeUp(home: Home, id: ProjectId, waitedMs: number): Promise<boolean> {
  const { db } = home;
  return (
    (await inPieces(home, id, "jobs", (where) => takeUpJobs(db, where, waitedMs))) &&
    (await inPieces(home, id, "recurring", (where) => takeUpTasks(db, where)))
  );
}
