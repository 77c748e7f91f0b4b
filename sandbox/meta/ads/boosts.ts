// What posts and media tell of the ads that are made of them.

import type { Sandbox } from "../../sandbox";
import type { JsonObject } from "../fields";
import { findPromotedMedia, findStory } from "./promoted";
import { adStatus, treeOf } from "./status";
import { adsShowing } from "./store";

/** Of a medium: the two fields of `boost_eligibility_info`, and no third. */
export function eligibilityOf(sandbox: Sandbox, mediaId: string): JsonObject {
  const reason = findPromotedMedia(sandbox, mediaId)?.ineligible ?? null;
  return { eligible_to_boost: reason === null, ...(reason === null ? {} : { boost_ineligible_reason: reason }) };
}

/** Of a post of a Page. */
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

/** The ads of a post or a medium that are not deleted, as `boost_ads_list` shows them; the newest first. */
export function boostsOf(sandbox: Sandbox, postId: string): { ad_id: string; ad_status: string }[] {
  return adsShowing(sandbox, postId).map((ad) => ({ ad_id: ad.id, ad_status: adStatus(sandbox, treeOf(sandbox, ad)) }));
}
