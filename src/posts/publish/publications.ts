import { and, eq, gte, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { listDatabasesOf } from "../../channels/account-databases.ts";
import type { Channel } from "../../channels/store.ts";
import type { PostId } from "../../core/ids.ts";
import { DAY } from "../../core/time.ts";
import { sha256Hex } from "../../core/tokens.ts";
import { type Db, isUniqueViolation, readTogether, type Statement, writeTogether } from "../../db/client.ts";
import type { Expired } from "../../db/expired.ts";
import { isAmong } from "../../db/in-list.ts";
import { insertWhere } from "../../db/insert-where.ts";
import { isOpenJob } from "../../jobs/store.ts";
import type { ContentItem } from "../../platforms/publishing.ts";
import { foldText } from "../../platforms/similar-text.ts";
import type { Deps } from "../../service/deps.ts";
import { PUBLISH } from "../jobs.ts";
import { isUnmarked, marksOf } from "../rest/mark.ts";
import type { Shelf } from "../rest/read.ts";
import { selectMarked, takeBackPosts } from "../rest/take-back.ts";
import { adoptionsTable, publicationsTable } from "../table.ts";

/**
 * SQL of items that are, or may be, live: by item of a post, and by account across all projects (table.ts).
 */

type Account = Pick<Channel, "platform" | "accountId">;

/**
 * The same for all items with the same content. Null if uploaded files make the item distinguishable from all
 * others.
 */
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

/** Stored with the intent of the act; a repeat keeps what is known. */
export function insertIntent(db: Db, intent: Intent, condition: SQL): Statement {
  return insertWhere(db, publicationsTable, { ...intent, platformId: null }, condition).onConflictDoNothing();
}

/**
 * Stores an id that the platform returned for our own act. It belongs to this item, even if another post
 * adopted it by mistake. Two statements, for the transaction that stores the result.
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

/** Adopts an item that a look-up found; false if it belongs to another post. */
export async function claimPublication(deps: Deps, intent: Intent, platformId: string, held: SQL): Promise<boolean> {
  if (deps.databases > 1 && !(await mayAdopt(deps, intent, platformId))) return false;
  const { db } = deps;
  const { postId, item, platform } = intent;
  const isFree = await isUnmarked(platform, platformId);
  try {
    const rows = await db
      .update(publicationsTable)
      .set({ platformId })
      .where(and(eq(publicationsTable.postId, postId), eq(publicationsTable.item, item), held, isFree))
      .returning({ item: publicationsTable.item });
    if (rows.length > 0) return true;
    // What is marked may be another item: then the index decides, as for all others.
    const kept = await selectMarked(db, await marksOf(platform, [platformId]));
    await takeBackPosts(deps, kept);
    return kept.length > 0 && (await claimPublication(deps, intent, platformId, held));
  } catch (error) {
    if (isUniqueViolation(error, "publications")) return false;
    throw error;
  }
}

/**
 * Takes the right to adopt the item, for one post of all databases. Repeatable by that post. An item that a
 * post elsewhere has got as the answer to its own act is that post's.
 */
async function mayAdopt(deps: Deps, intent: Intent, platformId: string): Promise<boolean> {
  const { platform, accountId, postId, item } = intent;
  const { directory } = deps;
  const own = { platform, platformId, postId, item, createdAt: Date.now() };
  const { holder } = await writeTogether(directory, {
    taken: directory.insert(adoptionsTable).values(own).onConflictDoNothing(),
    holder: directory
      .select({ postId: adoptionsTable.postId, item: adoptionsTable.item })
      .from(adoptionsTable)
      .where(and(eq(adoptionsTable.platform, platform), eq(adoptionsTable.platformId, platformId))),
  });
  if (holder[0]?.postId !== postId || holder[0].item !== item) return false;
  for (const other of await elsewhere(deps, platform, accountId)) {
    const holders = await listPublished(other, platform, [platformId]);
    if (holders.some((post) => post.postId !== postId)) return false;
  }
  return true;
}

/** Rights that are older than any look-up for the same item. */
export const expiredAdoptions = (now: number): Expired => ({
  table: adoptionsTable,
  where: lt(adoptionsTable.createdAt, now - ADOPTION_LIFE_MS),
});

const ADOPTION_LIFE_MS = 90 * DAY;

/** The other databases that have the account. */
async function elsewhere(deps: Deps, platform: Channel["platform"], accountId: string): Promise<readonly Deps[]> {
  const numbers = await listDatabasesOf(deps, platform, [accountId]);
  return numbers.filter((database) => database !== deps.database).map((database) => deps.in(database));
}

/**
 * The posts with these platform ids, on accounts of any project. Those at rest, and under the condition
 * `when`, are taken back: the archive has their ids.
 */
export async function listPublished(
  shelf: Shelf,
  platform: Channel["platform"],
  ids: readonly string[],
  when?: SQL,
): Promise<readonly { readonly postId: PostId; readonly platformId: string | null }[]> {
  const { db } = shelf;
  const { postId, platformId } = publicationsTable;
  const { published, kept } = await readTogether(db, {
    published: db
      .select({ postId, platformId })
      .from(publicationsTable)
      .where(and(eq(publicationsTable.platform, platform), isAmong(platformId, ids))),
    kept: selectMarked(db, await marksOf(platform, ids), when),
  });
  if (kept.length === 0) return published;
  await takeBackPosts(shelf, kept);
  return listPublished(shelf, platform, ids, when);
}

export interface Rivals {
  /** Platform ids that belong to other posts. */
  readonly taken: Set<string>;
  /**
   * Whether another post with the same content was begun before this one and its outcome is still unknown.
   */
  readonly isAmbiguous: boolean;
}

/**
 * What other posts, of any project, have published on the account since a time. One D1 call for each database
 * that has the account, and one more where there are several databases.
 */
export async function findRivals(deps: Deps, intent: Intent, since: number): Promise<Rivals> {
  const own = await findRivalsIn(deps.db, intent, since);
  if (deps.databases === 1) return own;
  const others = await elsewhere(deps, intent.platform, intent.accountId);
  const found = [own, ...(await Promise.all(others.map(({ db }) => findRivalsIn(db, intent, since))))];
  return {
    taken: new Set(found.flatMap(({ taken }) => [...taken])),
    isAmbiguous: found.some(({ isAmbiguous }) => isAmbiguous),
  };
}

async function findRivalsIn(db: Db, intent: Intent, since: number): Promise<Rivals> {
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
  // A post whose job gave up does not block the others.
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

/** Deletes the intent of an act that certainly did nothing: no look-up is needed. */
export function dropIntent(db: Db, { postId, item }: Pick<Intent, "postId" | "item">, condition: SQL): Statement {
  const own = and(eq(publicationsTable.postId, postId), eq(publicationsTable.item, item));
  return db.delete(publicationsTable).where(and(own, isNull(publicationsTable.platformId), condition));
}
