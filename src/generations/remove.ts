import type { Caller } from "../core/caller.ts";
import { absent } from "../core/errors.ts";
import { HOUR } from "../core/time.ts";
import { writeTogether } from "../db/client.ts";
import { withdrawMessages } from "../deliveries/store.ts";
import { releaseGenerated } from "../files/generated.ts";
import { forgetFiles } from "../files/store.ts";
import type { Deps } from "../service/deps.ts";
import { generationEvents } from "./events.ts";
import { aboutGeneration, findGeneration, isThere, markDeleted } from "./store.ts";

/**
 * Deletes a generation (spec 4.14). It is hidden, its work stops before the next step, a pending message to
 * its `web_hook` is not sent, and its media are deleted unless a post uses them. Throws `not_found`.
 */
export async function deleteGeneration(deps: Deps, { projectId }: Caller, uuid: string): Promise<void> {
  const { db } = deps;
  const generation = await findGeneration(db, projectId, uuid);
  if (!generation) throw absent("generation", uuid);
  const { id, state } = generation;
  const now = Date.now();
  const event = { type: "generation.deleted", message: "Deleted on request.", detail: {} } as const;
  // A running delivery may still store files, so their rows stay for an hour.
  const goesAt = state === "queued" ? now + HOUR : 0;
  const { released } = await writeTogether(db, {
    released: releaseGenerated(db, id, goesAt),
    event: generationEvents.insert(db, { ...event, projectId, subjectId: id, at: now }, isThere(id)),
    messages: withdrawMessages(db, aboutGeneration(id), now),
    deleted: markDeleted(db, id, now),
  });
  const gone = released.filter(({ forgetAt }) => forgetAt === 0);
  if (gone.length === 0) return;
  // If this fails, the sweep deletes the files; no post can use them any more.
  await deps.files.delete(gone.map(({ name }) => name));
  await forgetFiles(
    db,
    gone.map((file) => file.id),
  );
}
