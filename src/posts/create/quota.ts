import { eq, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import type { ProjectId } from "../../core/ids.ts";
import { HOUR, MINUTE, SECOND } from "../../core/time.ts";
import type { Db } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import type { PostContent } from "../content/content.ts";
import { listUpcoming } from "../lists/upcoming.ts";
import { postCountsTable } from "../table.ts";

/**
 * The quotas of a project for posts: waiting posts, and bytes of texts. Both are in the project's counter
 * row, which triggers keep, and are read with everything else that a request reads. Concurrent requests read
 * the same row: the transaction that creates a post checks the number of posts again; the bytes may exceed
 * their quota by what these requests carry.
 */

export interface Usage {
  /** Drafts, scheduled, queued, and being published. */
  readonly waitingPosts: number;
  readonly storedBytes: number;
}

/** The project's counter row, for a batch. */
export function selectUsage(db: Db, { projectId }: Pick<Caller, "projectId">) {
  return db
    .select({ waitingPosts: postCountsTable.waiting, storedBytes: postCountsTable.bytes })
    .from(postCountsTable)
    .where(eq(postCountsTable.projectId, projectId));
}

/** A project without posts has no row. */
export function toUsage([usage = { waitingPosts: 0, storedBytes: 0 }]: readonly Usage[]): Usage {
  return usage;
}

/**
 * True at the end of a transaction that creates a post, while the quota of waiting posts holds (db/client.ts,
 * `requireStill`).
 */
export function isWithinQuota({ quotas }: Pick<Deps["config"], "quotas">, projectId: ProjectId): SQL {
  return sql`(SELECT waiting FROM post_counts WHERE project_id = ${projectId}) <= ${quotas.waitingPosts}`;
}

/** The same of the bytes of texts, for what adds to them by itself (files of posts). */
export function isWithinBytes({ config }: Pick<Deps, "config">, projectId: ProjectId): SQL {
  return sql`coalesce((SELECT bytes FROM post_counts WHERE project_id = ${projectId}), 0) <= ${config.quotas.storedBytes}`;
}

const encoder = new TextEncoder();

/** The bytes of a post's texts, as the triggers count them. */
export function contentBytes(draft: PostContent): number {
  const { caption, mediaUrls, altTexts, hashTags, thread, extra, firstComment } = draft;
  const parts = [mediaUrls, altTexts, hashTags, thread, ...(extra ? [extra] : [])].map((part) => JSON.stringify(part));
  return encoder.encode(caption + parts.join("") + (firstComment ?? "")).byteLength;
}

/** Throws `quota_exceeded` if there is no room for one more waiting post. */
export async function requireRoomToWait({ db, config }: Deps, caller: Caller, usage: Usage): Promise<void> {
  const limit = config.quotas.waitingPosts;
  if (usage.waitingPosts < limit) return;
  const used = usage.waitingPosts.toLocaleString("en");
  throw new AppError(
    "quota_exceeded",
    `${used} posts of this project are waiting (drafts, scheduled, queued and being published); the maximum is ${limit.toLocaleString("en")}. Delete some, or try again after some were published.`,
    { retryAfterSeconds: await secondsToNext(db, caller) },
  );
}

/** Throws `quota_exceeded` if this many more bytes exceed the quota. */
export function requireRoomForBytes({ config }: Pick<Deps, "config">, usage: Usage, added: number): void {
  const limit = config.quotas.storedBytes;
  if (added <= 0 || usage.storedBytes + added <= limit) return;
  const [used, more, most] = [usage.storedBytes, added, limit].map((bytes) => bytes.toLocaleString("en"));
  throw new AppError(
    "quota_exceeded",
    `The posts of this project, with files of posts that are not imported yet, hold ${used} bytes of text, and this would add ${more}; the maximum is ${most}. Delete old posts (their texts are purged 30 days later), or ask the operator of this service for a higher quota.`,
    { retryAfterSeconds: HOUR / SECOND },
  );
}

/** Seconds until the next waiting post is due: a minute if none has a time, at most an hour. */
async function secondsToNext(db: Db, caller: Caller): Promise<number> {
  const [next] = await listUpcoming(db, caller, { limit: 1 });
  const ms = next ? Math.max(SECOND, next.publishAt - Date.now()) : MINUTE;
  return Math.ceil(Math.min(ms, HOUR) / SECOND);
}
