import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import { send } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import { BIKES, calmTiktok } from "../../support/tiktok.ts";
import {
  AdIds,
  type AdsCaller,
  AdsToken,
  adgroupBody,
  adsCaller,
  adsConsent,
  adsLogin,
  asAdsApp,
  BAKERY_IDENTITY,
  boost,
  Campaign,
  calmAds,
  campaignBody,
  creativeBody,
  creator,
  DAY,
  DISABLED,
  DOLLARS,
  POUNDS,
  sparkCode,
  toText,
  YEN,
} from "../../support/tiktok-ads.ts";
import { calmBusiness, newVideo } from "../../support/tiktok-business.ts";
import { HOUR } from "../../support/times.ts";

/**
 * What the simulated TikTok promises of its Marketing API: an advertiser's login, Spark Ads, delivery by the
 * clock, reports.
 */

const NONE: readonly string[] = [];

let token = "";
let ads: AdsCaller;
let owner: Awaited<ReturnType<typeof creator>>;
let video = "";
beforeAll(async () => {
  await calmTiktok();
  await calmBusiness();
  token = await adsLogin();
  ads = adsCaller(token);
  video = await newVideo();
});
beforeEach(calmAds);
afterAll(() => sandbox.noFaults());

describe("logins", () => {
  test("a code works once, for an hour; the token has the ad accounts that were selected, and no end", async () => {
    const back = await adsConsent({ ticked: [DOLLARS, YEN] });
    expect(back?.get("state")).toBe("s");
    const auth_code = back?.get("auth_code") ?? "";
    expect(await asAdsApp("access_token", { auth_code, secret: "wrong" })).toMatchObject({ code: 40101 });
    const { data } = await asAdsApp("access_token", { auth_code });
    const own = AdsToken.strict().parse(data);
    expect(own.advertiser_ids).toEqual([DOLLARS, YEN]);
    expect(await asAdsApp("access_token", { auth_code })).toMatchObject({ code: 40110 });
    const late = (await adsConsent())?.get("auth_code");
    await advance(HOUR + 1_000);
    expect(await asAdsApp("access_token", { auth_code: late })).toMatchObject({ code: 40110 });
    expect((await adsCaller(own.access_token, YEN).get("campaign/get")).code).toBe(0);
    expect((await adsCaller(own.access_token, POUNDS).get("campaign/get")).code).toBe(40001);
    expect((await adsCaller(own.access_token, "1").get("campaign/get")).code).toBe(40300);
  });

  test("the page refuses unknown apps and addresses, and a denial is returned", async () => {
    expect(await adsConsent({ query: { app_id: "sandbox-tiktok-business" } })).toBeNull();
    expect(await adsConsent({ query: { redirect_uri: "https://any.test/connect/callback/tiktok/ads" } })).toBeNull();
    expect((await adsConsent({ decision: "deny" }))?.get("error")).toBe("access_denied");
    const query = new URLSearchParams({
      app_id: "sandbox-tiktok-ads",
      redirect_uri: "https://any.test/connect/callback/tiktok/ads/",
    });
    const page = await send(`https://business-api.tiktok.com/portal/auth?${query}`);
    expect([page.status, page.text.includes(DISABLED)]).toEqual([200, true]);
  });

  test("a token that was revoked is 40105, none at all 40104", async () => {
    const access_token = await adsLogin();
    const own = adsCaller(access_token);
    const app = { app_id: "sandbox-tiktok-ads", secret: "sandbox-tiktok-ads-secret" };
    expect((await own.get("oauth2/advertiser/get", app)).code).toBe(40002);
    expect(await asAdsApp("revoke_token", { access_token })).toMatchObject({ code: 0 });
    expect((await own.get("campaign/get")).code).toBe(40105);
    expect((await adsCaller("").get("campaign/get")).code).toBe(40104);
  });

  test("what an ad account is: currency, zone, state and money", async () => {
    const fields = ["advertiser_id", "currency", "timezone", "status", "balance"];
    const Info = z.object({ list: z.array(z.record(z.string(), z.unknown())) });
    const answer = await send(
      `https://business-api.tiktok.com/open_api/v1.3/advertiser/info/?${new URLSearchParams({
        advertiser_ids: JSON.stringify([YEN, DISABLED]),
        fields: JSON.stringify(fields),
      })}`,
      { headers: { "Access-Token": token } },
    );
    const { list } = Info.parse(z.object({ data: z.unknown() }).parse(answer.json).data);
    expect(list).toEqual([
      { advertiser_id: YEN, currency: "JPY", timezone: "Asia/Tokyo", status: "STATUS_ENABLE", balance: 3_000_000 },
      { advertiser_id: DISABLED, currency: "EUR", timezone: "Europe/Berlin", status: "STATUS_DISABLE", balance: 1_000 },
    ]);
    expect((await adsCaller(token, DISABLED).post("campaign/create", campaignBody())).code).toBe(40002);
  });
});

