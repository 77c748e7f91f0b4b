import { and, eq, type SQL, sql } from "drizzle-orm";
import { nameOfPage, readObject } from "../../archive/pages.ts";
import { channelLabel } from "../../channels/reference.ts";
import type { PostId, ProjectId } from "../../core/ids.ts";
import type { Db } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import { type Post, postsAtRestTable } from "../table.ts";
import { RestingEntry, toPost } from "./rows.ts";

/** Reading posts at rest (move.ts): what the database has of them, then their rows from the archive. */

/** What reads posts: the database, and the bucket for old ones. */
export type Shelf = Pick<Deps, "db" | "files">;

const { id, projectId, page, channelId } = postsAtRestTable;

/** The columns by which `readResting` finds the row of a post. */
export const restingColumns = {
  // A batch returns the columns of a join by their names.
  id: sql<PostId>`posts_at_rest.id`.as("rest_id"),
  object: nameOfPage(sql`posts_at_rest.page`).as("rest_object"),
};
export interface Resting {
  readonly id: PostId;
  /** The object of its page. */
  readonly object: string | null;
}

export const restingChannel = channelLabel(sql`posts_at_rest.channel_id`);

/** For a batch: the post, if it is the project's and at rest. */
export function selectResting(db: Db, project: ProjectId, post: PostId) {
  return db
    .select({
      ...restingColumns,
      page,
      channelId,
      channel: restingChannel.as("rest_channel"),
      timelineObject: nameOfPage(sql`posts_at_rest.timeline_page`).as("timeline_object"),
    })
    .from(postsAtRestTable)
    .where(isOwn(project, post));
}

const isOwn = (project: ProjectId, post: PostId) => and(eq(id, post), eq(projectId, project));

/** The whole rows of these posts by their ids: one read of the bucket for each page. */
export async function readResting(
  shelf: Pick<Deps, "files">,
  posts: readonly Resting[],
): Promise<ReadonlyMap<PostId, Post>> {
  const rows = await readRestingRows(shelf, posts);
  return new Map([...rows].map(([own, row]) => [own, toPost(row)]));
}

/** The same as they are stored: values by column. */
export async function readRestingRows(
  { files }: Pick<Deps, "files">,
  posts: readonly Resting[],
): Promise<ReadonlyMap<PostId, RestingEntry["row"]>> {
  const pages = [...Map.groupBy(posts, ({ object }) => object)];
  const read = await Promise.all(
    pages.map(async ([object, own]) => {
      const entries = await readPageOf(files, object);
      return own.map((post) => [post.id, entryOf(entries, post.id).row] as const);
    }),
  );
  return new Map(read.flat());
}

/** The one post of a batch's `selectResting`; null if it has none. */
export async function readOneResting(shelf: Pick<Deps, "files">, found: readonly Resting[]): Promise<Post | null> {
  const [first] = found;
  return first ? ((await readResting(shelf, [first])).get(first.id) ?? null) : null;
}

export type PageEntries = Readonly<Record<string, unknown>>;

/** The entries of a page. A page that is gone is an error: its posts must not seem not to exist. */
export async function readPageOf(files: R2Bucket, object: string | null): Promise<PageEntries> {
  const entries = object === null ? null : await readObject(files, object);
  if (entries === null) throw new Error(`The page ${object} of old posts is not in the bucket.`);
  return entries;
}

export function entryOf(entries: PageEntries, post: number): RestingEntry {
  return RestingEntry.parse(entries[post]);
}

/** The posts of which something is in this page of the archive. `ids`: JSON. */
export const postsInPage = (ids: string, archivePage: SQL): SQL =>
  sql`SELECT id FROM posts WHERE id IN (SELECT value FROM json_each(${ids})) AND timeline_page = ${archivePage}
    UNION ALL SELECT id FROM posts_at_rest WHERE id IN (SELECT value FROM json_each(${ids}))
    AND (timeline_page = ${archivePage} OR page = ${archivePage})`;
