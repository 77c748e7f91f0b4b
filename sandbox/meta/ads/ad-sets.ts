// Ad sets: create and update. They hold the budget, schedule, goal and audience.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { GraphError } from "../errors";
import { type GraphContext, moment, parse, text } from "../params";
import { type AdsWorld, requireOpen, type Target, writing } from "./access";
import type { AdAccount } from "./accounts";
import { changedBudget, checkBudget, checkBudgetChange, checkSchedule, hasBudget, peakOf } from "./budgets";
import { BID_STRATEGIES } from "./campaigns";
import { settle, spentOf, todayOf } from "./delivery";
import {
  amount,
  ChangedStatus,
  COMMON,
  ExecutionOptions,
  isTrial,
  localeOf,
  NewStatus,
  name,
  openMoment,
  record,
  requireChangeable,
  requireOneOf,
  texts,
} from "./input";
import { refused } from "./refusals";
import { type AdSet, adSets, type Campaign, campaigns, restartReview } from "./store";
import { checkedTargeting, SentTargeting } from "./targeting";
import { countBudgetChange } from "./usage";

const REACHING = ["REACH", "IMPRESSIONS"];
const CLICKING = ["LINK_CLICKS", "LANDING_PAGE_VIEWS"];
/** The goals that each objective allows. */
const GOALS: Readonly<Record<string, readonly string[]>> = {
  OUTCOME_AWARENESS: [...REACHING, "AD_RECALL_LIFT", "THRUPLAY"],
  OUTCOME_TRAFFIC: [...CLICKING, ...REACHING, "VISIT_INSTAGRAM_PROFILE", "PROFILE_VISIT", "CONVERSATIONS"],
  OUTCOME_ENGAGEMENT: [
    "POST_ENGAGEMENT",
    "THRUPLAY",
    "TWO_SECOND_CONTINUOUS_VIDEO_VIEWS",
    "PAGE_LIKES",
    "EVENT_RESPONSES",
    "CONVERSATIONS",
    ...CLICKING,
    ...REACHING,
  ],
  OUTCOME_LEADS: ["LEAD_GENERATION", "QUALITY_LEAD", "OFFSITE_CONVERSIONS", "CONVERSATIONS", ...CLICKING, ...REACHING],
  OUTCOME_SALES: ["OFFSITE_CONVERSIONS", "VALUE", "CONVERSATIONS", ...CLICKING, ...REACHING],
  OUTCOME_APP_PROMOTION: ["APP_INSTALLS", "LINK_CLICKS", "VALUE"],
};
const ALL_GOALS = [...new Set(Object.values(GOALS).flat())];
const CAPPED = ["LOWEST_COST_WITH_BID_CAP", "COST_CAP"];

const Shared = {
  ...COMMON,
  daily_budget: amount.optional(),
  lifetime_budget: amount.optional(),
  start_time: moment.optional(),
  end_time: openMoment.optional(),
  bid_strategy: z.enum(BID_STRATEGIES).optional(),
  bid_amount: amount.optional(),
  targeting: SentTargeting.optional(),
  dsa_beneficiary: text.max(512).optional(),
  dsa_payor: text.max(512).optional(),
  regional_regulated_categories: texts.optional(),
  regional_regulation_identities: record.optional(),
  execution_options: ExecutionOptions.optional(),
};
const Destination = z.enum([
  "UNDEFINED",
  "WEBSITE",
  "APP",
  "MESSENGER",
  "WHATSAPP",
  "INSTAGRAM_DIRECT",
  "INSTAGRAM_PROFILE",
  "FACEBOOK",
  "ON_AD",
  "ON_POST",
  "ON_VIDEO",
  "ON_PAGE",
  "ON_EVENT",
]);
const Create = z.object({
  ...Shared,
  name,
  campaign_id: text.or(z.number().transform(String)),
  status: NewStatus.default("ACTIVE"),
  billing_event: z.enum(["IMPRESSIONS", "LINK_CLICKS", "POST_ENGAGEMENT", "THRUPLAY", "PAGE_LIKES"]),
  optimization_goal: text,
  destination_type: Destination.optional(),
  promoted_object: record.optional(),
  frequency_control_specs: z.unknown().optional(),
});
const Change = z.object({
  ...Shared,
  name: name.optional(),
  status: ChangedStatus.optional(),
  optimization_goal: text.optional(),
});

/** Null for `validate_only`. */
export async function createAdSet(world: AdsWorld, c: GraphContext, accountId: string): Promise<AdSet | null> {
  const { sandbox } = world;
  const input = parse(c, Create);
  const { account } = await writing(world, c, accountId);
  requireOpen(account);
  const campaign = parentIn(sandbox, account, input.campaign_id);
  if (input.frequency_control_specs !== undefined && input.optimization_goal !== "REACH") {
    throw refused(null, { field: "frequency_control_specs", title: "Frequency", message: "Only with the goal REACH." });
  }
  const content: AdSet["content"] = {
    daily_budget: input.daily_budget ?? null,
    lifetime_budget: input.lifetime_budget ?? null,
    peak: null,
    start_at: input.start_time ?? sandbox.now(),
    end_at: input.end_time ?? null,
    billing_event: input.billing_event,
    optimization_goal: input.optimization_goal,
    bid_strategy: input.bid_strategy ?? null,
    bid_amount: input.bid_amount ?? null,
    destination_type: input.destination_type ?? null,
    promoted_object: input.promoted_object ?? null,
    targeting: input.targeting ?? {},
    dsa_beneficiary: input.dsa_beneficiary ?? null,
    dsa_payor: input.dsa_payor ?? null,
  };
  check(world, c, { account, campaign, content, hasRegionalIds: input.regional_regulation_identities !== undefined });
  checkSchedule(sandbox.now(), content.start_at, content.end_at, content);
  if (isTrial(input.execution_options)) return null;
  return adSets.insert(sandbox, {
    platform: world.app.platform,
    account_id: account.id,
    campaign_id: campaign.id,
    name: input.name,
    status: input.status,
    content,
  });
}

