import { sql } from "drizzle-orm";
import { z } from "zod";
import { perform, performRepeatable } from "../acting/perform.ts";
import { type Preparation, prepare, prepareFor } from "../acting/prepared.ts";
import type { Cause } from "../core/failures.ts";
import { JobFailed } from "../jobs/outcomes.ts";
import { setBackBefore } from "../jobs/set-back.ts";
import type { Json } from "../platforms/context.ts";
import { type Acting, endOf, toBoost, type Work, write } from "./campaign-work.ts";
import { exactly } from "./live-terms.ts";
import { hasGoal, isAsRead, noteObject } from "./store.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";

/**
 * Creates the objects of a generation at the platform, each at most once and all paused, and activates them
 * last. Only creations need the journal: every other act on a campaign is idempotent.
 */

/** The prefix of the journal steps of creations. */
const CREATION = "create:";
export const isCreation = (step: string) => step.startsWith(CREATION);
export const creationsOf = (generation: number) => `${CREATION}${generation}:`;

/** Fixes the terms of the objects, and the start of their schedule. */
export async function begin(work: Work): Promise<Campaign | null> {
  const { campaign } = work;
  const now = Date.now();
  const startAt = campaign.startAt ?? now;
  if (campaign.generation > 0 && endOf(campaign, campaign.wantedTerms) <= now) {
    const reason = "The campaign ended before it could be replaced.";
    return write(work, { goal: "completed", reason, errorCode: "deadline_passed" }, { condition: isAsRead(campaign) });
  }
  return write(
    work,
    {
      state: sql`CASE WHEN state = 'queued' THEN 'creating' ELSE state END`,
      liveTerms: campaign.wantedTerms,
      liveRevision: campaign.revision,
      startAt,
      generationStartAt: now,
      spendAt: campaign.spendAt ?? now,
      ...exactly(campaign, campaign.wantedTerms, startAt),
    },
    { condition: isAsRead(campaign) },
  );
}

/** These terms were refused before any of them was sent. */
export class NothingSent extends JobFailed {}

/**
 * Does what the platform needs before these terms, and before `act` if that is a journal step. Throws
 * `NothingSent` if the platform refuses.
 */
export async function prepareTerms(work: Acting, terms: StoredTerms, revision: number, act?: string): Promise<Json> {
  const { ads, campaign, acting } = work;
  if (!ads.prepare) return null;
  const preparation: Preparation = {
    step: `prepared:${campaign.generation}:${revision}`,
    waitsFor: "The platform is preparing the post.",
    next: async (context, progress) =>
      (await ads.prepare?.(context, toBoost(work, terms), progress)) ?? { kind: "ready", progress: null },
  };
  try {
    return act === undefined ? await prepare(acting, preparation) : await prepareFor(acting, act, preparation);
  } catch (error) {
    if (!(error instanceof JobFailed)) throw error;
    throw new NothingSent(error.code, error.message, error.answer);
  }
}

const CreatedObject = z.object({ id: z.string() });
type CreatedObject = z.output<typeof CreatedObject>;

/**
 * Creates the next object, and returns the campaign with it; null if its goal has changed. Throws `JobFailed`
 * if the platform refuses it.
 */
export async function create(work: Acting, object: string): Promise<Campaign | null> {
  const { deps, journal, ads, campaign, acting } = work;
  const { generation, platformObjectIds: ids, liveTerms } = campaign;
  const terms = liveTerms ?? campaign.wantedTerms;
  const boost = toBoost(work, terms);
  const step = `${creationsOf(generation)}${object}`;
  const progress = await prepareTerms(work, terms, campaign.liveRevision, step);
  let isSure = false;
  const made = await perform<CreatedObject>(acting, {
    step,
    schema: CreatedObject,
    evidence: {
      lagSeconds: ads.lagSeconds,
      // After a check that is sure (`isSure`), the creation is repeated without waiting for the platform's
      // lag.
      get refusesRepeat() {
        return isSure;
      },
      believes: "at_once",
    },
    intent: {
      unless: sql`NOT EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${campaign.id} AND campaigns.goal = 'running'
        AND campaigns.generation = ${generation})`,
    },
    suspect: setBackBefore(journal, campaign),
    settles: ({ id }) => [noteObject(deps.db, campaign.id, { object, platformId: id }, journal.hasLease)],
    async act(context) {
      const outcome = await ads.createObject(context, boost, { object, made: ids, progress });
      return outcome.kind === "made" ? { kind: "done", value: { id: outcome.id } } : outcome;
    },
    async find(context, since) {
      const found = await ads.find(context, boost, { object, made: ids, since });
      isSure = found.kind === "absent" && found.isSure === true;
      return found.kind === "found" ? { kind: "found", value: { id: found.id } } : found;
    },
  });
  return made && { ...campaign, platformObjectIds: { ...ids, [object]: made.id } };
}

/**
 * Activates the campaign; it spends from here on. The intent is stored only while the campaign is wanted. So
 * a campaign deleted before is never activated, and one deleted later is ended by the next delivery.
 * Activation is idempotent, so a lost answer is simply retried.
 */
export async function activate(work: Acting): Promise<Campaign | null> {
  const { journal, ads, campaign, acting } = work;
  const terms = campaign.liveTerms ?? campaign.wantedTerms;
  const isActive = await performRepeatable(acting, {
    step: "activate",
    isPatient: true,
    ignoresLimits: campaign.activatingAt !== null,
    begins: async () => {
      const activatingAt = sql`coalesce(activating_at, ${Date.now()})`;
      return (await write(work, { activatingAt }, { condition: isAsRead(campaign) })) !== null;
    },
    act(context) {
      const creation = { mayHaveTwins: journal.wasRepeated(creationsOf(campaign.generation)) };
      return ads.enable(context, toBoost(work, terms), campaign.platformObjectIds, creation);
    },
  });
  if (!isActive) return null;
  const isFirst = campaign.generation === 0;
  return write(
    work,
    {
      activatedAt: Date.now(),
      isReverting: sql`CASE WHEN revision = ${campaign.revision} THEN 0 ELSE is_reverting END`,
      state: sql`CASE WHEN state = 'creating' THEN 'in_review' ELSE state END`,
      ...(isFirst ? { reason: null, errorCode: null } : {}),
    },
    {
      condition: sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${campaign.id} AND campaigns.goal = 'running'
        AND campaigns.activated_at IS NULL)`,
      event: {
        type: isFirst ? "campaign.submitted" : "campaign.changed",
        message: isFirst
          ? "The campaign is active at the platform, which reviews it."
          : "The campaign was replaced at the platform, which reviews it.",
        detail: { social_post_id: campaign.postId },
      },
    },
  );
}

/** The step with the answer that refused the campaign, for the event of its failure. */
export const REFUSAL = "refusal";

/**
 * Fails a campaign that cannot be created: its existing objects are ended, and then the failure is reported.
 */
export async function fail(work: Work, { code, message, answer }: Cause): Promise<void> {
  if (answer) await work.journal.write(REFUSAL, answer);
  await write(
    work,
    { goal: "failed", reason: message, errorCode: code },
    {
      condition: hasGoal(work.campaign.id, "running"),
    },
  );
}
