import type { Caller } from "../core/caller.ts";
import { absent } from "../core/errors.ts";
import type { FileId } from "../core/ids.ts";
import { HOUR } from "../core/time.ts";
import { runBatch } from "../db/client.ts";
import { withdrawMessages } from "../deliveries/store.ts";
import type { Deps } from "../deps.ts";
import { releaseMade } from "../files/made.ts";
import { forgetFiles } from "../files/store.ts";
import { generationEvents } from "./events.ts";
import { aboutGeneration, findGeneration, isThere, markDeleted } from "./store.ts";

/**
 * Deletes a generation (spec 4.14): it is hidden, its work ends before the next step, what its `web_hook` has not received is not sent
 * any more, and its media are gone unless a post uses them. Throws `not_found`.
 */
export async function deleteGeneration(deps: Deps, { projectId }: Caller, uuid: string): Promise<void> {
  const { db } = deps;
  const generation = await findGeneration(db, projectId, uuid);
  if (!generation) throw absent("generation", uuid);
  const { id, state } = generation;
  const now = Date.now();
  const event = { type: "generation.deleted", message: "Deleted on request.", detail: {} } as const;
  // While a delivery may be at work, what it is about to store must be known until that is over.
  const goesAt = state === "queued" ? now + HOUR : 0;
  const [released] = await runBatch(db, [
    releaseMade(db, id, goesAt),
    generationEvents.insert(db, { ...event, projectId, subjectId: id, at: now }, isThere(id)),
    withdrawMessages(db, aboutGeneration(id), now),
    markDeleted(db, id, now),
  ]);
  const gone = goneIn(released);
  if (gone.length === 0) return;
  // Should this end here, the sweep goes on: nobody can use them any more.
  await deps.files.delete(gone.map(({ name }) => name));
  await forgetFiles(
    db,
    gone.map((file) => file.id),
  );
}

interface Released {
  readonly id: FileId;
  readonly name: string;
  readonly forgetAt: number | null;
}

function goneIn(rows: unknown): readonly Released[] {
  return (rows as readonly Released[]).filter(({ forgetAt }) => forgetAt === 0);
}
