import { type SQL, sql } from "drizzle-orm";
import { type ActingAs, actAs } from "../acting/acting.ts";
import { loginOf } from "../channels/reconnections.ts";
import type { Actor } from "../channels/store.ts";
import type { Cause } from "../core/failures.ts";
import { type CampaignId, idOf } from "../core/ids.ts";
import { DAY, MINUTE } from "../core/time.ts";
import { type Db, type Statement, writeTogether } from "../db/client.ts";
import type { ShownWait } from "../jobs/handler.ts";
import type { Journal } from "../jobs/journal.ts";
import { JobFailed, RetryLater } from "../jobs/outcomes.ts";
import type { Advertising, Boost, Standing } from "../platforms/advertising.ts";
import { findPlatform } from "../platforms/registry.ts";
import type { Post } from "../posts/store.ts";
import type { Deps } from "../service/deps.ts";
import { keepDay } from "./days.ts";
import { type CampaignEvent, campaignEvents } from "./events.ts";
import { readForWork, updateCampaign } from "./store.ts";
import type { StoredTerms } from "./stored.ts";
import type { Campaign } from "./table.ts";

/** The context shared by the steps of a campaign's job. */
export interface Work {
  readonly deps: Deps;
  readonly journal: Journal;
  readonly campaign: Campaign;
  readonly actor: Actor | null;
  readonly post: Post | null;
  readonly ads: Advertising;
}

/** The context, with the credentials to act. */
export interface Acting extends Work {
  readonly acting: ActingAs;
}

/** Null for a campaign that was erased. */
export async function readWork(deps: Deps, journal: Journal): Promise<Work | null> {
  const read = await readForWork(deps.db, idOf<CampaignId>(journal.job.subjectId));
  if (!read) return null;
  const ads = findPlatform(read.campaign.platform)?.ads;
  if (!ads) throw new Error(`Posts cannot be boosted on ${read.campaign.platform}.`);
  return { deps, journal, ...read, ads };
}

/** Only the account owner can restore the credentials. */
export class LoginNeeded extends JobFailed {}

/** Throws `LoginNeeded`. */
export async function withCredentials(work: Work): Promise<Acting> {
  const { deps, journal, actor } = work;
  try {
    return { ...work, acting: await actAs({ deps, journal, isPatient: false }, actor, "ads") };
  } catch (error) {
    throw error instanceof JobFailed ? new LoginNeeded(error.code, error.message, error.answer) : error;
  }
}

const RECONNECT_MS = 10 * MINUTE;

/** Ends the delivery until the account is reconnected; checks periodically. */
export function waitForLogin(
  { deps, campaign }: Work,
  { code, message }: Cause,
  also: readonly Statement[] = [],
): never {
  const seconds = Math.max(1, RECONNECT_MS / 1_000 / deps.config.paceFactor);
  throw new RetryLater(seconds, { code, message, resumeKey: loginOf(campaign.channelId) }, also);
}

/** For a deleted post: ending or reading a campaign needs only its objects. */
const FORGOTTEN: Pick<Boost, "post" | "postType"> = {
  post: { id: "", secondaryId: null, permalink: null },
  postType: "post",
};

function liveOf(post: Post | null): Pick<Boost, "post" | "postType"> {
  const [live] = post?.platformPosts ?? [];
  return post && live ? { post: live, postType: post.postType } : FORGOTTEN;
}

/**
 * The terms of this generation's objects: for a lifetime budget, the spend of earlier generations is
 * subtracted.
 */
export function ofGeneration(
  { earlierSpendMinor }: Pick<Campaign, "earlierSpendMinor">,
  terms: StoredTerms,
): StoredTerms {
  if (terms.budgetType === "daily") return terms;
  return { ...terms, budgetMinor: Math.max(1, terms.budgetMinor - earlierSpendMinor) };
}

/** Part of the name of a generation's objects, and unique per generation. */
const referenceOf = ({ reference, generation }: Pick<Campaign, "reference" | "generation">) =>
  generation === 0 ? reference : `${reference}-${generation}`;

