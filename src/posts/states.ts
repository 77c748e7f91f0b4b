import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { isRateLimited } from "../channels/rate-limits.ts";
import { isQueuePaused } from "../channels/timetable.ts";
import type { Cause } from "../core/failures.ts";
import type { PostId } from "../core/ids.ts";
import type { Db, Statement } from "../db/client.ts";
import type { PlatformPost } from "../platforms/publishing.ts";
import { channelOf } from "./fragments.ts";
import type { Post } from "./store.ts";
import { postsTable } from "./table.ts";

/** Statements that change the state of a post, and conditions on its state. */

/** Whether a waiting post is not due yet, or its queue is paused. */
export function isNotItsTime(id: PostId, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state = 'queued'
    AND (posts.publish_at > ${now} OR ${isQueuePaused(sql`posts.channel_id`)}))`;
}

/** Whether the platform's rate limit for posts of its channel is reached. */
function isHeldUp(id: PostId, now: number): SQL {
  return isRateLimited(channelOf(id), "publish", now);
}

/** Due, or waiting for its first delivery. */
export function isWaiting(id: PostId, now: number): SQL {
  return sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state IN ('pending', 'scheduled', 'queued')
    AND posts.processing_at IS NULL) AND NOT ${isNotItsTime(id, now)} AND NOT ${isHeldUp(id, now)}`;
}

/**
 * Marks a claimed, due post as processing. No effect on a deleted post or while the platform's rate limit is
 * reached. No effect on a queued post that was moved, or whose queue was paused, since the claim. Two
 * statements.
 */
export function markProcessing(db: Db, id: PostId, now: number, held: SQL) {
  const isNew = and(eq(postsTable.id, id), isNull(postsTable.processingAt), held, sql`NOT ${isHeldUp(id, now)}`);
  const begun = { processingAt: now, updatedAt: now };
  return [
    // The index entry of a pending post does not change.
    db
      .update(postsTable)
      .set(begun)
      .where(and(isNew, eq(postsTable.state, "pending"))),
    db
      .update(postsTable)
      .set({ ...begun, state: "pending" })
      .where(and(isNew, inArray(postsTable.state, ["scheduled", "queued"]), sql`NOT ${isNotItsTime(id, now)}`)),
  ] as const;
}

export interface PublishedPost {
  readonly platformPosts: readonly PlatformPost[];
  readonly permalink: string | null;
}

/**
 * Live. A post that was deleted meanwhile stays deleted, but keeps its platform ids for the deletion there.
 */
export function markPublished(db: Db, id: PostId, published: PublishedPost, hasLease: SQL): Statement {
  const now = Date.now();
  return db
    .update(postsTable)
    .set({
      state: sql`CASE ${postsTable.state} WHEN 'deleted' THEN 'deleted' ELSE 'published' END`,
      platformPosts: published.platformPosts,
      permalink: published.permalink,
      error: null,
      errorCode: null,
      publishedAt: now,
      updatedAt: now,
    })
    .where(and(eq(postsTable.id, id), hasLease));
}

/**
 * Stores the permalink of a published post that has none, and the ids that came with it; also returns the
 * condition.
 */
export function setPermalink(db: Db, id: PostId, known: PublishedPost, now: number): readonly [SQL, Statement] {
  const lacksOne = sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state = 'published' AND posts.permalink IS NULL)`;
  const change = db
    .update(postsTable)
    .set({ ...known, updatedAt: now })
    .where(and(eq(postsTable.id, id), lacksOne));
  return [lacksOne, change];
}

/**
 * Failed, with the reason. Live items of a thread are kept for their deletion; without `live`, those of the
 * row stay, because it cannot be read.
 */
export function markFailed(
  db: Db,
  id: PostId,
  { code, message, live }: Cause & { readonly live?: readonly PlatformPost[] },
  hasLease: SQL,
): Statement {
  const now = Date.now();
  return db
    .update(postsTable)
    .set({
      state: sql`CASE ${postsTable.state} WHEN 'deleted' THEN 'deleted' ELSE 'failed' END`,
      error: message,
      errorCode: code,
      updatedAt: now,
      ...(live ? { platformPosts: live } : {}),
      ...(live && live.length > 0 ? { publishedAt: now } : {}),
    })
    .where(and(eq(postsTable.id, id), hasLease));
}

/** A condition: the post is deleted, so no job may call the platform for it. */
export function isDeleted(id: PostId): SQL {
  return sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state = 'deleted')`;
}

/** The progress of deleting a post at its platform. */
export function markRemoval(db: Db, id: PostId, removal: NonNullable<Post["removal"]>, held: SQL): Statement {
  return db
    .update(postsTable)
    .set({ removal })
    .where(and(eq(postsTable.id, id), eq(postsTable.state, "deleted"), held));
}
