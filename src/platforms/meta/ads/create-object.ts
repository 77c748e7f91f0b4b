import { z } from "zod";
import type { Boost, BoostTerms, CreateOutcome, Made, NextObject } from "../../advertising.ts";
import type { AccountContext, Failure, Json } from "../../context.ts";
import { PlatformId } from "../../json.ts";
import { rejected, unknown } from "../../outcomes.ts";
import type { PrepareOutcome } from "../../publishing.ts";
import { type GraphCall, post } from "../graph.ts";
import { type AdsProduct, accountPath, adsGraph, type Goal, toGraphTime } from "./api.ts";
import { nameOf } from "./naming.ts";
import { needsSponsor, readSponsor, refuseCountries, targetingOf } from "./targeting.ts";

/**
 * Creates the objects of a boost, each paused.
 *
 * - No create call at Meta is safe to repeat: a second campaign or ad set has its own budget. An unclear
 *   answer is `unknown` and looked up (find.ts).
 * - Creatives are the exception: they are not public and spend nothing, so another one is created.
 * - Required, although the reference calls them optional: `special_ad_categories`,
 *   `is_adset_budget_sharing_enabled`, `bid_strategy`, `advantage_audience`.
 */
const Created = z.object({ id: PlatformId });

/** The result of `prepare`. */
const Prepared = z.object({
  /** The id by which ads know the post. */
  promotedId: z.string(),
  /** The beneficiary and the payer, if they are required. */
  sponsor: z.string().nullable(),
});
type Prepared = z.output<typeof Prepared>;

export async function prepare(product: AdsProduct, context: AccountContext, boost: Boost): Promise<PrepareOutcome> {
  const refusal = refuseCountries(boost);
  if (refusal) return refusal;
  const promotable = await product.promotable(context, boost.post);
  if (promotable.kind === "failed") return promotable;
  if (promotable.reason !== null) return rejected(promotable.reason, "content_refused");
  const sponsor = needsSponsor(boost) ? await readSponsor(product, context, boost.adAccountId) : null;
  if (sponsor?.kind === "failed") return sponsor;
  return { kind: "ready", progress: { promotedId: promotable.id, sponsor: sponsor?.name ?? null } };
}

export async function createObject(
  product: AdsProduct,
  context: AccountContext,
  boost: Boost,
  { object, made, progress }: NextObject,
): Promise<CreateOutcome> {
  const prepared = Prepared.safeParse(progress);
  if (!prepared.success) return rejected("The preparation of this boost is unknown.");
  const account = accountPath(boost.adAccountId);
  if (typeof account !== "string") return account;
  const call = callFor({ product, context, boost, made, account, prepared: prepared.data }, object);
  if ("kind" in call) return call;
  const graph = adsGraph(context);
  const answer = await (object === "creative" ? graph.read(call, Created) : graph.write(call, Created));
  if (answer.kind === "duplicate") return unknown(answer.message);
  return answer.kind === "ok" ? { kind: "made", id: answer.value.id } : answer;
}

interface Plan {
  readonly product: AdsProduct;
  readonly context: AccountContext;
  readonly boost: Boost;
  readonly made: Made;
  /** `act_…` */
  readonly account: string;
  readonly prepared: Prepared;
}

function callFor(plan: Plan, object: string): GraphCall | Failure {
  const { product, context, boost, made, account, prepared } = plan;
  const { campaign, adset, creative } = made;
  const name = nameOf(boost);
  const goal = product.goals[boost.objective];
  if (goal === undefined) return rejected(`Meta does not boost existing posts for the objective ${boost.objective}.`);
  if (object === "campaign") {
    return post(`${account}/campaigns`, {
      name,
      objective: goal.objective,
      buying_type: "AUCTION",
      special_ad_categories: "[]",
      is_adset_budget_sharing_enabled: "false",
      status: "PAUSED",
    });
  }
  if (object === "adset" && campaign !== undefined) {
    return post(`${account}/adsets`, { name, campaign_id: campaign, ...adSetForm(plan, goal) });
  }
  if (object === "creative") {
    return post(`${account}/adcreatives`, { name, ...product.shows(context.account, prepared.promotedId) });
  }
  if (object === "ad" && adset !== undefined && creative !== undefined) {
    const shown = JSON.stringify({ creative_id: creative });
    return post(`${account}/ads`, { name, adset_id: adset, creative: shown, status: "PAUSED" });
  }
  return rejected(`The ${object} of this boost cannot be created: its parent object is missing.`);
}

function adSetForm({ product, context, boost, prepared }: Plan, goal: Goal): Record<string, string> {
  const page = goal.promotesPage ? product.pageId(context.account) : null;
  return {
    status: "PAUSED",
    ...budgetForm(boost),
    start_time: toGraphTime(boost.startAt),
    end_time: toGraphTime(boost.endAt),
    billing_event: "IMPRESSIONS",
    optimization_goal: goal.optimization,
    bid_strategy: "LOWEST_COST_WITHOUT_CAP",
    ...(goal.destination === null ? {} : { destination_type: goal.destination }),
    ...(page === null ? {} : { promoted_object: JSON.stringify({ page_id: page }) }),
    targeting: targetingOf(boost, product),
    ...sponsorForm(prepared.sponsor),
  };
}

/** In minor units, without a decimal point. */
export function budgetForm({ budgetType, budgetMinor }: Pick<BoostTerms, "budgetType" | "budgetMinor">) {
  const amount = `${budgetMinor}`;
  return budgetType === "daily" ? { daily_budget: amount } : { lifetime_budget: amount };
}

export function sponsorForm(sponsor: string | null): Record<string, string> {
  return sponsor === null ? {} : { dsa_beneficiary: sponsor, dsa_payor: sponsor };
}

/** The sponsor that `prepare` found; null if none was required. */
export function sponsorIn(progress: Json): string | null {
  return Prepared.safeParse(progress).data?.sponsor ?? null;
}
