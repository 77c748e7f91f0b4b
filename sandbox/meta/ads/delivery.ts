// The spend of ads. Between two changes of a campaign only time passes. So delivery is computed on demand,
// before each read or change. It covers the time since the last computation, day by day in the ad account's
// zone, up to the budget.

import type { Sandbox } from "../../sandbox";
import { findAdAccount, MONEY } from "./accounts";
import { limitingBudget } from "./budgets";
import { dayOf, msLeftOfDay, shifted, weekOf } from "./days";
import { mayDeliver, reviewEnd, type Tree, treeOf } from "./status";
import { type Ad, type AdSet, ads, type Campaign, campaigns } from "./store";

const DAY_MS = 86_400_000;

/** An object that holds a budget. */
type Holder = Campaign | AdSet;

interface Run {
  tree: Tree;
  from: number;
  to: number;
}

/**
 * Books the campaign's spend up to now. Call this before any change to it, its children, or its ad account.
 */
export function settle(sandbox: Sandbox, campaignId: string): void {
  const now = sandbox.now();
  const runs = ads.list(sandbox, "campaign_id", campaignId).flatMap((ad): Run[] => {
    const tree = treeOf(sandbox, ad);
    const { start_at, end_at } = tree.adSet.content;
    const from = Math.max(ad.settled_at, reviewEnd(sandbox, ad), start_at);
    const to = Math.min(now, end_at ?? now);
    return from < to && mayDeliver(sandbox, tree) ? [{ tree, from, to }] : [];
  });
  const groups = Map.groupBy(runs, ({ tree }) => holderOf(tree.campaign, tree.adSet).id);
  for (const group of groups.values()) spend(sandbox, group);
  sandbox.db.run("UPDATE meta_ads SET settled_at = ? WHERE campaign_id = ? AND kind = 'ad'", now, campaignId);
}

export function settleAccount(sandbox: Sandbox, accountId: string): void {
  for (const { id } of campaigns.list(sandbox, "account_id", accountId)) settle(sandbox, id);
}

const holderOf = (campaign: Campaign, adSet: AdSet): Holder =>
  campaign.content.daily_budget === null && campaign.content.lifetime_budget === null ? adSet : campaign;

/** Splits the spend evenly among ads that share a budget, day by day, because each day has its own limit. */
function spend(sandbox: Sandbox, group: readonly Run[]): void {
  const [first] = group;
  if (!first) return;
  const holder = holderOf(first.tree.campaign, first.tree.adSet);
  const zone = zoneOf(sandbox, holder.account_id);
  const end = Math.max(...group.map(({ to }) => to));
  let at = Math.min(...group.map(({ from }) => from));
  while (at < end) {
    const until = Math.min(end, at + msLeftOfDay(at, zone));
    const day = dayOf(at, zone);
    for (const [index, run] of group.entries()) {
      const ms = Math.max(0, Math.min(run.to, until) - Math.max(run.from, at));
      const due = (ms * perMillisecond(sandbox, run.tree, day)) / group.length;
      const amount = Math.min(due, left(sandbox, holder, day) / (group.length - index));
      if (amount > 0) addSpend(sandbox, run.tree.ad, day, amount);
    }
    at = until;
  }
}

function addSpend(sandbox: Sandbox, ad: Ad, day: string, amount: number): void {
  sandbox.db.run(
    `INSERT INTO meta_ad_days (ad_id, day, spend) VALUES (?, ?, ?)
     ON CONFLICT (ad_id, day) DO UPDATE SET spend = spend + excluded.spend`,
    ad.id,
    day,
    amount,
  );
}

function perMillisecond(sandbox: Sandbox, { campaign, adSet }: Tree, day: string): number {
  const { ads_speed: speed, ads_daily_overshoot: overshoot } = sandbox.settings.all;
  const { content } = holderOf(campaign, adSet);
  const { daily_budget, lifetime_budget } = content;
  if (daily_budget !== null) return (speed * limitingBudget(content, day) * (1 + overshoot)) / DAY_MS;
  const { start_at, end_at } = adSet.content;
  const lasts = end_at === null ? 30 * DAY_MS : end_at - start_at;
  return (speed * (lifetime_budget ?? 0)) / Math.max(lasts, 1);
}

