import { type SQL, sql } from "drizzle-orm";
import { nameOfPage, readObject } from "../../archive/pages.ts";
import type { PostId, ProjectId } from "../../core/ids.ts";
import { readTogether } from "../../db/client.ts";
import { EVENT_LIFE_MS, type EventRecord, type StoredEvent } from "../../events/store.ts";
import type { Deps } from "../../service/deps.ts";
import { selectPostCosts, toPostCosts } from "../../usage/store.ts";
import { type POST_EVENTS, postEvents } from "../events.ts";
import { readOneResting, readResting, restingChannel, restingColumns, selectResting } from "../rest/read.ts";
import { channelColumn, contentColumns, isOwn, type Post, shownColumns } from "../store.ts";
import { postsAtRestTable, postsTable } from "../table.ts";
import { ArchivedEvents } from "./archived-events.ts";

/** A post with its timeline, the beginning of which may be in the archive (move.ts). */

type Event = EventRecord<typeof POST_EVENTS>;

/** The most events that are shown, the oldest ones. */
const SHOWN = 500;

/** The object of the archive with the beginning of the timeline; null if there is none. */
const timelineObject: SQL<string | null> = nameOfPage(sql`posts.timeline_page`);

/** The columns of a post that its explanation needs; a deleted post has one too. */
const explainedColumns = {
  ...shownColumns,
  publishAt: postsTable.publishAt,
  timeZone: postsTable.timeZone,
  approvalState: postsTable.approvalState,
};
export type ExplainedPost = Pick<Post, keyof typeof explainedColumns>;

interface Timeline {
  readonly post: ExplainedPost;
  /** The oldest first. */
  readonly events: readonly Event[];
}

/**
 * The timeline; of a deleted post too, for as long as it is kept. Null if the project never had the post. One
 * D1 call, and one of the bucket for an old timeline; two for that of a post at rest.
 */
export async function readTimeline(deps: Deps, projectId: ProjectId, id: PostId): Promise<Timeline | null> {
  const { db } = deps;
  const { posts, events, resting } = await readTogether(db, {
    posts: db
      .select({ ...explainedColumns, timelineObject: timelineObject.as("timeline_object") })
      .from(postsTable)
      .where(isOwn(projectId, id)),
    events: postEvents.select(db, id, SHOWN),
    resting: selectResting(db, projectId, id),
  });
  const [kept] = resting;
  const [post, timeline] = await Promise.all([
    posts[0] ?? readOneResting(deps, resting),
    wholeTimeline(deps, id, posts[0]?.timelineObject ?? kept?.timelineObject ?? null, events),
  ]);
  return post && { post, events: timeline };
}

/**
 * A post with all that is known of it, the timeline and posts with the same external id too; also one that
 * was deleted, for as long as it is kept. Null if the project never had it. Calls as `readTimeline`.
 */
export async function readPostHistory(deps: Deps, projectId: ProjectId, id: PostId) {
  const { db } = deps;
  const { handledAt, deletedAt, revision } = postsTable;
  const own = (table: SQL) => sql`SELECT external_id FROM ${table} WHERE id = ${id} AND project_id = ${projectId}`;
  const externalId = sql`coalesce((${own(sql`posts`)}), (${own(sql`posts_at_rest`)}))`;
  const isSibling = sql`project_id = ${projectId} AND external_id = ${externalId} AND external_id IS NOT NULL AND id <> ${id}`;
  const { posts, costs, events, siblings, resting, restingSiblings } = await readTogether(db, {
    posts: db
      .select({
        ...contentColumns,
        channel: channelColumn,
        handledAt,
        deletedAt,
        revision,
        timelineObject: timelineObject.as("timeline_object"),
      })
      .from(postsTable)
      .where(isOwn(projectId, id)),
    costs: selectPostCosts(db, id),
    events: postEvents.select(db, id, SHOWN),
    siblings: db
      .select({ ...shownColumns, channel: channelColumn, createdAt: postsTable.createdAt })
      .from(postsTable)
      .where(sql`${isSibling} AND deleted_at IS NULL`)
      .orderBy(sql`created_at DESC`)
      .limit(SIBLINGS),
    resting: selectResting(db, projectId, id),
    restingSiblings: db
      .select({ ...restingColumns, channel: restingChannel.as("rest_channel") })
      .from(postsAtRestTable)
      .where(isSibling)
      .orderBy(sql`created_at DESC`)
      .limit(SIBLINGS),
  });
  const [kept] = resting;
  const object = posts[0]?.timelineObject ?? kept?.timelineObject ?? null;
  const [timeline, rows] = await Promise.all([
    wholeTimeline(deps, id, object, events),
    readResting(deps, [...resting, ...restingSiblings]),
  ]);
  const atRest = rows.get(id);
  const post = posts[0] ?? (atRest && kept && { ...atRest, channel: kept.channel });
  if (!post) return null;
  const older = restingSiblings.flatMap(({ id: own, channel }) => {
    const row = rows.get(own);
    return row ? [{ ...row, channel }] : [];
  });
  const newest = [...siblings, ...older].toSorted((a, b) => b.createdAt - a.createdAt);
  return { post, costs: toPostCosts(costs), events: timeline, siblings: newest.slice(0, SIBLINGS) };
}
const SIBLINGS = 10;
export type PostHistory = NonNullable<Awaited<ReturnType<typeof readPostHistory>>>;

/** Archived events are older than all that are in the database. */
async function wholeTimeline(
  { files, log }: Deps,
  id: PostId,
  object: string | null,
  rows: readonly StoredEvent[],
): Promise<Event[]> {
  if (object === null) return postEvents.read(rows);
  const entries = await readObject(files, object);
  if (entries === null) log.error("archive_page_missing", new Error("The page is not in the bucket."), { object });
  const since = Date.now() - EVENT_LIFE_MS;
  const archived = ArchivedEvents.parse(entries?.[id] ?? []).filter(({ createdAt }) => createdAt >= since);
  return postEvents.read([...archived, ...rows].slice(0, SHOWN));
}
