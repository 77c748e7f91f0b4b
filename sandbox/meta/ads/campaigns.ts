// Campaigns: create and update.

import { z } from "zod";
import { badParameter } from "../errors";
import type { GraphContext } from "../params";
import { nested, parse, text } from "../params";
import { type AdsWorld, requireOpen, type Target, writing } from "./access";
import type { AdAccount } from "./accounts";
import { type Budget, changedBudget, checkBudget, checkBudgetChange, hasBudget, peakOf } from "./budgets";
import { settle, spentOf, todayOf } from "./delivery";
import {
  amount,
  bool,
  ChangedStatus,
  COMMON,
  ExecutionOptions,
  isTrial,
  localeOf,
  NewStatus,
  name,
  requireChangeable,
  requireOneOf,
  texts,
} from "./input";
import { refused } from "./refusals";
import { adSets, type Campaign, campaigns } from "./store";
import { countBudgetChange } from "./usage";

const OBJECTIVES = [
  "OUTCOME_AWARENESS",
  "OUTCOME_TRAFFIC",
  "OUTCOME_ENGAGEMENT",
  "OUTCOME_LEADS",
  "OUTCOME_SALES",
  "OUTCOME_APP_PROMOTION",
];
const CATEGORIES = [
  "NONE",
  "CREDIT",
  "EMPLOYMENT",
  "HOUSING",
  "FINANCIAL_PRODUCTS_SERVICES",
  "ISSUES_ELECTIONS_POLITICS",
  "ONLINE_GAMBLING_AND_GAMING",
] as const;
export const BID_STRATEGIES = [
  "LOWEST_COST_WITHOUT_CAP",
  "LOWEST_COST_WITH_BID_CAP",
  "COST_CAP",
  "LOWEST_COST_WITH_MIN_ROAS",
] as const;

const Shared = {
  ...COMMON,
  special_ad_category_country: texts.optional(),
  is_adset_budget_sharing_enabled: bool.optional(),
  daily_budget: amount.optional(),
  lifetime_budget: amount.optional(),
  bid_strategy: z.enum(BID_STRATEGIES).optional(),
  execution_options: ExecutionOptions.optional(),
};
const Categories = nested(z.array(z.enum(CATEGORIES)));
const Create = z.object({
  ...Shared,
  name,
  objective: text,
  special_ad_categories: Categories,
  status: NewStatus.default("ACTIVE"),
  buying_type: z.enum(["AUCTION", "RESERVED"]).default("AUCTION"),
});
const Change = z.object({
  ...Shared,
  name: name.optional(),
  objective: text.optional(),
  special_ad_categories: Categories.optional(),
  status: ChangedStatus.optional(),
});

/** Null for `validate_only`. */
export async function createCampaign(world: AdsWorld, c: GraphContext, accountId: string): Promise<Campaign | null> {
  const input = parse(c, Create);
  const { account } = await writing(world, c, accountId);
  requireOpen(account);
  requireOneOf("objective", input.objective, OBJECTIVES);
  const budget = { daily_budget: input.daily_budget ?? null, lifetime_budget: input.lifetime_budget ?? null };
  if (!hasBudget(budget) && input.is_adset_budget_sharing_enabled === undefined) {
    throw refused(4834011, {
      field: "is_adset_budget_sharing_enabled",
      title: "Budget sharing required",
      message: "Must specify True or False in is_adset_budget_sharing_enabled if the campaign has no budget.",
    });
  }
  checkCampaignBudget(world, c, account, budget);
  if (isTrial(input.execution_options)) return null;
  return campaigns.insert(world.sandbox, {
    platform: world.app.platform,
    account_id: account.id,
    name: input.name,
    status: input.status,
    content: {
      objective: input.objective,
      buying_type: input.buying_type,
      special_ad_categories: input.special_ad_categories,
      special_ad_category_country: input.special_ad_category_country ?? [],
      is_adset_budget_sharing_enabled: input.is_adset_budget_sharing_enabled ?? null,
      ...budget,
      peak: null,
      bid_strategy: input.bid_strategy ?? null,
    },
  });
}

export async function changeCampaign(world: AdsWorld, c: GraphContext, { id, accountId }: Target): Promise<void> {
  const { sandbox } = world;
  const { fields: _, locale: __, execution_options, ...input } = parse(c, Change);
  const { account } = await writing(world, c, accountId);
  // No await from here to the end: the checked conditions still hold at the write.
  settle(sandbox, id);
  const row = campaigns.get(sandbox, id);
  requireChangeable(row, input);
  const { content: before } = row;
  const { objective = before.objective } = input;
  if (objective !== before.objective) {
    requireOneOf("objective", objective, OBJECTIVES);
    const hasAdSets = adSets.list(sandbox, "campaign_id", row.id).some((one) => one.status !== "DELETED");
    if (hasAdSets) throw badParameter("The objective of a campaign with ad sets cannot be changed");
  }
  const budget = changedBudget(before, input);
  if (budget !== before) {
    checkCampaignBudget(world, c, account, budget);
    checkBudgetChange(before, budget, spentOf(sandbox, row));
  }
  if (isTrial(execution_options)) return;
  if (budget !== before) countBudgetChange(sandbox, row.id);
  campaigns.update(sandbox, {
    ...row,
    name: input.name ?? row.name,
    status: input.status ?? row.status,
    content: {
      ...before,
      objective,
      special_ad_categories: input.special_ad_categories ?? before.special_ad_categories,
      special_ad_category_country: input.special_ad_category_country ?? before.special_ad_category_country,
      is_adset_budget_sharing_enabled: input.is_adset_budget_sharing_enabled ?? before.is_adset_budget_sharing_enabled,
      bid_strategy: input.bid_strategy ?? before.bid_strategy,
      daily_budget: budget.daily_budget,
      lifetime_budget: budget.lifetime_budget,
      peak: budget === before ? before.peak : peakOf(before, todayOf(sandbox, row)),
    },
  });
}

function checkCampaignBudget({ sandbox }: AdsWorld, c: GraphContext, account: AdAccount, budget: Budget): void {
  const locale = localeOf(c, sandbox.settings.all.ads_language);
  // The schedule is in its ad sets.
  const now = sandbox.now();
  const time = { start_at: now, end_at: budget.lifetime_budget === null ? null : now + 1 };
  checkBudget({ ...budget, ...time, account, billing_event: "IMPRESSIONS", countries: [], locale });
}
