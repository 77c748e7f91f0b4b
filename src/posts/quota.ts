import { eq } from "drizzle-orm";
import type { Caller } from "../core/caller.ts";
import { AppError } from "../core/errors.ts";
import { HOUR, MINUTE, SECOND } from "../core/time.ts";
import type { Db } from "../db/client.ts";
import type { Deps } from "../deps.ts";
import type { PostDraft } from "./content.ts";
import { type PostState, postCountsTable } from "./table.ts";
import { listUpcoming } from "./upcoming.ts";

/**
 * What a project may have lying here (decisions.md, Tokens and limits): posts that wait, and the bytes of its posts' texts. Both
 * are read from the project's counter row, which triggers keep, beside what a request reads anyway. Requests at the same moment
 * see the same row: together they may pass the limit by as many as they are.
 */
const WAITING: readonly PostState[] = ["draft", "pending", "processing", "scheduled", "queued"];

export interface Usage {
  readonly waitingPosts: number;
  readonly storedBytes: number;
}

/** The project's counter row, for a batch. */
export function selectUsage(db: Db, { projectId }: Pick<Caller, "projectId">) {
  return db
    .select({ counts: postCountsTable.counts, bytes: postCountsTable.bytes })
    .from(postCountsTable)
    .where(eq(postCountsTable.projectId, projectId));
}

export function toUsage([row]: Awaited<ReturnType<typeof selectUsage>>): Usage {
  let waitingPosts = 0;
  for (const [key, count] of Object.entries(row?.counts ?? {})) {
    if (WAITING.some((state) => key.endsWith(`.${state}`))) waitingPosts += count;
  }
  return { waitingPosts, storedBytes: row?.bytes ?? 0 };
}

const encoder = new TextEncoder();

/** The bytes of a post's texts, as the triggers count them. */
export function contentBytes(draft: PostDraft): number {
  const { caption, mediaUrls, altTexts, hashTags, thread, extra } = draft;
  const parts = [mediaUrls, altTexts, hashTags, thread, ...(extra ? [extra] : [])].map((part) => JSON.stringify(part));
  return encoder.encode(caption + parts.join("")).byteLength;
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
