import { eq, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../core/caller.ts";
import { AppError } from "../../core/errors.ts";
import type { ProjectId } from "../../core/ids.ts";
import { HOUR, MINUTE, SECOND } from "../../core/time.ts";
import type { Db } from "../../db/client.ts";
import type { Deps } from "../../service/deps.ts";
import type { PostDraft } from "../content/content.ts";
import { listUpcoming } from "../lists/upcoming.ts";
import { postCountsTable } from "../table.ts";

/**
 * What a project may have lying here (decisions.md, Tokens and limits): posts that wait, and the bytes of its
 * posts' texts. Both are read from the project's counter row, which triggers keep, beside what a request
 * reads anyway. Requests at the same moment see the same row: the number of posts is asked again in the
 * transaction that creates; of the bytes they may together pass the limit, by what they carry.
 */
export interface Usage {
  /** Drafts, scheduled, queued and on their way. */
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

/** A project without a post has no row. */
export function toUsage([usage = { waitingPosts: 0, storedBytes: 0 }]: readonly Usage[]): Usage {
  return usage;
}

/**
 * Holds, at the end of a transaction that creates a post, while no more posts wait than may (db/client.ts,
 * `requireStill`).
 */
export function isWithinQuota({ quotas }: Pick<Deps["config"], "quotas">, projectId: ProjectId): SQL {
  return sql`(SELECT waiting FROM post_counts WHERE project_id = ${projectId}) <= ${quotas.waitingPosts}`;
}

const encoder = new TextEncoder();

/** The bytes of a post's texts, as the triggers count them. */
export function contentBytes(draft: PostDraft): number {
  const { caption, mediaUrls, altTexts, hashTags, thread, extra, firstComment } = draft;
  const parts = [mediaUrls, altTexts, hashTags, thread, ...(extra ? [extra] : [])].map((part) => JSON.stringify(part));
  return encoder.encode(caption + parts.join("") + (firstComment ?? "")).byteLength;
}

/** Throws `quota_exceeded` when there is no room for one more waiting post. */
export async function requireRoomToWait({ db, config }: Deps, caller: Caller, usage: Usage): Promise<void> {
  const limit = config.quotas.waitingPosts;
  if (usage.waitingPosts < limit) return;
  const used = usage.waitingPosts.toLocaleString("en");
  throw new AppError(
    "quota_exceeded",
    `${used} posts of this project wait already (drafts, scheduled, queued and on their way); ${limit.toLocaleString("en")} may. Delete some, or try again when some have gone out.`,
    { retryAfterSeconds: await secondsToNext(db, caller) },
  );
}

/** Throws `quota_exceeded` when so many bytes more would be too many. */
export function requireRoomForBytes({ config }: Pick<Deps, "config">, usage: Usage, added: number): void {
  const limit = config.quotas.storedBytes;
  if (added <= 0 || usage.storedBytes + added <= limit) return;
  const [used, more, most] = [usage.storedBytes, added, limit].map((bytes) => bytes.toLocaleString("en"));
  throw new AppError(
    "quota_exceeded",
    `The posts of this project hold ${used} bytes of text, and this would add ${more}; ${most} may be stored. Delete old posts (their texts are forgotten 30 days later), or ask the operator of this service for more.`,
    { retryAfterSeconds: HOUR / SECOND },
  );
}

/** Until the next waiting post goes out: a minute when none has a time, an hour at most. */
async function secondsToNext(db: Db, caller: Caller): Promise<number> {
  const [next] = await listUpcoming(db, caller, 1);
  const ms = next ? Math.max(SECOND, next.publishAt - Date.now()) : MINUTE;
  return Math.ceil(Math.min(ms, HOUR) / SECOND);
}
