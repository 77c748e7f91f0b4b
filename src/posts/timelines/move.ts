import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { isReserved, type Page, reservePage, usePage, writeObject } from "../../archive/pages.ts";
import type { NamedBy } from "../../archive/tidy.ts";
import { idOf, type PostId, type ProjectId } from "../../core/ids.ts";
import { isNearlySpent } from "../../core/meter.ts";
import { DAY } from "../../core/time.ts";
import { type Db, runBatch } from "../../db/client.ts";
import { isAmong } from "../../db/in-list.ts";
import { hasEnabledWebhook } from "../../deliveries/webhook-states.ts";
import type { StoredEvent } from "../../events/outbox-store.ts";
import { EVENT_LIFE_MS, forgetBeginnings, selectEventsOf } from "../../events/store.ts";
import { isNoteAhead, notePlace, placeOf, readNotes, storeNotes } from "../../jobs/sweep-notes.ts";
import { PLATFORM_NAMES } from "../../platforms/names.ts";
import type { Deps } from "../../service/deps.ts";
import { postCountsTable, postsTable } from "../table.ts";
import { toArchived } from "./archived-events.ts";

/**
 * Moves the timelines of posts that were published 14 days ago to the archive: a page for up to a thousand
 * posts of one project. Later events of such a post stay in the database. In projects with webhooks it is 31
 * days, because deliveries read their events for 30; a replay takes older ones back (take-back.ts).
 *
 * A part of the sweep. Once a day it goes through the projects, some in each sweep; each has the time up to
 * which its timelines were moved. It may be late, die anywhere and overlap with itself: a timeline is moved
 * only while the post has none in the archive, and exactly the events that were read are deleted.
 */
const AGE_MS = 14 * DAY;
const AGE_FOR_WEBHOOKS_MS = 31 * DAY;
const EVERY_MS = DAY;
/** Posts of one page. */
const POSTS = 1_000;
const PROJECTS_A_SWEEP = 50;
const PAGES_A_SWEEP = 20;

const NOTE = "timelines";
/** Behind which project the walk continues, or when the next one begins. */
const Place = z.object({ after: z.number(), at: z.number() });

/** A condition: a walk through the projects is due. */
export const isMoveDue = (now: number): SQL => sql`NOT ${isNoteAhead(NOTE, now)}`;

export async function moveOldTimelines(deps: Deps, now: number): Promise<void> {
  const notes = await readNotes(deps.db);
  const after = placeOf(notes, NOTE, Place)?.after ?? 0;
  const projects = await listProjects(deps.db, after, now);
  const walk = { now, pages: PAGES_A_SWEEP };
  let last = after;
  for (const project of projects) {
    if (project.isDue === 1 && !(await moveOfProject(deps, project, walk))) break;
    last = project.id;
  }
  const isThrough = projects.length < PROJECTS_A_SWEEP && last === (projects.at(-1)?.id ?? after);
  notePlace(notes, NOTE, isThrough ? { after: 0, at: now + EVERY_MS } : { after: last, at: 0 });
  await storeNotes(deps.db, notes);
}

interface OwnProject<Value = number, Id = ProjectId> {
  readonly id: Id;
  /** The times of publication from which and before which timelines are moved. */
  readonly until: Value;
  readonly before: Value;
}

/** The next projects, and whether they have something to move. */
function listProjects(db: Db, after: number, now: number) {
  const id = sql`post_counts.project_id`;
  const before = sql`(CASE WHEN ${hasEnabledWebhook(id)} IS NULL THEN ${now - AGE_MS} ELSE ${now - AGE_FOR_WEBHOOKS_MS} END)`;
  const own = { id, before, until: sql`post_counts.timelines_until` };
  return db.all<
    OwnProject & { readonly isDue: number }
  >(sql`SELECT project_id AS id, ${before} AS before, timelines_until AS until,
    EXISTS (SELECT 1 FROM json_each(${JSON.stringify(PLATFORM_NAMES)}) AS type
      WHERE EXISTS (SELECT 1 FROM ${oldPosts(own)})) AS isDue
    FROM post_counts WHERE project_id > ${after} ORDER BY project_id LIMIT ${PROJECTS_A_SWEEP}`);
}

/** The project's posts on the platform `type` whose timelines may be moved: the sources of a SELECT. */
function oldPosts({ id, until, before }: OwnProject<SQL | number, SQL | number>): SQL {
  return sql`posts AS old INDEXED BY posts_by_publication WHERE old.project_id = ${id} AND old.channel_type = type.value
    AND old.state = 'published' AND old.published_at IS NOT NULL AND old.deleted_at IS NULL
    AND old.published_at >= ${until} AND old.published_at < ${before} AND old.timeline_page IS NULL`;
}