describe("posts", () => {
  test("a code opens a post to one ad account until it ends; what was authorized is read afterwards", async () => {
    owner = await creator();
    const item_id = await newVideo();
    const auth_code = await sparkCode(owner, item_id, 7);
    expect((await ads.get("tt_video/info", { auth_code })).code).toBe(40002);
    expect(await ads.post("tt_video/authorize", { auth_code })).toEqual({ code: 0, data: {} });
    expect((await adsCaller(token, YEN).post("tt_video/authorize", { auth_code })).code).toBe(40002);
    expect((await ads.post("tt_video/authorize", { auth_code: "#WRONG=" })).code).toBe(40002);
    const { data } = await ads.get("tt_video/info", { auth_code });
    expect(data).toMatchObject({
      auth_info: { ad_auth_status: "AUTHORIZED" },
      item_info: { item_id, auth_code, item_type: "VIDEO" },
      user_info: { identity_id: "idn-code-5001", identity_type: "AUTH_CODE" },
    });
    const coded = { identity_type: "AUTH_CODE" };
    const running = await boost(ads, {
      post: item_id,
      adgroup: { budget: 200, schedule_end_time: toText(Date.now() + 10 * DAY) },
      creative: { ...coded, identity_id: "idn-code-5001" },
    });
    expect(await running.status()).toBe("AD_STATUS_DELIVERY_OK");
    expect((await owner.post("post/authorize/delete", { item_id })).code).toBe(40002);
    expect((await ads.post("tt_video/unbind", { item_id })).code).toBe(40002);
    await advance(7 * DAY + 1_000);
    expect(await running.standing()).toEqual([
      "CAMPAIGN_STATUS_ENABLE",
      "ADGROUP_STATUS_ASSET_AUTHORIZATION_LOST",
      "AD_STATUS_CREATOR_AUTHORIZATION_REVOKED",
    ]);
    await ads.post("campaign/status/update", { campaign_ids: [running.campaign_id], operation_status: "DELETE" });
    expect((await ads.post("tt_video/unbind", { item_id })).code).toBe(0);
  });

  test("linked accounts are identities by their usernames, until they are unlinked", async () => {
    const List = z.object({ identity_list: z.array(z.looseObject({ identity_id: z.string(), username: z.string() })) });
    const { identity_list } = List.parse((await ads.get("identity/get", { identity_type: "TT_USER" })).data);
    expect(identity_list.find(({ username }) => username === "harbourbakery")).toMatchObject({
      identity_id: BAKERY_IDENTITY,
      can_pull_video: true,
      available_status: "AVAILABLE",
    });
    expect(identity_list.find(({ username }) => username === "acmebikes")).toMatchObject({
      can_pull_video: false,
      available_status: "IS_PRIVATE_ACCOUNT",
    });
    const named = { identity_type: "TT_USER", identity_id: BAKERY_IDENTITY };
    expect((await ads.get("identity/video/info", { ...named, item_id: video })).code).toBe(0);
    const running = await boost(ads);
    await sandbox.settings({ tiktok_ads_unlinked: "harbourbakery" });
    expect(await running.status()).toBe("AD_STATUS_ASSET_AUTHORIZATION_LOST");
    expect((await ads.get("identity/video/get", named)).code).toBe(40002);
  });

  test("who advertises must have the post, and a Business Center is named where it shares", async () => {
    const { adgroup_id } = await boost(ads);
    const refused = async (changes: object, caller = ads, id = adgroup_id) => {
      const creatives = [{ ...creativeBody(BAKERY_IDENTITY, video), ...changes }];
      return (await caller.post("ad/create", { adgroup_id: id, creatives })).code;
    };
    const foreign = await newVideo(BIKES);
    expect(await refused({ identity_id: "idn-user-5002" })).toBe(40002);
    expect(await refused({ identity_type: "AUTH_CODE" })).toBe(40002);
    expect(await refused({ identity_id: "idn-user-5003", tiktok_item_id: foreign })).toBe(40002);
    expect(await refused({ tiktok_item_id: "7430000000000000001" })).toBe(40002);
    expect(await refused({ ad_format: "CAROUSEL_ADS" })).toBe(40002);
    expect(await refused({ aigc_disclosure_type: "YES" })).toBe(40002);
    expect(await refused({ aigc_disclosure_type: "SELF_DISCLOSURE" })).toBe(0);
    const pounds = adsCaller(token, POUNDS);
    const shared = { identity_type: "BC_AUTH_TT", identity_id: "idn-shared-5001" };
    expect((await pounds.get("identity/get", { identity_type: "BC_AUTH_TT" })).code).toBe(40002);
    await expect(boost(pounds, { creative: shared })).rejects.toThrow();
    const named = { ...shared, identity_authorized_bc_id: "7380000000000000001" };
    expect(await (await boost(pounds, { creative: named })).status()).toBe("AD_STATUS_DELIVERY_OK");
  });
});

