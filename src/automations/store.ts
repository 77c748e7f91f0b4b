import { and, eq, getTableColumns, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
import { postsOfCampaigns } from "../boosts/store.ts";
import { isConnected } from "../channels/store.ts";
import type { AutomationId, ChannelId, PostId, ProjectId } from "../core/ids.ts";
import type { Paced, PageOf } from "../core/page.ts";
import { type Db, readTogether, runBatch, type Statement } from "../db/client.ts";
import { type Direction, type IdPart, readIdPage, type WalkOf, walkIds } from "../db/id-list.ts";
import { isAmong } from "../db/in-list.ts";
import { insertWhere } from "../db/insert-where.ts";
import { newestIdOf } from "../db/newest-id.ts";
import { forgetEventsOf } from "../events/store.ts";
import { keyFor } from "../jobs/key-for.ts";
import { nextDueOf, nextDueOfGroup } from "../jobs/recurring-store.ts";
import { livePost, postsAmong } from "../posts/fragments.ts";
import { COMMENTS, WATCH_GROUP } from "./jobs.ts";
import {
  type Automation,
  automationCountsTable,
  automationsTable,
  automationTargetsTable,
  repliedAuthorsTable,
  repliesTable,
  type Settings,
} from "./table.ts";

/** SQL of the automations. SQL of comments and answers is in reply-store.ts, of polls in watch-store.ts. */

/** An automation for a list, with the time of the next poll of its posts; null if none is polled. */
export interface ListedAutomation extends Automation {
  readonly nextCheckAt: number | null;
}

/** The next poll of its first few channels or posts, by one index entry each. */
/** A list reads no more than this many channels of a bot with hundreds. */
const CHECKED = 4;
const checkedPosts = sql`SELECT ${keyFor(COMMENTS, sql`value`)} FROM json_each(${automationsTable.postIds}) LIMIT ${CHECKED}`;
const checkedChannels = sql`json_each(${automationsTable.channelIds}) AS channel LIMIT ${CHECKED}`;
const nextCheckAt = sql<
  number | null
>`CASE WHEN ${automationsTable.targetType} = 'posts' THEN ${nextDueOf(checkedPosts)}
  ELSE (SELECT min(soonest) FROM (SELECT ${nextDueOfGroup(sql`${WATCH_GROUP} || channel.value`)} AS soonest
    FROM ${checkedChannels})) END`;
const listedColumns = { ...getTableColumns(automationsTable), nextCheckAt };

/** The id of the last insert of the same transaction. */
export const newestAutomationId = newestIdOf<AutomationId>("automations");

const isVisible = (projectId: ProjectId, id: AutomationId) =>
  and(eq(automationsTable.id, id), eq(automationsTable.projectId, projectId), isNull(automationsTable.deletedAt));

/** Null if the project has no such automation, or it was deleted. */
export async function findAutomation(db: Db, projectId: ProjectId, id: AutomationId): Promise<ListedAutomation | null> {
  const [row] = await db.select(listedColumns).from(automationsTable).where(isVisible(projectId, id));
  return row ?? null;
}

/** For jobs: deleted ones too. */
export function selectAutomation(db: Db, id: AutomationId | SQL) {
  return db.select().from(automationsTable).where(sql`${automationsTable.id} = ${id}`);
}

/**
 * A page of the project's automations; null for a page too far from both ends. Near the start it is one D1
 * call.
 */
export async function listAutomations(
  db: Db,
  projectId: ProjectId,
  { direction, ...wanted }: Paced & { readonly direction: Direction },
): Promise<PageOf<ListedAutomation> | null> {
  const rows = (part: IdPart) => selectListed(db, projectId, part);
  const counter = db
    .select({ total: automationCountsTable.automations })
    .from(automationCountsTable)
    .where(eq(automationCountsTable.projectId, projectId));
  const totalOf = ([row]: readonly { readonly total: number }[]) => row?.total ?? 0;
  return readIdPage(
    wanted,
    { id: automationsTable.id, direction },
    {
      rows,
      total: async () => totalOf(await counter),
      async together(part) {
        const { items, counts } = await readTogether(db, { items: rows(part), counts: counter });
        return { items, total: totalOf(counts) };
      },
    },
  );
}

/** The automations after an id, in the given direction: one D1 call. */
export function listAutomationsByCursor(
  db: Db,
  projectId: ProjectId,
  { direction, ...wanted }: { readonly after: number | null; readonly limit: number; readonly direction: Direction },
): Promise<WalkOf<ListedAutomation>> {
  return walkIds(wanted, { id: automationsTable.id, direction }, { rows: (part) => selectListed(db, projectId, part) });
}

function selectListed(db: Db, projectId: ProjectId, { where, orderBy, limit, offset }: IdPart) {
  return db
    .select(listedColumns)
    .from(automationsTable)
    .where(and(eq(automationsTable.projectId, projectId), isNull(automationsTable.deletedAt), where))
    .orderBy(orderBy)
    .limit(limit)
    .offset(offset);
}

/** For a batch: the project's automations that answer comments under a post. */
export function selectActiveAutomations(db: Db, channelId: ChannelId | SQL, postId: PostId | SQL) {
  const targeted = sql`(SELECT automation_id FROM automation_targets
    WHERE automation_targets.channel_id = ${channelId} AND automation_targets.post_id IN (0, ${postId}))`;
  return db
    .select()
    .from(automationsTable)
    .where(sql`${automationsTable.id} IN ${targeted} AND state = 'active' AND deleted_at IS NULL`);
}

/** The same for several posts of one channel, with the post of each; 0 is every post. */
export function selectActiveAutomationsOf(db: Db, channelId: SQL, postIds: readonly PostId[]) {
  const isTargeted = sql`automation_targets.channel_id = ${channelId}
    AND automation_targets.post_id IN (SELECT value FROM json_each(${JSON.stringify([0, ...postIds])}))`;
  const targeted = sql`(SELECT automation_id FROM automation_targets WHERE ${isTargeted})`;
  return {
    active: db
      .select()
      .from(automationsTable)
      .where(sql`${automationsTable.id} IN ${targeted} AND state = 'active' AND deleted_at IS NULL`),
    targets: db
      .select({ automationId: automationTargetsTable.automationId, postId: automationTargetsTable.postId })
      .from(automationTargetsTable)
      .where(isTargeted),
  };
}

/**
 * True while the automation answers comments under the post: it is active and covers the post, which is live
 * on a connected channel.
 */
export function stillAnswers(automationId: AutomationId | SQL, postId: PostId | SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM automations JOIN (${livePost(postId)}) AS live
    JOIN automation_targets ON automation_targets.channel_id = live.channel_id
      AND automation_targets.post_id IN (0, live.id) AND automation_targets.automation_id = automations.id
    WHERE automations.id = ${automationId} AND automations.state = 'active' AND automations.deleted_at IS NULL
      AND ${isConnected(sql`live.channel_id`)})`;
}

export function insertAutomation(db: Db, projectId: ProjectId, settings: Settings, now: number) {
  const times = { activeSince: now, createdAt: now, updatedAt: now };
  return db
    .insert(automationsTable)
    .values({ ...settings, projectId, state: "active", ...times })
    .returning();
}

/** For a batch: stores the automation's targets, after the previous ones were cleared. */
export function insertTargets(db: Db, id: AutomationId | SQL<AutomationId>, settings: Settings): Statement {
  const values = {
    automationId: id,
    channelId: sql<ChannelId>`target.channel_id`,
    postId: sql<PostId>`target.post_id`,
  };
  return insertWhere(db, automationTargetsTable, values, { from: sql`(${targetsOf(settings)}) AS target` });
}

/** Its channels and posts; for campaigns their posts, each once. */
function targetsOf({ targetType, channelIds, postIds, campaignIds }: Settings): SQL {
  switch (targetType) {
    case "all":
      return sql`SELECT value AS channel_id, 0 AS post_id FROM json_each(${JSON.stringify(channelIds)})`;
    case "posts":
      return sql`SELECT channel_id, id AS post_id FROM (${postsAmong(postIds ?? [])})`;
    case "campaigns":
      return sql`SELECT channel_id, id AS post_id FROM (${postsOfCampaigns(campaignIds ?? [])})`;
  }
}

export function clearTargets(db: Db, id: AutomationId | SQL<AutomationId>): Statement {
  return db.delete(automationTargetsTable).where(sql`${automationTargetsTable.automationId} = ${id}`);
}

/** Written only if the automation is as it was read (`requireStill` with `isUnchanged`). */
export function updateAutomation(
  db: Db,
  { id, revision }: Pick<Automation, "id" | "revision">,
  change: Partial<Settings> & Partial<Pick<Automation, "state" | "activeSince">>,
  now: number,
) {
  return db
    .update(automationsTable)
    .set({ ...change, revision: revision + 1, updatedAt: now })
    .where(eq(automationsTable.id, id))
    .returning();
}

export function isUnchanged({ id, revision }: Pick<Automation, "id" | "revision">): SQL {
  return sql`EXISTS (SELECT 1 FROM automations WHERE id = ${id} AND revision = ${revision} AND deleted_at IS NULL)`;
}

export function markDeleted(db: Db, projectId: ProjectId, id: AutomationId, now: number) {
  return db
    .update(automationsTable)
    .set({ deletedAt: now, state: "stopped", updatedAt: now })
    .where(isVisible(projectId, id))
    .returning({ name: automationsTable.name });
}

/** Whether automations were deleted before `before`. */
export const hasDeletedAutomations = (before: number): SQL =>
  sql`EXISTS (SELECT 1 FROM automations WHERE ${wasDeleted(before)})`;

const wasDeleted = (before: number) =>
  and(isNotNull(automationsTable.deletedAt), lt(automationsTable.deletedAt, before));

/** Purges deleted automations with their log, at most `limit` rows of each kind at a time. */
export async function forgetDeletedAutomations(db: Db, before: number, limit: number): Promise<void> {
  const rows = await db
    .select({ id: automationsTable.id })
    .from(automationsTable)
    .where(wasDeleted(before))
    .limit(MOST_DELETED);
  if (rows.length === 0) return;
  const ids = rows.map(({ id }) => id);
  const listed = JSON.stringify(ids);
  const replies = sql`(SELECT replies.id FROM json_each(${listed}) AS bot CROSS JOIN replies ON automation_id = bot.value LIMIT ${limit})`;
  const authors = sql`(SELECT automation_id, author_id FROM json_each(${listed}) AS bot CROSS JOIN replied_authors
    ON automation_id = bot.value LIMIT ${limit})`;
  const isEmpty = sql`NOT EXISTS (SELECT 1 FROM replies WHERE automation_id = automations.id)
    AND NOT EXISTS (SELECT 1 FROM replied_authors WHERE automation_id = automations.id)`;
  await runBatch(db, [
    db.delete(repliesTable).where(sql`${repliesTable.id} IN ${replies}`),
    db.delete(repliedAuthorsTable).where(sql`(automation_id, author_id) IN ${authors}`),
    forgetEventsOf(db, "automation", ids),
    db.delete(automationsTable).where(and(isAmong(automationsTable.id, ids), isEmpty)),
  ]);
}

const MOST_DELETED = 500;
