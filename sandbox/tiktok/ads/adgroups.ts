// Ad groups: create and update.

import { Hono } from "hono";
import { z } from "zod";
import type { Sandbox } from "../../sandbox";
import { badParam, ok } from "../business-errors";
import { type Advertiser, demandEnabled } from "./advertisers";
import { type AdsEnv, adsEndpoint, readAdsBody } from "./api";
import { amount, budgetMode, checkNewName, name, once, onOff, ownObject, requestId, saveChanged } from "./making";
import { checkBudget, checkGrowth, leastAdgroupBudget, toMinor } from "./money";
import { checkGoal } from "./objectives";
import { pictureOf } from "./picture";
import {
  type AdgroupSpec,
  adgroupSpec,
  type BudgetMode,
  campaignSpec,
  findObject,
  newObjectId,
  type ObjectRow,
  saveObject,
} from "./store";
import { checkTargeting, TARGETING } from "./targeting";
import { DAY_MS, HOUR_MS, utcTime } from "./times";
import { viewOf } from "./views";

/** The start time may lie this far in the past. */
const LATE_START_MS = 12 * HOUR_MS;

const Bidding = {
  bid_type: z.enum(["BID_TYPE_NO_BID", "BID_TYPE_CUSTOM"]).default("BID_TYPE_NO_BID"),
  bid_price: amount.optional(),
  conversion_bid_price: amount.optional(),
  pacing: z.enum(["PACING_MODE_SMOOTH", "PACING_MODE_FAST"]),
  frequency: z.number().int().min(1).max(1000).optional(),
  frequency_schedule: z.number().int().min(1).max(30).optional(),
};
const NewAdgroup = z.object({
  request_id: requestId.optional(),
  campaign_id: z.string(),
  adgroup_name: name,
  promotion_type: z.string().optional(),
  placement_type: z.enum(["PLACEMENT_TYPE_NORMAL", "PLACEMENT_TYPE_AUTOMATIC"]),
  placements: z.array(z.enum(["PLACEMENT_TIKTOK", "PLACEMENT_PANGLE", "PLACEMENT_GLOBAL_APP_BUNDLE"])).optional(),
  ...TARGETING,
  budget_mode: budgetMode,
  budget: amount,
  schedule_type: z.enum(["SCHEDULE_START_END", "SCHEDULE_FROM_NOW"]),
  schedule_start_time: utcTime,
  schedule_end_time: utcTime.optional(),
  optimization_goal: z.string(),
  billing_event: z.string(),
  ...Bidding,
  comment_disabled: z.boolean().optional(),
  share_disabled: z.boolean().optional(),
  video_download_disabled: z.boolean().optional(),
  operation_status: onOff,
});
type Requested = z.output<typeof NewAdgroup>;

const CHANGES = {
  adgroup_name: name.optional(),
  ...TARGETING,
  budget: amount.optional(),
  schedule_start_time: utcTime.optional(),
  schedule_end_time: utcTime.optional(),
  comment_disabled: z.boolean().optional(),
  share_disabled: z.boolean().optional(),
  video_download_disabled: z.boolean().optional(),
};
type Changes = z.output<z.ZodObject<typeof CHANGES>>;
const Change = z.object({ adgroup_id: z.string(), ...CHANGES });
const Budgets = z.object({
  budget: z
    .array(z.object({ adgroup_id: z.string(), budget: amount }))
    .min(1)
    .max(20),
});

