import { sql } from "drizzle-orm";
import { z } from "zod";
import { asking, checkRateLimits, failedLook, handleFailure } from "../acting/acting.ts";
import type { Cause } from "../core/failures.ts";
import { type ActResult, type FindResult, JobFailed } from "../jobs/outcomes.ts";
import { visibilityLag } from "../jobs/recheck-policy.ts";
import type { FindMadeOutcome, MakeOutcome } from "../platforms/advertising.ts";
import type { Failure, Json } from "../platforms/context.ts";
import { type Acting, endOf, toBoost, type Work, write } from "./campaign-work.ts";
import { exactly } from "./live-terms.ts";
import { isAsRead, noteObject } from "./store.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";

/**
 * Creates the objects of a generation at the platform, each at most once, all of them paused, and activates
 * them last. These are the only acts that the journal guards: everything else that is done to a campaign may
 * be repeated.
 */

/** The steps of creations begin like this. */
const CREATION = "make:";
export const isCreation = (step: string) => step.startsWith(CREATION);
export const creationsOf = (generation: number) => `${CREATION}${generation}:`;

/** Fixes the terms with which the objects are created, and from when they run. */
export async function begin(work: Work): Promise<Campaign | null> {
  const { campaign } = work;
  const now = Date.now();
  const startAt = campaign.startAt ?? now;
  if (campaign.generation > 0 && endOf(campaign, campaign.wantedTerms) <= now) {
    const reason = "The campaign was over before it could be replaced.";
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

const Prepared = z.object({ isReady: z.boolean(), progress: z.custom<Json>(() => true) });

/** These terms were refused before anything of them was sent. */
export class NothingSent extends JobFailed {}

/** What the platform needs before these terms. Throws `NothingSent` where it refuses. */
export async function prepare(work: Acting, terms: StoredTerms, revision: number): Promise<Json> {
  try {
    return await prepareTerms(work, terms, revision);
  } catch (error) {
    throw error instanceof JobFailed ? new NothingSent(error.code, error.message) : error;
  }
}

async function prepareTerms(work: Acting, terms: StoredTerms, revision: number): Promise<Json> {
  const { journal, ads, campaign, post, acting } = work;
  if (!ads.prepare) return null;
  const step = `prepared:${campaign.generation}:${revision}`;
  let known = journal.read(step, Prepared);
  while (!known?.isReady) {
    await journal.checkpoint();
    const outcome = await ads.prepare(asking(acting), toBoost({ campaign, post }, terms), known?.progress ?? null);
    if (outcome.kind === "failed") return handleFailure(acting, outcome, step);
    known = { isReady: outcome.kind === "ready", progress: outcome.progress };
    await journal.write(step, known);
    if (outcome.kind === "more" && outcome.afterSeconds !== undefined)
      journal.retryLater(outcome.afterSeconds, outcome.reason ?? "The platform prepares the post.", null);
  }
  return known.progress;
}

const CreatedObject = z.object({ id: z.string() });
type CreatedObject = z.output<typeof CreatedObject>;

/**
 * Creates the next object, and returns the campaign with it; null where its goal has changed. Throws `JobFailed`
 * where the platform refuses it.
 */
export async function create(work: Acting, object: string): Promise<Campaign | null> {
  const { deps, journal, ads, campaign, acting } = work;
  const { generation, platformObjectIds: ids, liveTerms } = campaign;
  const step = `${creationsOf(generation)}${object}`;
  const terms = liveTerms ?? campaign.wantedTerms;
  const boost = toBoost(work, terms);
  if (!journal.isUnconfirmed(step)) checkRateLimits(acting);
  const progress = await prepare(work, terms, campaign.liveRevision);
  let isSure = false;
  const outcome = await journal.once<CreatedObject, Failure>(step, {
    schema: CreatedObject,
    codes: { unknown: "may_be_published", duplicate: "duplicate" },
    ...visibilityLag(deps.config, ads.lagSeconds),
    // Where another one does no harm, nothing is waited for.
    get refusesRepeat() {
      return isSure;
    },
    checksUntilDeadline: false,
    unless: sql`NOT EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${campaign.id} AND campaigns.goal = 'running'
      AND campaigns.generation = ${generation})`,
    settles: ({ id }) => [noteObject(deps.db, campaign.id, object, id, journal.hasLease)],
    act: async () => toActed(await ads.make(asking(acting), boost, object, ids, progress)),
    async find(since) {
      const found = await ads.find(asking(acting), boost, object, ids, since);
      isSure = found.kind === "absent" && found.isSure === true;
      return toFound(work, found);
    },
  });
  switch (outcome.kind) {
    case "done":
      return { ...campaign, platformObjectIds: { ...ids, [object]: outcome.value.id } };
    case "forbidden":
      return null;
    case "refused":
      return handleFailure(acting, outcome.failure, step);
    case "unresolved":
      throw new JobFailed(outcome.cause.code, outcome.cause.message);
  }
}

function toActed(outcome: MakeOutcome): ActResult<CreatedObject, Failure> {
  switch (outcome.kind) {
    case "made":
      return { kind: "done", value: { id: outcome.id } };
    case "unknown":
      return { kind: "unknown", message: outcome.message };
    case "failed":
      return { kind: "refused", failure: outcome };
  }
}

async function toFound({ acting }: Acting, outcome: FindMadeOutcome): Promise<FindResult<CreatedObject>> {
  switch (outcome.kind) {
    case "found":
      return { kind: "found", value: { id: outcome.id } };
    case "absent":
      return { kind: "absent" };
    case "unknown":
      return { kind: "unclear", message: outcome.message };
    case "failed":
      return failedLook(acting, outcome);
  }
}

/**
 * From here on it spends. The intent is stored only while the campaign is wanted, so what is deleted before
 * is never activated, and what is deleted after is ended by the next delivery. Activating twice is
 * activating: a lost answer is no more than a reason to repeat it.
 */
export async function activate(work: Acting): Promise<Campaign | null> {
  const { journal, ads, campaign, acting } = work;
  if (campaign.activatingAt === null) checkRateLimits(acting);
  await journal.checkpoint();
  const condition = isAsRead(campaign);
  if (!(await write(work, { activatingAt: sql`coalesce(activating_at, ${Date.now()})` }, { condition }))) return null;
  journal.requireLease();
  const terms = campaign.liveTerms ?? campaign.wantedTerms;
  const creation = { mayHaveTwins: journal.wasRepeated(creationsOf(campaign.generation)) };
  const outcome = await ads.enable(asking(acting), toBoost(work, terms), campaign.platformObjectIds, creation);
  if (outcome.kind === "failed") return handleFailure({ ...acting, isPatient: true }, outcome, "activate");
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
        message: isFirst ? "Active at the platform, which reviews it." : "Replaced at the platform, which reviews it.",
        detail: { social_post_id: campaign.postId },
      },
    },
  );
}

/** It could not be made: what exists of it is ended, and then that is reported. */
export async function fail(work: Work, { code, message }: Cause): Promise<void> {
  await write(
    work,
    { goal: "failed", reason: message, errorCode: code },
    {
      condition: sql`EXISTS (SELECT 1 FROM campaigns WHERE campaigns.id = ${work.campaign.id} AND campaigns.goal = 'running')`,
    },
  );
}
