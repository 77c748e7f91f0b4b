import { sql } from "drizzle-orm";
import { settleConnection } from "../acting/acting.ts";
import { callPlatform } from "../acting/call-platform.ts";
import type { Cause } from "../core/failures.ts";
import { SECOND } from "../core/time.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import type { Standing } from "../platforms/advertising.ts";
import type { Failure } from "../platforms/context.ts";
import { codeOf } from "../platforms/outcomes.ts";
import type { Deps } from "../service/deps.ts";
import {
  type Acting,
  endOf,
  figuresOf,
  liveTermsOf,
  NOT_APPLIED,
  ofGeneration,
  toBoost,
  UNTIL_NEXT_READ,
  type Work,
  waitForLogin,
  write,
} from "./campaign-work.ts";
import type { CampaignEvent } from "./events.ts";
import { COUNTED_MS, READ_EVERY } from "./jobs.ts";
import { confirmedDay } from "./live-terms.ts";
import { hasGoal } from "./store.ts";
import type { Campaign, CampaignState } from "./table.ts";

/** Reads a campaign's status and figures, and reports changes. */

export type Observed = "over" | "not_over";

/**
 * Returns the result with the updated campaign; null if it has changed meanwhile. Throws `RetryLater` if the
 * platform does not answer.
 */
