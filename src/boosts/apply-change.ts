import { sql } from "drizzle-orm";
import { performRepeatable } from "../acting/perform.ts";
import { answered, type Cause } from "../core/failures.ts";
import { asMinor } from "../core/money.ts";
import { isChangedSince, requireStill } from "../db/client.ts";
import { JobFailed, RetryLater } from "../jobs/outcomes.ts";
import { type Advertising, BOOST_FIELDS, type BoostField } from "../platforms/advertising.ts";
import type { WantedTerms } from "./budget.ts";
import {
  type Acting,
  endOf,
  liveTermsOf,
  NOT_APPLIED,
  ofGeneration,
  toBoost,
  type Work,
  write,
} from "./campaign-work.ts";
import { isUnderCeiling } from "./ceiling.ts";
import { CHANGE_LIMIT_MS } from "./jobs.ts";
import { fail, NothingSent, prepareTerms } from "./launch.ts";
import { atMost, confirmedDay, exactly, NOTHING_LIVE } from "./live-terms.ts";
import { isAsRead } from "./store.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";

/** Applies a campaign's wanted terms to its objects, and reverts the wanted terms if the platform refuses. */

const VALUES: Readonly<Record<BoostField, (terms: StoredTerms) => unknown>> = {
  // Rounded as amounts are stored, so that floating-point conversion causes no difference.
  budget: ({ budgetMinor }) => Number(budgetMinor.toFixed(6)),
  duration_type: ({ budgetType }) => budgetType,
  duration: ({ days }) => days,
  countries: ({ countries }) => countries.toSorted(),
  interests: ({ interests }) => interests.map(({ id }) => id).toSorted(),
  audience: ({ audiences }) => audiences.toSorted(),
  campaign_objective: ({ objective }) => objective,
};

/** The fields in which terms differ. */
export function differences(one: StoredTerms, other: StoredTerms): BoostField[] {
  return BOOST_FIELDS.filter((field) => JSON.stringify(VALUES[field](one)) !== JSON.stringify(VALUES[field](other)));
}

/** The fields in which a request differs from the wanted terms; the request's budget is in whole units. */
export function changedFields({ wantedTerms, decimals }: Campaign, wanted: WantedTerms): BoostField[] {
  const { budget, ...rest } = wanted;
  return differences(wantedTerms, { ...rest, currency: wantedTerms.currency, budgetMinor: asMinor(budget, decimals) });
}

/** Whether a field cannot be changed in the existing objects, so that they must be replaced. */
export function needsReplacement(
  { changeable }: Pick<Advertising, "changeable">,
  fields: readonly BoostField[],
): boolean {
  return fields.some((field) => !changeable.has(field));
}

/** The change that the wanted terms need at the platform. */
export function changeNeeded(ads: Advertising, campaign: Campaign): "none" | "apply" | "replace" {
  const { liveTerms, wantedTerms, revision, liveRevision } = campaign;
  if (liveTerms === null || revision === liveRevision) return "none";
  return needsReplacement(ads, differences(liveTerms, wantedTerms)) ? "replace" : "apply";
}

/**
 * Idempotent: sends absolute values. The upper bounds of what may be live meanwhile are written before the
 * call.
 */
export async function applyChange(work: Acting): Promise<void> {
  try {
    await send(work);
  } catch (error) {
    if (error instanceof NothingSent) return dropChange(work, error);
    if (error instanceof JobFailed) return refuseChange(work, error);
    if (error instanceof RetryLater && isTooLong(work.campaign, error)) {
      return refuseChange(work, { code: error.wait.code ?? "deadline_passed", message: error.wait.message });
    }
    throw error;
  }
}

/** Rate limits never cause a change to be dropped. */
function isTooLong({ changedAt, isReverting }: Campaign, { wait }: RetryLater): boolean {
  if (isReverting || wait.code === null || wait.code === "rate_limited") return false;
  return Date.now() > (changedAt ?? Number.POSITIVE_INFINITY) + CHANGE_LIMIT_MS;
}

