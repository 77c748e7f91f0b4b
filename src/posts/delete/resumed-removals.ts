import { sql } from "drizzle-orm";
import type { TakesUp } from "../../channels/reconnections.ts";
import type { ChannelId } from "../../core/ids.ts";
import { type Db, writeTogether } from "../../db/client.ts";
import { insertWhere } from "../../db/insert-where.ts";
import { keyFor } from "../../jobs/key-for.ts";
import { DUE_WHEN_ROOM } from "../../jobs/resume-waiting.ts";
import { hasUnconfirmedStep } from "../../jobs/store.ts";
import { releaseShares } from "../../jobs/sweep.ts";
import { jobsTable } from "../../jobs/table.ts";
import { PUBLISH, REMOVAL_LIMIT_MS, UNPUBLISH } from "../jobs.ts";
import { postsTable } from "../table.ts";

/**
 * Resumes removals when a channel is reconnected: deleted posts that are, or may be, still live. Each gets a
 * whole removal period, and removals that had been given up begin again.
 */
export const resumedRemovals: TakesUp = {
  name: "removals",
  async takeUp(deps, { channelId, settledAt }, after) {
    const posts = await listRemovals(deps.db, channelId, after ?? 0);
    const [first] = posts;
    const last = posts.at(-1);
    if (!first || !last) return { after: null };
    const ids = JSON.stringify(posts.map(({ id }) => id));
    const isBusy = await resumeRemovals(deps.db, ids, { now: Date.now(), settledAt });
    const { projectId } = first;
    await releaseShares(deps, [
      { queue: "publish", projectId },
      { queue: "media", projectId },
    ]);
    return { after: posts.length < CHUNK ? null : last.id, isBusy };
  },
};

const CHUNK = 100;

const isToRemove = sql`posts.removal IN ('open', 'given_up')`;

async function listRemovals(db: Db, channelId: ChannelId, after: number) {
  return db
    .select({ id: postsTable.id, projectId: postsTable.projectId })
    .from(postsTable)
    .where(sql`posts.channel_id = ${channelId} AND ${isToRemove} AND posts.id > ${after}`)
    .orderBy(postsTable.id)
    .limit(CHUNK);
}

/** Returns whether a delivery is running for one of them. `ids`: JSON. */
async function resumeRemovals(
  db: Db,
  ids: string,
  { now, settledAt }: { readonly now: number; readonly settledAt: number },
): Promise<boolean> {
  const deadlineAt = now + REMOVAL_LIMIT_MS;
  const keys = (kind: string) => sql`SELECT ${keyFor(kind, sql`value`)} FROM json_each(${ids})`;
  const both = sql`${keys(UNPUBLISH)} UNION ALL ${keys(PUBLISH)}`;
  const begun = {
    ...DUE_WHEN_ROOM(now),
    state: "open",
    deadlineAt,
    attempts: 0,
    leaseOwner: null,
    leaseUntil: null,
    finishedAt: null,
  } as const;
  const hasEnded = sql`jobs.state = 'done' AND jobs.finished_at <= ${settledAt}`;
  const removal = {
    ...begun,
    key: keyFor(UNPUBLISH, sql`posts.id`),
    kind: UNPUBLISH,
    queue: "publish" as const,
    projectId: sql`posts.project_id`,
    subjectId: sql`posts.id`,
    createdAt: now,
  };
  const live = sql`json_each(${ids}) AS listed JOIN posts ON posts.id = listed.value`;
  const isUnsettled = hasUnconfirmedStep(sql`jobs.key`);
  const { busy } = await writeTogether(db, {
    prolonged: db
      .update(jobsTable)
      .set({ deadlineAt: sql`max(deadline_at, ${deadlineAt})` })
      .where(sql`jobs.key IN (${both}) AND jobs.state = 'open'`),
    removals: insertWhere(
      db,
      jobsTable,
      removal,
      sql`posts.platform_posts <> '[]' AND ${isToRemove}`,
      live,
    ).onConflictDoUpdate({
      target: jobsTable.key,
      set: begun,
      setWhere: hasEnded,
    }),
    // Items that may be live are looked up, however long ago the look-up was given up.
    lookups: db
      .update(jobsTable)
      .set(begun)
      .where(sql`jobs.key IN (${keys(PUBLISH)}) AND ${hasEnded} AND ${isUnsettled}`),
    reopened: db
      .update(postsTable)
      .set({ removal: "open" })
      .where(
        sql`posts.id IN (SELECT value FROM json_each(${ids})) AND posts.removal = 'given_up' AND EXISTS (SELECT 1 FROM jobs
          WHERE jobs.key IN (${keyFor(UNPUBLISH, sql`posts.id`)}, ${keyFor(PUBLISH, sql`posts.id`)}) AND jobs.state = 'open')`,
      ),
    busy: db
      .select({ key: jobsTable.key })
      .from(jobsTable)
      .where(sql`jobs.key IN (${both}) AND jobs.state = 'open' AND jobs.lease_until IS NOT NULL`)
      .limit(1),
  });
  return busy.length > 0;
}
