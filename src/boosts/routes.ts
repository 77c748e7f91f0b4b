import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { requireAnswer } from "../acting/request-answer.ts";
import { absent, invalid } from "../core/errors.ts";
import { type CampaignId, type ChannelId, idOf, type PostId } from "../core/ids.ts";
import type { Numbered } from "../core/page.ts";
import { isoUtc } from "../core/time.ts";
import type { Api } from "../http/api.ts";
import { walkPage } from "../http/cursor-page.ts";
import type { AppEnv } from "../http/environment.ts";
import { idempotently } from "../http/idempotency.ts";
import { operation } from "../http/operation.ts";
import { apiOrigin, apiUrl } from "../http/origin.ts";
import { readPaced } from "../http/paced-page.ts";
import { examplePage, idOfCursor, paginate, reached, readPathId } from "../http/page.ts";
import { type AdRequest, requireAdAccess } from "./ad-account.ts";
import { changeCampaign, deleteCampaign } from "./change.ts";
import { createCampaign, findCreatedCampaign, livePost } from "./create.ts";
import {
  CampaignDayView,
  CampaignEventView,
  CampaignIdParam,
  CampaignPage,
  CampaignView,
  CreateCampaignBody,
  EligibilityBody,
  EXAMPLE_CAMPAIGN,
  ListCampaignsQuery,
  toCampaignView,
  toDayView,
  UpdateCampaignBody,
} from "./schema.ts";
import { ACCEPTED, acceptedSentence, deletedSentence } from "./sentences.ts";
import { listCampaigns, listCampaignsByCursor, readLastShown } from "./store.ts";

const TAG = "Boost campaigns";
const Done = z.literal(true);
const MAX_EVENTS = 200;

export const toAdRequest = (c: Context<AppEnv>): AdRequest => ({
  deps: c.var.deps,
  caller: c.var.caller,
  origin: apiOrigin(c),
});

