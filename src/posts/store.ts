import { and, asc, eq, isNotNull, lt, ne, type Placeholder, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { markStale } from "../archive/pages.ts";
import { type ChannelLabel, channelLabel } from "../channels/reference.ts";
import type { PostId, ProjectId } from "../core/ids.ts";
import { type Db, readTogether, runBatch, type Statement } from "../db/client.ts";
import { isAmong, isOwnAmong } from "../db/in-list.ts";
import { newestIdOf } from "../db/newest-id.ts";
import { template } from "../db/template.ts";
import { forgetEventsOf } from "../events/store.ts";
import { numberNoted, raiseNote } from "../jobs/sweep-notes.ts";
import type { Charge } from "../platforms/pricing.ts";
import { forgetPostCosts, selectPostCosts, toPostCosts } from "../usage/store.ts";
import { readOneResting, type Shelf, selectResting } from "./rest/read.ts";
import { picked } from "./rest/rows.ts";
import { selectAtRest, takeBackPosts } from "./rest/take-back.ts";
import { type Post, type PostState, postsAtRestTable, postsTable, publicationsTable } from "./table.ts";

export type { Post } from "./table.ts";

/** Throws unless the database answers and is migrated. */
export const probePosts = (db: Db): Promise<unknown> => db.run(sql`SELECT 1 FROM posts LIMIT 1`);

/** The id of the last `insertPost` of the same transaction; inserts into other tables do not change it. */
export const newestPostId = newestIdOf<PostId>("posts");

type InsertedPost = Pick<
  Post,
  | "projectId"
  | "channelId"
  | "channelType"
  | "state"
  | "postType"
  | "caption"
  | "captionHash"
  | "mediaUrls"
  | "altTexts"
  | "hashTags"
  | "thread"
  | "extra"
  | "declared"
  | "hasGeneratedMedia"
  | "options"
  | "firstComment"
  | "publishMode"
  | "timeZone"
  | "publishAt"
  | "slotAt"
  | "platformPosts"
  | "externalId"
  | "metadata"
  | "approvalState"
  | "approval"
  | "createdAt"
  | "updatedAt"
>;

/**
 * Adds a post. In one of several databases, its id is also above `firstId`, and above those of posts that
 * have moved to another one. The newest post may be at rest, because the newer ones left with their project:
 * the id is above that one too.
 */
export function insertPost(db: Db, post: InsertedPost) {
  return db.firstId === null ? insertNext(db, post) : insertAbove(db, { ...post, firstId: db.firstId });
}

type Place = (name: keyof InsertedPost) => Placeholder;
const nextId = (firstId: Placeholder): SQL<PostId> =>
  sql<PostId>`(SELECT max(coalesce(max(id), 0), coalesce((SELECT max(id) FROM posts_at_rest), 0), CAST(${firstId} AS INTEGER),
    ${numberNoted(MOVED_POSTS)}) + 1 FROM posts)`;
/** Null: the id after that of the newest row of `posts`. */
const idAfterRest = sql<PostId>`(SELECT max(id) + 1 FROM posts_at_rest WHERE id > coalesce(${newestPostId}, 0))`;

/** The highest id of a post that has left this database: no other post gets it. */
const MOVED_POSTS = "moved_posts";

/** Stores it, before posts leave. */
export const keepPostIds = (db: Db): Statement =>
  raiseNote(db, MOVED_POSTS, sql`SELECT max(${newestIn(sql`posts`)}, ${newestIn(sql`posts_at_rest`)})`);

const newestIn = (table: SQL): SQL => sql`coalesce((SELECT max(id) FROM ${table}), 0)`;

const insertNext = template<InsertedPost>()((db, place) => insertion(db, place, { id: idAfterRest }));
const insertAbove = template<InsertedPost & { readonly firstId: number }>()((db, place) =>
  insertion(db, place, { id: nextId(place("firstId")) }),
);

const insertion = (db: Db, place: Place, id: { readonly id?: SQL<PostId> } = {}) =>
  db
    .insert(postsTable)
    .values({
      ...id,
      projectId: place("projectId"),
      channelId: place("channelId"),
      channelType: place("channelType"),
      state: place("state"),
      postType: place("postType"),
      caption: place("caption"),
      captionHash: place("captionHash"),
      mediaUrls: place("mediaUrls"),
      altTexts: place("altTexts"),
      hashTags: place("hashTags"),
      thread: place("thread"),
      extra: place("extra"),
      declared: place("declared"),
      hasGeneratedMedia: place("hasGeneratedMedia"),
      options: place("options"),
      firstComment: place("firstComment"),
      publishMode: place("publishMode"),
      timeZone: place("timeZone"),
      publishAt: place("publishAt"),
      slotAt: place("slotAt"),
      platformPosts: place("platformPosts"),
      externalId: place("externalId"),
      metadata: place("metadata"),
      approvalState: place("approvalState"),
      approval: place("approval"),
      createdAt: place("createdAt"),
      updatedAt: place("updatedAt"),
    })
    .returning({ id: postsTable.id });

/** The columns of a post in answers. */
export const shownColumns = {
  id: postsTable.id,
  channelType: postsTable.channelType,
  channelId: postsTable.channelId,
  state: postsTable.state,
  processingAt: postsTable.processingAt,
  permalink: postsTable.permalink,
  error: postsTable.error,
  errorCode: postsTable.errorCode,
};
export type ShownPost = Pick<Post, keyof typeof shownColumns>;

/** The further columns of `include=content`. */
export const contentColumns = {
  ...shownColumns,
  postType: postsTable.postType,
  caption: postsTable.caption,
  mediaUrls: postsTable.mediaUrls,
  altTexts: postsTable.altTexts,
  hashTags: postsTable.hashTags,
  thread: postsTable.thread,
  extra: postsTable.extra,
  declared: postsTable.declared,
  hasGeneratedMedia: postsTable.hasGeneratedMedia,
  options: postsTable.options,
  firstComment: postsTable.firstComment,
  firstCommentResult: postsTable.firstCommentResult,
  publishMode: postsTable.publishMode,
  publishAt: postsTable.publishAt,
  timeZone: postsTable.timeZone,
  platformPosts: postsTable.platformPosts,
  externalId: postsTable.externalId,
  metadata: postsTable.metadata,
  createdAt: postsTable.createdAt,
  updatedAt: postsTable.updatedAt,
  publishedAt: postsTable.publishedAt,
  revision: postsTable.revision,
  approvalState: postsTable.approvalState,
  approval: postsTable.approval,
};
export const channelColumn = channelLabel(sql`posts.channel_id`);
export type PostWithContent = Pick<Post, keyof typeof contentColumns> & { readonly channel: ChannelLabel };

export function isContent(post: ShownPost | PostWithContent): post is PostWithContent {
  return "caption" in post;
}

/**
 * A post for find-post; null if the project has none, or it was deleted. One row read; for a post at rest
 * also one object of the bucket, as in the functions below.
 */
export async function findPost(shelf: Shelf, projectId: ProjectId, id: PostId): Promise<ShownPost | null> {
  const { db } = shelf;
  const { posts, resting } = await readTogether(db, {
    posts: db.select(shownColumns).from(postsTable).where(isVisible(projectId, id)),
    resting: selectResting(db, projectId, id),
  });
  return posts[0] ?? readOneResting(shelf, resting);
}

/** The same with its content, and what it has cost. One D1 call; three rows read. */
export async function findPostWithContent(
  shelf: Shelf,
  projectId: ProjectId,
  id: PostId,
): Promise<{ readonly post: PostWithContent; readonly costs: readonly Charge[] } | null> {
  const { db } = shelf;
  const { posts, costs, resting } = await readTogether(db, {
    posts: db
      .select({ ...contentColumns, channel: channelColumn })
      .from(postsTable)
      .where(isVisible(projectId, id)),
    costs: selectPostCosts(db, id),
    resting: selectResting(db, projectId, id),
  });
  const kept = await readOneResting(shelf, posts[0] ? [] : resting);
  const post =
    posts[0] ?? (kept && resting[0] ? { ...picked(kept, contentColumns), channel: resting[0].channel } : null);
  return post && { post, costs: toPostCosts(costs) };
}

export async function findWholePost(shelf: Shelf, projectId: ProjectId, id: PostId): Promise<Post | null> {
  const { db } = shelf;
  const { posts, resting } = await readTogether(db, {
    posts: db.select().from(postsTable).where(isVisible(projectId, id)),
    resting: selectResting(db, projectId, id),
  });
  return posts[0] ?? readOneResting(shelf, resting);
}

/** The same for who is about to change it: a post at rest is taken back, which is one more D1 call. */
export async function findPostToChange(shelf: Shelf, projectId: ProjectId, id: PostId): Promise<Post | null> {
  const { posts, kept } = await readTogether(shelf.db, {
    posts: shelf.db.select().from(postsTable).where(isVisible(projectId, id)),
    kept: selectAtRest(shelf.db, projectId, [id]),
  });
  if (posts[0]) return posts[0];
  await takeBackPosts(shelf, kept);
  return kept.length === 0 ? null : findWholePost(shelf, projectId, id);
}

export const isOwn = (projectId: ProjectId, id: PostId) =>
  and(eq(postsTable.id, id), eq(postsTable.projectId, projectId));

export const isVisible = (projectId: ProjectId, id: PostId) =>
  and(isOwn(projectId, id), ne(postsTable.state, "deleted"));

/** For jobs: deleted posts too. */
export function selectPostOfJob(db: Db, id: PostId | SQL) {
  return db.select().from(postsTable).where(sql`${postsTable.id} = ${id}`);
}

export function selectPostsOfJobs(db: Db, ids: readonly PostId[]) {
  return db.select().from(postsTable).where(isAmong(postsTable.id, ids));
}

/** For a batch: the project's posts that a request names, those at rest too. */
export function selectNamedPosts(db: Db, projectId: ProjectId, ids: readonly PostId[]) {
  const { id, channelId, state } = postsTable;
  const { id: restingId, channelId: restingChannelId } = postsAtRestTable;
  return unionAll(
    db
      .select({ id, channelId, state })
      .from(postsTable)
      .where(and(isOwnAmong(postsTable, projectId, ids), ne(state, "deleted"))),
    db
      .select({ id: restingId, channelId: restingChannelId, state: sql<PostState>`'published'`.as("state") })
      .from(postsAtRestTable)
      .where(isOwnAmong(postsAtRestTable, projectId, ids)),
  );
}

export async function findPostOfJob(db: Db, id: PostId): Promise<Post | null> {
  const [post] = await selectPostOfJob(db, id);
  return post ?? null;
}

/** The state in answers: a pending post is shown as processing once a delivery has begun. */
export function shownState({ state, processingAt }: Pick<Post, "state" | "processingAt">): PostState {
  return state === "pending" && processingAt !== null ? "processing" : state;
}

/** Whether posts were deleted before `before`. */
export const hasDeletedPosts = (before: number): SQL => sql`EXISTS (SELECT 1 FROM posts WHERE ${wasDeleted(before)})`;

const wasDeleted = (before: number) => and(lt(postsTable.deletedAt, before), isNotNull(postsTable.deletedAt));

/**
 * Purges posts that were deleted before `before`, with all their data, at most `limit` at a time. The newest
 * post overall is kept. `goesWith`: the statements of other features.
 */
export async function forgetDeletedPosts(
  db: Db,
  before: number,
  limit: number,
  goesWith: (ids: readonly PostId[]) => readonly Statement[],
): Promise<void> {
  const rows = await db
    .select({ id: postsTable.id })
    .from(postsTable)
    .where(and(wasDeleted(before), sql`posts.id < ${newestPostId}`))
    .orderBy(asc(postsTable.deletedAt))
    .limit(limit);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  const pages = sql`SELECT timeline_page FROM posts WHERE ${isAmong(postsTable.id, ids)} AND timeline_page IS NOT NULL`;
  await runBatch(db, [
    markStale(db, pages, Date.now()),
    db.delete(publicationsTable).where(isAmong(publicationsTable.postId, ids)),
    forgetPostCosts(db, ids),
    ...goesWith(ids),
    forgetEventsOf(db, "post", ids),
    db.delete(postsTable).where(and(isAmong(postsTable.id, ids), eq(postsTable.state, "deleted"))),
  ]);
}
