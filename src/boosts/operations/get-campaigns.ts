import { z } from "@hono/zod-openapi";
import type { Numbered } from "../../core/page.ts";
import { walkPage } from "../../http/cursor-page.ts";
import { type As, Done, operation } from "../../http/operation.ts";
import { examplePage, idOfCursor, paginate, reached } from "../../http/page.ts";
import { CampaignPage, EXAMPLE_CAMPAIGN, ListCampaignsQuery, toCampaignView } from "../schema.ts";
import { listCampaigns, listCampaignsByCursor } from "../store.ts";
import { TAG } from "./common.ts";

export const GetCampaigns = operation({
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
  run: async (as, { query }) => {
    const { limit, page = 1, cursor } = query;
    const { campaigns, totals } =
      cursor === undefined
        ? await numbered(as, { limit, page })
        : await walked(as, { limit, after: idOfCursor(cursor) });
    return {
      campaigns,
      total_reach: totals.reach,
      total_spend: totals.spend,
      total_impressions: totals.impressions,
      status: true,
    } as const;
  },
});

async function numbered(as: As, wanted: Numbered) {
  const { deps, caller } = as;
  const { found, totals } = reached(
    await as.paced((turn) => listCampaigns(deps.db, caller.projectId, { ...wanted, turn })),
  );
  return { campaigns: paginate(as.url, found, toCampaignView), totals };
}

async function walked(as: As, wanted: { readonly limit: number; readonly after: number | null }) {
  const { found, totals } = await listCampaignsByCursor(as.deps.db, as.caller.projectId, wanted);
  return { campaigns: walkPage(as.url, found, wanted.limit, toCampaignView), totals };
}
