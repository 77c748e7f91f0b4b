import { z } from "@hono/zod-openapi";
import { operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import { changeCampaign } from "../change.ts";
import { findCreatedCampaign } from "../create.ts";
import { CampaignIdParam, CampaignView, EXAMPLE_CAMPAIGN, toCampaignView, UpdateCampaignBody } from "../schema.ts";
import { TAG } from "./common.ts";

export const UpdateCampaign = operation({
  id: "updateCampaign",
  audited: true,
  asksPlatform: true,
  method: "put",
  path: "/boost-campaigns/update-campaign/{campaign_id}",
  tag: TAG,
  permission: "boost-update-campaign",
  summary: "Change a boost campaign",
  description:
    "Changes the given fields, here at once and at the platform within seconds. A change that the platform never allows returns a 422. A change that it refuses later is reverted, with `reason` and `campaign.change_failed`.",
  idempotent: true,
  quotas: "the ceiling of campaign costs",
  params: CampaignIdParam,
  body: UpdateCampaignBody,
  answer: z.object({ campaigns: CampaignView }),
  answerDescription: "The current campaign.",
  example: { campaigns: EXAMPLE_CAMPAIGN },
  run: async (as, { body, params }) => {
    const { once } = as;
    const id = readPathId("campaign", params.campaign_id);
    const asking = as;
    const campaign = await once(
      { id, ...body },
      (idempotency) => changeCampaign(asking, id, body, idempotency),
      (stored) => findCreatedCampaign(asking, stored),
    );
    return { campaigns: toCampaignView(campaign) };
  },
});
