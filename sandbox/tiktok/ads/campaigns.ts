// Campaigns: create and update.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { badParam, ok } from "../business-errors";
import { type Advertiser, demandEnabled } from "./advertisers";
import { type AdsEnv, adsEndpoint, readAdsBody } from "./api";
import { amount, budgetMode, checkNewName, name, once, onOff, ownObject, requestId, saveChanged } from "./making";
import { checkBudget, checkGrowth, leastCampaignBudget, toMinor } from "./money";
import { OBJECTIVES } from "./objectives";
import { pictureOf } from "./picture";
import { type BudgetMode, campaignSpec, newObjectId, type ObjectRow, saveObject } from "./store";
import { viewOf } from "./views";

const industries = z.array(z.enum(["HOUSING", "EMPLOYMENT", "CREDIT"]));
const NewCampaign = z.object({
  request_id: requestId.optional(),
  campaign_name: name,
  objective_type: z.enum(OBJECTIVES),
  budget_mode: budgetMode.default("BUDGET_MODE_INFINITE"),
  budget: amount.optional(),
  budget_optimize_on: z.boolean().default(false),
  special_industries: industries.default([]),
  operation_status: onOff,
});
const Change = z.object({
  campaign_id: z.string(),
  campaign_name: name.optional(),
  budget: amount.optional(),
  budget_mode: budgetMode.optional(),
  special_industries: industries.optional(),
});

export function campaignRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  app.post("/create/", ...adsEndpoint(sandbox, "ads_campaign"), async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, NewCampaign);
    demandEnabled(advertiser);
    const made = once(sandbox, advertiser, { key: requested.request_id, kind: "campaign" }, () =>
      make(sandbox, advertiser, requested),
    );
    return ok(viewOf(sandbox, advertiser, made));
  });

  app.post("/update/", ...adsEndpoint(sandbox, "ads_update"), async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, Change);
    return ok(viewOf(sandbox, advertiser, change(sandbox, advertiser, requested)));
  });
  return app;
}

function make(sandbox: Sandbox, advertiser: Advertiser, requested: z.output<typeof NewCampaign>): ObjectRow {
  const { objective_type, budget_mode, budget_optimize_on, special_industries } = requested;
  if (budget_optimize_on && budget_mode === "BUDGET_MODE_INFINITE") {
    throw badParam("budget_optimize_on: needs a budget of the campaign.");
  }
  const id = newObjectId(sandbox);
  const now = sandbox.now();
  const row: ObjectRow = {
    id,
    kind: "campaign",
    advertiser_id: advertiser.id,
    campaign_id: id,
    adgroup_id: null,
    name: requested.campaign_name,
    is_on: requested.operation_status === "ENABLE" ? 1 : 0,
    is_deleted: 0,
    budget: budgetOf(advertiser, budget_mode, requested.budget),
    spec: JSON.stringify({ objective_type, budget_mode, budget_optimize_on, special_industries }),
    review_until: null,
    was_reviewed: 0,
    verdict: null,
    created_at: now,
    modified_at: now,
  };
  if (requested.request_id === undefined) checkNewName(sandbox, row);
  return saveObject(sandbox, row);
}

function budgetOf({ currency }: Advertiser, mode: BudgetMode, budget: number | undefined): number | null {
  if (mode === "BUDGET_MODE_INFINITE") {
    if (budget !== undefined) throw badParam("budget: there is none with BUDGET_MODE_INFINITE.");
    return null;
  }
  if (budget === undefined) throw badParam("budget: Missing data for required field.");
  const minor = toMinor(budget, currency);
  checkBudget(minor, leastCampaignBudget(currency), currency);
  return minor;
}

function change(sandbox: Sandbox, advertiser: Advertiser, requested: z.output<typeof Change>): ObjectRow {
  const row = ownObject(sandbox, advertiser, "campaign", requested.campaign_id);
  const spec = campaignSpec(row);
  if (requested.budget_mode !== undefined && requested.budget_mode !== spec.budget_mode) {
    throw badParam("budget_mode: cannot be changed.");
  }
  const next: ObjectRow = {
    ...row,
    name: requested.campaign_name ?? row.name,
    budget: requested.budget === undefined ? row.budget : budgetOf(advertiser, spec.budget_mode, requested.budget),
    spec: JSON.stringify({ ...spec, special_industries: requested.special_industries ?? spec.special_industries }),
  };
  if (next.name !== row.name) checkNewName(sandbox, next);
  if (next.budget !== row.budget) {
    const spent = pictureOf(sandbox, advertiser).campaigns.find((one) => one.row.id === row.id)?.spent;
    const counted = spec.budget_mode === "BUDGET_MODE_TOTAL" ? spent?.total : spent?.today;
    checkGrowth(next.budget ?? 0, counted ?? 0, advertiser.currency);
  }
  return saveChanged(sandbox, row, next);
}
