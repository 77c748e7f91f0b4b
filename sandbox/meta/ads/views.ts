// Complete views of Marketing API objects; `fields` reduces them later. Amounts are strings.

import { permalink } from "../../instagram/permalink";
import { findMedia } from "../../instagram/store";
import type { Sandbox } from "../../sandbox";
import { type Json, type JsonObject, project, type Shape } from "../fields";
import { findAdAccount } from "./accounts";
import { zoned } from "./days";
import { budgetRemaining } from "./delivery";
import { promotedBy } from "./promoted";
import { AdSetShape, AdShape, CampaignShape, CreativeShape } from "./shapes";
import {
  adSetStatus,
  adStatus,
  campaignStatus,
  type EffectiveStatus,
  issuesBelow,
  issuesOf,
  reviewFeedback,
  treeOf,
} from "./status";
import {
  type Ad,
  type AdKind,
  type AdObject,
  type AdSet,
  adSets,
  ads,
  type Campaign,
  type Creative,
  campaigns,
  creatives,
} from "./store";

const timeOf = (sandbox: Sandbox, { account_id }: { account_id: string }, at: number) =>
  zoned(at, findAdAccount(sandbox, account_id)?.zone ?? "UTC");

const common = (sandbox: Sandbox, row: AdObject, effective: EffectiveStatus): JsonObject => ({
  id: row.id,
  name: row.name,
  account_id: row.account_id,
  status: row.status,
  configured_status: row.status,
  effective_status: effective,
  created_time: timeOf(sandbox, row, row.created_at),
  updated_time: timeOf(sandbox, row, row.updated_at),
});

function budgetView(sandbox: Sandbox, holder: Campaign | AdSet): JsonObject {
  const { daily_budget, lifetime_budget, bid_strategy } = holder.content;
  const isHere = daily_budget !== null || lifetime_budget !== null;
  return {
    ...(isHere
      ? {
          daily_budget: String(daily_budget ?? 0),
          lifetime_budget: String(lifetime_budget ?? 0),
          budget_remaining: String(budgetRemaining(sandbox, holder)),
        }
      : {}),
    ...(bid_strategy === null ? {} : { bid_strategy }),
  };
}

const optional = (values: Record<string, JsonObject[string]>): JsonObject =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

const issuesView = (issues: readonly Json[]) => (issues.length > 0 ? { issues_info: [...issues] } : {});

function campaignView(sandbox: Sandbox, row: Campaign): JsonObject {
  const { objective, buying_type, special_ad_categories, special_ad_category_country } = row.content;
  const { is_adset_budget_sharing_enabled } = row.content;
  return {
    ...common(sandbox, row, campaignStatus(sandbox, row)),
    objective,
    buying_type,
    special_ad_categories,
    special_ad_category: special_ad_categories[0] ?? "NONE",
    special_ad_category_country,
    start_time: timeOf(sandbox, row, row.created_at),
    ...optional({ is_adset_budget_sharing_enabled }),
    ...budgetView(sandbox, row),
    ...issuesView(issuesBelow(sandbox, row)),
  };
}

function adSetView(sandbox: Sandbox, row: AdSet): JsonObject {
  const { start_at, end_at, billing_event, optimization_goal, bid_amount, destination_type } = row.content;
  const { promoted_object, targeting, dsa_beneficiary, dsa_payor } = row.content;
  return {
    ...common(sandbox, row, adSetStatus(sandbox, row)),
    campaign_id: row.campaign_id,
    campaign: campaignView(sandbox, campaigns.get(sandbox, row.campaign_id)),
    billing_event,
    optimization_goal,
    targeting,
    start_time: timeOf(sandbox, row, start_at),
    ...(end_at === null ? {} : { end_time: timeOf(sandbox, row, end_at) }),
    ...optional({
      bid_amount,
      destination_type: destination_type ?? "UNDEFINED",
      promoted_object,
      dsa_beneficiary,
      dsa_payor,
    }),
    ...budgetView(sandbox, row),
    ...issuesView(issuesBelow(sandbox, row)),
  };
}

function creativeView(sandbox: Sandbox, row: Creative): JsonObject {
  const { story_id, media_id, page_id, instagram_user_id, call_to_action } = row.content;
  const promoted = promotedBy(sandbox, row);
  const media = media_id === null ? null : findMedia(sandbox, media_id);
  const { ads_creative_names } = sandbox.settings.all;
  const made = new Date(row.created_at).toISOString().slice(0, 10);
  return {
    id: row.id,
    name: ads_creative_names === "extended" ? `${row.name} ${made}-${row.id.slice(-8)}` : row.name,
    account_id: row.account_id,
    status: row.status === "DELETED" ? "DELETED" : promoted ? "ACTIVE" : "WITH_ISSUES",
    object_type: promoted?.objectType ?? "STATUS",
    ...(promoted?.text ? { body: promoted.text } : {}),
    ...optional({
      object_story_id: story_id,
      effective_object_story_id: story_id,
      source_instagram_media_id: media_id,
      effective_instagram_media_id: media_id,
      object_id: page_id,
      actor_id: page_id,
      instagram_user_id,
      instagram_permalink_url: media && permalink(sandbox, media),
      call_to_action,
      call_to_action_type: call_to_action?.type ?? null,
    }),
  };
}

function adView(sandbox: Sandbox, row: Ad): JsonObject {
  const tree = treeOf(sandbox, row);
  return {
    ...common(sandbox, row, adStatus(sandbox, tree)),
    campaign_id: row.campaign_id,
    adset_id: row.adset_id,
    campaign: campaignView(sandbox, tree.campaign),
    adset: adSetView(sandbox, tree.adSet),
    creative: creativeView(sandbox, tree.creative),
    preview_shareable_link: `https://fb.me/${row.id}`,
    ...optional({ ad_review_feedback: reviewFeedback(sandbox, tree) }),
    ...issuesView(issuesOf(sandbox, tree)),
  };
}

/** The complete object with this id; null for an id that was never issued. */
export function viewOf(sandbox: Sandbox, kind: AdKind, id: string): JsonObject | null {
  switch (kind) {
    case "campaign":
      return viewed(sandbox, campaigns.find(sandbox, id), campaignView);
    case "adset":
      return viewed(sandbox, adSets.find(sandbox, id), adSetView);
    case "creative":
      return viewed(sandbox, creatives.find(sandbox, id), creativeView);
    case "ad":
      return viewed(sandbox, ads.find(sandbox, id), adView);
  }
}

const viewed = <T>(sandbox: Sandbox, row: T | null, view: (sandbox: Sandbox, row: T) => JsonObject) =>
  row && view(sandbox, row);

const SHAPES: Readonly<Record<AdKind, Shape>> = {
  campaign: CampaignShape,
  adset: AdSetShape,
  creative: CreativeShape,
  ad: AdShape,
};

/** The requested fields of an object. */
export function shown(sandbox: Sandbox, kind: AdKind, id: string, fields: string | undefined): JsonObject {
  return project(viewOf(sandbox, kind, id) ?? { id }, SHAPES[kind], fields);
}
