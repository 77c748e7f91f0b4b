import { type SQL, sql } from "drizzle-orm";
import { isReserved, type Page, reservePage, usePage, writeObject } from "../../archive/pages.ts";
import { idOf, type PostId, type ProjectId } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { runBatch } from "../../db/client.ts";
import { isAmong } from "../../db/in-list.ts";
import { hasEnabledWebhook } from "../../deliveries/webhook-states.ts";
import type { StoredEvent } from "../../events/outbox-store.ts";
import { EVENT_LIFE_MS, forgetBeginnings, selectEventsOf } from "../../events/store.ts";
import type { Deps } from "../../service/deps.ts";
import { noteUntil, type OldPosts, type SomePosts } from "../rest/old-posts.ts";
import { postsTable } from "../table.ts";
import { toArchived } from "./archived-events.ts";

/**
 * Moves the timelines of posts that were published 14 days ago to the archive: a page for up to a thousand
 * posts of one project. Later events of such a post stay in the database. In projects with webhooks it is 31
 * days, because deliveries read their events for 30; a replay takes older ones back (take-back.ts).
 *
 * A part of the sweep (rest/old-posts.ts). It may be late, die anywhere and overlap with itself: a timeline
 * is moved only while the post has none in the archive, and exactly the events that were read are deleted.
 */
const AGE_MS = 14 * DAY;
const AGE_FOR_WEBHOOKS_MS = 31 * DAY;

export const oldTimelines: OldPosts = {
  note: "timelines",
  until: "timelinesUntil",
  before: (projectId, now) =>
    sql`(CASE WHEN ${hasEnabledWebhook(projectId)} IS NULL THEN ${now - AGE_MS} ELSE ${now - AGE_FOR_WEBHOOKS_MS} END)`,
  isLeft: sql`old.timeline_page IS NULL`,
  move: movePosts,
};

async function movePosts(deps: Deps, projectId: ProjectId, { ids, until }: SomePosts, now: number): Promise<number> {
  const { db, files } = deps;
  const timelines = Map.groupBy(await selectEventsOf(db, "post", ids), ({ subjectId }) => idOf<PostId>(subjectId));
  const moved = [...timelines].filter(([, events]) => events.every((event) => isMovable(event, now)));
  const noted = noteUntil(db, "timelinesUntil", projectId, until);
  const page = moved.length === 0 ? null : await reservePage(db, projectId, now);
  if (page === null) {
    await runBatch(db, [noted]);
    return until;
  }
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
  return until;
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
  sql`coalesce((SELECT timeline_page FROM posts WHERE posts.id = ${postId}),
    (SELECT timeline_page FROM posts_at_rest WHERE posts_at_rest.id = ${postId})) = ${page.id}`;
