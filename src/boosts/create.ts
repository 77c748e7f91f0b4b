import { sql } from "drizzle-orm";
import { requireAnswer } from "../acting/request-answer.ts";
import { isConnected } from "../channels/store.ts";
import { absent, invalid } from "../core/errors.ts";
import { type CampaignId, idOf, type PostId } from "../core/ids.ts";
import { randomBase62 } from "../core/tokens.ts";
import { type IdempotencyRecord, isChangedSince, refuseRepeat, requireStill, writeTogether } from "../db/client.ts";
import { enqueueJobs } from "../jobs/enqueue.ts";
import { jobInsertion } from "../jobs/open-jobs.ts";
import { isLivePost } from "../posts/fragments.ts";
import { findPostToChange } from "../posts/store.ts";
import { requireConfirmation } from "../spending/confirm.ts";
import { ACCOUNT, type AdRequest, requireAdAccess } from "./ad-account.ts";
import { budgetTypeOf, checkTerms } from "./budget.ts";
import { isUnderCeiling, overCeiling } from "./ceiling.ts";
import { standardObjective } from "./estimate.ts";
import { campaignEvents } from "./events.ts";
import { CAMPAIGN, CAMPAIGN_QUEUE, ENDLESS_MS } from "./jobs.ts";
import { paidCreation } from "./paid-act.ts";
import type { CreateCampaignBody } from "./schema.ts";
import { findCampaign, insertCampaign, newestCampaignId } from "./store.ts";
import type { Campaign } from "./table.ts";

const insertJob = jobInsertion(newestCampaignId);

/**
 * Accepts a boost campaign (spec 4.15); its job creates it. The account, budget and post are first checked at
 * the platform. Errors: `not_found` for an unknown post; a 422 for a post that is not published or cannot be
 * boosted, or for terms that the platform does not accept; a 422 if the account owner must connect the
 * channel with ads; `quota_exceeded` above the project's ceiling; `platform_unavailable`.
 */
export async function createCampaign(
  asking: AdRequest,
  body: CreateCampaignBody,
  idempotency: IdempotencyRecord | null,
): Promise<Campaign> {
  const { deps, caller } = asking;
  const { db } = deps;
  await refuseRepeat(db, idempotency);
  const { post, live, advertiser } = await findBoostable(asking, idOf<PostId>(body.social_post_id));
  const { ads, context, channel } = advertiser;
  const objective = body.campaign_objective ?? standardObjective(ads);
  const wanted = {
    adAccountId: body.ad_account_id,
    objective,
    budgetType: budgetTypeOf(body.duration_type),
    budget: body.budget,
    days: body.duration,
    countries: body.countries,
    interests: body.interests ?? [],
    audiences: body.audience ?? [],
  };
  const [{ terms, account }, eligibility] = await Promise.all([
    checkTerms(advertiser, wanted),
    ads.eligibility(context, live, body.ad_account_id),
  ]);
  const { isEligible, reason } = requireAnswer(eligibility, "social_post_id", ACCOUNT);
  if (!isEligible)
    throw invalid(
      { social_post_id: [`social_post_id: ${reason ?? "The platform does not boost this post."}`] },
      "unsupported_by_platform",
    );

  const confirmation = await requireConfirmation(asking, paidCreation(body, account));
  const now = Date.now();
  const { projectId } = caller;
  const { currency, decimals } = account;
  const name = body.name ?? defaultName(post.caption || (post.thread[0]?.message ?? ""), post.id);
  const campaign = insertCampaign(db, {
    projectId,
    postId: post.id,
    channelId: channel.id,
    platform: channel.platform,
    name,
    boostType: body.boost_type ?? null,
    wantedTerms: terms,
    dayFactor: ads.mostADay,
    currency,
    decimals,
    reference: `blf-${randomBase62(12)}`,
    createdAt: now,
  });
  const job = { kind: CAMPAIGN, queue: CAMPAIGN_QUEUE, projectId, runAt: now, messageAt: now, now } as const;
  try {
    const { made, sent } = await writeTogether(db, {
      confirmed: confirmation?.still ?? null,
      spent: confirmation?.used ?? null,
      made: campaign,
      sent: insertJob(db, { ...job, deadlineAt: now + ENDLESS_MS }),
      event: campaignEvents.insert(db, {
        projectId,
        subjectId: newestCampaignId,
        type: "campaign.created",
        message: "Accepted. The campaign is created at the platform next.",
        detail: { social_post_id: post.id },
        at: now,
      }),
      record: idempotency?.write(sql`CAST(${newestCampaignId} AS TEXT)`) ?? null,
      isBoostable: requireStill(db, sql`${isLivePost(post.id)} AND ${isConnected(channel.id)}`),
      isAffordable: requireStill(db, isUnderCeiling(deps, projectId, account)),
    });
    await enqueueJobs(deps, sent);
    const [stored] = made;
    if (!stored) throw new Error("The campaign was not stored.");
    return stored;
  } catch (error) {
    if (!isChangedSince(error)) throw error;
    // The confirmation was used, the post or channel was deleted meanwhile, or the ceiling is reached.
    await requireConfirmation(asking, paidCreation(body, account));
    await livePost(asking, post.id);
    await requireAdAccess(asking, channel.id, "social_post_id");
    throw await overCeiling(deps, projectId, account);
  }
}

/** A post that can be boosted, with its channel's access to ads. Errors: as `createCampaign`. */
export async function findBoostable(asking: AdRequest, id: PostId) {
  const post = await livePost(asking, id);
  const advertiser = await requireAdAccess(asking, post.channelId, "social_post_id");
  const { ads, channel } = advertiser;
  const [live] = post.platformPosts;
  if (live && ads.types.includes(post.postType)) return { post, live, advertiser };
  const types = ads.types.join(", ");
  const sentence = `social_post_id must be a post that can be boosted on ${channel.platform} (${types}), not a ${post.postType}.`;
  throw invalid({ social_post_id: [sentence] }, "unsupported_by_platform");
}

/** A published post of the project. Errors: `not_found`; a 422 for a post that is not published. */
export async function livePost({ deps, caller }: AdRequest, id: PostId) {
  const post = await findPostToChange(deps, caller.projectId, id);
  if (!post) throw absent("post", id);
  if (post.state === "published") return post;
  const state = post.state === "pending" ? "processing" : post.state;
  throw invalid(
    { social_post_id: [`social_post_id must be a published post, not ${id}, which is ${state}.`] },
    "reference_invalid",
  );
}

const NAME_LETTERS = 60;

function defaultName(caption: string, id: number): string {
  const words = [...caption.replace(/\s+/g, " ").trim()].slice(0, NAME_LETTERS).join("").trim();
  return words === "" ? `Boost of post ${id}` : `Boost: ${words}`;
}

/** The campaign that an earlier request with the same `Idempotency-Key` created. */
export async function findCreatedCampaign({ deps, caller }: AdRequest, stored: string): Promise<Campaign> {
  const campaign = await findCampaign(deps.db, caller.projectId, idOf<CampaignId>(Number(stored)));
  if (!campaign) throw absent("campaign", stored);
  return campaign;
}
