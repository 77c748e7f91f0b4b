import { z } from "zod";
import { decided, send } from "./platform.ts";
import { sandbox } from "./sandbox.ts";
import { businessCaller, businessLogin, businessSaid, newVideo } from "./tiktok-business.ts";

/** Raw requests to the simulated Marketing API of TikTok. */

export const ADS_APP = { app_id: "sandbox-tiktok-ads", secret: "sandbox-tiktok-ads-secret" };
const ADS_REDIRECT = "https://any.test/connect/callback/tiktok/ads/";
/**
 * Ad accounts: dollars; yen; disabled; pounds, little of them, and with accounts that a Business Center
 * shares.
 */
export const DOLLARS = "7411111111111111101";
export const YEN = "7411111111111111102";
export const DISABLED = "7411111111111111103";
export const POUNDS = "7411111111111111104";
const API = "https://business-api.tiktok.com/open_api/v1.3";

interface Choice {
  readonly ticked?: readonly string[];
  readonly decision?: "allow" | "deny";
  readonly query?: Readonly<Record<string, string>>;
}

/** Where the consent page sends the browser; null where it sends it nowhere. */
export async function adsConsent({
  ticked = [DOLLARS, YEN, DISABLED, POUNDS],
  decision = "allow",
  query,
}: Choice = {}) {
  const requested = { app_id: ADS_APP.app_id, state: "s", redirect_uri: ADS_REDIRECT, ...query };
  const body = new URLSearchParams([...decided(requested, decision), ...ticked.map((id) => ["advertiser", id])]);
  const answer = await send("https://business-api.tiktok.com/portal/auth", { method: "POST", body });
  const location = answer.headers.get("location");
  return location === null ? null : new URL(location).searchParams;
}

const json = (body: object) => ({ body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });

/** A call in which the app proves itself. */
export const asAdsApp = async (path: string, fields: object) =>
  businessSaid(await send(`${API}/oauth2/${path}/`, { method: "POST", ...json({ ...ADS_APP, ...fields }) }));

export const AdsToken = z.object({
  access_token: z.string(),
  advertiser_ids: z.array(z.string()),
  scope: z.array(z.number()),
});

export async function adsLogin(choice: Choice = {}): Promise<string> {
  const auth_code = (await adsConsent(choice))?.get("auth_code") ?? "";
  return AdsToken.parse((await asAdsApp("access_token", { auth_code })).data).access_token;
}

type Fields = Readonly<Record<string, unknown>>;

/** A caller of one ad account: GET with a query, what is no text as JSON in it, and POST with a body. */
export function adsCaller(token: string, advertiser_id = DOLLARS) {
  const headers = { "Access-Token": token };
  return {
    async get(path: string, query: Fields = {}) {
      const given = Object.entries({ advertiser_id, ...query }).filter(([, value]) => value !== undefined);
      const asText = given.map(([name, value]): [string, string] => [
        name,
        typeof value === "string" ? value : JSON.stringify(value),
      ]);
      return businessSaid(await send(`${API}/${path}/?${new URLSearchParams(asText)}`, { headers }));
    },
    async post(path: string, body: Fields) {
      const sent = json({ advertiser_id, ...body });
      const init = { method: "POST", body: sent.body, headers: { ...headers, ...sent.headers } };
      return businessSaid(await send(`${API}/${path}/`, init));
    },
  };
}
export type AdsCaller = ReturnType<typeof adsCaller>;

/** A caller of the account's that may open its posts to advertisers. */
export async function creator(account?: string) {
  const scope = "video.list,biz.spark.auth";
  const choice = { ticked: scope.split(","), query: { scope }, ...(account === undefined ? {} : { account }) };
  return businessCaller(await businessLogin(choice));
}

const Code = z.object({ auth_code: z.string() });

/** The code that opens a post to one advertiser. */
export async function sparkCode(owner: Awaited<ReturnType<typeof creator>>, item_id: string, authorization_days = 30) {
  const { data } = await owner.post("post/authorize/setting", { item_id, is_ad_promotable: true, authorization_days });
  return Code.parse(data).auth_code;
}

