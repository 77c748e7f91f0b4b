import { and, desc, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError, absent } from "../core/errors.ts";
import type { PostId, ProjectId } from "../core/ids.ts";
import { toNfc } from "../core/text.ts";
import { type Db, readTogether, type Statement, writeTogether } from "../db/client.ts";
import { isAmong } from "../db/in-list.ts";
import type { Deps } from "../service/deps.ts";
import { findFile, forgetFiles, isFormOf, isNotTaken, type StoredFile } from "./store.ts";
import type { LibraryEntry, StoredMedia } from "./stored.ts";
import { filesTable, fileUsesTable } from "./table.ts";

/**
 * The media library: files of a project that are kept until they are deleted, with a title, an alternative
 * text and tags. Every other file expires.
 */

/** A file, and whether a post needs it. */
export type LibraryFile = StoredFile & { readonly isUsed: boolean };

export interface LibraryFilter {
  /** A part of the title, the alternative text or a tag. */
  readonly search: string | null;
  readonly tag: string | null;
  readonly kind: StoredMedia["kind"] | null;
  readonly after: number | null;
  readonly limit: number;
}

/** The files that one page looks at: a search continues after them. */
const SCANNED = 2_000;
/** The posts that are named. */
const MAX_POSTS = 100;

const isUsed = sql<number>`EXISTS (SELECT 1 FROM ${fileUsesTable} WHERE file_uses.file_id = files.id)`;
const searchable = (text: string): string => toNfc(text).toLocaleLowerCase("en");

/** The newest first: one D1 call, in which at most `SCANNED` files are read. */
export async function listLibrary(db: Db, projectId: ProjectId, filter: LibraryFilter) {
  const { search, tag, kind, after, limit } = filter;
  const { id, library, media, searchText } = filesTable;
  const isNext = after === null ? undefined : sql`${id} < ${after}`;
  const own = and(eq(filesTable.projectId, projectId), isNotNull(library), isNext);
  const scanned = sql`SELECT id FROM files WHERE ${own} ORDER BY id DESC LIMIT ${SCANNED}`;
  const isFound = and(
    sql`${id} IN (${scanned})`,
    search === null ? undefined : sql`instr(${searchText}, ${searchable(search)}) > 0`,
    tag === null ? undefined : sql`EXISTS (SELECT 1 FROM json_each(${library}, '$.tags') WHERE value = ${tag})`,
    kind === null ? undefined : sql`json_extract(${media}, '$.kind') = ${kind}`,
  );
  const { found, ends } = await readTogether(db, {
    found: db
      .select({ file: filesTable, isUsed })
      .from(filesTable)
      .where(isFound)
      .orderBy(desc(id))
      .limit(limit + 1),
    ends: db.select({ count: sql<number>`count(*)`, last: sql<number | null>`min(id)` }).from(sql`(${scanned})`),
  });
  const items = found.slice(0, limit).map(toLibraryFile);
  const [end] = ends;
  const scanEnd = end && end.count === SCANNED ? end.last : null;
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : scanEnd };
}

const toLibraryFile = ({ file, isUsed }: { readonly file: StoredFile; readonly isUsed: number }): LibraryFile => ({
  ...file,
  isUsed: isUsed === 1,
});

/** A file of the project that is complete, and the posts that need it. Throws `not_found`. */
export async function getLibraryFile(
  db: Db,
  projectId: ProjectId,
  name: string,
): Promise<{ readonly file: LibraryFile; readonly postIds: readonly PostId[] }> {
  const { files, uses } = await readTogether(db, {
    files: db.select({ file: filesTable, isUsed }).from(filesTable).where(isOwn(projectId, name)),
    uses: selectUses(db, projectId, name),
  });
  const [found] = files;
  if (!found) throw absent("media file", name);
  return { file: toLibraryFile(found), postIds: uses.map(({ postId }) => postId) };
}

/** A query of the ids of the file and its other forms. */
const formsOf = (projectId: ProjectId, name: string): SQL =>
  sql`SELECT id FROM files AS form WHERE form.project_id = ${projectId} AND (form.name = ${name} OR form.rendition_of = ${name} OR form.fitted_from = ${name})`;

/** The posts that need the file, or another form of it. */
function selectUses(db: Db, projectId: ProjectId, name: string) {
  const { postId, fileId } = fileUsesTable;
  const isForm = sql`${fileId} IN (${formsOf(projectId, name)})`;
  return db.selectDistinct({ postId }).from(fileUsesTable).where(isForm).limit(MAX_POSTS);
}

/** Not the copies and other forms that we make. */
function isOwn(projectId: ProjectId, name: string): SQL | undefined {
  const { media, isCopy, renditionOf, fittedFrom } = filesTable;
  const isOriginal = and(eq(isCopy, false), isNull(renditionOf), isNull(fittedFrom));
  const isComplete = and(isNotNull(media), isOriginal, isNotTaken);
  return and(eq(filesTable.name, name), eq(filesTable.projectId, projectId), isComplete);
}

