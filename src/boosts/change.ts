import { sql } from "drizzle-orm";
import { AppError, absent, invalid } from "../core/errors.ts";
import type { CampaignId } from "../core/ids.ts";
import { isChangedSince, requireStill, runBatch } from "../db/client.ts";
import { stopTask } from "../jobs/recurring-store.ts";
import { openJob } from "../jobs/store.ts";
import { wakeJobs } from "../jobs/wake.ts";
import { BOOST_FIELDS, type BoostField } from "../platforms/advertising.ts";
import { type Asking, advertiserOf } from "./ask.ts";
import { campaignEvents } from "./events.ts";
import { LOOK, REMOVAL_LIMIT_MS, UNBOOST } from "./jobs.ts";
import { mostSpent } from "./money.ts";
import { isOver, openReboost } from "./reboost.ts";
import type { UpdateCampaignBody } from "./schema.ts";
import { findCampaign, isThere, isUnderCeiling, markDeleted, storeTerms } from "./store.ts";
import type { Campaign } from "./table.ts";
import { changedTerms, checkTerms, overCeiling, standardCeiling } from "./terms.ts";

/** Somebody else was first so often in vain. */
const TRIES = 3;

/**
 * Changes a campaign (spec 4.16), here at once and at its platform by a job. Errors: `not_found`; a 422 for a field that the platform
 * changes no more, for terms that it does not take, and for a campaign that is over; `quota_exceeded`; `platform_unavailable`.
 */
export async function changeCampaign(asking: Asking, id: CampaignId, body: UpdateCampaignBody): Promise<Campaign> {
  const { deps, caller } = asking;
  const { db } = deps;
  for (let tries = 0; tries < TRIES; tries++) {
    const campaign = await getCampaign(asking, id);
    if (isOver(campaign)) {
      throw invalid(
        { campaign_id: [`campaign_id must not be ${id}: that campaign is ${campaign.state}.`] },
        "not_changeable",
      );
    }
    const advertiser = await advertiserOf(asking, campaign.channelId, "campaign_id");
    requireChangeable(campaign, body, advertiser.ads.changeable);
    const { terms, account } = await checkTerms(advertiser, changedTerms(campaign, body));
    const now = Date.now();
    const { projectId } = caller;
    const change = {
      terms,
      committedMinor: Math.max(campaign.spendMinor, mostSpent(advertiser.ads, terms)),
      boostType: body.boost_type ?? campaign.boostType,
    };
    const asRead = sql`EXISTS (SELECT 1 FROM campaigns WHERE id = ${id} AND revision = ${campaign.revision + 1} AND deleted_at IS NULL)`;
    try {
      const [rows, sent] = await runBatch(db, [
        storeTerms(db, campaign, change, now),
        openReboost(db, { projectId, id, now }, asRead),
        campaignEvents.insert(
          db,
          {
            projectId,
            subjectId: id,
            type: "campaign.updated",
            message: "Changed on request.",
            detail: { social_post_id: campaign.postId, fields: Object.keys(body) },
            at: now,
          },
          asRead,
        ),
        requireStill(db, isUnderCeiling(projectId, account.currency, standardCeiling(deps, account))),
      ]);
      const [changed] = rows as Campaign[];
      if (!changed) continue;
      await wakeJobs(deps, sent);
      return changed;
    } catch (error) {
      if (!isChangedSince(error)) throw error;
      throw await overCeiling(deps, projectId, account);
    }
  }
  throw new AppError("rate_limited", "The campaign is being changed by many requests at once. Try again.", {
    retryAfterSeconds: 1,
  });
}

/** Before it is worked on everything can be changed. */
function requireChangeable(
  { state, platform }: Campaign,
  body: UpdateCampaignBody,
  changeable: ReadonlySet<BoostField>,
): void {
  if (state === "queued") return;
  const fixed = BOOST_FIELDS.filter((field) => body[field] !== undefined && !changeable.has(field));
  if (fixed.length === 0) return;
  const sentence = (field: string) =>
    `${field} must not be changed: ${platform} does not change it once a campaign is there. Delete the campaign and create another.`;
  throw invalid(
    Object.fromEntries(fixed.map((field): [string, string[]] => [field, [sentence(field)]])),
    "not_changeable",
  );
}

/** Throws `not_found`. */
export async function getCampaign({ deps, caller }: Asking, id: CampaignId): Promise<Campaign> {
  const campaign = await findCampaign(deps.db, caller.projectId, id);
  if (!campaign) throw absent("campaign", id);
  return campaign;
}

/** Hides it at once, and has it ended at its platform. Throws `not_found`. */
export async function deleteCampaign(asking: Asking, id: CampaignId): Promise<Campaign> {
  const { deps, caller } = asking;
  const { db } = deps;
  const campaign = await getCampaign(asking, id);
  const now = Date.now();
  const { projectId } = caller;
  const job = { kind: UNBOOST, queue: "campaigns", projectId, subjectId: id, runAt: now, messageAt: now, now } as const;
  const [, sent] = await runBatch(db, [
    campaignEvents.insert(
      db,
      {
        projectId,
        subjectId: id,
        type: "campaign.deleted",
        message: "Deleted on request.",
        detail: { social_post_id: campaign.postId },
        at: now,
      },
      isThere(id),
    ),
    openJob(db, { ...job, deadlineAt: now + REMOVAL_LIMIT_MS }, isThere(id)),
    stopTask(db, `${LOOK}:${id}`),
    markDeleted(db, id, now),
  ]);
  await wakeJobs(deps, sent);
  return campaign;
}
