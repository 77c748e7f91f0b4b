import { sql } from "drizzle-orm";
import { isAboutConnection, settleConnection } from "../acting/acting.ts";
import { callPlatform } from "../acting/call-platform.ts";
import { backoff } from "../core/backoff.ts";
import { answered, type Cause, type RawAnswer } from "../core/failures.ts";
import { spoken, toAmount } from "../core/money.ts";
import { SECOND } from "../core/time.ts";
import { ACT_LIMIT_MS } from "../jobs/lease.ts";
import { RetryLater } from "../jobs/outcomes.ts";
import { visibilityLag } from "../jobs/recheck-policy.ts";
import type { Standing } from "../platforms/advertising.ts";
import type { Failure } from "../platforms/context.ts";
import { codeOf } from "../platforms/outcomes.ts";
import { answer as answerDetail } from "../posts/events.ts";
import { dropChange } from "./apply-change.ts";
import {
  type Acting,
  eventStatement,
  figuresOf,
  liveTermsOf,
  toBoost,
  type Work,
  waitForLogin,
  write,
} from "./campaign-work.ts";
import type { CampaignEvent } from "./events.ts";
import { creationsOf, NothingSent, prepareTerms, REFUSAL } from "./launch.ts";
import { NOTHING_LIVE } from "./live-terms.ts";
import { hasGoal, isAsRead, isThere } from "./store.ts";
import { readObjects } from "./sync-status.ts";
import type { Campaign } from "./table.ts";

/**
 * Ends a campaign, or one generation of it. All its objects are deleted at the platform, by id and by name:
 * an object whose creation got no answer is known by name only. The job never fails: stored rate limits do
 * not delay it, and it retries within a minute, so it calls the platform without `performRepeatable`.
 */

/** The longest delay before the end is retried. */
const END_AGAIN_SECONDS = 45;

/** When the last unconfirmed creation of this generation began; null if there is none. */
const unsettledAt = ({ journal, campaign }: Work) => journal.lastUnconfirmedAt(creationsOf(campaign.generation));

/** Whether an object of this generation exists, or may exist. */
export const mayExist = (work: Work): boolean =>
  Object.keys(work.campaign.platformObjectIds).length > 0 || unsettledAt(work) !== null;

/** Deletes all objects of this generation. Returns its final figures once none is left. */
async function removeAll(work: Acting): Promise<Figures> {
  const { deps, journal, ads, campaign, acting } = work;
  const boost = toBoost(work, liveTermsOf(campaign));
  const ids = campaign.platformObjectIds;
  await journal.checkpoint();
  const removed = await callPlatform(acting, (context) => ads.remove(context, boost, ids));
  if (removed.kind === "failed") return again(work, removed);
  const begunAt = unsettledAt(work);
  if (begunAt !== null) {
    const visibleAt = begunAt + ACT_LIMIT_MS + visibilityLag(deps.config, ads.lagSeconds).lagMs;
    const seconds = Math.ceil((visibleAt - Date.now()) / SECOND);
    const cause = {
      code: "may_be_published",
      message: "Waiting until objects whose creation got no answer are certainly absent.",
    } as const;
    if (seconds > 0) throw new RetryLater(Math.min(seconds, END_AGAIN_SECONDS), cause);
  }
  return campaign.activatingAt === null ? NO_FIGURES : readFigures(work);
}

type Figures = Pick<Standing, "reach" | "impressions" | "spendMinor">;
const NO_FIGURES: Figures = { reach: 0, impressions: 0, spendMinor: 0 };

/** If the platform permanently refuses to report the figures, the last ones that were read count. */
async function readFigures(work: Acting): Promise<Figures> {
  const { campaign, journal } = work;
  await journal.checkpoint();
  const standing = await readObjects(work, campaign.platformObjectIds);
  if (standing.kind === "standing") return standing;
  return standing.reason === "rejected" ? lastFigures(campaign) : again(work, standing);
}

function lastFigures({ reach, impressions, spendMinor, earlier }: Campaign): Figures {
  const before = figuresOf({ earlier }, NO_FIGURES);
  return {
    reach: Math.max(0, reach - before.reach),
    impressions: Math.max(0, impressions - before.impressions),
    spendMinor: Math.max(0, spendMinor - before.spendMinor),
  };
}

/** Deletes the campaign at the platform and reports that, with the amount spent. */
export async function end(work: Acting | Work): Promise<void> {
  const { campaign } = work;
  const figures = "acting" in work ? await removeAll(work) : NO_FIGURES;
  const all = figuresOf(campaign, figures);
  const spent = `${spoken(all.spendMinor, campaign.currency, campaign.decimals)} were spent.`;
  const social_post_id = campaign.postId;
  const hasFailed = campaign.goal === "failed";
  const code = campaign.errorCode ?? "unexpected";
  const message = hasFailed
    ? `${campaign.reason ?? ""} ${spent}`.trim()
    : `Nothing of it is left at the platform. ${spent}`;
  const spend = { spend: toAmount(all.spendMinor, campaign.decimals), currency: campaign.currency };
  const event: CampaignEvent = hasFailed
    ? { type: "campaign.failed", message, detail: { social_post_id, error_code: code, ...spend, ...refusalOf(work) } }
    : { type: "campaign.removed", message, detail: { social_post_id, ...spend } };
  const now = Date.now();
  await write(
    work,
    {
      ...all,
      ...NOTHING_LIVE,
      state: hasFailed ? sql`CASE WHEN deleted_at IS NULL THEN 'failed' ELSE state END` : "deleted",
      spendAt: now,
      endedAt: now,
    },
    {
      condition: hasGoal(campaign.id, campaign.goal),
      event,
    },
  );
}

