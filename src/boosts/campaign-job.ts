import type { JobHandler } from "../jobs/handler.ts";
import type { Journal } from "../jobs/journal.ts";
import { JobFailed, RetryLater } from "../jobs/outcomes.ts";
import type { Deps } from "../service/deps.ts";
import { applyChange, changeNeeded, refuseChange, refuseReplacement, tooLate } from "./apply-change.ts";
import { LoginNeeded, readWork, type Work, waitEvent, waitForLogin, withCredentials, write } from "./campaign-work.ts";
import { end, mayExist, replace, switchOff } from "./end-campaign.ts";
import { CAMPAIGN, CAMPAIGN_QUEUE, COUNTED_MS, ENDLESS_MS } from "./jobs.ts";
import { activate, begin, create, isCreation } from "./launch.ts";
import { type NextStep, nextStep, type Situation } from "./next-step.ts";
import { isAsRead } from "./store.ts";
import { countAgain, noteFailedCheck, type Observed, syncStatus, untilNextRead } from "./sync-status.ts";
import type { Campaign } from "./table.ts";

/**
 * The only owner of a campaign: the job `campaign:<id>`, a reconciliation loop. It reads the wanted state and
 * does the next act towards it, until nothing is left to do; then it waits for the next status check.
 * Requests, failures, reconnections and deletions only write the wanted state and wake the job, however long
 * it sleeps (`openOrRerunJobs`). It completes only when nothing is live and all figures are final.
 *
 * - Only creations are journaled. Every other act is idempotent, and repeated until the platform confirms it.
 * - The maximum spend is written before the terms that allow it are sent (committed.ts).
 * - While an act waits for the platform, a campaign that may be live is read at its usual interval.
 */
export const campaignJob: JobHandler<Deps> = {
  kind: CAMPAIGN,
  queues: [CAMPAIGN_QUEUE],
  limitMs: () => ENDLESS_MS,
  isEndless: true,
  version: 1,
  isLasting: isCreation,
  run,
  waiting: waitEvent,
};

/** The state of one delivery. */
interface Delivery {
  /** The wait of a blocked act, while reads continue. */
  blocked: RetryLater | null;
  observed: Observed | null;
}

async function run(deps: Deps, journal: Journal): Promise<void> {
  const delivery: Delivery = { blocked: null, observed: null };
  let known: Work | null = null;
  for (;;) {
    const work: Work | null = known ?? (await readWork(deps, journal));
    known = null;
    if (!work) return journal.finish();
    const step = nextStep(situationOf(work, delivery));
    if (step.kind === "finish") return journal.finish();
    if (step.kind === "wait") throw waitOf(work, delivery);
    try {
      const campaign = await perform(work, step, delivery);
      if (campaign) known = { ...work, campaign };
    } catch (error) {
      if (error instanceof JobFailed) await settleFailure(work, step, error);
      else if (!(error instanceof RetryLater)) throw error;
      else {
        // Read again: the act may have begun and changed the campaign.
        known = isHeld(step) ? await readWork(deps, journal) : null;
        if (!known || !mayBeOn(known)) throw delivery.blocked ? joined(delivery.blocked, error) : error;
        delivery.blocked = error;
      }
    }
  }
}

const mayBeOn = ({ campaign }: Work) => campaign.goal === "running" && campaign.activatingAt !== null;

/** Acts that may wait while the campaign is live and its status is read. */
const isHeld = ({ kind }: NextStep) => kind === "change" || kind === "activate" || kind === "create";

function situationOf(work: Work, { blocked, observed }: Delivery): Situation {
  const { campaign, ads } = work;
  const ids = campaign.platformObjectIds;
  return {
    goal: campaign.goal,
    isEnded: campaign.endedAt !== null,
    isCounted: campaign.endedAt !== null && Date.now() > campaign.endedAt + COUNTED_MS,
    hasBegun: campaign.generationStartAt !== null && campaign.liveTerms !== null,
    hasObjects: mayExist(work),
    missing: ads.objects.find((object) => ids[object] === undefined) ?? null,
    isActivated: campaign.activatedAt !== null,
    change: changeNeeded(ads, campaign),
    isBeingReplaced: campaign.isBeingReplaced,
    isBlocked: blocked !== null,
    observed,
  };
}

/**
 * Returns the campaign after the step; null if it must be read again. Concurrent changes are caught by the
 * conditions of the next step's statements.
 */
async function perform(work: Work, step: NextStep, delivery: Delivery): Promise<Campaign | null> {
  switch (step.kind) {
    case "begin":
      return begin(work);
    case "create":
      return create(await withCredentials(work), step.object);
    case "activate":
      return activate(await withCredentials(work));
    case "read": {
      const { observed, now } = await syncStatus(await withCredentials(work));
      delivery.observed = observed;
      return now;
    }
    case "complete":
      return write(work, { goal: "completed" }, { condition: isAsRead(work.campaign) });
    case "change":
      await applyChange(await withCredentials(work));
      return null;
    case "refuse_change":
      await refuseChange(work, tooLate(work.campaign));
      return null;
    case "replace":
      await replace(await withCredentials(work));
      return null;
    case "end":
      await end(mayExist(work) ? await withCredentials(work) : work);
      return null;
    case "switch_off":
      await switchOff(await withCredentials(work));
      return null;
    case "count":
      delivery.observed = "over";
      await countAgain(await withCredentials(work));
      return null;
    case "wait":
    case "finish":
      return null;
  }
}

/** Handles refusals by the platform, and failures that only the account owner can fix. */
async function settleFailure(work: Work, step: NextStep, failure: JobFailed): Promise<void> {
  switch (step.kind) {
    case "create":
    case "activate":
      // A campaign that may already be live is not a failed creation.
      if (failure instanceof LoginNeeded && work.campaign.activatingAt !== null) return waitUnread(work, failure);
      return refuseReplacement(work, failure);
    case "change":
      return refuseChange(work, failure);
    case "read":
      return waitUnread(work, failure);
    case "replace":
    case "end":
    case "switch_off":
      return waitForLogin(work, failure);
    case "count":
      return;
    default:
      throw failure;
  }
}

async function waitUnread(work: Work, failure: JobFailed): Promise<never> {
  await noteFailedCheck(work, failure);
  return waitForLogin(work, failure);
}

const waitOf = (work: Work, { blocked }: Delivery): RetryLater => {
  const usual = untilNextRead(work.deps, work.campaign);
  return blocked ? joined(blocked, usual) : usual;
};

/** The earlier of the two waits, with the reason of the blocked act. */
function joined(blocked: RetryLater, other: RetryLater): RetryLater {
  const seconds = Math.min(blocked.seconds, other.seconds);
  return new RetryLater(seconds, blocked.wait, [...blocked.also, ...other.also]);
}
