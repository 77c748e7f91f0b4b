import { sql } from "drizzle-orm";
import type { TakesUp } from "../../channels/reconnections.ts";
import type { ChannelId } from "../../core/ids.ts";
import { type Db, writeTogether } from "../../db/client.ts";
import { keyFor } from "../../jobs/key-for.ts";
import { openOrResumeJobs, prolongJobs, resumeUnconfirmedJobs, selectLeased } from "../../jobs/resume-ended.ts";
import { isOpenJob } from "../../jobs/store.ts";
import { releaseShares } from "../../jobs/sweep.ts";
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
  const period = { now, deadlineAt: now + REMOVAL_LIMIT_MS, endedBy: settledAt };
  const keys = (kind: string) => sql`SELECT ${keyFor(kind, sql`value`)} FROM json_each(${ids})`;
  const both = sql`${keys(UNPUBLISH)} UNION ALL ${keys(PUBLISH)}`;
  const removals = {
    kind: UNPUBLISH,
    queue: "publish",
    projectId: sql`posts.project_id`,
    subjectId: sql`posts.id`,
    from: sql`json_each(${ids}) AS listed JOIN posts ON posts.id = listed.value`,
    when: sql`posts.platform_posts <> '[]' AND ${isToRemove}`,
  } as const;
  const isOpen = sql`(${isOpenJob(UNPUBLISH, postsTable.id)} OR ${isOpenJob(PUBLISH, postsTable.id)})`;
  const { busy } = await writeTogether(db, {
    prolonged: prolongJobs(db, both, period),
    removals: openOrResumeJobs(db, removals, period),
    // Items that may be live are looked up, however long ago the look-up was given up.
    lookups: resumeUnconfirmedJobs(db, keys(PUBLISH), period),
    reopened: db
      .update(postsTable)
      .set({ removal: "open" })
      .where(sql`posts.id IN (SELECT value FROM json_each(${ids})) AND posts.removal = 'given_up' AND ${isOpen}`),
    busy: selectLeased(db, both),
  });
  return busy.length > 0;
}
