import { type SQL, sql } from "drizzle-orm";
import { absent, invalid } from "../core/errors.ts";
import type { CampaignId } from "../core/ids.ts";
import { spoken } from "../core/money.ts";
import { DAY, HOUR } from "../core/time.ts";
import {
  type IdempotencyRecord,
  isChangedSince,
  refuseRepeat,
  requireStill,
  retryOnConflict,
  writeTogether,
} from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { type Confirmation, requireConfirmation } from "../spending/confirm.ts";
import { type AdAccess, type AdRequest, requireAdAccess } from "./ad-account.ts";
import { changedFields, differences, needsReplacement } from "./apply-change.ts";
import { changedTerms, checkTerms, requireLeast } from "./budget.ts";
import { isUnderCeiling, overCeiling } from "./ceiling.ts";
import { campaignEvents } from "./events.ts";
import { atMost, exactly } from "./live-terms.ts";
import { paidChange } from "./paid-act.ts";
import type { UpdateCampaignBody } from "./schema.ts";
import { type Changes, findCampaign, isAsRead, isThere, markDeleted, storeTerms, takesTerms } from "./store.ts";
import type { StoredTerms } from "./stored.ts";
import { type Campaign, campaignsTable } from "./table.ts";
import { wakeCampaigns } from "./withdraw.ts";

/**
 * Changes the wanted terms of a campaign (spec 4.16); its job applies them at the platform. Unchanged values
 * are ignored. Errors: `not_found`; a 422 for terms that the platform does not accept, or for a finished
 * campaign; `quota_exceeded`; `platform_unavailable`.
 */
export async function changeCampaign(
  asking: AdRequest,
  id: CampaignId,
  body: UpdateCampaignBody,
  idempotency: IdempotencyRecord | null,
): Promise<Campaign> {
  const busy = "The campaign is being changed by other requests. Try again.";
  await refuseRepeat(asking.deps.db, idempotency);
  return retryOnConflict(() => tryChange(asking, { id, body, idempotency }), busy);
}

interface Request {
  readonly id: CampaignId;
  readonly body: UpdateCampaignBody;
  readonly idempotency: IdempotencyRecord | null;
}

/** Null if a concurrent request changed the campaign first. */
async function tryChange(asking: AdRequest, { id, body, idempotency }: Request): Promise<Campaign | null> {
  const campaign = await getCampaign(asking, id);
  const boostType = body.boost_type === undefined ? campaign.boostType : body.boost_type;
  const wanted = changedTerms(campaign, body);
  const fields = changedFields(campaign, wanted);
  if (fields.length === 0 && boostType === campaign.boostType) {
    if (idempotency) await writeTogether(asking.deps.db, { record: idempotency.write(String(id)) });
    return campaign;
  }
  if (fields.length === 0) {
    const { wantedTerms } = campaign;
    const change = { wantedTerms, boostType };
    return store(asking, {
      campaign,
      change,
      fields: ["boost_type"],
      advertiser: null,
      confirmation: null,
      idempotency,
    });
  }
  requireRunning(campaign);
  const advertiser = await requireAdAccess(asking, campaign.channelId, "campaign_id");
  const { terms, leastMinor } = await checkTerms(advertiser, wanted);
  requirePossible(campaign, terms);
  if (
    campaign.isBeingReplaced ||
    (campaign.startAt !== null && campaign.liveTerms !== null && needsReplacement(advertiser.ads, fields))
  ) {
    requireReplaceable(campaign, terms, leastMinor);
  }
  const named = boostType === campaign.boostType ? fields : [...fields, "boost_type"];
  const confirmation = await requireConfirmation(asking, paidChange(id, body));
  const change = { wantedTerms: terms, boostType };
  return store(asking, { campaign, change, fields: named, advertiser, confirmation, idempotency });
}

