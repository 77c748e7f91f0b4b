// Ads: each promotes one post, and is reviewed. Creation is not idempotent: two equal calls create two ads.

import { Hono } from "hono";
import { z } from "zod";
import { meets } from "../../operation";
import type { Sandbox } from "../../sandbox";
import { jsonList } from "../business-api";
import { badParam, ok } from "../business-errors";
import type { TaskRow } from "../store";
import { type Advertiser, demandEnabled } from "./advertisers";
import { type AdsContext, type AdsEnv, adsEndpoint, readAdsBody, readAdsQuery } from "./api";
import { availability, namedIdentity, namedPost } from "./identities";
import { isRejected, name, onOff, ownObject, saveChanged } from "./making";
import { WEBSITE_GOALS } from "./objectives";
import { findPost, IDENTITY_TYPES, itemType } from "./spark-posts";
import { type AdSpec, adgroupSpec, adSpec, findObject, newObjectId, type ObjectRow, saveObject } from "./store";
import { toUtcText } from "./times";
import { viewOf } from "./views";

const CALLS_TO_ACTION = [
  "LEARN_MORE",
  "SHOP_NOW",
  "BOOK_NOW",
  "CONTACT_US",
  "ORDER_NOW",
  "VIEW_NOW",
  "SIGN_UP",
  "VISIT_STORE",
] as const;
const FORMATS = { VIDEO: "SINGLE_VIDEO", CAROUSEL: "CAROUSEL_ADS" } as const;

const SHOWN = {
  call_to_action: z.enum(CALLS_TO_ACTION).optional(),
  landing_page_url: z.url({ protocol: /^https?$/ }).optional(),
  // Optional and not shown: the ad shows the post's own caption.
  ad_text: z.string().optional(),
  dark_post_status: z.enum(["ON", "OFF"]).optional(),
  promotional_music_disabled: z.boolean().optional(),
  item_duet_status: z.enum(["ENABLE", "DISABLE"]).optional(),
  item_stitch_status: z.enum(["ENABLE", "DISABLE"]).optional(),
};
/** For a Spark ad, the label of the post itself counts. */
const disclosure = z.enum(["SELF_DISCLOSURE", "NOT_DECLARED"]);
const Creative = z.strictObject({
  ad_name: name,
  identity_type: z.enum(IDENTITY_TYPES),
  identity_id: z.string(),
  identity_authorized_bc_id: z.string().optional(),
  ad_format: z.enum(["SINGLE_VIDEO", "CAROUSEL_ADS"]),
  tiktok_item_id: z.string(),
  ...SHOWN,
  aigc_disclosure_type: disclosure.default("NOT_DECLARED"),
  operation_status: onOff,
});
const NewAds = z.object({ adgroup_id: z.string(), creatives: z.array(Creative).min(1).max(20) });
const Changes = z.object({
  adgroup_id: z.string(),
  patch_update: z.literal(true),
  creatives: z
    .array(
      z.strictObject({
        ad_id: z.string(),
        ad_name: name.optional(),
        aigc_disclosure_type: disclosure.optional(),
        ...SHOWN,
      }),
    )
    .min(1)
    .max(20),
});
const Reviews = z.object({ ad_ids: jsonList.pipe(z.array(z.string()).min(1).max(100)) });

export function adRoutes(sandbox: Sandbox) {
  const app = new Hono<AdsEnv>();
  app.post("/create/", ...adsEndpoint(sandbox, "ads_ad"), async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, NewAds);
    demandEnabled(advertiser);
    const adgroup = ownObject(sandbox, advertiser, "adgroup", requested.adgroup_id);
    // Validates all creatives before creating the first ad.
    const rows = requested.creatives.map((creative) => rowOf(sandbox, advertiser, adgroup, creative));
    const verdict = faultyVerdict(c);
    for (const row of rows) saveObject(sandbox, { ...row, verdict: verdict ?? row.verdict });
    return ok({
      ad_ids: rows.map(({ id }) => id),
      need_audit: true,
      creatives: rows.map((row) => viewOf(sandbox, advertiser, row)),
    });
  });

  app.post("/update/", ...adsEndpoint(sandbox, "ads_update"), async (c) => {
    const { advertiser, requested } = await readAdsBody(sandbox, c, Changes);
    const updates = requested.creatives.map(({ ad_id, ...changes }) => {
      const before = ownObject(sandbox, advertiser, "ad", ad_id);
      if (before.adgroup_id !== requested.adgroup_id) throw badParam(`ad_id: ${ad_id} is not of this ad group.`);
      return { before, after: changed(sandbox, before, changes) };
    });
    for (const { before, after } of updates) saveChanged(sandbox, before, after);
    return ok({ ad_ids: updates.map(({ after }) => after.id), need_audit: true });
  });

  app.get("/review_info/", ...adsEndpoint(sandbox, "ads_read"), (c) => {
    const { advertiser, requested } = readAdsQuery(sandbox, c, Reviews);
    const rows = requested.ad_ids.map((id) => ownObject(sandbox, advertiser, "ad", id));
    return ok({ ad_review_map: Object.fromEntries(rows.map((row) => [row.id, reviewView(row, sandbox.now())])) });
  });
  return app;
}

