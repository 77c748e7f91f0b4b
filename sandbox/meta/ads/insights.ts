// Insights: values are strings, spend is in major units, and there is no row before the first delivery.

import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { badParameter } from "../errors";
import { type JsonObject, project, type Shape, shape } from "../fields";
import { pageOf } from "../paging";
import { type GraphContext, nested, parse, wholeNumber } from "../params";
import { type AdsWorld, reading } from "./access";
import { type AdAccount, inMajorUnits } from "./accounts";
import { dayOf, shifted } from "./days";
import { figuresOf, settleAccount, spentDaily } from "./delivery";
import { COMMON, Paging } from "./input";
import { GRAPH } from "./lists";
import { named, settleFor } from "./nodes";
import { type Ad, type AdKind, adSets, ads, campaigns } from "./store";

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/);
const PRESETS = ["today", "yesterday", "last_3d", "last_7d", "last_14d", "last_30d", "last_90d", "maximum"] as const;
const LEVELS = ["account", "campaign", "adset", "ad"] as const;
type Level = (typeof LEVELS)[number];

const Query = z.object({
  ...COMMON,
  ...Paging,
  date_preset: z.enum(PRESETS).default("last_30d"),
  time_range: nested(z.object({ since: day, until: day })).optional(),
  time_increment: z.union([z.literal("all_days"), wholeNumber]).optional(),
  level: z.enum(LEVELS).optional(),
});

const Insights: Shape = shape(
  "AdsInsights",
  "account_id account_name account_currency campaign_id campaign_name adset_id adset_name ad_id ad_name objective " +
    "spend impressions reach frequency clicks inline_link_clicks inline_post_engagement ctr cpm cpc cpp actions " +
    "cost_per_action_type date_start date_stop",
  {},
  "account_id campaign_id date_start date_stop impressions spend",
);

export async function insightsOfNode(world: AdsWorld, c: GraphContext, id: string): Promise<JsonObject> {
  const { sandbox } = world;
  const { kind, accountId } = named(sandbox, id, "get");
  if (kind === "creative") throw badParameter("Tried accessing nonexisting field (insights) on node type (AdCreative)");
  const { account } = await reading(world, c, accountId, "ads_insights");
  settleFor(sandbox, kind, id);
  const below =
    kind === "ad" ? [ads.get(sandbox, id)] : ads.list(sandbox, kind === "adset" ? "adset_id" : "campaign_id", id);
  return answer(world, c, account, { of: kind, below });
}

export async function insightsOfAccount(world: AdsWorld, c: GraphContext, act: string): Promise<JsonObject> {
  const { account } = await reading(world, c, act, "ads_insights");
  settleAccount(world.sandbox, account.id);
  return answer(world, c, account, { of: "account", below: ads.list(world.sandbox, "account_id", account.id) });
}

interface Stretch {
  since: string;
  until: string;
}

function answer(
  { sandbox, app }: AdsWorld,
  c: GraphContext,
  account: AdAccount,
  { of, below }: { of: Exclude<AdKind, "creative"> | "account"; below: readonly Ad[] },
): JsonObject {
  const query = parse(c, Query);
  const level = query.level ?? of;
  if (LEVELS.indexOf(level) < LEVELS.indexOf(of)) throw badParameter(`The level ${level} lies above the ${of}`);
  const { since, until } = query.time_range ?? stretchOf(query.date_preset, dayOf(sandbox.now(), account.zone));
  if (since > until) throw badParameter("The time range ends before it begins");
  const increment = query.time_increment === "all_days" ? undefined : query.time_increment;
  const groups = Map.groupBy(below, (ad) => keyOf(level, ad));
  const items = [...groups.values()].flatMap((group) => {
    const days = spentDaily(
      sandbox,
      group.map(({ id }) => id),
      since,
      until,
    );
    const first = days[0]?.day ?? since;
    const parts = Map.groupBy(days, (one) => (increment ? Math.floor(daysBetween(first, one.day) / increment) : 0));
    return [...parts.values()].flatMap((part): JsonObject[] => {
      const spent = part.reduce((sum, { spend }) => sum + spend, 0);
      // A lifetime preset returns the actual days; an explicit range is returned as requested.
      const isAsked = query.time_range !== undefined && !increment;
      const dates = isAsked ? { since, until } : { since: part[0]?.day ?? since, until: part.at(-1)?.day ?? until };
      const [ad] = group;
      const row = ad && rowOf(sandbox, account, { ad, level, spent, dates });
      return row ? [row] : [];
    });
  });
  const view = (row: JsonObject) => project(row, Insights, query.fields);
  const keys = new Map(items.map((item, index) => [item, String(index)]));
  const edge = {
    items,
    keyOf: (item: JsonObject) => keys.get(item) ?? "",
    view,
    origin: GRAPH,
    isShort: app.isShort(),
  };
  return pageOf(c, edge, query);
}