describe("rules", () => {
  let campaign_id = "";
  beforeAll(async () => {
    campaign_id = Campaign.parse((await ads.post("campaign/create", campaignBody())).data).campaign_id;
  });
  const inDays = (days: number) => toText(Date.now() + days * DAY);
  const CBO = { budget_mode: "BUDGET_MODE_TOTAL", budget: 100 };

  test.for<[string, Record<string, unknown>, number?]>([
    ["a budget below twenty dollars for each day", { budget: 139.99 }],
    ["more decimals than the currency has", { budget: 140.001 }],
    ["a goal of another objective", { optimization_goal: "REACH", billing_event: "CPM" }],
    ["a goal that is billed otherwise", { billing_event: "CPM" }],
    ["a goal on an allow-list", { optimization_goal: "ENGAGED_VIEW_FIFTEEN" }, 40118],
    ["an end before the start", { schedule_end_time: inDays(-1) }],
    [
      "a schedule without an end, with a whole budget",
      { schedule_type: "SCHEDULE_FROM_NOW", schedule_end_time: undefined },
    ],
    ["no end of a schedule with one", { schedule_end_time: undefined }],
    ["an end that is no time", { schedule_end_time: "2026-11-21T08:00:00Z" }],
    ["a promotion that only traffic has", { promotion_type: "WEBSITE" }],
    ["no budget", { budget_mode: "BUDGET_MODE_INFINITE" }],
    ["a place that nobody knows", { location_ids: ["1"] }],
    ["a place and what it lies in", { location_ids: ["3017382", "2996944"] }],
    ["no place", { location_ids: NONE }],
    ["minors in France", { age_groups: ["AGE_13_17"] }],
    ["an interest that nobody knows", { interest_category_ids: ["99999"] }],
    ["a bid without its type", { bid_price: 1 }],
    ["haste without a bid", { pacing: "PACING_MODE_FAST" }],
    ["a frequency where it is not for reach", { frequency: 3, frequency_schedule: 7 }],
    ["an automatic placement with placements", { placement_type: "PLACEMENT_TYPE_AUTOMATIC" }],
    ["a name with emoji", { adgroup_name: "Boost 🚀" }],
    ["a misspelt field", { optimisation_goal: "ENGAGED_VIEW" }],
    ["a campaign that is not there", { campaign_id: "1" }, 40007],
  ])("an ad group with %s is refused", async ([, changes, code = 40002]) => {
    expect((await ads.post("adgroup/create", adgroupBody(campaign_id, changes))).code).toBe(code);
  });

  test.for<[string, Record<string, unknown>]>([
    ["an objective that nobody knows", { objective_type: "SALES" }],
    ["no budget where its mode needs one", { budget_mode: "BUDGET_MODE_DAY" }],
    ["less than fifty dollars", { budget_mode: "BUDGET_MODE_DAY", budget: 49.99 }],
    ["a budget too many", { budget: 50 }],
    ["a name too long", { campaign_name: "宣".repeat(257) }],
  ])("a campaign with %s is refused", async ([, changes]) => {
    expect((await ads.post("campaign/create", campaignBody(changes))).code).toBe(40002);
  });

  test("other currencies have their own least budgets and decimals, and a daily campaign daily ad groups", async () => {
    const yen = adsCaller(token, YEN);
    const daily = { budget_mode: "BUDGET_MODE_DAY", budget: 5_000 };
    const made = await yen.post("campaign/create", campaignBody(daily));
    const { campaign_id } = Campaign.parse(made.data);
    const group = (changes: object) => yen.post("adgroup/create", { ...adgroupBody(campaign_id), ...changes });
    expect((await group({ budget_mode: "BUDGET_MODE_DAY", budget: 1_999 })).code).toBe(40002);
    expect((await group({ budget_mode: "BUDGET_MODE_DAY", budget: 2_000.5 })).code).toBe(40002);
    expect((await group({ budget_mode: "BUDGET_MODE_TOTAL", budget: 14_000 })).code).toBe(40002);
    expect(await group({ budget_mode: "BUDGET_MODE_DAY", budget: 2_000 })).toMatchObject({ data: { budget: 2_000 } });
  });

  test("a website goal needs an address and a button", async () => {
    const adgroup = { optimization_goal: "CLICK", billing_event: "CPC", promotion_type: "WEBSITE" };
    const wanted = { campaign: { objective_type: "TRAFFIC" }, adgroup };
    await expect(boost(ads, wanted)).rejects.toThrow();
    const creative = { landing_page_url: "https://shop.example/", call_to_action: "LEARN_MORE" };
    expect(await (await boost(ads, { ...wanted, creative })).status()).toBe("AD_STATUS_DELIVERY_OK");
  });

  test("a key makes one creation of a repeat, and says so in one of three ways; without one a name works once", async () => {
    const bare = campaignBody();
    const request_id = String(Date.now());
    const body = { ...bare, request_id };
    const first = await ads.post("campaign/create", body);
    expect(first.code).toBe(0);
    expect((await ads.post("campaign/create", body)).code).toBe(40050);
    await sandbox.settings({ tiktok_ads_repeats: "40002" });
    expect((await ads.post("campaign/create", body)).code).toBe(40002);
    await sandbox.settings({ tiktok_ads_repeats: "same" });
    expect(await ads.post("campaign/create", body)).toEqual(first);
    // One key for two kinds is a repeat as well.
    const { campaign_id } = Campaign.parse(first.data);
    const group = adgroupBody(campaign_id, { request_id });
    expect((await ads.post("adgroup/create", group)).code).toBe(40050);
    expect((await ads.post("campaign/create", bare)).code).toBe(40002);
    expect((await ads.post("campaign/create", { ...body, request_id: `${request_id}1` })).code).toBe(0);
    const filtering = { campaign_name: body.campaign_name };
    expect((await ads.get("campaign/get", { filtering })).data).toMatchObject({ page_info: { total_number: 2 } });
  });

  test("an ad that is created twice exists twice, and lists may be late", async () => {
    const { adgroup_id } = await boost(ads);
    const again = { adgroup_id, creatives: [creativeBody(BAKERY_IDENTITY, video, { ad_name: "Twice" })] };
    await sandbox.settings({ tiktok_ads_read_lag_ms: 5_000 });
    const ids = [
      ...AdIds.parse((await ads.post("ad/create", again)).data).ad_ids,
      ...AdIds.parse((await ads.post("ad/create", again)).data).ad_ids,
    ];
    const listed = { filtering: { adgroup_ids: [adgroup_id], ad_name: "twice" }, fields: ["ad_name"] };
    expect((await ads.get("ad/get", listed)).data).toMatchObject({ list: [] });
    await advance(6_000);
    expect((await ads.get("ad/get", listed)).data).toMatchObject({
      list: ids.toReversed().map((ad_id) => ({ ad_id, ad_name: "Twice" })),
      page_info: { page: 1, page_size: 10, total_number: 2, total_page: 1 },
    });
  });

  test("a budget that is changed leaves something to spend, and what changes nothing says so", async () => {
    const running = await boost(ads, { campaign: CBO });
    const update = (budget: number) =>
      ads.post("adgroup/budget/update", { budget: [{ adgroup_id: running.adgroup_id, budget }] });
    expect((await update(700)).code).toBe(0);
    await advance(6 * DAY);
    // By now 600 of 700 would be spent, but for the campaign's 100.
    expect((await ads.post("campaign/update", { campaign_id: running.campaign_id, budget: 104 })).code).toBe(40002);
    expect((await ads.post("campaign/update", { campaign_id: running.campaign_id, budget: 105 })).code).toBe(0);
    expect((await ads.post("campaign/update", { campaign_id: running.campaign_id, budget: 105 })).code).toBe(40012);
    expect((await update(139)).code).toBe(40002);
    const later = { adgroup_id: running.adgroup_id, schedule_end_time: inDays(40) };
    expect((await ads.post("adgroup/update", later)).code).toBe(40002);
    expect((await ads.post("adgroup/update", { ...later, budget: 1_000 })).code).toBe(0);
    const mode = { campaign_id: running.campaign_id, budget_mode: "BUDGET_MODE_DAY" };
    expect((await ads.post("campaign/update", mode)).code).toBe(40002);
  });
});