export function endOf(campaign: Pick<Campaign, "startAt" | "createdAt">, terms: Pick<StoredTerms, "days">): number {
  return (campaign.startAt ?? campaign.createdAt) + terms.days * DAY;
}

/**
 * This generation in the adapter's format: its schedule starts with the generation, and ends with the
 * campaign.
 */
export function toBoost({ campaign, post }: Pick<Work, "campaign" | "post">, terms: StoredTerms): Boost {
  return {
    ...ofGeneration(campaign, terms),
    ...liveOf(post),
    reference: referenceOf(campaign),
    name: campaign.name,
    startAt: campaign.generationStartAt ?? campaign.startAt ?? campaign.createdAt,
    endAt: endOf(campaign, terms),
  };
}

/** The terms of the existing objects, as far as known. */
export const liveTermsOf = ({ liveTerms, wantedTerms }: Campaign): StoredTerms => liveTerms ?? wantedTerms;

/**
 * Writes while this delivery holds the lease and `condition` holds, and returns the updated campaign; null if
 * nothing was written. `also` has statements with the same condition.
 */
export async function write(
  { deps, journal, campaign }: Pick<Work, "deps" | "journal" | "campaign">,
  changes: Parameters<typeof updateCampaign>[2],
  {
    condition = sql`1`,
    event,
    also = [],
    afterwards = [],
  }: {
    condition?: SQL;
    event?: CampaignEvent | null;
    also?: readonly Statement[];
    afterwards?: readonly Statement[];
  } = {},
): Promise<Campaign | null> {
  const when = sql`${journal.hasLease} AND ${condition}`;
  const { updated } = await writeTogether(deps.db, {
    event: event ? eventStatement(deps, campaign, event, when) : null,
    also,
    updated: updateCampaign(deps.db, campaign.id, changes, when),
    day: typeof changes.spendAt === "number" ? keepDay(deps.db, campaign.id, changes.spendAt) : null,
    afterwards,
  });
  return updated[0] ?? null;
}

export function eventStatement(
  { db }: Pick<Deps, "db">,
  { id, projectId }: Pick<Campaign, "id" | "projectId">,
  event: CampaignEvent,
  when: SQL,
): Statement {
  return campaignEvents.insert(db, { ...event, projectId, subjectId: id, at: Date.now() }, when);
}

/** The message of a wait without a problem. */
export const UNTIL_NEXT_READ = "Waiting for the next status check.";

/** The prefix of the reason for a refused change; the reason stays until the next change. */
export const NOT_APPLIED = "The change was not applied: ";

/** Shows a wait in the timeline, unless it is the usual one. */
export function waitEvent(
  db: Db,
  { projectId, subjectId, message, detail, platform, at }: ShownWait,
  hasLease: SQL,
): readonly Statement[] {
  if (message === UNTIL_NEXT_READ) return [];
  const { answer } = platform;
  const shown = JSON.stringify({ ...detail, ...(answer ? { answer } : {}) });
  const event = {
    projectId,
    subjectId: sql<number>`campaigns.id`,
    type: "campaign.waiting",
    message,
    detail: sql`json_set(${shown}, '$.social_post_id', campaigns.post_id)`,
    at,
  } as const;
  return [campaignEvents.insertMany(db, event, sql`campaigns`, sql`campaigns.id = ${subjectId} AND ${hasLease}`)];
}

/** The figures of all generations, with this generation as just read. */
export function figuresOf(
  { earlier }: Pick<Campaign, "earlier">,
  current: Pick<Standing, "reach" | "impressions" | "spendMinor">,
) {
  const sum = (of: (one: typeof current) => number) => earlier.reduce((all, one) => all + of(one), of(current));
  return {
    reach: sum(({ reach }) => reach),
    impressions: sum(({ impressions }) => impressions),
    spendMinor: sum(({ spendMinor }) => spendMinor),
  };
}