const keyOf = (level: Level, ad: Ad): string =>
  level === "ad" ? ad.id : level === "adset" ? (ad.adset_id ?? "") : level === "campaign" ? (ad.campaign_id ?? "") : "";

const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

function stretchOf(preset: (typeof PRESETS)[number], today: string): Stretch {
  const yesterday = shifted(today, -1);
  if (preset === "today") return { since: today, until: today };
  if (preset === "yesterday") return { since: yesterday, until: yesterday };
  if (preset === "maximum") return { since: "2004-01-01", until: today };
  return { since: shifted(today, -Number(/\d+/.exec(preset)?.[0] ?? 30)), until: today };
}

interface Result {
  /** Any ad that the row covers. */
  ad: Ad;
  level: Level;
  spent: number;
  dates: Stretch;
}

function rowOf(sandbox: Sandbox, account: AdAccount, { ad, level, spent, dates }: Result): JsonObject | null {
  const { spend, impressions, reach, clicks } = figuresOf(sandbox, account.id, spent);
  if (impressions === 0) return null;
  const { currency } = account;
  const per = (count: number) => (spend / Math.max(count, 1) / (currency === "JPY" ? 1 : 100)).toFixed(6);
  const engagements = Math.floor(impressions / 17);
  const actions = [
    { action_type: "post_engagement", value: String(engagements) },
    { action_type: "link_click", value: String(Math.floor(clicks / 2)) },
    { action_type: "like", value: String(Math.floor(engagements / 30)) },
  ].filter(({ value }) => value !== "0");
  return {
    account_id: account.id,
    account_name: account.name,
    account_currency: currency,
    ...namesOf(sandbox, ad, level),
    spend: inMajorUnits(spend, currency),
    impressions: String(impressions),
    reach: String(reach),
    frequency: (impressions / reach).toFixed(6),
    clicks: String(clicks),
    inline_link_clicks: String(Math.floor(clicks / 2)),
    inline_post_engagement: String(engagements),
    ctr: ((100 * clicks) / impressions).toFixed(6),
    cpm: per(impressions / 1000),
    cpp: per(reach / 1000),
    ...(clicks > 0 ? { cpc: per(clicks) } : {}),
    ...(actions.length > 0
      ? { actions, cost_per_action_type: [{ action_type: "post_engagement", value: per(engagements) }] }
      : {}),
    date_start: dates.since,
    date_stop: dates.until,
  };
}

function namesOf(sandbox: Sandbox, ad: Ad, level: Level): JsonObject {
  if (level === "account") return {};
  const campaign = campaigns.get(sandbox, ad.campaign_id);
  const names = { campaign_id: campaign.id, campaign_name: campaign.name, objective: campaign.content.objective };
  if (level === "campaign") return names;
  const adSet = adSets.get(sandbox, ad.adset_id);
  const further = { ...names, adset_id: adSet.id, adset_name: adSet.name };
  return level === "adset" ? further : { ...further, ad_id: ad.id, ad_name: ad.name };
}

/** The lifetime results of ads, for the sandbox's own pages. */
export function allFigures(sandbox: Sandbox, accountId: string, adIds: readonly string[]) {
  const spent = spentDaily(sandbox, adIds, "0", "9").reduce((sum, { spend }) => sum + spend, 0);
  return figuresOf(sandbox, accountId, spent);
}