interface Walk {
  readonly now: number;
  /** How many more pages this sweep may write. */
  pages: number;
}

/** Whether nothing is left of the project. */
async function moveOfProject(deps: Deps, project: OwnProject, walk: Walk): Promise<boolean> {
  let { until } = project;
  while (walk.pages > 0 && !isNearlySpent(deps.meter)) {
    const posts = await listOldPosts(deps.db, { ...project, until });
    const last = posts.at(-1);
    if (!last) return true;
    walk.pages--;
    const isLast = posts.length < POSTS;
    // Posts of the same instant may follow. Those that stay in the database do not hold the walk.
    const next = isLast || last.at === until ? last.at + 1 : last.at;
    await movePosts(deps, project.id, { ids: posts.map(({ id }) => id), until: next }, walk.now);
    if (isLast) return true;
    until = next;
  }
  return false;
}

/** The oldest first. */
function listOldPosts(db: Db, project: OwnProject) {
  const first = sql`SELECT old.id FROM ${oldPosts(project)} ORDER BY old.published_at LIMIT ${POSTS}`;
  return db.all<{ readonly id: PostId; readonly at: number }>(sql`SELECT found.id AS id, found.published_at AS at
    FROM json_each(${JSON.stringify(PLATFORM_NAMES)}) AS type CROSS JOIN posts AS found ON found.id IN (${first})
    ORDER BY found.published_at, found.id LIMIT ${POSTS}`);
}

interface Moved {
  readonly ids: readonly PostId[];
  /** The time up to which the project's timelines are moved then. */
  readonly until: number;
}

async function movePosts(deps: Deps, projectId: ProjectId, { ids, until }: Moved, now: number): Promise<void> {
  const { db, files } = deps;
  const timelines = Map.groupBy(await selectEventsOf(db, "post", ids), ({ subjectId }) => idOf<PostId>(subjectId));
  const moved = [...timelines].filter(([, events]) => events.every((event) => isMovable(event, now)));
  const noted = db
    .update(postCountsTable)
    .set({ timelinesUntil: sql`max(timelines_until, ${until})` })
    .where(sql`project_id = ${projectId}`);
  const page = moved.length === 0 ? null : await reservePage(db, projectId, now);
  if (page === null) return runBatch(db, [noted]);
  await writeObject(files, page.name, Object.fromEntries(moved.map(([id, events]) => [id, toArchived(events)])));
  const newest = Math.max(...moved.map(([, events]) => events.at(-1)?.createdAt ?? 0));
  const ends = moved.map(([id, events]) => [id, events.at(-1)?.id ?? 0] as const);
  const own = moved.map(([id]) => id);
  const { id: postId, timelinePage } = postsTable;
  const named = sql`SELECT count(*) FROM posts WHERE ${isAmong(postId, own)} AND timeline_page = ${page.id}`;
  await runBatch(db, [
    db
      .update(postsTable)
      .set({ timelinePage: page.id })
      .where(sql`${isAmong(postId, own)} AND ${timelinePage} IS NULL AND ${isReserved(page, now)}`),
    forgetBeginnings(db, "post", ends, isNaming(page)),
    usePage(db, page, { deleteAt: newest + EVENT_LIFE_MS, named, entries: own.length, replay: replayOf(moved) }, now),
    noted,
  ]);
}

function isMovable({ outbox, createdAt }: StoredEvent, now: number): boolean {
  return outbox === null || (outbox === "dispatched" && createdAt < now - AGE_FOR_WEBHOOKS_MS);
}

function replayOf(timelines: readonly (readonly [PostId, readonly StoredEvent[]])[]) {
  const hooked = timelines.flatMap(([, events]) => events.filter(({ outbox }) => outbox !== null));
  const times = hooked.map(({ createdAt }) => createdAt);
  return times.length === 0 ? null : { from: Math.min(...times), to: Math.max(...times) };
}

/** A condition on the id of a post: a part of its timeline is in this page. */
export const isNaming = (page: Page) => (postId: SQL) =>
  sql`(SELECT timeline_page FROM posts WHERE posts.id = ${postId}) = ${page.id}`;

/** The posts with a part of their timeline in this page. */
export const timelinesInPage: NamedBy = (ids, page) =>
  sql`SELECT id FROM posts WHERE id IN (SELECT value FROM json_each(${ids})) AND timeline_page = ${page}`;
