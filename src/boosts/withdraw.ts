import { sql } from "drizzle-orm";
import type { ChannelHold } from "../channels/disconnect.ts";
import { stopTasks } from "../jobs/recurring-store.ts";
import { isOpenJob, openJobs } from "../jobs/store.ts";
import type { GoesWithPost } from "../posts/remove.ts";
import { campaignEvents } from "./events.ts";
import { LOOK, REMOVAL_LIMIT_MS, UNBOOST } from "./jobs.ts";
import { markWithdrawn } from "./store.ts";

/** What happens to campaigns when their post or channel goes: statements for the batches in which that happens. */

/**
 * Ends the campaigns of a post that is being deleted, for on some platforms it stays up, and all of them would go on spending. Those that
 * are over stay listed. The rows of the first statement are for `wakeJobs`.
 */
export const withdrawCampaigns: GoesWithPost = (db, { projectId, postId, now }, when) => {
  const theirs = sql`campaigns.post_id = ${postId} AND ${isRunning} AND ${when}`;
  const subjects = sql`SELECT campaigns.id, ${now} AS at FROM campaigns WHERE ${theirs}`;
  const event = {
    projectId,
    subjectId: sql<number>`campaigns.id`,
    type: "campaign.deleted",
    message: "Deleted, for its post was.",
    detail: sql`json_object('social_post_id', campaigns.post_id)`,
    at: now,
  } as const;
  return [
    openJobs(db, { kind: UNBOOST, queue: "campaigns", projectId, subjects, limitMs: REMOVAL_LIMIT_MS, now }),
    campaignEvents.insertMany(db, event, sql`campaigns`, theirs),
    stopTasks(db, sql`SELECT ${`${LOOK}:`} || campaigns.id FROM campaigns WHERE ${theirs}`),
    // The last one, for it changes what the others ask.
    markWithdrawn(db, theirs, now),
  ];
};

/** Of `campaigns`: what the platform may show, or come to show; what it rejected too, for it may think again. */
const isRunning = sql`campaigns.state NOT IN ('completed', 'failed') AND campaigns.deleted_at IS NULL`;

/** As the index has it, and with those that are being ended. */
const isUnended = sql`campaigns.state NOT IN ('completed', 'failed')
  AND (campaigns.deleted_at IS NULL OR ${isOpenJob(UNBOOST, sql`campaigns.id`)})`;
const NAMED = 10;

/** A channel is kept while a campaign of it spends, or is being ended: whatever ends it needs the channel's credentials. */
export const campaignHold: ChannelHold = {
  capability: "ads",
  isHeld: (id, isDead) =>
    sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.channel_id = ${id} AND ${isDead ? isRunning : isUnended})`,
  async reason(db, id) {
    const unended = await db.all<{ id: number; isDeleted: number }>(
      sql`SELECT campaigns.id, campaigns.deleted_at IS NOT NULL AS isDeleted FROM campaigns
        WHERE campaigns.channel_id = ${id} AND ${isUnended} ORDER BY isDeleted, campaigns.id LIMIT ${NAMED}`,
    );
    const running = unended.filter(({ isDeleted }) => isDeleted === 0);
    const named = (running.length > 0 ? running : unended).map((campaign) => campaign.id).join(", ");
    if (running.length > 0)
      return `while its boost campaigns may spend: nobody could end them afterwards. Delete them first: ${named}.`;
    if (unended.length === 0) return null;
    return `while its deleted boost campaigns are being ended at the platform: ${named}. Try again in a minute.`;
  },
};