export async function syncStatus(
  work: Acting,
): Promise<{ readonly observed: Observed; readonly now: Campaign | null }> {
  const { journal, campaign } = work;
  await journal.checkpoint();
  const readAt = Date.now();
  const standing = await readObjects(work, campaign.platformObjectIds);
  if (standing.kind === "failed") return unreadFailure(work, standing);
  const now = await write(
    work,
    {
      ...statusChanges(campaign, standing),
      ...boundChanges(campaign, standing),
      ...figuresOf(campaign, standing),
      spendAt: readAt,
    },
    {
      condition: sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${campaign.id} AND campaigns.goal = 'running'
        AND campaigns.state = ${campaign.state} AND campaigns.generation = ${campaign.generation})`,
      event: eventOf(campaign, shownState(campaign, standing), standing),
    },
  );
  return { observed: isOver(campaign, standing) ? "over" : "not_over", now };
}

/** Returns a refusal: each reader has its own retry policy, so `performRepeatable` does not fit. */
export function readObjects(work: Acting, ids: Campaign["platformObjectIds"]): Promise<Standing | Failure> {
  return callPlatform(work.acting, (context) => work.ads.read(context, toBoost(work, liveTermsOf(work.campaign)), ids));
}

/** A rejected campaign may be shown after an appeal, until its end. */
function isOver(campaign: Campaign, { state }: Standing): boolean {
  const end = endOf(campaign, liveTermsOf(campaign));
  return state === "completed" || state === "deleted" || (state === "rejected" && Date.now() > end + COUNTED_MS);
}

/** The completion of a campaign is reported when it is switched off (end-campaign.ts). */
function shownState({ state, activatedAt }: Campaign, standing: Standing): CampaignState {
  switch (standing.state) {
    case "completed":
    case "deleted":
      return state;
    case "paused":
      return activatedAt === null ? state : "paused";
    default:
      return standing.state;
  }
}

const UNREAD = "The campaign's status cannot be read at the platform: ";

function statusChanges(campaign: Campaign, standing: Standing) {
  const state = shownState(campaign, standing);
  const isActive = standing.state === "active";
  const now = Date.now();
  // The reason of a refused change stays; the reason of a failed read is cleared.
  const isSame = state === campaign.state && !campaign.reason?.startsWith(UNREAD);
  const isLasting = isSame || (campaign.reason?.startsWith(NOT_APPLIED) ?? false);
  return {
    state,
    reason: standing.reason ?? (isLasting ? campaign.reason : null),
    errorCode: isLasting ? campaign.errorCode : null,
    ...(isActive && campaign.liveAt === null ? { liveAt: now } : {}),
    // A campaign that the platform shows is active, even if the answer to its activation was lost.
    ...(isActive && campaign.activatedAt === null ? { activatedAt: now } : {}),
  };
}

/**
 * The budget that the platform reports is what can be spent, unless a change is being applied. A budget above
 * the accepted one was not set here, and is reset.
 */
function boundChanges(campaign: Campaign, { budgetMinor }: Standing) {
  const { revision, liveRevision, liveTerms } = campaign;
  if (budgetMinor === null || liveTerms === null) return {};
  const { budgetType, budgetMinor: expected } = ofGeneration(campaign, liveTerms);
  const isLifetime = budgetType === "lifetime";
  const isOnItsWay = revision !== liveRevision;
  if (isOnItsWay) {
    const isForeign = budgetMinor > Math.max(expected, ofGeneration(campaign, campaign.wantedTerms).budgetMinor);
    const bound = isLifetime
      ? { liveTotalMinor: sql`max(coalesce(live_total_minor, 0), ${budgetMinor})` }
      : { liveDayMinor: sql`max(coalesce(live_day_minor, 0), ${budgetMinor})` };
    return { ...bound, ...(isForeign ? { acceptedMostMinor: null } : {}) };
  }
  const isRaised = budgetMinor > expected;
  return {
    ...(isLifetime ? { liveTotalMinor: budgetMinor } : confirmedDay(budgetMinor)),
    ...(isRaised ? { acceptedMostMinor: null, liveRevision: sql`revision - 1`, isReverting: true } : {}),
  };
}

function eventOf(campaign: Campaign, state: CampaignState, standing: Standing): CampaignEvent | null {
  if (state === campaign.state) return null;
  const detail = { social_post_id: campaign.postId };
  switch (state) {
    case "active":
      return { type: "campaign.live", message: "The platform shows the campaign.", detail };
    case "paused":
      return { type: "campaign.paused", message: standing.reason ?? "The campaign is paused at the platform.", detail };
    case "rejected":
      return {
        type: "campaign.rejected",
        message: standing.reason ?? "The platform does not show the campaign.",
        detail,
      };
    default:
      return null;
  }
}

async function unreadFailure(work: Acting, failure: Failure): Promise<never> {
  const { deps, campaign, acting } = work;
  const { reason, message, retryAfterSeconds = 0 } = failure;
  deps.log.event("campaign_check_failed", { campaignId: campaign.id, platform: campaign.platform, reason });
  const usualMs = campaign.state === "in_review" ? READ_EVERY.review : READ_EVERY.running;
  switch (reason) {
    case "throttled":
    case "down":
      throw nextRead(deps, Math.min(READ_EVERY.ended, Math.max(usualMs, retryAfterSeconds * SECOND)));
    case "blocked":
    case "rejected":
      await noteFailedCheck(work, { code: codeOf(failure), message });
      throw nextRead(deps, READ_EVERY.running);
    case "token_expired":
    case "disconnected":
    case "permission_missing": {
      const settled = await settleConnection(deps, acting, { reason, message });
      if (settled.kind === "renewed") throw nextRead(deps, SECOND);
      if (settled.kind === "later") throw nextRead(deps, usualMs);
      const cause = { code: settled.code, message: settled.reason };
      await noteFailedCheck(work, cause);
      return waitForLogin(work, cause);
    }
  }
}

/** Shows that the figures are outdated until a read succeeds; the campaign may continue to spend. */
export async function noteFailedCheck(work: Work, { code, message }: Cause): Promise<void> {
  const { campaign } = work;
  const reason = `${UNREAD}${message}`;
  if (campaign.reason === reason) return;
  await write(
    work,
    { reason, errorCode: code },
    {
      condition: hasGoal(campaign.id, "running"),
    },
  );
}

/** The wait until the next read of a campaign in its state. */
export function untilNextRead(deps: Deps, { state, endedAt }: Pick<Campaign, "state" | "endedAt">): RetryLater {
  if (endedAt !== null || state === "rejected") return nextRead(deps, READ_EVERY.ended);
  return nextRead(deps, state === "in_review" || state === "creating" ? READ_EVERY.review : READ_EVERY.running);
}

function nextRead({ config }: Pick<Deps, "config">, ms: number): RetryLater {
  return new RetryLater(Math.max(1, ms / SECOND / config.paceFactor), { code: null, message: UNTIL_NEXT_READ });
}

/**
 * Reads the figures of all generations after the end, because they change for days. A failed read is repeated
 * the next time.
 */
export async function countAgain(work: Acting): Promise<void> {
  const { campaign, journal } = work;
  if (campaign.activatingAt === null && campaign.earlier.length === 0) return;
  await journal.checkpoint();
  const earlier = await Promise.all(
    campaign.earlier.map(async (one) => {
      const standing = await readObjects(work, one.objectIds);
      if (standing.kind === "failed") return one;
      return {
        ...one,
        reach: standing.reach,
        impressions: standing.impressions,
        spendMinor: standing.spendMinor,
      };
    }),
  );
  const nothing = { reach: 0, impressions: 0, spendMinor: 0 };
  const current = campaign.activatingAt === null ? nothing : await readObjects(work, campaign.platformObjectIds);
  if ("kind" in current && current.kind === "failed") return;
  await write(
    work,
    {
      ...figuresOf({ earlier }, current),
      earlier,
      earlierSpendMinor: earlier.reduce((sum, { spendMinor }) => sum + spendMinor, 0),
      spendAt: Date.now(),
    },
    {
      condition: sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${campaign.id} AND campaigns.ended_at IS NOT NULL)`,
    },
  );
}