/**
 * Keeps a file in the library, or replaces its description there. Repeatable. Its other forms stay as long.
 * Throws `not_found`.
 */
export async function keepInLibrary(
  { db }: Pick<Deps, "db">,
  { projectId }: Caller,
  name: string,
  entry: LibraryEntry,
): Promise<LibraryFile> {
  const searchText = searchable([entry.title, entry.altText ?? "", ...entry.tags].join("\n"));
  const { kept, used } = await writeTogether(db, {
    kept: db
      .update(filesTable)
      .set({ library: entry, searchText, forgetAt: null })
      .where(isOwn(projectId, name))
      .returning(),
    forms: db
      .update(filesTable)
      .set({ forgetAt: null })
      .where(and(isFormOf([name]), eq(filesTable.projectId, projectId), isNotTaken)),
    used: selectUses(db, projectId, name),
  });
  const [file] = kept;
  if (!file) throw absent("media file", name);
  return { ...file, isUsed: used.length > 0 };
}

/**
 * Keeps a part of a picture in the library, with what describes the whole. It counts as generated if the
 * whole does. Throws `not_found`.
 */
export async function keepPart(
  deps: Pick<Deps, "db">,
  caller: Caller,
  name: string,
  whole: Pick<StoredFile, "name" | "library">,
): Promise<LibraryFile> {
  const entry = whole.library ?? { title: "", altText: null, tags: [] };
  const isOfWhole = sql`(SELECT whole.is_generated FROM files AS whole WHERE whole.name = ${whole.name})`;
  await deps.db
    .update(filesTable)
    .set({ isGenerated: sql`coalesce(${isOfWhole}, 0)` })
    .where(isOwn(caller.projectId, name));
  return keepInLibrary(deps, caller, name, entry);
}

/**
 * Keeps files of the project in the library, for a batch. Those that are there stay as they are described;
 * the others get this title.
 */
export function keepFiles(db: Db, projectId: ProjectId, names: readonly string[], title: string): readonly Statement[] {
  const { media, isCopy, renditionOf, fittedFrom } = filesTable;
  const isOriginal = and(eq(isCopy, false), isNull(renditionOf), isNull(fittedFrom));
  const isKept = and(eq(filesTable.projectId, projectId), isNotTaken);
  const entry: LibraryEntry = { title, altText: null, tags: [] };
  return [
    db
      .update(filesTable)
      .set({
        library: sql`coalesce(library, ${JSON.stringify(entry)})`,
        searchText: sql`coalesce(search_text, ${searchable(title)})`,
        forgetAt: null,
      })
      .where(and(isAmong(filesTable.name, names), isKept, isNotNull(media), isOriginal)),
    db
      .update(filesTable)
      .set({ forgetAt: null })
      .where(and(isFormOf(names), isKept)),
  ];
}

/**
 * Deletes a file that no post needs; a file of a generated post only leaves the library. Returns whether it
 * was deleted. Throws `not_found`, and `not_changeable` with the posts that need it.
 */
export async function deleteFromLibrary(deps: Deps, { projectId }: Caller, name: string): Promise<boolean> {
  const { db } = deps;
  const isFree = sql`NOT EXISTS (SELECT 1 FROM file_uses WHERE file_uses.file_id IN (${formsOf(projectId, name)}))`;
  const { left, gone, uses } = await writeTogether(db, {
    left: db
      .update(filesTable)
      .set({
        library: null,
        searchText: null,
        forgetAt: sql`CASE WHEN ${filesTable.generationId} IS NULL THEN 0 END`,
      })
      .where(and(isOwn(projectId, name), isFree))
      .returning({ id: filesTable.id }),
    gone: db
      .update(filesTable)
      .set({ forgetAt: 0 })
      .where(
        and(
          eq(filesTable.projectId, projectId),
          sql`(${filesTable.name} = ${name} OR ${isFormOf([name])})`,
          sql`EXISTS (SELECT 1 FROM files AS original WHERE original.name = ${name} AND original.project_id = ${projectId} AND original.forget_at = 0)`,
        ),
      )
      .returning({ id: filesTable.id, name: filesTable.name }),
    uses: selectUses(db, projectId, name),
  });
  if (left.length === 0)
    throw await whyNotDeleted(
      db,
      projectId,
      name,
      uses.map(({ postId }) => postId),
    );
  if (gone.length === 0) return false;
  // If this fails, the sweep deletes the files; no post can use them any more.
  await deps.files.delete(gone.map((file) => file.name));
  await forgetFiles(
    db,
    gone.map(({ id }) => id),
  );
  return true;
}

async function whyNotDeleted(db: Db, projectId: ProjectId, name: string, postIds: readonly PostId[]) {
  const file = await findFile(db, projectId, name);
  if (!file || postIds.length === 0) return absent("media file", name);
  const shown = postIds.slice(0, 10).join(", ");
  return new AppError("not_changeable", `Posts need this file: ${shown}. Delete or change them first.`);
}