describe("delivery", () => {
  test("review, schedule, budget and end follow the clock", async () => {
    await sandbox.settings({ tiktok_ads_review_ms: 8_000, tiktok_ads_speed: 2 });
    const start = Date.now() + DAY;
    const running = await boost(ads, {
      adgroup: { schedule_start_time: toText(start), schedule_end_time: toText(start + 7 * DAY) },
    });
    expect(await running.standing()).toEqual(["CAMPAIGN_STATUS_ENABLE", "ADGROUP_STATUS_AUDIT", "AD_STATUS_AUDIT"]);
    await advance(9_000);
    expect(await running.status()).toBe("AD_STATUS_NOT_START");
    await advance(DAY);
    expect(await running.standing()).toEqual([
      "CAMPAIGN_STATUS_ENABLE",
      "ADGROUP_STATUS_DELIVERY_OK",
      "AD_STATUS_DELIVERY_OK",
    ]);
    const adgroup_ids = [running.adgroup_id];
    await ads.post("adgroup/status/update", { adgroup_ids, operation_status: "DISABLE" });
    expect(await running.status()).toBe("AD_STATUS_ADGROUP_DISABLE");
    await ads.post("adgroup/status/update", { adgroup_ids, operation_status: "ENABLE" });
    await ads.post("ad/update", {
      adgroup_id: running.adgroup_id,
      patch_update: true,
      creatives: [{ ad_id: running.ad_id, ad_name: "Other" }],
    });
    expect(await running.status()).toBe("AD_STATUS_REAUDIT");
    await advance(4 * DAY);
    expect(await running.status()).toBe("AD_STATUS_BUDGET_EXCEED");
    await advance(3 * DAY);
    expect(await running.standing()).toEqual(["CAMPAIGN_STATUS_ENABLE", "ADGROUP_STATUS_TIME_DONE", "AD_STATUS_DONE"]);
  });

  test("marks in names and in the post's text come to a refusal, with its reasons", async () => {
    await sandbox.settings({ tiktok_ads_review_ms: 5_000 });
    const post = z
      .looseObject({ id: z.string() })
      .parse(
        await sandbox.control("POST", "posts", { platform: "tiktok", account_id: "-000A5001", text: "x [ads:reject]" }),
      ).id;
    const byText = await boost(ads, { post });
    const byName = await boost(ads, { creative: { ad_name: "Name [ads:reject]" } });
    await sandbox.fault("tiktok", "ads", "processing_failed");
    const broken = await boost(ads);
    const review = () => ads.get("ad/review_info", { ad_ids: [byText.ad_id] });
    expect((await review()).data).toMatchObject({
      ad_review_map: { [byText.ad_id]: { review_status: "ALL_AVAILABLE" } },
    });
    await advance(6_000);
    expect([await byText.status(), await byName.status(), await broken.status()]).toEqual([
      "AD_STATUS_AUDIT_DENY",
      "AD_STATUS_AUDIT_DENY",
      "AD_STATUS_TRANSCODING_FAIL",
    ]);
    expect((await byName.standing())[1]).toBe("ADGROUP_STATUS_AUDIT_DENY");
    const corrected = { patch_update: true, creatives: [{ ad_id: byName.ad_id, ad_name: "Name" }] };
    await ads.post("ad/update", { adgroup_id: byName.adgroup_id, ...corrected });
    await advance(6_000);
    expect(await byName.status()).toBe("AD_STATUS_DELIVERY_OK");
    expect((await review()).data).toMatchObject({
      ad_review_map: {
        [byText.ad_id]: { review_status: "UNAVAILABLE", reject_info: [{ reasons: [expect.any(String)] }] },
      },
    });
  });

  test("money runs out, and a day's budget comes back with the day", async () => {
    const pounds = adsCaller(token, POUNDS);
    const daily = { budget_mode: "BUDGET_MODE_DAY", budget: 20, schedule_end_time: toText(Date.now() + 30 * DAY) };
    const creative = {
      identity_type: "BC_AUTH_TT",
      identity_id: "idn-shared-5001",
      identity_authorized_bc_id: "7380000000000000001",
    };
    await sandbox.settings({ tiktok_ads_speed: 1_000_000 / 10 });
    const dollars = await boost(ads, { adgroup: daily });
    await advance(60_000);
    expect(await dollars.status()).toBe("AD_STATUS_BUDGET_EXCEED");
    const poor = await boost(pounds, { adgroup: { ...daily, budget: 40 }, creative });
    await advance(60_000);
    expect(await poor.status()).toBe("AD_STATUS_BALANCE_EXCEED");
    await sandbox.settings({ tiktok_ads_speed: 1 });
    await advance(DAY);
    expect(await dollars.status()).toBe("AD_STATUS_DELIVERY_OK");
    // Several days at once are as many budgets.
    await advance(3 * DAY);
    const Spent = z.array(z.looseObject({ id: z.string(), spend_minor: z.number() }));
    const live = Spent.parse(await sandbox.control("GET", "ads?platform=tiktok"));
    expect(live.find(({ id }) => id === dollars.ad_id)?.spend_minor).toBeGreaterThan(8_000);
  });

  test("deleting is final, goes down, and hides", async () => {
    const running = await boost(ads);
    const all = { campaign_ids: [running.campaign_id] };
    const turn = (operation_status: string) => ads.post("campaign/status/update", { ...all, operation_status });
    expect((await turn("ENABLE")).code).toBe(0);
    expect((await turn("DELETE")).code).toBe(0);
    expect((await turn("DELETE")).code).toBe(40012);
    expect((await turn("ENABLE")).code).toBe(40002);
    expect(await running.standing()).toEqual(["CAMPAIGN_STATUS_DELETE", "ADGROUP_STATUS_DELETE", "AD_STATUS_DELETE"]);
    expect((await ads.get("ad/get", { filtering: all })).data).toMatchObject({ list: [] });
    const creatives = [creativeBody(BAKERY_IDENTITY, video)];
    expect((await ads.post("ad/create", { adgroup_id: running.adgroup_id, creatives })).code).toBe(40002);
    const both = [running.adgroup_id, (await boost(ads)).adgroup_id];
    const some = { adgroup_ids: both, operation_status: "DISABLE", allow_partial_success: true };
    expect(await ads.post("adgroup/status/update", some)).toMatchObject({
      code: 20001,
      data: { adgroup_ids: both.slice(1), error_list: [{ adgroup_id: running.adgroup_id }] },
    });
  });
});