interface Change {
  readonly campaign: Campaign;
  readonly change: { readonly wantedTerms: StoredTerms; readonly boostType: string | null };
  readonly fields: string[];
  /** Null if nothing changes at the platform. */
  readonly advertiser: AdAccess | null;
  /** Of a person, for what an agent spends. */
  readonly confirmation: Confirmation | null;
  readonly idempotency: IdempotencyRecord | null;
}

/** Null if a concurrent request changed the campaign first. */
async function store(asking: AdRequest, planned: Change): Promise<Campaign | null> {
  const { campaign, change, fields, advertiser, confirmation, idempotency } = planned;
  const { deps, caller } = asking;
  const { db } = deps;
  const { id, postId, currency, decimals, committed } = campaign;
  const { projectId } = caller;
  const now = Date.now();
  const event = {
    projectId,
    subjectId: id,
    type: "campaign.updated",
    message: "Changed on request.",
    detail: { social_post_id: postId, fields },
    at: now,
  } as const;
  const asRead = sql`${isAsRead(campaign)} AND ${isThere(id)}`;
  const isUnchanged = (by: AdAccess | null): SQL => (by === null ? isThere(id) : takesTerms(campaign));
  const account = { currency, decimals };
  // A change that costs no more is accepted even if the ceiling was lowered meanwhile.
  const isNoDearer = sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${id} AND campaigns.committed <= ${committed ?? 0})`;
  try {
    const { woken, changed } = await writeTogether(db, {
      // The key is kept, and the confirmation used, only with the change: nothing that did not happen is
      // reported.
      confirmed: confirmation?.still ?? null,
      unchanged: confirmation || idempotency ? requireStill(db, isUnchanged(advertiser)) : null,
      spent: confirmation?.used ?? null,
      woken: wakeCampaigns(db, projectId, sql`SELECT ${id} AS id WHERE ${advertiser === null ? sql`0` : asRead}`, now),
      event: campaignEvents.insert(db, event, advertiser === null ? isThere(id) : asRead),
      changed:
        advertiser === null
          ? storeType(db, campaign, change.boostType, now)
          : storeTerms(db, campaign, { ...change, ...boundsOf(campaign, change.wantedTerms, advertiser.ads) }, now),
      record: idempotency?.write(String(id)) ?? null,
      isAffordable: requireStill(db, sql`(${isNoDearer} OR ${isUnderCeiling(deps, projectId, account)})`),
    });
    await enqueueJobs(deps, woken);
    return changed[0] ?? null;
  } catch (error) {
    if (!isChangedSince(error)) throw error;
    const [taken] = await db.select({ is: isUnchanged(advertiser).mapWith(Boolean) }).from(sql`(SELECT 1)`);
    if (!taken?.is) return null;
    throw await overCeiling(deps, projectId, account);
  }
}

/**
 * From now on, the upper bound includes the new terms: the platform may have any mixture of the old and the
 * new ones.
 */
function boundsOf(campaign: Campaign, wanted: StoredTerms, ads: AdAccess["ads"]): Changes {
  const { wantedTerms, liveTerms, startAt, isBeingReplaced } = campaign;
  const isReplaced = isBeingReplaced || (liveTerms !== null && needsReplacement(ads, differences(liveTerms, wanted)));
  const isNoDearer =
    !isReplaced &&
    wanted.budgetType === wantedTerms.budgetType &&
    wanted.budgetMinor <= wantedTerms.budgetMinor &&
    wanted.days <= wantedTerms.days;
  return {
    acceptedMostMinor: isNoDearer ? sql`committed` : null,
    ...(liveTerms === null || startAt === null || isReplaced ? {} : atMost(exactly(campaign, wanted, startAt))),
  };
}

function storeType(db: AdRequest["deps"]["db"], { id }: Campaign, boostType: string | null, now: number) {
  return db
    .update(campaignsTable)
    .set({ boostType, updatedAt: now })
    .where(sql`campaigns.id = ${id} AND campaigns.deleted_at IS NULL`)
    .returning();
}

/** Whether its terms can no longer be changed. */
export const isFinished = ({ goal, state }: Pick<Campaign, "goal" | "state">): boolean =>
  goal !== "running" || state === "rejected";

function requireRunning({ id, goal, state }: Campaign): void {
  if (!isFinished({ goal, state })) return;
  const how = goal === "running" || goal === state ? state : `being ended (${goal})`;
  throw invalid({ campaign_id: [`campaign_id must not be ${id}: that campaign is ${how}.`] }, "not_changeable");
}

/** The new terms must not end in the past, and a lifetime budget must exceed the spend. */
function requirePossible({ startAt, spendMinor, currency, decimals }: Campaign, terms: StoredTerms): void {
  const now = Date.now();
  if (startAt !== null && startAt + terms.days * DAY <= now) {
    const least = Math.floor((now - startAt) / DAY) + 1;
    throw invalid({
      duration: [
        `duration must be at least ${least}, not ${terms.days}: the campaign began ${new Date(startAt).toISOString()}.`,
      ],
    });
  }
  if (terms.budgetType === "lifetime" && terms.budgetMinor <= spendMinor) {
    const spent = spoken(spendMinor, currency, decimals);
    throw invalid({ budget: [`budget must be more than the ${spent} that are already spent.`] });
  }
}

/** The remaining budget and days must suffice for objects that replace the existing ones. */
function requireReplaceable(campaign: Campaign, terms: StoredTerms, leastMinor: number): void {
  const { startAt, createdAt, spendMinor, currency, decimals } = campaign;
  const endAt = (startAt ?? createdAt) + terms.days * DAY;
  if (terms.budgetType === "daily") {
    requireDay(endAt);
    return;
  }
  const daysLeft = Math.ceil((endAt - Date.now()) / DAY);
  requireLeast(terms.budgetMinor - spendMinor, Math.ceil((leastMinor * daysLeft) / terms.days), (least) => {
    return `budget must leave at least ${spoken(least, currency, decimals)} for the ${daysLeft} days that are left, after the ${spoken(spendMinor, currency, decimals)} that were spent: the platform replaces the campaign for this change.`;
  });
}

/**
 * Platforms require at least one day for a daily budget; the existing objects are ended before the new ones
 * are created.
 */
function requireDay(endAt: number): void {
  if (endAt >= Date.now() + DAY + REPLACEMENT_MS) return;
  const sentence = `duration must leave more than a day: the platform replaces the campaign for this change, and it ends ${new Date(endAt).toISOString()}.`;
  throw invalid({ duration: [sentence] });
}

/** The time needed to end the existing objects. */
const REPLACEMENT_MS = HOUR;

/** Throws `not_found`. */
async function getCampaign({ deps, caller }: AdRequest, id: CampaignId): Promise<Campaign> {
  const campaign = await findCampaign(deps.db, caller.projectId, id);
  if (!campaign) throw absent("campaign", id);
  return campaign;
}

/** Hides the campaign at once, and has its job end it at the platform. Throws `not_found`. */
export async function deleteCampaign(asking: AdRequest, id: CampaignId): Promise<Campaign> {
  const { deps, caller } = asking;
  const { db } = deps;
  const campaign = await getCampaign(asking, id);
  const now = Date.now();
  const { projectId } = caller;
  const event = {
    projectId,
    subjectId: id,
    type: "campaign.deleted",
    message: "Deleted on request.",
    detail: { social_post_id: campaign.postId },
    at: now,
  } as const;
  const which = sql`campaigns.id = ${id} AND campaigns.deleted_at IS NULL`;
  const { woken } = await writeTogether(db, {
    woken: wakeCampaigns(db, projectId, sql`SELECT campaigns.id FROM campaigns WHERE ${which}`, now),
    event: campaignEvents.insert(db, event, isThere(id)),
    // Runs last, because it changes the rows that the other statements read.
    deleted: markDeleted(db, which, now),
  });
  await enqueueJobs(deps, woken);
  return campaign;
}