export const toText = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ");
export const DAY = 86_400_000;

export const campaignBody = (changes: Fields = {}) => ({
  campaign_name: `Boost ${crypto.randomUUID()}`,
  objective_type: "VIDEO_VIEWS",
  budget_mode: "BUDGET_MODE_INFINITE",
  operation_status: "DISABLE",
  ...changes,
});

export const adgroupBody = (campaign_id: string, changes: Fields = {}) => ({
  campaign_id,
  adgroup_name: `Boost ${crypto.randomUUID()}`,
  placement_type: "PLACEMENT_TYPE_NORMAL",
  placements: ["PLACEMENT_TIKTOK"],
  location_ids: ["3017382"],
  age_groups: ["AGE_18_24", "AGE_25_34"],
  gender: "GENDER_UNLIMITED",
  budget_mode: "BUDGET_MODE_TOTAL",
  budget: 140,
  schedule_type: "SCHEDULE_START_END",
  schedule_start_time: toText(Date.now()),
  schedule_end_time: toText(Date.now() + 7 * DAY),
  optimization_goal: "ENGAGED_VIEW",
  billing_event: "CPV",
  pacing: "PACING_MODE_SMOOTH",
  ...changes,
});

export const creativeBody = (identity_id: string, tiktok_item_id: string, changes: Fields = {}) => ({
  ad_name: `Boost ${crypto.randomUUID()}`,
  identity_type: "TT_USER",
  identity_id,
  ad_format: "SINGLE_VIDEO",
  tiktok_item_id,
  ...changes,
});

export const Campaign = z.looseObject({ campaign_id: z.string(), secondary_status: z.string() });
export const Adgroup = z.looseObject({ adgroup_id: z.string(), secondary_status: z.string() });
export const AdIds = z.object({ ad_ids: z.array(z.string()) });
const Statuses = z.object({ list: z.array(z.looseObject({ secondary_status: z.string() })) });

/** The identity of Harbour Bakery, which is linked. */
export const BAKERY_IDENTITY = "idn-user-5001";

interface Wanted {
  readonly campaign?: Fields;
  readonly adgroup?: Fields;
  readonly creative?: Fields;
  readonly post?: string;
}

/** A whole boost of a post of Harbour Bakery, switched on. */
export async function boost(ads: AdsCaller, { campaign, adgroup, creative, post }: Wanted = {}) {
  const { campaign_id } = Campaign.parse((await ads.post("campaign/create", campaignBody(campaign))).data);
  const { adgroup_id } = Adgroup.parse((await ads.post("adgroup/create", adgroupBody(campaign_id, adgroup))).data);
  const item_id = post ?? (await newVideo());
  const creatives = [creativeBody(BAKERY_IDENTITY, item_id, creative)];
  const { ad_ids } = AdIds.parse((await ads.post("ad/create", { adgroup_id, creatives })).data);
  await ads.post("campaign/status/update", { campaign_ids: [campaign_id], operation_status: "ENABLE" });
  const statusOf = async (kind: "campaign" | "adgroup" | "ad", id: string) => {
    const filtering = { [`${kind}_ids`]: [id], primary_status: "STATUS_ALL" };
    return Statuses.parse((await ads.get(`${kind}/get`, { filtering })).data).list[0]?.secondary_status;
  };
  const ad_id = ad_ids[0] ?? "";
  return {
    campaign_id,
    adgroup_id,
    ad_id,
    item_id,
    /** Of campaign, ad group and ad. */
    standing: async () => [
      await statusOf("campaign", campaign_id),
      await statusOf("adgroup", adgroup_id),
      await statusOf("ad", ad_id),
    ],
    /** Of the ad. */
    status: () => statusOf("ad", ad_id),
  };
}

/** No review takes time, money is spent as fast as in life, and lists are up to date. */
export const calmAds = () =>
  sandbox.settings({
    tiktok_ads_review_ms: 0,
    tiktok_ads_speed: 1,
    tiktok_ads_repeats: "40050",
    tiktok_ads_read_lag_ms: 0,
    tiktok_ads_calls_per_minute: 1_000_000,
    tiktok_ads_unlinked: "",
  });