/** The remaining budget on a day: of the lifetime, or of that day and its week. */
function left(sandbox: Sandbox, holder: Holder, day: string): number {
  const { daily_budget, lifetime_budget } = holder.content;
  if (daily_budget === null) return Math.max(0, (lifetime_budget ?? 0) - spentBy(sandbox, holder));
  const limiting = limitingBudget(holder.content, day);
  const mostOfDay = limiting * (1 + sandbox.settings.all.ads_daily_overshoot);
  const week = weekOf(day);
  const ofWeek = 7 * limiting - spentBy(sandbox, holder, week, shifted(week, 6));
  return Math.max(0, Math.min(mostOfDay - spentBy(sandbox, holder, day, day), ofWeek));
}

const zoneOf = (sandbox: Sandbox, accountId: string) => findAdAccount(sandbox, accountId)?.zone ?? "UTC";

export const todayOf = (sandbox: Sandbox, { account_id }: Holder) => dayOf(sandbox.now(), zoneOf(sandbox, account_id));

/** For both days and those between; in the smallest unit, with fractions. */
function spentBy(sandbox: Sandbox, { id, kind }: { id: string; kind: string }, since = "0", until = "9"): number {
  const column = kind === "campaign" ? "campaign_id" : kind === "adset" ? "adset_id" : "id";
  const row = sandbox.db.first<{ spend: number | null }>(
    `SELECT sum(d.spend) AS spend FROM meta_ads a JOIN meta_ad_days d ON d.ad_id = a.id
     WHERE a.${column} = ? AND a.kind = 'ad' AND d.day BETWEEN ? AND ?`,
    id,
    since,
    until,
  );
  return row?.spend ?? 0;
}

/** In whole smallest units. Includes only booked spend. */
export const spentOf = (sandbox: Sandbox, one: { id: string; kind: string }) =>
  Math.floor(spentBy(sandbox, one) + 1e-6);

export function spentByAccount(sandbox: Sandbox, accountId: string): number {
  const all = campaigns.list(sandbox, "account_id", accountId);
  return all.reduce((sum, campaign) => sum + spentOf(sandbox, campaign), 0);
}

/** The remaining budget; of a daily budget, today's. */
export function budgetRemaining(sandbox: Sandbox, holder: Holder): number {
  const today = todayOf(sandbox, holder);
  const { daily_budget, lifetime_budget } = holder.content;
  if (daily_budget === null) return Math.max(0, (lifetime_budget ?? 0) - spentOf(sandbox, holder));
  return Math.max(0, Math.floor(daily_budget - spentBy(sandbox, holder, today, today)));
}

export interface Figures {
  /** In the smallest unit. */
  spend: number;
  impressions: number;
  reach: number;
  clicks: number;
}

/** The results that an amount buys, rounded down. */
export function figuresOf(sandbox: Sandbox, accountId: string, spent: number): Figures {
  const currency = findAdAccount(sandbox, accountId)?.currency ?? "EUR";
  const spend = Math.floor(spent + 1e-6);
  const impressions = Math.floor((spend * 1000) / MONEY[currency].perThousand);
  return { spend, impressions, reach: Math.ceil(impressions / 1.3), clicks: Math.floor(impressions / 25) };
}

/** The spend of each day with delivery from `since` to `until`, both included; oldest first. */
export function spentDaily(sandbox: Sandbox, adIds: readonly string[], since: string, until: string) {
  return sandbox.db.all<{ day: string; spend: number }>(
    `SELECT day, sum(spend) AS spend FROM meta_ad_days
     WHERE ad_id IN (SELECT value FROM json_each(?)) AND day BETWEEN ? AND ? GROUP BY day ORDER BY day`,
    JSON.stringify(adIds),
    since,
    until,
  );
}