/** The answer that refused the creation, if the campaign failed by one. */
function refusalOf({ journal }: Work): { readonly answer?: RawAnswer } {
  const answer = journal.read(REFUSAL, RefusalAnswer);
  return answer ? { answer } : {};
}

const RefusalAnswer = answerDetail.unwrap();

/**
 * Ends this generation, and prepares the next one. Its spend stays in the totals and the ceiling. Once the
 * removal has begun, it is completed even if the wanted terms change: a partly removed campaign cannot be
 * changed or activated.
 */
export async function replace(work: Acting): Promise<void> {
  const { journal, campaign } = work;
  if (!campaign.isBeingReplaced) {
    try {
      // If preparation is refused before anything is ended, the campaign stays as it is.
      await prepareTerms(work, campaign.wantedTerms, campaign.revision);
    } catch (error) {
      if (error instanceof NothingSent) return dropChange(work, error);
      throw error;
    }
    await journal.checkpoint();
    if (!(await write(work, { isBeingReplaced: true }, { condition: isAsRead(campaign) }))) return;
  }
  const figures = await removeAll(work);
  const now = Date.now();
  const terms = campaign.activatedAt === null ? null : campaign.liveTerms;
  const earlier = [...campaign.earlier, { objectIds: campaign.platformObjectIds, terms, ...pick(figures) }];
  await write(
    work,
    {
      ...figuresOf(campaign, figures),
      ...NOTHING_LIVE,
      state: "creating",
      earlier,
      earlierSpendMinor: earlier.reduce((sum, { spendMinor }) => sum + spendMinor, 0),
      generation: campaign.generation + 1,
      isBeingReplaced: false,
      platformObjectIds: {},
      liveTerms: null,
      generationStartAt: null,
      activatingAt: null,
      activatedAt: null,
      spendAt: now,
    },
    {
      condition: sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${campaign.id} AND campaigns.generation = ${campaign.generation})`,
    },
  );
}

const pick = ({ reach, impressions, spendMinor }: Figures): Figures => ({ reach, impressions, spendMinor });

/** Pauses a completed campaign, so that nothing can reactivate it, and reports that. */
export async function switchOff(work: Acting): Promise<void> {
  const { journal, ads, campaign, acting } = work;
  await journal.checkpoint();
  const boost = toBoost(work, liveTermsOf(campaign));
  const paused = await callPlatform(acting, (context) => ads.pause(context, boost, campaign.platformObjectIds));
  // The platform has ended it: an object that it refuses to pause is deleted or completed there.
  if (paused.kind === "failed" && paused.reason !== "rejected") return again(work, paused);
  const all = figuresOf(campaign, campaign.activatingAt === null ? NO_FIGURES : await readFigures(work));
  const now = Date.now();
  const { currency, decimals, postId } = campaign;
  const figures = {
    reach: all.reach,
    impressions: all.impressions,
    spend: toAmount(all.spendMinor, decimals),
    currency,
  };
  const isRejected = campaign.state === "rejected";
  await write(
    work,
    { ...all, ...NOTHING_LIVE, ...(isRejected ? {} : { state: "completed" }), spendAt: now, endedAt: now },
    {
      condition: sql`${isThere(campaign.id)} AND ${hasGoal(campaign.id, "completed")}`,
      event: isRejected
        ? null
        : {
            type: "campaign.completed",
            message: "The campaign has ended.",
            detail: { social_post_id: postId, ...figures },
          },
    },
  );
}

/** Retries soon, whatever delay the platform requests; notifies the account owner if they must act. */
async function again(work: Acting, refusal: Failure): Promise<never> {
  const { deps, journal, acting } = work;
  const { reason, message, answer } = refusal;
  const cause = { code: codeOf(refusal), message, answer };
  if (isAboutConnection(refusal)) {
    const settled = await settleConnection(deps, acting, refusal);
    if (settled.kind === "renewed") return journal.retryLater(0, "The channel's credentials were renewed.", null);
    if (settled.kind !== "later") return waitForLogin(work, { code: settled.code, message: settled.reason });
  }
  const tries = journal.retriesOf(END);
  const seconds = Math.min(END_AGAIN_SECONDS, Math.max(1, backoff(tries + 1) / SECOND));
  if ((reason === "rejected" || reason === "blocked") && !journal.isDone(REFUSED)) await notify(work, cause);
  return journal.retryWithBackoff(END, cause, { retryAfterSeconds: seconds });
}

const END = "end";
const REFUSED = "end_refused";

async function notify({ deps, journal, campaign }: Acting, cause: Cause) {
  const { code, message } = cause;
  const event: CampaignEvent = {
    type: "campaign.removal_failed",
    message: `The platform refuses to end the campaign, and it may continue to spend. The service retries until it is ended. ${message}`,
    detail: { social_post_id: campaign.postId, error_code: code, ...answered(cause) },
  };
  deps.log.event("campaign_removal_failed", { key: journal.job.key });
  await journal.write(REFUSED, true, [eventStatement(deps, campaign, event, journal.hasLease)]);
}
