import type { Deps } from "../service/deps.ts";
import { endUpload } from "./parts.ts";
import { forgetFiles, listForgetting, takeForgettable } from "./store.ts";

/** Projects per sweep; the next sweep continues after them. */
const PROJECTS = 500;
/** The largest number of names that the bucket deletes in one request. */
const CHUNK = 1_000;
const CHUNKS = 5;
/** Aborting an open upload costs one request each. */
const UPLOADS_AT_ONCE = 10;
const MAX_UPLOADS = 200;

/**
 * Deletes the files that nothing has needed for a week, and the uploads that were not completed. The bytes
 * are deleted before the row, so that a sweep that dies in between is repeated. Each project has an equal
 * share of a chunk, so that no project delays the others. Five thousand files per sweep are seven million per
 * day. Starts after the project `after`; returns where the next sweep continues.
 */
export async function deleteUnusedFiles(
  deps: Pick<Deps, "db" | "files">,
  now: number,
  after: number | null,
): Promise<number | null> {
  const { db } = deps;
  const projects = await listForgetting(db, after ?? 0, now, PROJECTS);
  let due = projects.filter(({ isDue }) => isDue === 1).map(({ id }) => id);
  let uploads = 0;
  for (let chunk = 0; chunk < CHUNKS && due.length > 0 && uploads < MAX_UPLOADS; chunk++) {
    const old = await takeForgettable(db, due, now, CHUNK);
    // The other projects get the share of projects with nothing left to delete.
    const having = new Set(old.map(({ projectId }) => projectId));
    due = due.filter((id) => having.has(id));
    // Uploads beyond the sweep's limit keep their mark for the next sweep.
    const open = old.filter(({ uploadId }) => uploadId !== null);
    const ended = new Set(open.slice(0, MAX_UPLOADS - uploads).map(({ id }) => id));
    uploads += ended.size;
    const gone = old.filter(({ id, uploadId }) => uploadId === null || ended.has(id));
    await endUploads(deps, gone);
    await deps.files.delete(gone.map(({ name }) => name));
    await forgetFiles(
      db,
      gone.map(({ id }) => id),
    );
  }
  return projects.length < PROJECTS ? null : (projects.at(-1)?.id ?? null);
}

/** An upload that was completed meanwhile cannot be aborted; its object is deleted with the other files. */
async function endUploads(
  deps: Pick<Deps, "files">,
  files: readonly { readonly name: string; readonly uploadId: string | null }[],
): Promise<void> {
  const waiting = files.flatMap(({ name, uploadId }) => (uploadId === null ? [] : [{ name, uploadId }])).values();
  const work = async (): Promise<void> => {
    for (const upload of waiting) await endUpload(deps, upload);
  };
  await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, work));
}