export function adgroupRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  const updating = adsEndpoint(sandbox, "ads_update");

  app.post("/create/", ...adsEndpoint(sandbox, "ads_set"), async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, NewAdgroup);
    demandEnabled(advertiser);
    const made = once(sandbox, advertiser, { key: requested.request_id, kind: "adgroup" }, () =>
      make(sandbox, advertiser, requested),
    );
    return ok(viewOf(sandbox, advertiser, made));
  });

  app.post("/update/", ...updating, async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, Change);
    const { adgroup_id, ...changes } = requested;
    const row = ownObject(sandbox, advertiser, "adgroup", adgroup_id);
    return ok(viewOf(sandbox, advertiser, saveChanged(sandbox, row, changed(sandbox, advertiser, row, changes))));
  });

  app.post("/budget/update/", ...updating, async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, Budgets);
    // Validates all changes before applying the first one.
    const next = requested.budget.map(({ adgroup_id, budget }) =>
      changed(sandbox, advertiser, ownObject(sandbox, advertiser, "adgroup", adgroup_id), { budget }),
    );
    for (const row of next) saveObject(sandbox, { ...row, modified_at: sandbox.now() });
    return ok({ adgroup_ids: next.map(({ id }) => id) });
  });
  return app;
}

function make(sandbox: Sandbox, advertiser: Advertiser, requested: Requested): ObjectRow {
  const campaign = ownObject(sandbox, advertiser, "campaign", requested.campaign_id);
  const { objective_type, special_industries, budget_mode: above } = campaignSpec(campaign);
  checkGoal(objective_type, requested);
  checkPlacements(requested);
  checkTargeting(requested, special_industries);
  checkBid(requested);
  if (requested.frequency !== undefined && objective_type !== "REACH") throw badParam("frequency: is for REACH only.");
  const spec = specOf(requested);
  checkModes(above, spec);
  checkSchedule(spec, sandbox.now());
  const now = sandbox.now();
  const row: ObjectRow = {
    id: newObjectId(sandbox),
    kind: "adgroup",
    advertiser_id: advertiser.id,
    campaign_id: campaign.id,
    adgroup_id: null,
    name: requested.adgroup_name,
    is_on: requested.operation_status === "ENABLE" ? 1 : 0,
    is_deleted: 0,
    budget: checkedBudget(advertiser, spec, toMinor(requested.budget, advertiser.currency)),
    spec: JSON.stringify(spec),
    review_until: null,
    was_reviewed: 0,
    verdict: null,
    created_at: now,
    modified_at: now,
  };
  if (requested.request_id === undefined) checkNewName(sandbox, row);
  return saveObject(sandbox, { ...row, adgroup_id: row.id });
}

function specOf(requested: Requested): AdgroupSpec {
  const { request_id, campaign_id, adgroup_name, operation_status, budget, budget_mode, optimization_goal, ...more } =
    requested;
  const { schedule_type, schedule_start_time, schedule_end_time, ...rest } = more;
  const isEndless = schedule_type === "SCHEDULE_FROM_NOW";
  if (isEndless && schedule_end_time !== undefined) throw badParam("schedule_end_time: is for SCHEDULE_START_END.");
  if (!isEndless && schedule_end_time === undefined)
    throw badParam("schedule_end_time: Missing data for required field.");
  return { budget_mode, optimization_goal, startsAt: schedule_start_time, endsAt: schedule_end_time ?? null, rest };
}

function checkPlacements({ placement_type, placements = [] }: Requested): void {
  const isChosen = placement_type === "PLACEMENT_TYPE_NORMAL";
  if (isChosen === placements.length > 0) return;
  throw badParam(`placements: must be ${isChosen ? "given" : "left out"} with ${placement_type}.`);
}

function checkBid({ bid_type, billing_event, bid_price, conversion_bid_price, pacing, ...requested }: Requested): void {
  const isCustom = bid_type === "BID_TYPE_CUSTOM";
  const [needed, other] =
    billing_event === "OCPM" ? [conversion_bid_price, bid_price] : [bid_price, conversion_bid_price];
  if (isCustom !== (needed !== undefined) || other !== undefined) {
    throw badParam("bid_price: goes with BID_TYPE_CUSTOM, and as conversion_bid_price with OCPM.");
  }
  if (pacing === "PACING_MODE_FAST" && !isCustom) throw badParam("pacing: PACING_MODE_FAST needs BID_TYPE_CUSTOM.");
  if ((requested.frequency === undefined) !== (requested.frequency_schedule === undefined)) {
    throw badParam("frequency: goes with frequency_schedule.");
  }
}

