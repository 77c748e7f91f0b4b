import { eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { PostId, ProjectId } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { DAY } from "../../core/time.ts";
import type { Db, Statement } from "../../db/client.ts";
import { isNoteAhead, notePlace, placeOf, readNotes, storeNotes } from "../../jobs/sweep-notes.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import type { Deps } from "../../service/deps.ts";
import { postCountsTable } from "../table.ts";

/**
 * Going through old published posts, for what is moved to the archive: timelines (timelines/move.ts), then
 * posts themselves (move.ts). Once a day it goes through the projects, some in each sweep; each has the time
 * of publication up to which its posts were moved.
 */
export interface OldPosts {
  /** The name of its note to the next sweep. */
  readonly note: string;
  /** The field of `post_counts` with the time up to which posts were moved. */
  readonly until: "timelinesUntil" | "restedUntil";
  /** The same for a walk that begins at a time, if it sometimes looks at all posts again. */
  readonly from?: (now: number) => SQL;
  /** The time of publication before which posts are old, of a project. */
  readonly before: (projectId: SQL, now: number) => SQL;
  /** A condition: it may be moved. */
  readonly isLeft: SQL;
  /** Moves posts of a project, the oldest first. Returns the time up to which posts are moved. */
  readonly move: (deps: Deps, projectId: ProjectId, posts: SomePosts, now: number) => Promise<number>;
}

export interface SomePosts {
  readonly ids: readonly PostId[];
  /** The time up to which the project's posts are moved then. */
  readonly until: number;
}

const EVERY_MS = DAY;
/** Posts of one page. */
const POSTS = 1_000;
const PROJECTS_A_SWEEP = 50;
const PAGES_A_SWEEP = 20;

/** Behind which project the walk continues, or when the next one begins. */
const Place = z.object({ after: z.number(), at: z.number() });

/** A condition: a walk through the projects is due. */
export const isWalkDue = ({ note }: OldPosts, now: number): SQL => sql`NOT ${isNoteAhead(note, now)}`;

export async function walkOldPosts(deps: Deps, old: OldPosts, now: number): Promise<void> {
  const notes = await readNotes(deps.db);
  const after = placeOf(notes, old.note, Place)?.after ?? 0;
  const projects = await listProjects(deps.db, old, after, now);
  const walk = { old, now, pages: PAGES_A_SWEEP };
  let last = after;
  for (const project of projects) {
    if (project.isDue === 1 && !(await moveOfProject(deps, project, walk))) break;
    last = project.id;
  }
  const isThrough = projects.length < PROJECTS_A_SWEEP && last === (projects.at(-1)?.id ?? after);
  notePlace(notes, old.note, isThrough ? { after: 0, at: now + EVERY_MS } : { after: last, at: 0 });
  await storeNotes(deps.db, notes);
}

/** Notes how far the posts of a project were moved, in the transaction that moves them. */
export function noteUntil(db: Db, until: OldPosts["until"], projectId: ProjectId, reached: number): Statement {
  const changes = { [until]: sql`max(${columnOf(until)}, ${reached})` };
  return db.update(postCountsTable).set(changes).where(eq(postCountsTable.projectId, projectId));
}

const columnOf = (until: OldPosts["until"]): SQL => sql.raw(postCountsTable[until].name);

interface OwnProject<Value = number, Id = ProjectId> {
  readonly id: Id;
  /** The times of publication from which and before which posts are moved. */
  readonly until: Value;
  readonly before: Value;
}

/** The next projects, and whether they have something to move. */
function listProjects(db: Db, old: OldPosts, after: number, now: number) {
  const id = sql`post_counts.project_id`;
  const before = old.before(id, now);
  const until = old.from?.(now) ?? columnOf(old.until);
  const own = { id, before, until };
  return db.all<
    OwnProject & { readonly isDue: number }
  >(sql`SELECT project_id AS id, ${before} AS before, ${until} AS until,
    EXISTS (SELECT 1 FROM json_each(${JSON.stringify(PLATFORM_NAMES)}) AS type
      WHERE EXISTS (SELECT 1 FROM ${oldPosts(old, own)})) AS isDue
    FROM post_counts WHERE project_id > ${after} ORDER BY project_id LIMIT ${PROJECTS_A_SWEEP}`);
}

/** The project's old posts on the platform `type`: the sources of a SELECT. */
function oldPosts({ isLeft }: OldPosts, { id, until, before }: OwnProject<SQL | number, SQL | number>): SQL {
  return sql`posts AS old INDEXED BY posts_by_publication WHERE old.project_id = ${id} AND old.channel_type = type.value
    AND old.state = 'published' AND old.published_at IS NOT NULL AND old.deleted_at IS NULL
    AND old.published_at >= ${until} AND old.published_at < ${before} AND ${isLeft}`;
}

interface Walk {
  readonly old: OldPosts;
  readonly now: number;
  /** How many more pages this sweep may write. */
  pages: number;
}

/** Whether nothing is left of the project. */
async function moveOfProject(deps: Deps, project: OwnProject, walk: Walk): Promise<boolean> {
  let { until } = project;
  while (walk.pages > 0 && !isNearlySpent(deps.meter)) {
    const posts = await listOldPosts(deps.db, walk.old, { ...project, until });
    const last = posts.at(-1);
    if (!last) return true;
    walk.pages--;
    const isLast = posts.length < POSTS;
    // Posts of the same instant may follow. Those that stay in the database do not hold the walk.
    const next = isLast || last.at === until ? last.at + 1 : last.at;
    const ids = posts.map(({ id }) => id);
    until = await walk.old.move(deps, project.id, { ids, until: next }, walk.now);
    if (isLast && until === next) return true;
  }
  return false;
}

/** The oldest first. */
function listOldPosts(db: Db, old: OldPosts, project: OwnProject) {
  const first = sql`SELECT old.id FROM ${oldPosts(old, project)} ORDER BY old.published_at LIMIT ${POSTS}`;
  return db.all<{ readonly id: PostId; readonly at: number }>(sql`SELECT found.id AS id, found.published_at AS at
    FROM json_each(${JSON.stringify(PLATFORM_NAMES)}) AS type CROSS JOIN posts AS found ON found.id IN (${first})
    ORDER BY found.published_at, found.id LIMIT ${POSTS}`);
}
