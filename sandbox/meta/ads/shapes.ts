// Selectable fields of Marketing API objects.

import { type Shape, shape } from "../fields";

const COMMON = "id name account_id status configured_status effective_status created_time updated_time issues_info";

export const CampaignShape = shape(
  "Campaign",
  `${COMMON} objective special_ad_categories special_ad_category special_ad_category_country buying_type bid_strategy ` +
    "daily_budget lifetime_budget budget_remaining spend_cap start_time stop_time is_adset_budget_sharing_enabled",
  {},
  "id",
);
export const AdSetShape = shape(
  "AdSet",
  `${COMMON} campaign_id daily_budget lifetime_budget budget_remaining billing_event optimization_goal bid_strategy ` +
    "bid_amount destination_type promoted_object targeting start_time end_time dsa_beneficiary dsa_payor",
  { campaign: CampaignShape },
  "id",
);
export const CreativeShape = shape(
  "AdCreative",
  "id name account_id status object_story_id effective_object_story_id source_instagram_media_id " +
    "effective_instagram_media_id object_type object_id actor_id instagram_user_id instagram_permalink_url " +
    "call_to_action call_to_action_type body title thumbnail_url",
  {},
  "id",
);
export const AdShape: Shape = shape(
  "Ad",
  `${COMMON} campaign_id adset_id ad_review_feedback bid_type preview_shareable_link tracking_specs conversion_domain`,
  { campaign: CampaignShape, adset: AdSetShape, creative: CreativeShape },
  "id",
);
export const AdAccountShape = shape(
  "AdAccount",
  "id account_id name currency timezone_name account_status disable_reason min_daily_budget amount_spent balance " +
    "spend_cap funding_source funding_source_details capabilities user_tasks",
  { business: shape("Business", "id name", {}, "id name") },
  "account_id id",
);
export const AudienceShape = shape(
  "CustomAudience",
  "id name account_id approximate_count_lower_bound approximate_count_upper_bound subtype",
  {
    delivery_status: shape("CustomAudienceStatus", "code description", {}, "code description"),
    operation_status: shape("CustomAudienceStatus", "code description", {}, "code description"),
  },
  "id",
);
export const PageShape = shape("Page", "id name category tasks", {}, "name id");
export const InstagramUserShape = shape("IGUser", "id username name profile_pic", {}, "id");
