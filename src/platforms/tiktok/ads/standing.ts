import { z } from "zod";
import { listWords } from "../../../core/text.ts";
import type { Advertising, Boost, Standing } from "../../advertising.ts";
import type { AccountContext } from "../../context.ts";
import { down, quoting } from "../../outcomes.ts";
import { type AdObject, findById, isDeleted, OBJECTS, read as readAds } from "./api.ts";
import { readFigures } from "./figures.ts";
import { fromUnits } from "./money.ts";

/**
 * The status of a boost. Campaign, ad group and ad each have a status, and the most severe one counts.
 * Deleted comes first; then rejected, completed, blocked, off, in review.
 */
type State = Standing["state"] | "hindered";
/** `reason`: what is wrong, in a sentence. */
type Verdict = readonly [State, reason?: string];

const FROM_GRAVE_TO_FINE: readonly State[] = [
  "deleted",
  "rejected",
  "completed",
  "hindered",
  "paused",
  "in_review",
  "active",
];

const RUNNING: Verdict = ["active"];
const REVIEW: Verdict = ["in_review"];
const OFF: Verdict = ["paused"];
const REFUSED: Verdict = ["rejected", "TikTok does not show this ad."];
const SPENT: Verdict = ["active", "The budget is currently used up."];
const NO_MONEY: Verdict = ["hindered", "The ad account has no money left. Top it up in TikTok Ads Manager."];
const NO_RIGHT: Verdict = [
  "hindered",
  "The post may no longer be used for ads. Its account was unlinked, its video code expired, or it was deleted.",
];

/** By the suffix of `CAMPAIGN_STATUS_`, `ADGROUP_STATUS_` and `AD_STATUS_`. */
const VERDICTS: Readonly<Record<string, Verdict>> = {
  ENABLE: RUNNING,
  DELIVERY_OK: RUNNING,
  CREATE: REVIEW,
  AUDIT: REVIEW,
  REAUDIT: REVIEW,
  // Approved, but not live before its start time.
  NOT_START: REVIEW,
  AUDIT_DENY: REFUSED,
  ADGROUP_AUDIT_DENY: REFUSED,
  ADVERTISER_AUDIT_DENY: ["rejected", "TikTok has refused the ad account."],
  TRANSCODING_FAIL: ["rejected", "TikTok could not create an ad from the video."],
  DISABLE: OFF,
  CAMPAIGN_DISABLE: OFF,
  ADGROUP_DISABLE: OFF,
  BUDGET_EXCEED: SPENT,
  CAMPAIGN_EXCEED: SPENT,
  ADGROUP_EXCEED: SPENT,
  BALANCE_EXCEED: NO_MONEY,
  FROZEN: ["hindered", "TikTok has frozen the boost. Sign in at TikTok Ads Manager and follow its instructions."],
  TIME_DONE: ["completed"],
  DONE: ["completed"],
  ASSET_AUTHORIZATION_LOST: NO_RIGHT,
  CREATOR_AUTHORIZATION_REVOKED: NO_RIGHT,
  MUSIC_AUTHORIZATION_MISSING: ["hindered", "The music of the post is not cleared for ads."],
  DELETE: ["deleted"],
};

/** By the status; an unknown status is shown in TikTok's own word. */
function toStatus({ operation_status, secondary_status }: Partial<AdObject>): Verdict {
  if (operation_status === "DELETE") return ["deleted"];
  if (secondary_status === undefined) return operation_status === "DISABLE" ? OFF : REVIEW;
  const word = secondary_status.replace(/^(CAMPAIGN|ADGROUP|AD)_STATUS_/, "");
  const known = Object.hasOwn(VERDICTS, word) ? VERDICTS[word] : undefined;
  if (known) return known;
  if (word.endsWith("AUDIT_DENY")) return REFUSED;
  return ["hindered", `TikTok reports the status ${secondary_status}.`];
}

export const read: Advertising["read"] = async (context, boost, made) => {
  const { campaign } = made;
  if (campaign === undefined) return down("The boost has no campaign at TikTok.");
  const objects: AdObject[] = [];
  let budgetMinor: number | null = null;
  for (const name of OBJECTS) {
    const id = made[name];
    if (id === undefined) continue;
    const shown = await findById(context, boost.adAccountId, name, id);
    if (shown.kind === "failed") return shown;
    if (shown.object === null) return down("TikTok does not show the boost now.");
    objects.push(shown.object);
    if (name === "adgroup" && shown.object.budget !== undefined) {
      budgetMinor = fromUnits(shown.object.budget, boost.currency);
    }
    // Its children are deleted with it, at once or later.
    if (isDeleted(shown.object)) break;
  }
  const figures = await readFigures(context, boost, campaign);
  if (figures.kind === "failed") return figures;
  const { state, reason } = gravest(objects.map(toStatus));
  const { reach, impressions, spendMinor } = figures;
  const said = state === "rejected" && made.ad !== undefined ? await readReview(context, boost, made.ad) : null;
  return {
    kind: "standing",
    state,
    reason: reason === null ? null : quoting(reason, "TikTok", said),
    budgetMinor,
    reach,
    impressions,
    spendMinor,
  };
};

function gravest(verdicts: readonly Verdict[]): { readonly state: Standing["state"]; readonly reason: string | null } {
  const rank = ([state]: Verdict) => FROM_GRAVE_TO_FINE.indexOf(state);
  const [state, reason] = verdicts.toSorted((one, other) => rank(one) - rank(other))[0] ?? REVIEW;
  const found = verdicts.find(([one, why]) => one === state && why !== undefined)?.[1] ?? reason ?? null;
  return { state: state === "hindered" ? "paused" : state, reason: found };
}

const Review = z.object({
  ad_review_map: z.record(
    z.string(),
    z.object({
      reject_info: z
        .array(z.object({ reasons: z.array(z.string()).optional().catch(undefined) }))
        .nullish()
        .catch(null),
    }),
  ),
});

/** Why the ad was rejected, in TikTok's words; null if it gives no reason. */
async function readReview(context: AccountContext, { adAccountId }: Boost, adId: string): Promise<string | null> {
  const query = { advertiser_id: adAccountId, ad_ids: [adId] };
  const answer = await readAds(context, "ad/review_info", query, Review);
  const refusals = answer.kind === "ok" ? answer.value.ad_review_map[adId]?.reject_info : null;
  const reasons = new Set((refusals ?? []).flatMap(({ reasons = [] }) => reasons));
  return reasons.size === 0 ? null : listWords([...reasons]);
}