async function send(work: Acting): Promise<void> {
  const { ads, campaign, acting } = work;
  const { wantedTerms: wanted, revision, isReverting, postId, platformObjectIds: ids } = campaign;
  const bounds = exactly(campaign, wanted, campaign.startAt ?? campaign.createdAt);
  const progress = await prepareTerms(work, wanted, revision);
  const isChanged = await performRepeatable(acting, {
    step: `change:${revision}`,
    isPatient: true,
    begins: async () => (await write(work, atMost(bounds), { condition: isAsRead(campaign) })) !== null,
    act: (context) =>
      ads.change(context, toBoost(work, liveTermsOf(campaign)), ids, {
        wanted: ofGeneration(campaign, wanted),
        progress,
      }),
  });
  if (!isChanged) return;
  await write(
    work,
    {
      liveTerms: wanted,
      liveRevision: revision,
      isReverting: sql`CASE WHEN revision = ${revision} THEN 0 ELSE is_reverting END`,
      ...bounds,
      ...confirmedDay(bounds.liveDayMinor),
      ...(isReverting ? {} : { reason: null, errorCode: null }),
    },
    {
      event: isReverting
        ? null
        : {
            type: "campaign.changed",
            message: "The platform has applied the change.",
            detail: { social_post_id: postId },
          },
    },
  );
}

/**
 * Reverts to the terms before the change, and restores them at the platform, which may have applied a part. A
 * newer change stays. The refused terms count against the ceiling until a read shows the real ones.
 */
export async function refuseChange(work: Work, cause: Cause): Promise<void> {
  return takeBack(work, cause, true);
}

/**
 * The same for a change that was refused before any of it was sent. The platform then needs no restoring,
 * unless an earlier change may have been applied in part.
 */
export async function dropChange(work: Work, cause: Cause): Promise<void> {
  const { revision, liveRevision } = work.campaign;
  return takeBack(work, cause, liveRevision !== revision - 1);
}

async function takeBack(work: Work, cause: Cause, mayBeApplied: boolean): Promise<void> {
  const { code, message } = cause;
  const { campaign } = work;
  const { revision, isReverting, postId } = campaign;
  const condition = isAsRead(campaign);
  if (isReverting) {
    await write(work, { liveRevision: revision, isReverting: false }, { condition });
    return;
  }
  const reason = `${NOT_APPLIED}${message}`;
  const restored = liveTermsOf(campaign);
  await write(
    work,
    {
      wantedTerms: restored,
      revision: revision + 1,
      changedAt: Date.now(),
      ...(mayBeApplied ? { isReverting: true } : { liveRevision: revision + 1 }),
      reason,
      errorCode: code,
    },
    {
      condition,
      event: {
        type: "campaign.change_failed",
        message: reason,
        detail: { social_post_id: postId, error_code: code, ...answered(cause) },
      },
    },
  );
}

/**
 * Handles refused replacement objects after the old objects were deleted. New objects with the earlier terms
 * are created, if the ceiling has room for them. If these are refused too, the campaign fails.
 */
export async function refuseReplacement(work: Work, failure: Cause): Promise<void> {
  const { deps, campaign } = work;
  const { id, projectId, postId, revision, isReverting, earlier, activatingAt } = campaign;
  const before = earlier.findLast(({ terms }) => terms !== null)?.terms ?? null;
  if (before === null || isReverting) return fail(work, failure);
  const reason = `${NOT_APPLIED}${failure.message}`;
  const most = isUnderCeiling(deps, projectId, campaign);
  const isNoDearer = sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${id} AND campaigns.committed <= ${campaign.committed ?? 0})`;
  try {
    await write(
      work,
      {
        wantedTerms: before,
        revision: revision + 1,
        changedAt: Date.now(),
        isReverting: true,
        reason,
        errorCode: failure.code,
        acceptedMostMinor: null,
        ...(activatingAt === null ? NOTHING_LIVE : {}),
      },
      {
        condition: isAsRead(campaign),
        event: {
          type: "campaign.change_failed",
          message: reason,
          detail: { social_post_id: postId, error_code: failure.code, ...answered(failure) },
        },
        afterwards: [requireStill(deps.db, sql`(${isNoDearer} OR ${most})`)],
      },
    );
  } catch (error) {
    if (!isChangedSince(error)) throw error;
    await fail(work, failure);
  }
}

/** The cause for a change that arrived after the platform had ended the campaign. */
export const tooLate = (campaign: Campaign): Cause => ({
  code: "deadline_passed",
  message: `The campaign ended (${new Date(endOf(campaign, liveTermsOf(campaign))).toISOString()}) before the platform applied the change.`,
});
