import { type SQL, sql } from "drizzle-orm";
import type { ProjectId } from "../core/ids.ts";
import type { Db } from "../db/client.ts";
import { openOrRerunJobs } from "../jobs/open-jobs.ts";
import type { ChannelHold, GoesWithPost } from "../service/endings.ts";
import { campaignEvents } from "./events.ts";
import { CAMPAIGN, CAMPAIGN_QUEUE, ENDLESS_MS } from "./jobs.ts";
import { markDeleted } from "./store.ts";

/** Statements that end campaigns when their post or channel is deleted, for the batches of that deletion. */

/**
 * Deletes the campaigns of a post that is being deleted. On some platforms the post stays published, and its
 * campaigns would continue to spend. Completed campaigns stay listed.
 */
export const withdrawCampaigns: GoesWithPost = (db, { projectId, postId, now }, when) => {
  const theirs = sql`campaigns.post_id = ${postId} AND ${isRunning} AND ${when}`;
  const event = {
    projectId,
    subjectId: sql<number>`campaigns.id`,
    type: "campaign.deleted",
    message: "Deleted with its post.",
    detail: sql`json_object('social_post_id', campaigns.post_id)`,
    at: now,
  } as const;
  return {
    woken: [wakeCampaigns(db, projectId, sql`SELECT campaigns.id FROM campaigns WHERE ${theirs}`, now)],
    // The mark is last, because it changes the rows that the other statements read.
    rest: [campaignEvents.insertMany(db, event, sql`campaigns`, theirs), markDeleted(db, theirs, now)],
  };
};

/**
 * Has the jobs of campaigns run at once; `subjects` is a query of their ids. The returned rows are for
 * `enqueueJobs`.
 */
export function wakeCampaigns(db: Db, projectId: ProjectId, subjects: SQL, now: number) {
  return openOrRerunJobs(db, { kind: CAMPAIGN, queue: CAMPAIGN_QUEUE, projectId, subjects, limitMs: ENDLESS_MS, now });
}

/** A condition on `campaigns`: not ended and not deleted. */
const isRunning = sql`campaigns.ended_at IS NULL AND campaigns.deleted_at IS NULL`;

/** The condition of the index: includes campaigns that are being ended. */
const isOpen = sql`campaigns.ended_at IS NULL`;
const NAMED = 10;

/**
 * A channel is kept while one of its campaigns spends or is being ended, because ending it needs the
 * channel's credentials.
 */
export const campaignHold: ChannelHold = {
  capability: "ads",
  isHeld: (id, isDead) =>
    sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.channel_id = ${id} AND ${isDead ? isRunning : isOpen})`,
  async reason(db, id) {
    const unended = await db.all<{ id: number; isDeleted: number }>(
      sql`SELECT campaigns.id, campaigns.deleted_at IS NOT NULL AS isDeleted FROM campaigns
        WHERE campaigns.channel_id = ${id} AND ${isOpen} ORDER BY isDeleted, campaigns.id LIMIT ${NAMED}`,
    );
    const running = unended.filter(({ isDeleted }) => isDeleted === 0);
    const named = (running.length > 0 ? running : unended).map((campaign) => campaign.id).join(", ");
    if (running.length > 0)
      return `while its boost campaigns may spend, because they could not be ended afterwards. Delete them first: ${named}.`;
    if (unended.length === 0) return null;
    return `while its deleted boost campaigns are being ended at the platform: ${named}. Try again in a minute.`;
  },
};
