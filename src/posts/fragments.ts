import { type SQL, sql } from "drizzle-orm";
import type { ChannelId, PostId } from "../core/ids.ts";

/** SQL fragments about posts, for the statements of other features. */

/** Of a post at rest too. */
export const channelOf = (id: PostId | SQL): SQL => sql`coalesce((SELECT channel_id FROM posts WHERE posts.id = ${id}),
  (SELECT channel_id FROM posts_at_rest WHERE posts_at_rest.id = ${id}))`;

export const platformOf = (id: PostId | SQL): SQL => sql`(SELECT channel_type FROM posts WHERE posts.id = ${id})`;

/** A condition: the post is published and not deleted. */
export function isLivePost(id: PostId | SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.state = 'published' AND posts.deleted_at IS NULL)`;
}

/** The other fragments are queries of `id` and `channel_id`. */

export const livePost = (id: PostId | SQL): SQL =>
  sql`SELECT posts.id, posts.channel_id FROM posts WHERE posts.id = ${id} AND posts.state = 'published'`;

/** Those at rest too. */
export const postsAmong = (ids: readonly PostId[]): SQL =>
  sql`SELECT id, channel_id FROM posts WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
    UNION ALL SELECT id, channel_id FROM posts_at_rest WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/** `ids`: a query. */
export const livePostsAmong = (ids: SQL): SQL =>
  sql`SELECT id, channel_id FROM posts WHERE state = 'published' AND id IN (${ids})`;

/** The live ones among the newest posts of each channel. */
export function newestLivePosts(channelIds: readonly ChannelId[], most: number): SQL {
  return sql`SELECT posts.id AS id, posts.channel_id AS channel_id
    FROM json_each(${JSON.stringify(channelIds)}) AS channel JOIN posts ON posts.id IN (${newestOfChannel(sql`channel.value`, most)})
    WHERE posts.state = 'published'`;
}

/** A query of the ids of a channel's newest posts. */
export function newestOfChannel(channelId: SQL, most: number): SQL {
  return sql`SELECT newest.id FROM posts AS newest WHERE newest.channel_id = ${channelId} AND newest.deleted_at IS NULL
    ORDER BY newest.created_at DESC, newest.tie_id DESC LIMIT ${most}`;
}

/** A position among the posts of one channel, newest first. */
export interface PostPosition {
  readonly createdAt: number;
  readonly id: number;
}

/** The next older posts of a channel, in any state; also selects `created_at` and `state`. */
export function olderPosts(channelId: ChannelId, after: PostPosition, most: number): SQL {
  return sql`SELECT id, channel_id, created_at, state FROM posts WHERE channel_id = ${channelId} AND deleted_at IS NULL
    AND (created_at, tie_id) < (${after.createdAt}, ${after.id}) ORDER BY created_at DESC, tie_id DESC LIMIT ${most}`;
}

/** A condition: the post is deleted, and not yet forgotten. */
export const isDeletedPost = (id: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM posts WHERE posts.id = ${id} AND posts.deleted_at IS NOT NULL)`;

/** The live items of a post with their latest ids; null if the post is in the archive. */
export const liveItems = (id: SQL): SQL => sql`(SELECT platform_posts FROM posts WHERE posts.id = ${id})`;

/** The post with all columns, if it is live and not deleted. */
export const publishedPost = (id: PostId): SQL =>
  sql`SELECT * FROM posts WHERE id = ${id} AND state = 'published' AND published_at IS NOT NULL AND deleted_at IS NULL`;

/** The projects that have created posts in this database: `project_id`. */
export const projectsWithPosts: SQL = sql`SELECT project_id FROM post_counts`;
