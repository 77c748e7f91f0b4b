import sdk from "facebook-nodejs-business-sdk";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { consent, control, emptySandbox, FACEBOOK, INSTAGRAM, REDIRECT, type SandboxServer } from "./world.ts";

/** Meta's business SDK on the Marketing API, for which it is made. Nothing but its base URL is touched. */

const { Ad, AdAccount, AdCreative, AdSet, Campaign, FacebookAdsApi, User } = sdk;
type Api = InstanceType<typeof FacebookAdsApi>;

let server: SandboxServer;
beforeAll(async () => {
  server = await emptySandbox();
  Object.defineProperty(FacebookAdsApi, "GRAPH", { get: () => `${server.origin}/graph.facebook.com` });
  // Whatever the SDK sends has to be known there.
  await control(server.origin, "settings", { strict: true, ads_listing_lag_ms: 0, ads_review_ms: 0 });
});

const Token = z.object({ access_token: z.string() });
const Id = z.looseObject({ id: z.string() });
const SCOPES = ["pages_show_list", "pages_read_engagement", "pages_manage_ads", "ads_management", "ads_read"];

/** With the person's token; the SDK has no login, so the exchange is its plain call. */
async function login(
  platform: "facebook" | "instagram",
  chosen: Record<string, string>,
  scopes: string[],
): Promise<Api> {
  const { id, secret } = platform === "facebook" ? FACEBOOK : INSTAGRAM;
  const redirect_uri = REDIRECT[platform];
  const scope = scopes.join(",");
  const query = new URLSearchParams({ client_id: id, redirect_uri, response_type: "code", state: "s", scope });
  const back = await consent(server.origin, `https://www.facebook.com/v24.0/dialog/oauth?${query}`, chosen);
  const grant = { client_id: id, client_secret: secret, redirect_uri, code: back.get("code") };
  const own = new FacebookAdsApi(`${id}|${secret}`, "en_US", false);
  const answer = Token.parse(await own.call("GET", ["oauth", "access_token"], grant));
  return new FacebookAdsApi(answer.access_token, "en_US", false);
}

async function published(platform: "facebook" | "instagram", account_id: string, text: string): Promise<string> {
  return Id.parse(await control(server.origin, "posts", { platform, account_id, text })).id;
}

const dataOf = (nodes: readonly { readonly _data: unknown }[]) => nodes.map((node) => node._data);

/** The four objects, all but the first with what the SDK's own examples send. */
async function boost(api: Api, name: string, creative: Record<string, string>) {
  const account = new AdAccount("act_330000000000001", {}, null, api);
  const campaign = await account.createCampaign(["id", "status"], {
    name,
    objective: "OUTCOME_ENGAGEMENT",
    status: "PAUSED",
    special_ad_categories: [],
    is_adset_budget_sharing_enabled: false,
  });
  const adSet = await account.createAdSet([], {
    name,
    campaign_id: campaign.id,
    status: "PAUSED",
    lifetime_budget: 3000,
    end_time: new Date(Date.now() + 3 * 86_400_000).toISOString(),
    billing_event: "IMPRESSIONS",
    optimization_goal: "POST_ENGAGEMENT",
    bid_strategy: "LOWEST_COST_WITHOUT_CAP",
    destination_type: "ON_POST",
    targeting: {
      geo_locations: { countries: ["DE", "AT"] },
      flexible_spec: [{ interests: [{ id: "6003000000001", name: "Gardening" }] }],
      targeting_automation: { advantage_audience: 0 },
    },
    dsa_beneficiary: "Fern & Oak",
    dsa_payor: "Fern & Oak",
  });
  const shown = await account.createAdCreative([], { name, ...creative });
  const ad = await account.createAd([], {
    name,
    adset_id: adSet.id,
    creative: { creative_id: shown.id },
    status: "PAUSED",
  });
  return { account, campaign: campaign.id, adSet: adSet.id, creative: shown.id, ad: ad.id };
}

