// Selectable fields of Instagram objects.

import { type Shape, shape } from "../meta/fields";

export const GRAPH_OF = { facebook: "https://graph.facebook.com", instagram: "https://graph.instagram.com" } as const;

export const AccountShape = shape(
  "IGUser",
  "id username name profile_picture_url followers_count follows_count media_count biography website user_id account_type",
  {},
  "id",
);
export const PageShape = shape(
  "Page",
  "id name access_token category tasks",
  { instagram_business_account: AccountShape },
  "access_token category name id tasks",
);
export const ContainerShape = shape(
  "IGContainer",
  "id status status_code",
  {
    copyright_check_status: shape("IGCopyrightCheck", "status matches_found", {}, "status matches_found"),
    video_status: shape("IGVideoStatus", "uploading_phase processing_phase", {}, "uploading_phase processing_phase"),
  },
  "id",
);
const PERSON = shape("IGCommentFromUser", "id username self_ig_scoped_id", {}, "id username");
const REPLY = shape(
  "IGComment",
  "id text timestamp username like_count hidden parent_id user",
  { from: PERSON },
  "id timestamp text",
);
export const CommentShape = shape(
  "IGComment",
  "id text timestamp username like_count hidden parent_id user",
  { from: PERSON, replies: REPLY, media: shape("IGMedia", "id media_product_type", {}, "id") },
  "id timestamp text",
);
const PLAIN =
  "id caption media_type media_product_type media_url thumbnail_url permalink shortcode timestamp username like_count " +
  "comments_count is_comment_enabled alt_text is_shared_to_feed is_ai_generated";
const CHILD = shape("IGMedia", PLAIN, {}, "id");
/**
 * The fields of media in lists, and of all media with Instagram Login. Boost fields exist only for single
 * media with Facebook Login.
 */
export const MediaShape = shape(
  "IGMedia",
  PLAIN,
  { owner: shape("IGUser", "id", {}, "id"), children: CHILD, comments: CommentShape },
  "id",
);
export const BoostShape = shape("IGBoostMediaAd", "ad_id ad_status", {}, "ad_id ad_status");
const ELIGIBILITY = "eligible_to_boost boost_ineligible_reason";
/** A single media object with Facebook Login. */
export const PromotableMediaShape: Shape = {
  ...MediaShape,
  fields: {
    ...MediaShape.fields,
    boost_eligibility_info: shape("IGMediaBoostEligibilityInfo", ELIGIBILITY, {}, ELIGIBILITY),
    boost_ads_list: BoostShape,
  },
};