describe("reports", () => {
  const Line = z.object({ dimensions: z.record(z.string(), z.string()), metrics: z.record(z.string(), z.string()) });
  const Report = z.object({
    list: z.array(Line),
    page_info: z.object({ total_number: z.number(), page_size: z.number() }),
  });
  const dayOf = (at: number) => toText(at).slice(0, 10);

  test("figures are texts of the account's days; spend stays within the budget, reach within what it adds up to", async () => {
    const running = await boost(ads);
    const from = dayOf(Date.now() - DAY);
    await advance(9 * DAY);
    const only = (value: string, field_name = "ad_ids") => ({
      field_name,
      filter_type: "IN",
      filter_value: JSON.stringify([value]),
    });
    const report = async (query: object) => {
      const requested = {
        report_type: "BASIC",
        data_level: "AUCTION_AD",
        dimensions: ["ad_id"],
        metrics: ["spend", "impressions", "reach"],
        start_date: from,
        end_date: dayOf(Date.now()),
        filtering: [only(running.ad_id)],
        ...query,
      };
      const { code, data } = await ads.get("report/integrated/get", requested);
      return { code, ...Report.partial().parse(data) };
    };
    const [total] = (await report({})).list ?? [];
    expect(total?.metrics).toMatchObject({
      spend: expect.stringMatching(/^1(39\.9\d|40\.00)$/),
      impressions: expect.any(String),
    });
    expect(Number(total?.metrics.impressions)).toBeGreaterThan(59_000);
    const daily = await report({ dimensions: ["ad_id", "stat_time_day"], page_size: "3" });
    expect([daily.list?.length, daily.page_info]).toEqual([3, expect.objectContaining({ total_number: 8 })]);
    const days = (await report({ dimensions: ["stat_time_day"] })).list ?? [];
    const sum = (name: string) => days.reduce((all, { metrics }) => all + Number(metrics[name]), 0);
    expect(sum("spend")).toBeCloseTo(140, 0);
    expect(sum("reach")).toBeGreaterThan(Number(total?.metrics.reach));
    expect(Number(total?.metrics.reach)).toBeLessThan(Number(total?.metrics.impressions));
    const hours = { dimensions: ["stat_time_hour"], start_date: dayOf(Date.now() - 5 * DAY) };
    expect((await report(hours)).code).toBe(40002);
    // Not every day has 24 of them.
    expect([23, 24, 25]).toContain((await report({ ...hours, end_date: hours.start_date })).page_info?.total_number);
    expect((await report({ dimensions: ["stat_time_day"], start_date: dayOf(Date.now() - 30 * DAY) })).code).toBe(
      40002,
    );
    expect((await report({ start_date: undefined, end_date: undefined, query_lifetime: "true" })).list).toEqual([
      total,
    ]);
    expect((await report({ query_lifetime: "true", dimensions: ["stat_time_day"] })).code).toBe(40002);
    expect((await report({ metrics: ["nonsense"] })).code).toBe(40002);
    await ads.post("campaign/status/update", { campaign_ids: [running.campaign_id], operation_status: "DELETE" });
    expect((await report({})).list).toEqual([]);
    const deleted = only("STATUS_ALL", "ad_status");
    expect((await report({ filtering: [only(running.ad_id), deleted] })).list).toEqual([total]);
  });
});