const isDaily = (mode: BudgetMode): boolean =>
  mode === "BUDGET_MODE_DAY" || mode === "BUDGET_MODE_DYNAMIC_DAILY_BUDGET";

function checkModes(campaignMode: BudgetMode, { budget_mode, endsAt }: AdgroupSpec): void {
  if (budget_mode === "BUDGET_MODE_INFINITE") throw badParam("budget_mode: an ad group has a budget.");
  if (isDaily(budget_mode)) return;
  if (isDaily(campaignMode)) throw badParam("budget_mode: must be daily, as the campaign's is.");
  if (endsAt === null) throw badParam("budget_mode: must be daily with SCHEDULE_FROM_NOW.");
}

function checkSchedule({ startsAt, endsAt }: AdgroupSpec, now: number): void {
  if (startsAt < now - LATE_START_MS) throw badParam("schedule_start_time: lies in the past.");
  checkEnd({ startsAt, endsAt }, now);
}

function checkEnd({ startsAt, endsAt }: Pick<AdgroupSpec, "startsAt" | "endsAt">, now: number): void {
  if (endsAt !== null && (endsAt <= startsAt || endsAt <= now)) throw badParam("schedule_end_time: must be later.");
}

/** In minor units. The minimum depends on the number of scheduled days. */
function checkedBudget(
  { currency }: Advertiser,
  { budget_mode, startsAt, endsAt }: AdgroupSpec,
  minor: number,
): number {
  const days = isDaily(budget_mode) ? 1 : Math.ceil(((endsAt ?? startsAt) - startsAt) / DAY_MS);
  checkBudget(minor, leastAdgroupBudget(currency, days), currency);
  return minor;
}

/** The ad group after a partial update. */
function changed(sandbox: Sandbox, advertiser: Advertiser, row: ObjectRow, changes: Changes): ObjectRow {
  const { adgroup_name, budget, schedule_start_time, schedule_end_time, ...more } = changes;
  const before = adgroupSpec(row);
  const spec: AdgroupSpec = {
    ...before,
    startsAt: schedule_start_time ?? before.startsAt,
    endsAt: schedule_end_time ?? before.endsAt,
    rest: { ...before.rest, ...more },
  };
  checkNewTimes(before, spec, sandbox.now());
  if (Object.keys(more).length > 0) {
    const campaign = findObject(sandbox, row.campaign_id);
    const targeting = z.object(TARGETING).parse(spec.rest);
    checkTargeting(targeting, campaign ? campaignSpec(campaign).special_industries : []);
  }
  const next: ObjectRow = {
    ...row,
    name: adgroup_name ?? row.name,
    budget: budget === undefined ? row.budget : toMinor(budget, advertiser.currency),
    spec: JSON.stringify(spec),
  };
  if (next.name !== row.name) checkNewName(sandbox, next);
  checkedBudget(advertiser, spec, next.budget ?? 0);
  if (next.budget !== row.budget) {
    const spent = pictureOf(sandbox, advertiser).adgroups.find((one) => one.row.id === row.id)?.spent;
    const counted = isDaily(spec.budget_mode) ? spent?.today : spent?.total;
    checkGrowth(next.budget ?? 0, counted ?? 0, advertiser.currency);
  }
  return next;
}

function checkNewTimes(before: AdgroupSpec, after: AdgroupSpec, now: number): void {
  if (before.endsAt === null && after.endsAt !== null) throw badParam("schedule_end_time: is for SCHEDULE_START_END.");
  if (after.startsAt !== before.startsAt) {
    if (before.startsAt <= now) throw badParam("schedule_start_time: it has begun.");
    checkSchedule(after, now);
  }
  if (after.endsAt !== before.endsAt) checkEnd(after, now);
}