/** Spec 4.15 to 4.18, and one campaign with its timeline. */
export function campaignRoutes(app: Api): void {
  app.openapi(
    operation({
      id: "createCampaign",
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
    }),
    async (c) => {
      const asking = toAdRequest(c);
      const body = c.req.valid("json");
      const campaign = await idempotently(
        c,
        body,
        (idempotency) => createCampaign(asking, body, idempotency),
        (stored) => findCreatedCampaign(asking, stored),
      );
      const { id, postId, name } = campaign;
      return c.json({ campaigns: { id, social_post_id: postId, name }, message: acceptedSentence(campaign) }, 200);
    },
  );

  app.openapi(
    operation({
      id: "updateCampaign",
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
    }),
    async (c) => {
      const id = readPathId("campaign", c.req.valid("param").campaign_id);
      const asking = toAdRequest(c);
      const body = c.req.valid("json");
      const campaign = await idempotently(
        c,
        { id, ...body },
        (idempotency) => changeCampaign(asking, id, body, idempotency),
        (stored) => findCreatedCampaign(asking, stored),
      );
      return c.json({ campaigns: toCampaignView(campaign) }, 200);
    },
  );

  app.openapi(
    operation({
      id: "getInstagramPostEligibility",
      asksPlatform: true,
      method: "post",
      path: "/boost-campaigns/get-instagram-post-eligibility",
      tag: TAG,
      permission: "boost-create-campaign",
      summary: "Whether an Instagram post can be boosted",
      description:
        "Instagram's answer before a campaign exists, and the Page of the account. Instagram may still refuse the campaign later, with a reason.",
      body: EligibilityBody,
      answer: z.object({
        eligible: z.boolean(),
        reason: z.string().nullable(),
        page: z.object({ id: z.string(), name: z.string() }),
      }),
      answerDescription: "Whether it can be boosted, or the reason why not.",
      example: { eligible: true, reason: null, page: { id: "104000000000001", name: "Fern & Oak" } },
    }),
    async (c) => {
      const asking = toAdRequest(c);
      const { channel_id, social_post_id } = c.req.valid("json");
      const { ads, context, channel } = await requireAdAccess(asking, idOf<ChannelId>(channel_id), "channel_id");
      if (channel.platform !== "instagram") {
        throw invalid({ channel_id: [`channel_id must be an instagram channel, not one of ${channel.platform}.`] });
      }
      const post = await livePost(asking, idOf<PostId>(social_post_id));
      const [live] = post.platformPosts;
      if (post.channelId !== channel.id || !live) {
        const sentence = `social_post_id must be a post of channel ${channel_id}, not of ${post.channelId}.`;
        throw invalid({ social_post_id: [sentence] }, "reference_invalid");
      }
      const { isEligible, reason, page } = requireAnswer(await ads.eligibility(context, live, null), "social_post_id");
      return c.json({ eligible: isEligible, reason, page: page ?? { id: "", name: "" } }, 200);
    },
  );

  app.openapi(
    operation({
      id: "getCampaigns",
      method: "get",
      path: "/boost-campaigns/get-campaigns",
      tag: TAG,
      permission: "boost-read-campaigns",
      summary: "List boost campaigns",
      description: "The project's campaigns, newest first, and their combined figures.",
      query: ListCampaignsQuery,
      answer: z.object({
        campaigns: CampaignPage,
        total_reach: z.number(),
        total_spend: z.number().openapi({ description: "In whole units, summed over all currencies." }),
        total_impressions: z.number(),
        status: Done,
      }),
      answerDescription: "A page of automations.",
      example: {
        campaigns: examplePage("get-campaigns", EXAMPLE_CAMPAIGN),
        total_reach: 1830,
        total_spend: 4.2,
        total_impressions: 2411,
        status: true,
      },
    }),
    async (c) => {
      const { limit, page = 1, cursor } = c.req.valid("query");
      const { campaigns, totals } =
        cursor === undefined
          ? await numbered(c, { limit, page })
          : await walked(c, { limit, after: idOfCursor(cursor) });
      return c.json(
        {
          campaigns,
          total_reach: totals.reach,
          total_spend: totals.spend,
          total_impressions: totals.impressions,
          status: true,
        } as const,
        200,
      );
    },
  );

  app.openapi(
    operation({
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
    }),
    async (c) => {
      const id = readPathId("campaign", c.req.valid("param").campaign_id);
      const { deps, caller } = c.var;
      const shown = await readLastShown(deps.db, caller.projectId, id, MAX_EVENTS);
      if (!shown) throw absent("campaign", id);
      const events = shown.events.map(({ at, ...event }) => ({ ...event, created_at: isoUtc(at) }));
      const days = shown.days.map((day) => toDayView(day, shown.campaign));
      return c.json({ campaign: { ...toCampaignView(shown.campaign), days, events }, status: true } as const, 200);
    },
  );

  app.openapi(
    operation({
      id: "deleteCampaign",
      method: "delete",
      path: "/boost-campaigns/delete-campaign/{campaign_id}",
      tag: TAG,
      permission: "boost-delete-campaign",
      extension: true,
      summary: "Delete a boost campaign",
      description:
        "Deletes the campaign at once, and ends it at the platform within seconds. Money that is already spent is not refunded. The post stays.",
      params: CampaignIdParam,
      answer: z.object({ message: z.string(), status: Done }),
      answerDescription: "It is gone.",
      example: { message: "The campaign “Opening week” was deleted; the platform will end it.", status: true },
    }),
    async (c) => {
      const id: CampaignId = readPathId("campaign", c.req.valid("param").campaign_id);
      const message = deletedSentence(await deleteCampaign(toAdRequest(c), id));
      return c.json({ message, status: true } as const, 200);
    },
  );
}

async function numbered(c: Context<AppEnv>, wanted: Numbered) {
  const { deps, caller } = c.var;
  const { found, totals } = reached(
    await readPaced(c, (turn) => listCampaigns(deps.db, caller.projectId, { ...wanted, turn })),
  );
  return { campaigns: paginate(apiUrl(c), found, toCampaignView), totals };
}

async function walked(c: Context<AppEnv>, wanted: { readonly limit: number; readonly after: number | null }) {
  const { found, totals } = await listCampaignsByCursor(c.var.deps.db, c.var.caller.projectId, wanted);
  return { campaigns: walkPage(apiUrl(c), found, wanted.limit, toCampaignView), totals };
}
