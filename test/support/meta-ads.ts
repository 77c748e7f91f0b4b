import { z } from "zod";
import * as instagram from "./instagram.ts";
import { type Answer, codeOf, decided, FACEBOOK_APP, FERN, graph, send } from "./platform.ts";
import { sandbox } from "./sandbox.ts";

/** Raw requests to the simulated Marketing API, with persons' tokens. */

export const EURO = "act_330000000000001";
export const YEN = "act_330000000000002";
export const DISABLED = "act_330000000000003";
export const WITHOUT_CARD = "act_330000000000004";
export const ONLY_TO_LOOK_AT = "act_330000000000005";

const PAGES = ["pages_show_list", "pages_read_engagement"];
export const ADS = [...PAGES, "pages_manage_ads", "ads_management", "ads_read"];

const REDIRECT = "https://any.test/connect/callback/facebook";

/** Robin's token at the app for facebook, for Fern & Oak. */
export async function facebookPerson(scopes: readonly string[] = ADS): Promise<string> {
  const query = { client_id: FACEBOOK_APP.id, redirect_uri: REDIRECT, state: "s", scope: scopes.join(",") };
  const code = await codeOf("https://www.facebook.com/v27.0/dialog/oauth", [
    ...decided(query),
    ["page", FERN],
    ...scopes.map((scope) => ["scope", scope]),
  ]);
  const client = { client_id: FACEBOOK_APP.id, client_secret: FACEBOOK_APP.secret };
  const exchange = async (grant: Record<string, string>) =>
    instagram.tokenIn(await graph("GET", "/v27.0/oauth/access_token", "", { ...client, ...grant }));
  const short = await exchange({ redirect_uri: REDIRECT, code });
  return exchange({ grant_type: "fb_exchange_token", fb_exchange_token: short });
}

/** The same Robin's at the app for Instagram. */
export const instagramPerson = (): Promise<string> =>
  instagram.personToken([instagram.FERN], [...ADS, "instagram_basic"]);

export type Json = Record<string, unknown>;

/**
 * A call as Meta's SDK makes it: the token in the query, a body of JSON, parameters of a read in the query as
 * JSON.
 */
export function call(
  token: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  params: Json = {},
): Promise<Answer> {
  const query = new URLSearchParams({ access_token: token });
  const address = `https://graph.facebook.com/v27.0/${path}`;
  if (method === "POST") {
    const headers = { "Content-Type": "application/json" };
    return send(`${address}?${query}`, { method, headers, body: JSON.stringify(params) });
  }
  for (const [name, value] of Object.entries(params)) {
    query.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return send(`${address}?${query}`, { method });
}

/** The JSON of an answer that has to be a success. */
export async function answered(call: Promise<Answer>): Promise<Json> {
  const { status, json, text } = await call;
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return z.record(z.string(), z.unknown()).parse(json);
}

/** The entries of a list. */
export const rowsOf = async (call: Promise<Answer>): Promise<Json[]> =>
  z.array(z.record(z.string(), z.unknown())).parse((await answered(call)).data);

export const idOf = async (call: Promise<Answer>): Promise<string> =>
  z.looseObject({ id: z.string() }).parse(await answered(call)).id;

/** A post that is live and was not published through a test's login. */
export async function published(
  platform: "facebook" | "instagram",
  text: string,
  account_id = platform === "facebook" ? FERN : instagram.FERN,
): Promise<string> {
  const made = await sandbox.control("POST", "posts", { platform, account_id, text });
  return z.looseObject({ id: z.string() }).parse(made).id;
}

export const CAMPAIGN = {
  name: "A campaign",
  objective: "OUTCOME_ENGAGEMENT",
  special_ad_categories: [],
  is_adset_budget_sharing_enabled: false,
  status: "PAUSED",
};
export const TARGETING = {
  geo_locations: { countries: ["US"] },
  age_min: 21,
  age_max: 55,
  targeting_automation: { advantage_audience: 0 },
};
export const AD_SET = {
  name: "An ad set",
  billing_event: "IMPRESSIONS",
  optimization_goal: "POST_ENGAGEMENT",
  bid_strategy: "LOWEST_COST_WITHOUT_CAP",
  destination_type: "ON_POST",
  status: "PAUSED",
};

export interface Boost {
  campaign: string;
  adSet: string;
  creative: string;
  ad: string;
}

interface Wanted {
  act?: string;
  /** Of the creative: `object_story_id` or `source_instagram_media_id`. */
  creative: Json;
  /** The budget, and what else its ad set is to have. */
  adSet: Json;
  name?: string;
  status?: "ACTIVE" | "PAUSED";
}

/** The four objects. */
export async function boost(
  token: string,
  { act = EURO, creative, adSet, name = "A boost", status = "ACTIVE" }: Wanted,
) {
  const make = (edge: string, params: Json) => idOf(call(token, "POST", `${act}/${edge}`, { name, status, ...params }));
  const made = await make("campaigns", { ...CAMPAIGN, name, status });
  const set = await make("adsets", { ...AD_SET, targeting: TARGETING, name, status, campaign_id: made, ...adSet });
  const shown = await idOf(call(token, "POST", `${act}/adcreatives`, { name, ...creative }));
  const ad = await make("ads", { adset_id: set, creative: { creative_id: shown } });
  return { campaign: made, adSet: set, creative: shown, ad } satisfies Boost;
}

export const read = (token: string, id: string, fields: string): Promise<Json> =>
  answered(call(token, "GET", id, { fields }));

/** The one row of an object's results in all its life; undefined before there are any. */
export async function results(
  token: string,
  id: string,
  fields = "spend,impressions,reach",
): Promise<Json | undefined> {
  return (await rowsOf(call(token, "GET", `${id}/insights`, { fields, date_preset: "maximum" })))[0];
}

/** Logins last, nothing is late, everything is reviewed within a minute, budgets spent as fast as in life. */
export const CALM = {
  facebook_require_appsecret_proof: false,
  instagram_require_appsecret_proof: false,
  facebook_long_token_seconds: 31_536_000,
  ads_review_ms: 60_000,
  ads_speed: 1,
  ads_daily_overshoot: 0,
  ads_listing_lag_ms: 0,
  ads_filtering: "heeded",
  ads_access_tier: "standard_access",
  ads_late_refusal: "none",
  ads_estimates_ready: true,
  ads_account_status: null,
  ads_funding: true,
};
