// Boost fields of posts and media.

import type { Sandbox } from "../../sandbox";
import type { JsonObject } from "../fields";
import { findPromotedMedia, findStory } from "./promoted";
import { adStatus, treeOf } from "./status";
import { adsShowing } from "./store";

/** For a media object: exactly the two fields of `boost_eligibility_info`. */
export function eligibilityOf(sandbox: Sandbox, mediaId: string): JsonObject {
  const reason = findPromotedMedia(sandbox, mediaId)?.ineligible ?? null;
  return { eligible_to_boost: reason === null, ...(reason === null ? {} : { boost_ineligible_reason: reason }) };
}

/** For a post of a Page. */
export function promotionOf(sandbox: Sandbox, postId: string): JsonObject {
  const post = findStory(sandbox, postId);
  const isEligible = post?.isLive === true && post.ineligible === null;
  const boosts = boostsOf(sandbox, postId);
  const isActive = boosts.some(({ ad_status }) => ad_status === "ACTIVE");
  return {
    is_eligible_for_promotion: isEligible,
    ...(isEligible ? { promotable_id: postId } : {}),
    promotion_status: boosts.length === 0 ? (isEligible ? "inactive" : "ineligible") : isActive ? "active" : "finished",
    allowed_advertising_objectives: isEligible
      ? ["OUTCOME_AWARENESS", "OUTCOME_ENGAGEMENT", "OUTCOME_TRAFFIC", "OUTCOME_LEADS", "OUTCOME_SALES"]
      : [],
  };
}

/**
 * The ads of a post or media object that are not deleted, newest first, in the format of `boost_ads_list`.
 */
export function boostsOf(sandbox: Sandbox, postId: string): { ad_id: string; ad_status: string }[] {
  return adsShowing(sandbox, postId).map((ad) => ({ ad_id: ad.id, ad_status: adStatus(sandbox, treeOf(sandbox, ad)) }));
}