test("a boost of a Page's post: made, found, read, changed, switched on, deleted", async ({ expect }) => {
  const api = await login("facebook", { page: FACEBOOK.page }, SCOPES);
  const accounts = await new User("me", {}, null, api).getAdAccounts(["currency", "account_status"], { limit: 100 });
  expect(dataOf(accounts)).toContainEqual({ id: "act_330000000000001", currency: "EUR", account_status: 1 });
  const name = `b_${crypto.randomUUID()}`;
  const story = await published("facebook", FACEBOOK.page, `Boosted ${name}`);
  const made = await boost(api, name, { object_story_id: story });
  expect(dataOf(await made.account.getMinimumBudgets([]))).toMatchObject([
    { currency: "EUR", min_daily_budget_imp: 100 },
  ]);

  const filtering = [{ field: "name", operator: "CONTAIN", value: name }];
  const found = await made.account.getCampaigns(["id", "name", "effective_status"], { filtering, limit: 100 });
  expect(dataOf(found)).toEqual([{ id: made.campaign, name, effective_status: "PAUSED" }]);
  const campaign = new Campaign(made.campaign, {}, null, api);
  expect(dataOf(await campaign.getAdSets(["name", "lifetime_budget"]))).toEqual([
    { id: made.adSet, name, lifetime_budget: "3000" },
  ]);
  const adSet = new AdSet(made.adSet, {}, null, api);
  const ads = await adSet.getAds(["status", "creative{id,effective_object_story_id}"]);
  const creative = { id: made.creative, effective_object_story_id: story };
  expect(dataOf(ads)).toEqual([{ id: made.ad, status: "PAUSED", creative }]);

  expect(await adSet.update([], { lifetime_budget: 4000 })).toMatchObject({ success: true });
  expect((await adSet.get(["lifetime_budget", "end_time", "targeting"]))._data).toMatchObject({
    lifetime_budget: "4000",
  });
  const ad = new Ad(made.ad, {}, null, api);
  expect(dataOf(await ad.getInsights(["spend", "reach"], { date_preset: "maximum" }))).toEqual([]);
  for (const one of [campaign, adSet, ad])
    expect(await one.update([], { status: "ACTIVE" })).toMatchObject({ success: true });
  expect((await ad.get(["effective_status"]))._data).toMatchObject({ effective_status: "ACTIVE" });

  expect(await campaign.delete([])).toMatchObject({ success: true });
  expect((await ad.get(["effective_status"]))._data).toMatchObject({ effective_status: "DELETED" });
  expect(dataOf(await made.account.getCampaigns(["id"], { filtering }))).toEqual([]);
  expect(await new AdCreative(made.creative, {}, null, api).delete([])).toMatchObject({ success: true });
});

test("of a medium of Instagram; what is refused comes as an error of the SDK, with code and subcode", async ({
  expect,
}) => {
  const api = await login("instagram", { account: INSTAGRAM.account }, [...SCOPES, "instagram_basic"]);
  const media = await published("instagram", INSTAGRAM.account, "Leaves");
  const made = await boost(api, "On Instagram", { source_instagram_media_id: media });
  const creative = new AdCreative(made.creative, {}, null, api);
  expect((await creative.get(["effective_instagram_media_id", "object_type"]))._data).toMatchObject({
    effective_instagram_media_id: media,
  });
  const twoObjects = made.account.createAdCreative([], {
    source_instagram_media_id: media,
    object_story_spec: { page_id: "105000000000001", link_data: { link: "https://shop.example" } },
  });
  await expect(twoObjects).rejects.toMatchObject({ response: { code: 100, error_subcode: 1487929 } });
  for (const id of [made.ad, made.adSet])
    expect(await new Ad(id, {}, null, api).delete([])).toMatchObject({ success: true });
  expect(await new Campaign(made.campaign, {}, null, api).delete([])).toMatchObject({ success: true });
});
