import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { FeedId, ProjectId } from "../../core/ids.ts";
import { type Db, readTogether, requireStill, type Statement } from "../../db/client.ts";
import { newestIdOf } from "../../db/newest-id.ts";
import type { EventOf } from "../../events/store.ts";
import { type FEED_EVENTS, feedEvents, type StopReason } from "./events.ts";
import { type FeedStop, stopSentence } from "./feed-problems.ts";
import { feedsTable } from "./table.ts";

export type Feed = typeof feedsTable.$inferSelect;
export type NewFeed = typeof feedsTable.$inferInsert;

export const newestFeedId = newestIdOf<FeedId>("feeds");

export function insertFeed(db: Db, feed: NewFeed) {
  return db.insert(feedsTable).values(feed).returning({ id: feedsTable.id });
}

const isOwn = (projectId: ProjectId, id: FeedId) => and(eq(feedsTable.id, id), eq(feedsTable.projectId, projectId));

export async function findFeed(db: Db, projectId: ProjectId, id: FeedId): Promise<Feed | null> {
  const [found] = await db.select().from(feedsTable).where(isOwn(projectId, id));
  return found ?? null;
}

export async function findFeedOfTask(db: Db, id: FeedId): Promise<Feed | null> {
  const [found] = await db.select().from(feedsTable).where(eq(feedsTable.id, id));
  return found ?? null;
}

/** The newest first. */
export function listFeeds(db: Db, projectId: ProjectId, limit: number): Promise<Feed[]> {
  return db
    .select()
    .from(feedsTable)
    .where(eq(feedsTable.projectId, projectId))
    .orderBy(desc(feedsTable.id))
    .limit(limit);
}

/** Those that this service has stopped, for a batch: a project has at most 50. */
export function selectStoppedFeeds(db: Db, projectId: ProjectId, limit: number) {
  const { id, name, url, stopReason, updatedAt, state } = feedsTable;
  return db
    .select({ id, name, url, stopReason, updatedAt })
    .from(feedsTable)
    .where(and(eq(feedsTable.projectId, projectId), eq(state, "stopped")))
    .orderBy(desc(id))
    .limit(limit);
}

export function countFeeds(db: Db, projectId: ProjectId) {
  return db.select({ count: sql<number>`count(*)` }).from(feedsTable).where(eq(feedsTable.projectId, projectId));
}

const MOST_EVENTS = 500;

/** The timeline, oldest first: one D1 call. Null without such a feed. */
export async function readFeedTimeline(db: Db, projectId: ProjectId, id: FeedId) {
  const { feeds, events } = await readTogether(db, {
    feeds: db.select({ id: feedsTable.id }).from(feedsTable).where(isOwn(projectId, id)),
    events: feedEvents.select(db, id, MOST_EVENTS),
  });
  return feeds[0] ? feedEvents.read(events) : null;
}

export function selectJournal(db: Db, id: FeedId) {
  const { revision, state } = feedsTable;
  return db.select({ revision, state }).from(feedsTable).where(eq(feedsTable.id, id));
}

type FeedEvent = EventOf<typeof FEED_EVENTS>;
type Changes = Partial<NewFeed>;

/** A condition: the journal and the template are as they were read, and the feed is active. */
const isAsRead = ({ revision }: Feed): SQL => sql`(state = 'active' AND revision = ${revision})`;

/**
 * Moves the journal on, with the events of the entry, for the transaction that creates its posts: it fails if
 * another run has handled the entry, or the feed was changed, paused or deleted.
 */
export function moveOn(db: Db, feed: Feed, changes: Changes, events: readonly FeedEvent[] = []): readonly Statement[] {
  const { id, updatedAt, revision } = feed;
  const asRead = isThere(id, isAsRead(feed));
  return [
    requireStill(db, asRead),
    ...events.map((event) => insertEvent(db, feed, event, asRead)),
    db
      .update(feedsTable)
      .set({ updatedAt, ...changes, revision: revision + 1 })
      .where(eq(feedsTable.id, id)),
  ];
}

/** Stores the outcome of a reading, unless the feed was changed since. */
export function endReading(db: Db, feed: Feed, changes: Changes, events: readonly FeedEvent[] = []) {
  return [
    ...events.map((event) => insertEvent(db, feed, event, isThere(feed.id, isAsRead(feed)))),
    db
      .update(feedsTable)
      .set(changes)
      .where(and(eq(feedsTable.id, feed.id), isAsRead(feed))),
  ];
}

/** A request's change of a feed as it was read: with `returning`, whether it was made. */
export function changeFeed(db: Db, feed: Feed, changes: Changes, event: FeedEvent | null) {
  const isSame = sql`(revision = ${feed.revision} AND state = ${feed.state})`;
  return {
    event: event && insertEvent(db, feed, event, isThere(feed.id, isSame)),
    changed: db
      .update(feedsTable)
      .set({ ...changes, revision: feed.revision + 1 })
      .where(and(eq(feedsTable.id, feed.id), isSame))
      .returning(),
  };
}

export function deleteFeed(db: Db, projectId: ProjectId, id: FeedId) {
  return db.delete(feedsTable).where(isOwn(projectId, id)).returning({ id: feedsTable.id });
}

const isThere = (id: FeedId, condition: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM feeds WHERE id = ${id} AND ${condition})`;

function insertEvent(db: Db, { id: subjectId, projectId }: Feed, event: FeedEvent, when: SQL): Statement {
  return feedEvents.insert(db, { ...event, projectId, subjectId, at: Date.now() }, when);
}

export const aboutFeed = ({ name, url }: Feed) => ({ name, url });

/** What stops a feed. */
export function stopping(feed: Feed, reason: StopReason, stopReason: FeedStop) {
  const event = {
    type: "feed.stopped",
    message: stopSentence(stopReason),
    detail: { ...aboutFeed(feed), reason },
  } as const;
  return { changes: { state: "stopped", stopReason, updatedAt: Date.now() } as const, event };
}

/** What reports new entries that get no posts. */
export function entriesPassed(feed: Feed, passed: number) {
  const entries = passed === 1 ? "A new entry was passed over" : `${passed} new entries were passed over`;
  const message = `${entries}: one reading takes the 20 newest.`;
  return { type: "feed.entries_passed", message, detail: { ...aboutFeed(feed), passed } } as const;
}