test("regions, interests and keywords have the ids that ad groups take, and a narrower choice is fewer people", async () => {
  const Regions = z.object({
    region_info: z.array(z.looseObject({ location_id: z.string(), region_code: z.string(), level: z.string() })),
  });
  const placed = { placements: ["PLACEMENT_TIKTOK"], objective_type: "VIDEO_VIEWS" };
  const { region_info } = Regions.parse((await ads.get("tool/region", { ...placed, level_range: "TO_COUNTRY" })).data);
  expect(region_info.find(({ region_code }) => region_code === "FR")).toMatchObject({
    location_id: "3017382",
    level: "COUNTRY",
  });
  const found = await ads.post("tool/targeting/search", { ...placed, keywords: ["lyon"], region_codes: ["FR"] });
  expect(found.data).toMatchObject({ targeting_tag_list: [{ geo: { geo_id: "2996944", geo_type: "CITY" } }] });
  const Interests = z.object({
    interest_categories: z.array(z.looseObject({ interest_category_id: z.string(), level: z.number() })),
  });
  const { interest_categories } = Interests.parse((await ads.get("tool/interest_category", { version: "2" })).data);
  expect(new Set(interest_categories.map(({ level }) => level))).toEqual(new Set([1, 2, 3, 4]));
  const Keywords = z.object({ recommended_keywords: z.array(z.looseObject({ keyword_id: z.string() })) });
  const { recommended_keywords } = Keywords.parse(
    (await ads.get("tool/interest_keyword/recommend", { keyword: "bread" })).data,
  );
  const chosen = {
    location_ids: ["2996944"],
    interest_category_ids: interest_categories.map(({ interest_category_id }) => interest_category_id),
    interest_keyword_ids: recommended_keywords.map(({ keyword_id }) => keyword_id),
  };
  expect(await (await boost(ads, { adgroup: chosen })).status()).toBe("AD_STATUS_DELIVERY_OK");
  const Size = z.object({
    user_count: z.object({ lower_end: z.number(), upper_end: z.number() }),
    user_count_stage: z.number(),
  });
  const sizeOf = async (changes: object) =>
    Size.parse(
      (
        await ads.post("ad/audience_size/estimate", {
          objective_type: "VIDEO_VIEWS",
          optimization_goal: "ENGAGED_VIEW",
          location_ids: ["6252001"],
          ...changes,
        })
      ).data,
    );
  const [broad, narrow] = [await sizeOf({}), await sizeOf({ location_ids: ["2996944"], age_groups: ["AGE_55_100"] })];
  expect([broad.user_count_stage, narrow.user_count_stage]).toEqual([4, 1]);
  expect(narrow.user_count.upper_end).toBeLessThan(broad.user_count.lower_end);
});

