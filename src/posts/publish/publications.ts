import { and, eq, gte, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { Channel } from "../../channels/store.ts";
import type { PostId } from "../../core/ids.ts";
import { sha256Hex } from "../../core/tokens.ts";
import { type Db, isUniqueViolation, readTogether, type Statement } from "../../db/client.ts";
import { insertWhere } from "../../db/insert-where.ts";
import { isOpenJob } from "../../jobs/store.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import { foldText } from "../../platforms/similar-text.ts";
import { PUBLISH } from "../jobs.ts";
import { publicationsTable } from "../table.ts";

/** SQL of what is, or may be, live: by item of a post, and by account over all projects (table.ts). */

type Account = Pick<Channel, "platform" | "accountId">;

/** Of everything that says the same; null where files of ours tell an item from all others. */
export async function fingerprintOf({ text, media }: ContentItem): Promise<string | null> {
  if (media.length > 0) return null;
  return (await sha256Hex(foldText(text).toLowerCase())).slice(0, 32);
}

export interface Intent extends Account {
  readonly postId: PostId;
  readonly item: number;
  readonly fingerprint: string | null;
  readonly begunAt: number;
}

/** Goes with the intent of the act; a repeat keeps what is known. */
export function insertIntent(db: Db, intent: Intent, condition: SQL): Statement {
  return insertWhere(db, publicationsTable, { ...intent, platformId: null }, condition).onConflictDoNothing();
}

/**
 * The platform told us this id in answer to our own act: it is ours, whoever else may have taken it for
 * theirs. Two statements for the transaction that stores the result.
 */
export function settlePublication(
  db: Db,
  { platform, postId, item }: Pick<Intent, "platform" | "postId" | "item">,
  platformId: string,
  held: SQL,
): Statement[] {
  const others = and(eq(publicationsTable.platform, platform), eq(publicationsTable.platformId, platformId));
  return [
    db
      .update(publicationsTable)
      .set({ platformId: null })
      .where(and(others, ne(publicationsTable.postId, postId), held)),
    db
      .update(publicationsTable)
      .set({ platformId })
      .where(and(eq(publicationsTable.postId, postId), eq(publicationsTable.item, item), held)),
  ];
}

/** Takes what a look-up found; false when it is another post's. */
export async function claimPublication(
  db: Db,
  { postId, item }: Pick<Intent, "postId" | "item">,
  platformId: string,
  held: SQL,
): Promise<boolean> {
  try {
    const rows = await db
      .update(publicationsTable)
      .set({ platformId })
      .where(and(eq(publicationsTable.postId, postId), eq(publicationsTable.item, item), held))
      .returning({ item: publicationsTable.item });
    return rows.length > 0;
  } catch (error) {
    if (isUniqueViolation(error, "publications")) return false;
    throw error;
  }
}

export interface Rivals {
  /** Platform ids that belong to other posts. */
  readonly taken: Set<string>;
  /**
   * Whether another post that says the same was begun before this one, and nobody knows yet what became of
   * it.
   */
  readonly isAmbiguous: boolean;
}

/** What other posts have put on the account since a time, whatever their project, by one D1 call. */
export async function findRivals(db: Db, intent: Intent, since: number): Promise<Rivals> {
  const { platform, accountId, postId, fingerprint, begunAt } = intent;
  const onAccount = and(
    eq(publicationsTable.platform, platform),
    eq(publicationsTable.accountId, accountId),
    gte(publicationsTable.begunAt, since),
    ne(publicationsTable.postId, postId),
  );
  const before = or(
    lt(publicationsTable.begunAt, begunAt),
    and(eq(publicationsTable.begunAt, begunAt), lt(publicationsTable.postId, postId)),
  );
  const twins = fingerprint === null ? sql`0` : and(eq(publicationsTable.fingerprint, fingerprint), before);
  // A post that was given up does not hold the others back.
  const isLookedFor = isOpenJob(PUBLISH, publicationsTable.postId);
  const { known, unsettled } = await readTogether(db, {
    known: db
      .select({ platformId: publicationsTable.platformId })
      .from(publicationsTable)
      .where(and(onAccount, isNotNull(publicationsTable.platformId))),
    unsettled: db
      .select({ postId: publicationsTable.postId })
      .from(publicationsTable)
      .where(and(onAccount, isNull(publicationsTable.platformId), twins, isLookedFor))
      .limit(1),
  });
  return {
    taken: new Set(known.flatMap(({ platformId }) => (platformId === null ? [] : [platformId]))),
    isAmbiguous: unsettled.length > 0,
  };
}

/** The act did nothing, surely: there is nothing to look for. */
export function dropIntent(db: Db, { postId, item }: Pick<Intent, "postId" | "item">, condition: SQL): Statement {
  const own = and(eq(publicationsTable.postId, postId), eq(publicationsTable.item, item));
  return db.delete(publicationsTable).where(and(own, isNull(publicationsTable.platformId), condition));
}