export async function changeAdSet(world: AdsWorld, c: GraphContext, { id, accountId }: Target): Promise<void> {
  const { sandbox } = world;
  const { fields: _, locale: __, execution_options, ...input } = parse(c, Change);
  const { account } = await writing(world, c, accountId);
  // No await from here to the end: the checked conditions still hold at the write.
  const row = adSets.get(sandbox, id);
  settle(sandbox, row.campaign_id ?? "");
  requireChangeable(row, input);
  const { content: before } = row;
  const budget = changedBudget(before, input);
  const content: AdSet["content"] = {
    ...before,
    daily_budget: budget.daily_budget,
    lifetime_budget: budget.lifetime_budget,
    peak: budget === before ? before.peak : peakOf(before, todayOf(sandbox, row)),
    start_at: input.start_time ?? before.start_at,
    end_at: input.end_time === undefined ? before.end_at : input.end_time,
    bid_strategy: input.bid_strategy ?? before.bid_strategy,
    bid_amount: input.bid_amount ?? before.bid_amount,
    optimization_goal: input.optimization_goal ?? before.optimization_goal,
    // Replaced as a whole, never merged.
    targeting: input.targeting ?? before.targeting,
    dsa_beneficiary: input.dsa_beneficiary ?? before.dsa_beneficiary,
    dsa_payor: input.dsa_payor ?? before.dsa_payor,
  };
  const isOther = JSON.stringify(content) !== JSON.stringify(before);
  if (isOther) {
    const campaign = parentIn(sandbox, account, row.campaign_id ?? "");
    check(world, c, { account, campaign, content, hasRegionalIds: input.regional_regulation_identities !== undefined });
    if (budget !== before) checkBudgetChange(before, budget, spentOf(sandbox, row));
    if (content.end_at !== before.end_at) checkSchedule(sandbox.now(), content.start_at, content.end_at, content);
  }
  if (isTrial(execution_options)) return;
  if (budget !== before) countBudgetChange(sandbox, row.id);
  adSets.update(sandbox, { ...row, name: input.name ?? row.name, status: input.status ?? row.status, content });
  const isReviewed = input.targeting !== undefined || content.optimization_goal !== before.optimization_goal;
  if (isReviewed) restartReview(sandbox, "adset_id", id);
}

/** The parent campaign of an ad set: in the same ad account and not deleted. */
function parentIn(sandbox: Sandbox, account: AdAccount, id: string): Campaign {
  const campaign = campaigns.find(sandbox, id);
  if (campaign?.account_id === account.id && campaign.status !== "DELETED") return campaign;
  const message = `The campaign ${id} does not exist in this ad account, or was deleted.`;
  throw refused(null, { field: "campaign_id", title: "Campaign not found", message });
}

interface Checked {
  account: AdAccount;
  campaign: Campaign;
  content: AdSet["content"];
  hasRegionalIds: boolean;
}

function check({ sandbox }: AdsWorld, c: GraphContext, { account, campaign, content, hasRegionalIds }: Checked): void {
  const { objective, special_ad_categories } = campaign.content;
  const { optimization_goal: goal } = content;
  requireOneOf("optimization_goal", goal, ALL_GOALS);
  if (!GOALS[objective]?.includes(goal)) {
    const message = `The goal ${goal} is not available for the objective ${objective}.`;
    throw refused(2490408, { field: "optimization_goal", title: "Performance goal", message });
  }
  checkWhoHasTheBudget(campaign, content);
  checkBid(campaign, content);
  const hasBeneficiary = content.dsa_beneficiary !== null && content.dsa_payor !== null;
  const targeting = checkedTargeting(content.targeting, {
    accountId: account.id,
    hasBeneficiary: hasBeneficiary || sandbox.settings.all.ads_dsa_defaults,
    hasRegionalIds,
    specialCategories: special_ad_categories,
  });
  const countries = targeting.geo_locations?.countries ?? [];
  const locale = localeOf(c, sandbox.settings.all.ads_language);
  if (hasBudget(content)) checkBudget({ ...content, account, countries, locale });
}

function checkWhoHasTheBudget(campaign: Campaign, content: AdSet["content"]): void {
  if (!hasBudget(content) && !hasBudget(campaign.content)) {
    const message = "Choose a daily or a lifetime budget for the campaign or the ad set.";
    throw refused(1487061, { field: "daily_budget", title: "Budget required", message });
  }
  if (hasBudget(content) && hasBudget(campaign.content)) {
    const message = "The campaign has a budget: its ad sets cannot have one of their own.";
    throw refused(1885621, { field: "daily_budget", title: "Budget at two levels", message });
  }
  if (campaign.content.lifetime_budget !== null && content.end_at === null) {
    const message = "An ad set of a campaign with a lifetime budget needs an end.";
    throw new GraphError(100, "Invalid parameter", { userTitle: "End time required", userMessage: message });
  }
}

function checkBid(campaign: Campaign, { bid_strategy, bid_amount }: AdSet["content"]): void {
  const strategy = bid_strategy ?? campaign.content.bid_strategy;
  if (strategy !== null && (bid_amount !== null || !CAPPED.includes(strategy))) return;
  const message = "A bid amount is required: set bid_amount, or the bid strategy LOWEST_COST_WITHOUT_CAP.";
  throw refused(2490487, { field: "bid_amount", title: "Bid amount required", message });
}