describe("faults", () => {
  const listed = async (name: string) => {
    const { data } = await ads.get("campaign/get", { filtering: { campaign_name: name } });
    return z.object({ list: z.array(z.unknown()) }).parse(data).list.length;
  };

  test("a call may fail, be one too many, or have its answer lost after it was done", async () => {
    const body = campaignBody();
    await sandbox.fault("tiktok", "ads", "error");
    expect((await ads.post("campaign/create", body)).code).toBe(50000);
    await sandbox.fault("tiktok", "ads", "rate_limit");
    expect((await ads.post("campaign/create", body)).code).toBe(40100);
    expect(await listed(body.campaign_name)).toBe(0);
    await sandbox.fault("tiktok", "ads", "accept_then_error");
    // It waits for a call that changes something, and that is not refused.
    const lookUp = { objective_type: "REACH", placements: ["PLACEMENT_TIKTOK"], keywords: ["lyon"] };
    expect((await ads.post("tool/targeting/search", lookUp)).code).toBe(0);
    expect(await listed(body.campaign_name)).toBe(0);
    expect((await ads.post("campaign/create", campaignBody({ objective_type: "X" }))).code).toBe(40002);
    expect((await ads.post("campaign/create", body)).code).toBe(50000);
    const other = campaignBody();
    await sandbox.fault("tiktok", "ads_campaign", "accept_then_drop");
    await expect(ads.post("campaign/create", other)).rejects.toThrow();
    expect([await listed(body.campaign_name), await listed(other.campaign_name)]).toEqual([1, 1]);
    await sandbox.settings({ slow_ms: 1 });
    await sandbox.fault("tiktok", "ads", "slow");
    expect(await listed(other.campaign_name)).toBe(1);
    expect(await sandbox.faults()).toEqual([]);
  });

  test("a token may end, and so may a login", async () => {
    for (const kind of ["expire_token", "revoke_token"]) {
      const own = adsCaller(await adsLogin());
      await sandbox.fault("tiktok", "ads", kind);
      expect((await own.get("campaign/get")).code).toBe(40105);
      expect((await own.get("campaign/get")).code).toBe(40105);
    }
  });

  test("deleting has a name of its own, and too many calls are refused", async () => {
    const { campaign_id } = await boost(ads);
    const turn = (operation_status: string) =>
      ads.post("campaign/status/update", { campaign_ids: [campaign_id], operation_status });
    await sandbox.fault("tiktok", "ads_delete", "error");
    expect((await turn("DISABLE")).code).toBe(0);
    expect((await turn("DELETE")).code).toBe(50000);
    await sandbox.settings({ tiktok_ads_calls_per_minute: 0 });
    expect((await turn("DELETE")).code).toBe(40100);
  });
});

test("people see what was made: of each its budget in minor units, its state, and what it spent", async () => {
  const running = await boost(ads);
  await advance(DAY);
  const Live = z.array(z.looseObject({ id: z.string() }));
  const live = Live.parse(await sandbox.control("GET", "ads?platform=tiktok"));
  const byId = (id: string) => live.find((one) => one.id === id);
  expect(byId(running.adgroup_id)).toMatchObject({
    kind: "adgroup",
    account_id: DOLLARS,
    post_id: running.item_id,
    status: "ENABLE",
    effective_status: "ADGROUP_STATUS_DELIVERY_OK",
    budget_minor: 14_000,
    currency: "USD",
  });
  const spent = z.object({ spend_minor: z.number() }).parse(byId(running.ad_id)).spend_minor;
  expect([spent >= 2_000, spent < 2_010]).toEqual([true, true]);
  await ads.post("campaign/status/update", { campaign_ids: [running.campaign_id], operation_status: "DELETE" });
  const after = Live.parse(await sandbox.control("GET", "ads?platform=tiktok"));
  expect(after.some(({ id }) => id === running.campaign_id)).toBe(false);
});
