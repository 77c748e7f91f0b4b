import { z } from "@hono/zod-openapi";
import { absent } from "../../core/errors.ts";
import { isoUtc } from "../../core/time.ts";
import { Done, operation } from "../../http/operation.ts";
import { readPathId } from "../../http/page.ts";
import {
  CampaignDayView,
  CampaignEventView,
  CampaignIdParam,
  CampaignView,
  EXAMPLE_CAMPAIGN,
  toCampaignView,
  toDayView,
} from "../schema.ts";
import { readLastShown } from "../store.ts";
import { TAG } from "./common.ts";

const MAX_EVENTS = 200;

export const GetCampaign = operation({
  id: "getCampaign",
  method: "get",
  path: "/boost-campaigns/get-campaign/{campaign_id}",
  tag: TAG,
  permission: "boost-view-campaign",
  extension: true,
  summary: "Find a boost campaign",
  description: "One campaign, with its figures by day and its timeline.",
  params: CampaignIdParam,
  answer: z.object({
    campaign: CampaignView.extend({ days: z.array(CampaignDayView), events: z.array(CampaignEventView) }),
    status: Done,
  }),
  answerDescription: "The campaign.",
  example: {
    campaign: {
      ...EXAMPLE_CAMPAIGN,
      days: [{ day: "2030-03-06", reach: 1830, impressions: 2411, spend: 4.2 }],
      events: [
        {
          id: 88,
          type: "campaign.live",
          message: "The platform shows the campaign.",
          detail: { social_post_id: 42 },
          created_at: "2030-03-05T11:00:00.000+00:00",
        },
      ],
    },
    status: true,
  },
  run: async ({ deps, caller }, { params }) => {
    const id = readPathId("campaign", params.campaign_id);
    const shown = await readLastShown(deps.db, caller.projectId, id, MAX_EVENTS);
    if (!shown) throw absent("campaign", id);
    const events = shown.events.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
    const days = shown.days.map((day) => toDayView(day, shown.campaign));
    return { campaign: { ...toCampaignView(shown.campaign), days, events }, status: true } as const;
  },
});
