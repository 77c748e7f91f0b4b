import type { Deps } from "../deps.ts";
import { forgetFiles, takeForgettable } from "./store.ts";

/**
 * Ends the files that nothing has needed for a week, and the uploads that nobody completed: first the bytes, then the row, so
 * that a sweep that dies in between begins again. At most `limit` at a time, each of them a request or two.
 */
export async function forgetUnusedFiles({ db, files }: Pick<Deps, "db" | "files">, now: number, limit: number) {
  const old = await takeForgettable(db, now, limit);
  if (old.length === 0) return;
  for (const { name, uploadId } of old) {
    // An upload that was completed meanwhile cannot be given up any more; its object goes with the rest.
    if (uploadId !== null)
      await files
        .resumeMultipartUpload(name, uploadId)
        .abort()
        .catch(() => undefined);
  }
  await files.delete(old.map(({ name }) => name));
  await forgetFiles(
    db,
    old.map(({ id }) => id),
  );
}