type Wanted = z.output<typeof Creative>;

function rowOf(sandbox: Sandbox, advertiser: Advertiser, adgroup: ObjectRow, wanted: Wanted): ObjectRow {
  const { ad_name, operation_status, identity_type, identity_id, tiktok_item_id, ...rest } = wanted;
  const identity = namedIdentity(sandbox, advertiser, wanted);
  if (availability(identity) !== "AVAILABLE")
    throw badParam(`identity_id: is not available: ${availability(identity)}.`);
  const { task } = namedPost(sandbox, advertiser, identity, tiktok_item_id);
  if (FORMATS[itemType(task)] !== wanted.ad_format) {
    throw badParam(`ad_format: the post is of the format ${FORMATS[itemType(task)]}.`);
  }
  const group = adgroupSpec(adgroup);
  checkPlacement(group.rest.placements);
  if (group.endsAt !== null && group.endsAt <= sandbox.now()) throw badParam("The ad group has ended.");
  const leadsOut = WEBSITE_GOALS.includes(group.optimization_goal);
  if (leadsOut && (wanted.landing_page_url === undefined || wanted.call_to_action === undefined)) {
    throw badParam("landing_page_url: is required with call_to_action for this optimization_goal.");
  }
  const now = sandbox.now();
  const spec: AdSpec = { identity_type, identity_id, tiktok_item_id, rest };
  return {
    id: newObjectId(sandbox),
    kind: "ad",
    advertiser_id: advertiser.id,
    campaign_id: adgroup.campaign_id,
    adgroup_id: adgroup.id,
    name: ad_name,
    is_on: operation_status === "ENABLE" ? 1 : 0,
    is_deleted: 0,
    budget: null,
    spec: JSON.stringify(spec),
    review_until: now + sandbox.settings.all.tiktok_ads_review_ms,
    was_reviewed: 0,
    verdict: verdictOn(sandbox, adgroup, ad_name, task),
    created_at: now,
    modified_at: now,
  };
}

/** The outcome of the review, based on all displayed text. */
function verdictOn(
  sandbox: Sandbox,
  adgroup: ObjectRow | null,
  adName: string,
  task: TaskRow | null,
): ObjectRow["verdict"] {
  const campaign = findObject(sandbox, adgroup?.campaign_id ?? "");
  const texts = [adName, adgroup?.name, campaign?.name, task?.caption, task?.title];
  return isRejected(...texts.filter((text) => text !== undefined)) ? "denied" : null;
}

function checkPlacement(placements: unknown): void {
  if (Array.isArray(placements) && placements.includes("PLACEMENT_TIKTOK")) return;
  throw badParam("placements: a post is shown on PLACEMENT_TIKTOK.");
}

/** The outcome of the review under media faults. */
function faultyVerdict(c: AdsContext): ObjectRow["verdict"] {
  if (meets(c, "reject_media")) return "denied";
  return meets(c, "processing_failed") ? "not_transcoded" : null;
}

/** A changed ad is reviewed again. */
function changed(
  sandbox: Sandbox,
  row: ObjectRow,
  { ad_name, ...changes }: Omit<z.output<typeof Changes>["creatives"][number], "ad_id">,
): ObjectRow {
  const before = adSpec(row);
  const next = {
    ...row,
    name: ad_name ?? row.name,
    spec: JSON.stringify({ ...before, rest: { ...before.rest, ...changes } }),
  };
  if (next.name === row.name && next.spec === row.spec) return row;
  const now = sandbox.now();
  const adgroup = findObject(sandbox, row.adgroup_id ?? "");
  return {
    ...next,
    review_until: now + sandbox.settings.all.tiktok_ads_review_ms,
    was_reviewed: (row.review_until ?? 0) <= now ? 1 : row.was_reviewed,
    verdict: verdictOn(sandbox, adgroup, next.name, findPost(sandbox, before.tiktok_item_id)),
  };
}

/** An ad not reviewed yet reads as available everywhere, without a review time. */
function reviewView({ review_until, verdict }: ObjectRow, now: number) {
  const isOver = (review_until ?? 0) <= now;
  const isRefused = isOver && verdict !== null;
  return {
    is_approved: !isRefused,
    review_status: isRefused ? "UNAVAILABLE" : "ALL_AVAILABLE",
    ...(isOver ? { last_audit_time: toUtcText(review_until ?? 0) } : {}),
    reject_info: isRefused
      ? [
          {
            reasons: [verdict === "denied" ? DENIED : "The video could not be transcoded."],
            suggestion: "Edit the post, or advertise another one.",
          },
        ]
      : [],
  };
}
const DENIED = "The ad contains content that our advertising policies do not allow.";
