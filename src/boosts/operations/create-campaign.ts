import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { createCampaign, findCreatedCampaign } from "../create.ts";
import { CreateCampaignBody } from "../schema.ts";
import { ACCEPTED, acceptedSentence } from "../sentences.ts";
import { TAG } from "./common.ts";

export const CreateCampaign = operation({
  id: "createCampaign",
  audited: true,
  asksPlatform: true,
  method: "post",
  path: "/boost-campaigns/create-campaign",
  tag: TAG,
  permission: "boost-create-campaign",
  summary: "Boost a post",
  description:
    "Shows a published post of Facebook, Instagram or TikTok to more people, for money. First the account, the budget and the post are checked at the platform. The campaign is then created paused, activated last, and reviewed. `campaign.live` is sent to the project's webhooks.",
  idempotent: true,
  quotas: "the ceiling of campaign costs",
  body: CreateCampaignBody,
  answer: z.object({
    campaigns: z.object({ id: z.int(), social_post_id: z.int(), name: z.string() }),
    message: z.string(),
  }),
  answerDescription: "It is queued.",
  example: { campaigns: { id: 7, social_post_id: 42, name: "Opening week" }, message: ACCEPTED },
  run: async (as, { body }) => {
    const { once } = as;
    const asking = as;
    const campaign = await once(
      body,
      (idempotency) => createCampaign(asking, body, idempotency),
      (stored) => findCreatedCampaign(asking, stored),
    );
    const { id, postId, name } = campaign;
    return { campaigns: { id, social_post_id: postId, name }, message: acceptedSentence(campaign) };
  },
});
