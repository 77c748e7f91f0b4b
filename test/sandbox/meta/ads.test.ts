import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { advance } from "../../support/clock.ts";
import { FERN as FERN_ON_INSTAGRAM } from "../../support/instagram.ts";
import {
  AD_SET,
  ADS,
  answered,
  boost,
  CALM,
  CAMPAIGN,
  call,
  DISABLED,
  EURO,
  facebookPerson,
  idOf,
  instagramPerson,
  type Json,
  ONLY_TO_LOOK_AT,
  published,
  read,
  results,
  rowsOf,
  TARGETING,
  WITHOUT_CARD,
  YEN,
} from "../../support/meta-ads.ts";
import { FERN, facebookPage, graph, send } from "../../support/platform.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../../support/times.ts";

/** What the simulated Marketing API of Meta promises. */

const Paged = z.looseObject({
  paging: z.looseObject({ cursors: z.object({ before: z.string(), after: z.string() }) }),
});
const LiveAds = z.array(z.looseObject({ kind: z.string(), name: z.string() }));
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
const error = (code: number, error_subcode?: number) => ({
  error: expect.objectContaining(error_subcode === undefined ? { code } : { code, error_subcode }),
});

let token = "";
let media = "";
let story = "";
beforeAll(async () => {
  await sandbox.settings(CALM);
  token = await facebookPerson();
  story = await published("facebook", "What grows in autumn");
  media = await published("instagram", "A reel of leaves");
});
afterEach(async () => {
  await sandbox.settings({ ...CALM, instagram_boost_eligibility: "ELIGIBLE" });
  await sandbox.noFaults();
});

const statusOf = async (id: string) => (await read(token, id, "effective_status")).effective_status;

describe("a boost", () => {
  test("is reviewed, then spends its lifetime budget and no more, in its schedule", async () => {
    const adSet = { lifetime_budget: 3000, end_time: ahead(2 * DAY) };
    const made = await boost(token, { creative: { object_story_id: story }, adSet, status: "PAUSED" });
    expect(await statusOf(made.ad)).toBe("IN_PROCESS");
    await advance(MINUTE / 2);
    expect(await statusOf(made.ad)).toBe("PENDING_REVIEW");
    await advance(MINUTE);
    expect(await statusOf(made.ad)).toBe("PAUSED");
    for (const [id, seen] of [
      [made.ad, "CAMPAIGN_PAUSED"],
      [made.campaign, "ADSET_PAUSED"],
      [made.adSet, "ACTIVE"],
    ] as const) {
      expect(await answered(call(token, "POST", id, { status: "ACTIVE" }))).toEqual({ success: true });
      expect(await statusOf(made.ad)).toBe(seen);
    }
    expect(await results(token, made.ad)).toBeUndefined();
    await advance(DAY);
    const half = await results(token, made.campaign, "spend,reach,actions,account_currency");
    expect(Number(half?.spend)).toBeCloseTo(15, 0);
    expect(half).toMatchObject({ spend: expect.stringMatching(/^\d+\.\d\d$/), account_currency: "EUR" });
    await answered(call(token, "POST", made.campaign, { status: "PAUSED" }));
    await advance(DAY / 4);
    expect(await results(token, made.ad, "spend")).toMatchObject({ spend: half?.spend });
    await answered(call(token, "POST", made.campaign, { status: "ACTIVE" }));
    // No request in between: what was spent before the change counts too.
    await advance(DAY / 4);
    await answered(call(token, "POST", made.campaign, { status: "PAUSED" }));
    await advance(DAY / 4);
    await answered(call(token, "POST", made.campaign, { status: "ACTIVE" }));
    await advance(10 * DAY);
    // A day and two quarters of the two days.
    expect(Number((await results(token, made.ad, "spend"))?.spend)).toBeCloseTo(22.5, 0);
    // An ended campaign still reports itself as active.
    expect(await statusOf(made.ad)).toBe("ACTIVE");
  });

  test("goes faster than in life where it is reported so, and stops at its budget", async () => {
    await sandbox.settings({ ads_speed: 1440 });
    const adSet = { lifetime_budget: 1000, end_time: ahead(2 * DAY) };
    const made = await boost(token, { creative: { object_story_id: story }, adSet });
    await advance(2 * MINUTE);
    expect(Number((await results(token, made.adSet))?.spend)).toBeCloseTo(5, 0);
    await advance(DAY);
    expect(await results(token, made.adSet, "spend,impressions")).toMatchObject({
      spend: "10.00",
      impressions: "2000",
    });
    expect(await read(token, made.adSet, "budget_remaining,campaign{id}")).toEqual({
      id: made.adSet,
      budget_remaining: "0",
      campaign: { id: made.campaign },
    });
  });

  test("with a daily budget spends it each day, and above it only where that is requested", async () => {
    await sandbox.settings({ ads_speed: 100 });
    const made = await boost(token, { creative: { object_story_id: story }, adSet: { daily_budget: 500 } });
    await advance(3 * DAY);
    const days = async () => {
      const query = { fields: "spend", date_preset: "maximum", time_increment: 1 };
      return (await rowsOf(call(token, "GET", `${made.ad}/insights`, query))).map(({ spend }) => Number(spend));
    };
    expect(await days()).toEqual([5, 5, 5, 5]);
    await sandbox.settings({ ads_daily_overshoot: 0.75 });
    await advance(21 * DAY);
    const spends = await days();
    expect(Math.max(...spends)).toBe(8.75);
    // Three weeks lie in four of the calendar at most, each of which has seven budgets.
    expect(spends.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(4 * 5 + 4 * 35);
  });

  test("of two ads in one ad set has one budget", async () => {
    await sandbox.settings({ ads_speed: 1440 });
    const adSet = { lifetime_budget: 1000, end_time: ahead(2 * DAY) };
    const made = await boost(token, { creative: { object_story_id: story }, adSet });
    const twin = { name: "A boost", adset_id: made.adSet, creative: { creative_id: made.creative }, status: "ACTIVE" };
    const second = await idOf(call(token, "POST", `${EURO}/ads`, twin));
    await advance(2 * DAY);
    expect(await results(token, second, "spend")).toMatchObject({ spend: "5.00" });
    expect(await results(token, made.campaign, "spend")).toMatchObject({ spend: "10.00" });
  });

  test("of yen is counted in yen, and needs what its currency needs", async () => {
    const set = {
      ...AD_SET,
      targeting: TARGETING,
      campaign_id: await idOf(call(token, "POST", `${YEN}/campaigns`, CAMPAIGN)),
    };
    const low = { ...set, daily_budget: 99, locale: "de_DE" };
    expect((await call(token, "POST", `${YEN}/adsets`, low)).json).toMatchObject({
      error: { error_subcode: 1885272, error_user_msg: expect.stringContaining("100"), message: "Invalid parameter" },
    });
    await sandbox.settings({ ads_speed: 1440 });
    const adSet = { lifetime_budget: 5000, end_time: ahead(DAY) };
    const made = await boost(token, { act: YEN, creative: { object_story_id: story }, adSet });
    await advance(DAY);
    expect(await results(token, made.ad, "spend,account_currency")).toMatchObject({ spend: "5000" });
  });
});

describe("states", () => {
  const adSet = { daily_budget: 500 };
  test("a mark in a name or in the post has it rejected, with the reviewers' reason; another creative is reviewed again", async () => {
    const marked = await published("facebook", "Buy this [ads:reject]");
    const made = await boost(token, { creative: { object_story_id: marked }, adSet });
    const named = await boost(token, { creative: { object_story_id: story }, adSet, name: "b_1 [ads:reject]" });
    await advance(2 * MINUTE);
    expect(await statusOf(named.ad)).toBe("DISAPPROVED");
    expect(await read(token, made.ad, "effective_status,ad_review_feedback")).toMatchObject({
      effective_status: "DISAPPROVED",
      ad_review_feedback: { global: expect.any(Object) },
    });
    const other = await idOf(call(token, "POST", `${EURO}/adcreatives`, { name: "Other", object_story_id: story }));
    await answered(call(token, "POST", made.ad, { creative: { creative_id: other } }));
    expect(await statusOf(made.ad)).toBe("IN_PROCESS");
    await advance(2 * MINUTE);
    expect(await statusOf(made.ad)).toBe("ACTIVE");
    await answered(call(token, "POST", made.adSet, { daily_budget: 600 }));
    expect(await statusOf(made.ad)).toBe("ACTIVE");
    await answered(call(token, "POST", made.adSet, { targeting: { ...TARGETING, age_max: 40 } }));
    expect(await statusOf(made.ad)).toBe("IN_PROCESS");
    expect(await read(token, made.adSet, "targeting")).toMatchObject({ targeting: { age_max: 40 } });
  });

  test("no card, and an ad account that is shut, show on the ads; nothing new is made in one", async () => {
    const made = await boost(token, { act: WITHOUT_CARD, creative: { object_story_id: story }, adSet });
    await advance(2 * MINUTE);
    expect(await statusOf(made.ad)).toBe("PENDING_BILLING_INFO");
    await advance(DAY);
    expect(await results(token, made.ad)).toBeUndefined();
    await sandbox.settings({ ads_account_status: 2 });
    expect(await statusOf(made.ad)).toBe("WITH_ISSUES");
    expect((await call(token, "POST", `${DISABLED}/campaigns`, CAMPAIGN)).json).toMatchObject(error(368));
  });

  test("an ad whose post is deleted has issues, and delivers no more", async () => {
    const doomed = await published("facebook", "Soon gone");
    const made = await boost(token, { creative: { object_story_id: doomed }, adSet });
    await advance(2 * MINUTE);
    await graph("DELETE", `/v27.0/${doomed}`, await facebookPage());
    expect(await read(token, made.ad, "effective_status,issues_info")).toMatchObject({
      effective_status: "WITH_ISSUES",
      issues_info: [{ level: "AD", error_code: 1885557 }],
    });
    expect(await read(token, made.campaign, "effective_status,issues_info")).toMatchObject({
      effective_status: "WITH_ISSUES",
      issues_info: [{ mid: made.ad }],
    });
    await advance(DAY);
    expect(await results(token, made.ad)).toBeUndefined();
  });

  test("what is deleted stays readable and cannot be changed, what is archived can be renamed", async () => {
    const made = await boost(token, { creative: { object_story_id: story }, adSet });
    expect(await answered(call(token, "DELETE", made.campaign))).toEqual({ success: true });
    for (const id of [made.campaign, made.adSet, made.ad]) {
      expect(await read(token, id, "status,effective_status")).toMatchObject({ status: "DELETED" });
      expect((await call(token, "POST", id, { status: "ACTIVE" })).status).toBe(400);
    }
    const kept = await idOf(call(token, "POST", `${EURO}/campaigns`, CAMPAIGN));
    await answered(call(token, "POST", kept, { status: "ARCHIVED" }));
    expect((await call(token, "POST", kept, { status: "ACTIVE" })).status).toBe(400);
    await answered(call(token, "POST", kept, { name: "Old" }));
    expect(await read(token, kept, "name,status")).toMatchObject({ name: "Old", status: "ARCHIVED" });
  });
});

describe("what is refused", () => {
  let campaign_id = "";
  beforeAll(async () => {
    campaign_id = await idOf(call(token, "POST", `${EURO}/campaigns`, CAMPAIGN));
  });

  test.each<[string, Json, number?]>([
    ["without its categories", { special_ad_categories: undefined }],
    ["without the word on sharing", { is_adset_budget_sharing_enabled: undefined }, 4834011],
    ["with an older objective", { objective: "POST_ENGAGEMENT" }],
    ["with a misspelt parameter", { special_ad_category: "NONE" }],
    ["with too low a budget", { daily_budget: 99 }, 1885272],
  ])("a campaign %s", async (_, changes, subcode) => {
    const sent = { ...CAMPAIGN, ...changes };
    expect((await call(token, "POST", `${EURO}/campaigns`, sent)).json).toMatchObject(error(100, subcode));
  });

  const end_time = "2999-01-01T00:00:00Z";
  test.each<[string, Json, number?]>([
    ["without a budget", { daily_budget: undefined }, 1487061],
    ["with a lifetime budget and no end", { daily_budget: undefined, lifetime_budget: 3000 }],
    ["with both budgets", { lifetime_budget: 3000, end_time }],
    ["with too low a budget", { daily_budget: 99 }, 1885272],
    ["with one too low for its days", { daily_budget: undefined, lifetime_budget: 29_999, end_time }, 1885272],
    ["with an end in the past", { end_time: "2020-01-01T00:00:00+0100" }],
    ["with an end after its start by less than a day", { start_time: "2998-12-31T12:00:00Z", end_time }],
    ["without a bid strategy", { bid_strategy: undefined }, 2490487],
    ["with a capped one and no amount", { bid_strategy: "COST_CAP" }, 2490487],
    ["with a goal of another objective", { optimization_goal: "APP_INSTALLS" }, 2490408],
    ["with a goal that is none", { optimization_goal: "APPLAUSE" }],
    ["of a campaign that is not there", { campaign_id: "120200000000000999" }],
  ])("an ad set %s", async (_, changes, subcode) => {
    const sent = { ...AD_SET, targeting: TARGETING, campaign_id, daily_budget: 500, ...changes };
    expect((await call(token, "POST", `${EURO}/adsets`, sent)).json).toMatchObject(error(100, subcode));
  });

  const within = (...countries: string[]): Json => ({ geo_locations: { countries } });
  const advantage = { targeting_automation: { advantage_audience: 1 } };
  const far = { key: "777", radius: 90, distance_unit: "kilometer" };
  test.each<[string, Json, number, number?]>([
    ["without the advantage flag", { targeting_automation: undefined }, 100, 1870227],
    ["with ages against it", advantage, 100, 1870189],
    ["with a lowest age against it", { ...advantage, age_min: 30, age_max: 65 }, 100, 1870196],
    ["without a place", { geo_locations: {} }, 100],
    ["of an unknown country", within("XX"), 100],
    ["of a country that costs twice as much", within("CH"), 100, 1885272],
    ["of Europe without a beneficiary", within("US", "DE"), 100],
    ["of a country that asks for declarations", within("TW"), 100],
    ["that is misspelt", { age_minimum: 20 }, 100],
    ["of an interest that is no more", { interests: [{ id: "1" }] }, 100, 1487694],
    ["of a radius out of range", { geo_locations: { cities: [far] } }, 100, 1487079],
    ["of a dead placement", { facebook_positions: ["video_feeds"] }, 100, 2490562],
    ["of an audience without terms", { custom_audiences: [{ id: "23800000000000002" }] }, 200, 1870034],
  ])("a targeting %s", async (_, changes, code, subcode) => {
    const targeting = { ...TARGETING, ...changes };
    const sent = { ...AD_SET, targeting, campaign_id, daily_budget: 199 };
    expect((await call(token, "POST", `${EURO}/adsets`, sent)).json).toMatchObject(error(code, subcode));
  });

  test("of changes: another kind of budget, a fifth budget in an hour, less than is spent, an end in the past", async () => {
    await sandbox.settings({ ads_speed: 1440 });
    const adSet = { lifetime_budget: 2000, end_time: ahead(3 * DAY), name: "Changed" };
    const made = await boost(token, { creative: { object_story_id: story }, adSet });
    const change = async (params: Json) => (await call(token, "POST", made.adSet, params)).json;
    expect(await change({ daily_budget: 500 })).toMatchObject(error(100, 3858418));
    await advance(DAY);
    expect(await change({ lifetime_budget: 2100 })).toMatchObject(error(100));
    expect(await change({ end_time: ahead(-HOUR) })).toMatchObject(error(100));
    for (const lifetime_budget of [3000, 3100, 3200, 3300])
      expect(await change({ lifetime_budget })).toEqual({ success: true });
    expect(await change({ lifetime_budget: 3400 })).toMatchObject(error(613, 1487632));
    // The same amount is no change.
    expect(await change({ lifetime_budget: 3300, name: "Renamed" })).toEqual({ success: true });
  });

  test("of parents: those of another ad account, and the deleted", async () => {
    const send = async (edge: string, params: Json) => (await call(token, "POST", edge, params)).json;
    const set = { ...AD_SET, targeting: TARGETING, campaign_id, daily_budget: 500 };
    expect(await send(`${YEN}/adsets`, set)).toMatchObject(error(100));
    const made = await boost(token, { creative: { object_story_id: story }, adSet: { daily_budget: 500 } });
    const elsewhere = await boost(token, {
      act: YEN,
      creative: { object_story_id: story },
      adSet: { daily_budget: 500 },
    });
    const ad = { name: "An ad", adset_id: made.adSet, creative: { creative_id: made.creative } };
    expect(await send(`${EURO}/ads`, { ...ad, creative: { creative_id: elsewhere.creative } })).toMatchObject(
      error(100),
    );
    expect(await send(`${YEN}/ads`, ad)).toMatchObject(error(100));
    await answered(call(token, "DELETE", made.campaign));
    expect(await send(`${EURO}/adsets`, { ...set, campaign_id: made.campaign })).toMatchObject(error(100));
    expect(await send(`${EURO}/ads`, ad)).toMatchObject(error(100));
  });

  test("of creatives: other people's posts, drafts, wrong forms, and what only then turns out", async () => {
    const refusal = async (creative: Json, by = token) =>
      (await call(by, "POST", `${EURO}/adcreatives`, { name: "A creative", ...creative })).json;
    const elsewhere = await published("facebook", "Not of this login", "104000000000002");
    expect(await refusal({ object_story_id: elsewhere })).toMatchObject(error(200));
    expect(await refusal({ object_story_id: `${FERN}_1` })).toMatchObject(error(100, 33));
    const draft = await idOf(
      graph("POST", `/v27.0/${FERN}/feed`, await facebookPage(), { message: "Draft", published: "false" }),
    );
    expect(await refusal({ object_story_id: draft })).toMatchObject(error(100, 2932001));
    expect(await refusal({})).toMatchObject(error(100, 2446383));
    const person = await instagramPerson();
    const spec = { page_id: FERN, link_data: { link: "https://shop.example" } };
    expect(await refusal({ source_instagram_media_id: media, object_story_spec: spec }, person)).toMatchObject(
      error(100, 1487929),
    );
    expect(
      await refusal({ source_instagram_media_id: media, object_story_spec: { page_id: FERN } }, person),
    ).toMatchObject(error(100, 2061015));
    expect(await refusal({ source_instagram_media_id: media, instagram_actor_id: "1" }, person)).toMatchObject(
      error(100),
    );
    await sandbox.settings({ ads_late_refusal: "1815279" });
    expect(await refusal({ source_instagram_media_id: media }, person)).toMatchObject(error(100, 1815279));
    await sandbox.settings({ ads_late_refusal: "none", instagram_app_mode: "development" });
    expect(await refusal({ source_instagram_media_id: media }, person)).toMatchObject(error(100, 1885183));
    await sandbox.settings({ instagram_app_mode: "live" });
  });
});

describe("Instagram", () => {
  test("a medium is eligible or not, and traces the ads that are made of it", async () => {
    const person = await instagramPerson();
    const made = await boost(person, { creative: { source_instagram_media_id: media }, adSet: { daily_budget: 500 } });
    expect(await read(person, made.creative, "effective_instagram_media_id,status")).toMatchObject({
      effective_instagram_media_id: media,
    });
    await advance(2 * MINUTE);
    expect(await read(person, media, "boost_eligibility_info,boost_ads_list")).toMatchObject({
      boost_eligibility_info: { eligible_to_boost: true },
      boost_ads_list: { data: [{ ad_id: made.ad, ad_status: "ACTIVE" }] },
    });
    expect(await answered(call(person, "GET", `${media}/boost_ads_list`))).toMatchObject({
      data: [{ ad_id: made.ad }],
    });
    // In a list the field fails the whole call.
    const list = await call(person, "GET", `${FERN_ON_INSTAGRAM}/media`, { fields: "id,boost_eligibility_info" });
    expect(list.json).toMatchObject(error(100));
    const music = await published("instagram", "With music [ads:ineligible]");
    expect(await read(person, music, "boost_eligibility_info")).toMatchObject({
      boost_eligibility_info: { eligible_to_boost: false, boost_ineligible_reason: expect.any(String) },
    });
    expect(
      (await call(person, "POST", `${EURO}/adcreatives`, { name: "x", source_instagram_media_id: music })).status,
    ).toBe(400);
  });
});

test("a campaign's budget is shared by its ad sets, which then have none; special categories keep the audience wide", async () => {
  await sandbox.settings({ ads_speed: 1440 });
  const make = (edge: string, params: Json) => call(token, "POST", `${EURO}/${edge}`, params);
  const budget = { daily_budget: 1000, bid_strategy: "LOWEST_COST_WITHOUT_CAP", status: "ACTIVE" };
  const campaign_id = await idOf(
    make("campaigns", { ...CAMPAIGN, ...budget, is_adset_budget_sharing_enabled: undefined }),
  );
  const set = { ...AD_SET, targeting: TARGETING, campaign_id, status: "ACTIVE", bid_strategy: undefined };
  expect((await make("adsets", { ...set, daily_budget: 500 })).json).toMatchObject(error(100, 1885621));
  const shown = await idOf(make("adcreatives", { name: "One for both", object_story_id: story }));
  const ads = [];
  for (const name of ["One", "Two"]) {
    const adset_id = await idOf(make("adsets", { ...set, name }));
    ads.push(await idOf(make("ads", { name, adset_id, creative: { creative_id: shown }, status: "ACTIVE" })));
  }
  await advance(2 * MINUTE);
  const spends = await Promise.all(ads.map(async (id) => Number((await results(token, id))?.spend)));
  expect(spends[0]).toBeCloseTo(spends[1] ?? 0, 0);
  await advance(HOUR);
  const today = { fields: "spend", date_preset: "maximum", time_increment: 1 };
  const { data } = await answered(call(token, "GET", `${campaign_id}/insights`, today));
  expect(data).toContainEqual(expect.objectContaining({ spend: "10.00" }));

  const special = { ...CAMPAIGN, special_ad_categories: ["HOUSING"], special_ad_category_country: ["US"] };
  const narrow = {
    ...AD_SET,
    targeting: TARGETING,
    campaign_id: await idOf(make("campaigns", special)),
    daily_budget: 500,
  };
  expect((await make("adsets", narrow)).json).toMatchObject(error(100));
  await idOf(make("adsets", { ...narrow, targeting: { ...TARGETING, age_min: 18, age_max: 65 } }));
});

describe("lists", () => {
  const names = async (path: string, params: Json) =>
    (await rowsOf(call(token, "GET", path, { fields: "name", ...params }))).map(({ name }) => name);

  test("campaigns are found by a part of their name, in either form; the same name twice is two", async () => {
    const name = `b_${crypto.randomUUID()}`;
    for (const own of [name, name, `${name} more`])
      await idOf(call(token, "POST", `${EURO}/campaigns`, { ...CAMPAIGN, name: own }));
    const filter = { field: "name", operator: "CONTAIN", value: name };
    expect(await names(`${EURO}/campaigns`, { filtering: [filter] })).toEqual([`${name} more`, name, name]);
    const brackets = { "filtering[0][field]": "name", "filtering[0][operator]": "EQUAL", "filtering[0][value]": name };
    expect(await names(`${EURO}/campaigns`, brackets)).toEqual([name, name]);
    await sandbox.settings({ ads_filtering: "ignored" });
    expect((await names(`${EURO}/campaigns`, { filtering: [filter] })).length).toBeGreaterThan(3);
    await sandbox.settings({ ads_filtering: "refused" });
    expect((await call(token, "GET", `${EURO}/campaigns`, { filtering: [filter] })).json).toMatchObject(error(100));
  });

  test("show what is below a parent, in pages, without the deleted, and late", async () => {
    const adSet = { daily_budget: 500 };
    const made = await boost(token, { creative: { object_story_id: story }, adSet });
    const twin = { name: "Twin", adset_id: made.adSet, creative: { creative_id: made.creative }, status: "PAUSED" };
    const second = await idOf(call(token, "POST", `${EURO}/ads`, twin));
    const fields = "id,creative{id,effective_object_story_id}";
    const first = await answered(call(token, "GET", `${made.adSet}/ads`, { fields, limit: 1 }));
    const creative = { id: made.creative, effective_object_story_id: story };
    expect(first).toMatchObject({ data: [{ id: second, creative }], paging: { next: expect.any(String) } });
    const { after } = Paged.parse(first).paging.cursors;
    expect(await answered(call(token, "GET", `${made.adSet}/ads`, { limit: 1, after }))).toMatchObject({
      data: [{ id: made.ad }],
    });
    await answered(call(token, "DELETE", second));
    expect(await names(`${made.campaign}/ads`, {})).toEqual(["A boost"]);
    expect(await names(`${made.campaign}/ads`, { effective_status: ["DELETED"] })).toEqual(["Twin"]);
    await sandbox.settings({ ads_listing_lag_ms: 5 * MINUTE });
    expect(await names(`${made.campaign}/adsets`, {})).toEqual([]);
  });
});

describe("access", () => {
  test("persons alone, with the ads scopes and a role on the ad account", async () => {
    expect((await call(await facebookPage(), "GET", "me/adaccounts")).json).toMatchObject(error(200));
    const reader = await facebookPerson(["ads_read"]);
    const { data } = await answered(
      call(reader, "GET", "me/adaccounts", { fields: "currency,account_status,funding_source" }),
    );
    expect(data).toMatchObject([
      { id: EURO, currency: "EUR", account_status: 1, funding_source: expect.any(String) },
      { id: YEN, currency: "JPY" },
      { id: DISABLED, account_status: 2 },
      expect.not.objectContaining({ funding_source: expect.anything() }),
      { id: ONLY_TO_LOOK_AT },
    ]);
    expect((await call(reader, "POST", `${EURO}/campaigns`, CAMPAIGN)).json).toMatchObject(error(294));
    expect((await call(token, "POST", `${ONLY_TO_LOOK_AT}/campaigns`, CAMPAIGN)).json).toMatchObject(error(200));
    expect((await call(token, "GET", "act_1")).json).toMatchObject(error(100, 33));
    const withoutPages = await facebookPerson(ADS.filter((scope) => scope !== "pages_manage_ads"));
    expect((await call(withoutPages, "POST", `${EURO}/adcreatives`, { object_story_id: story })).json).toMatchObject(
      error(200),
    );
    expect(await answered(call(token, "GET", `${EURO}/promote_pages`))).toMatchObject({ data: [{ id: FERN }] });
    expect(await answered(call(token, "GET", `${EURO}/minimum_budgets`))).toMatchObject({
      data: [{ min_daily_budget_imp: 100 }],
    });
  });

  test("the limited tier has sixty points in five minutes, and reports so in minutes and in seconds", async () => {
    await advance(5 * MINUTE);
    await sandbox.settings({ ads_access_tier: "development_access" });
    for (let at = 0; at < 20; at += 1) await idOf(call(token, "POST", `${YEN}/campaigns`, CAMPAIGN));
    const over = await call(token, "GET", `${YEN}/campaigns`);
    expect(over).toMatchObject({ status: 400, json: error(17, 2446079) });
    expect(JSON.parse(over.headers.get("x-business-use-case-usage") ?? "")).toMatchObject({
      "330000000000002": [{ type: "ads_management", estimated_time_to_regain_access: expect.closeTo(5, 1) }],
    });
    expect(JSON.parse(over.headers.get("x-ad-account-usage") ?? "")).toMatchObject({
      acc_id_util_pct: 100,
      reset_time_duration: 300,
    });
    await advance(5 * MINUTE + 1000);
    expect((await call(token, "GET", `${YEN}/campaigns`)).status).toBe(200);
  });

  test("faults: of one kind of object or of all; an answer that is lost has made the object", async () => {
    const name = `Lost ${crypto.randomUUID()}`;
    await sandbox.fault("facebook", "ads_campaign", "accept_then_error");
    expect((await call(token, "POST", `${EURO}/campaigns`, { ...CAMPAIGN, name })).json).toMatchObject(error(2));
    const filtering = [{ field: "name", operator: "EQUAL", value: name }];
    expect((await answered(call(token, "GET", `${EURO}/campaigns`, { filtering }))).data).toHaveLength(1);
    await sandbox.fault("facebook", "ads", "rate_limit");
    const limited = await call(token, "GET", `${EURO}/campaigns`);
    expect(limited).toMatchObject({ status: 400, json: error(80_004, 2446079) });
    expect(limited.headers.get("x-ad-account-usage")).toContain('"reset_time_duration":2');
    await sandbox.fault("facebook", "ads_update", "error");
    const id = await idOf(call(token, "POST", `${EURO}/campaigns`, { ...CAMPAIGN, name }));
    expect((await call(token, "POST", id, { status: "ACTIVE" })).status).toBe(500);
    expect(await read(token, id, "configured_status")).toMatchObject({ configured_status: "PAUSED" });
    const dying = await facebookPerson();
    await sandbox.fault("facebook", "ads", "revoke_token");
    expect((await call(dying, "GET", `${EURO}/campaigns`)).json).toMatchObject(error(190, 458));
  });
});

test("searches and estimates: one is an object, the other a list", async () => {
  const found = async (params: Json) => (await answered(call(token, "GET", "search", params))).data;
  expect(await found({ type: "adinterest", q: "garden" })).toContainEqual(
    expect.objectContaining({ id: "6003000000001", name: "Gardening", audience_size_lower_bound: 900_000 }),
  );
  expect(await found({ type: "adgeolocation", location_types: ["country"], q: "ger" })).toContainEqual(
    expect.objectContaining({ key: "DE", name: "Germany", type: "country" }),
  );
  expect(await found({ type: "adlocale", q: "german" })).toEqual([{ key: 5, name: "German" }]);
  const spec = { targeting_spec: TARGETING };
  expect(await answered(call(token, "GET", `${EURO}/reachestimate`, spec))).toMatchObject({
    data: { users_lower_bound: expect.any(Number), estimate_ready: true },
  });
  expect(
    await answered(call(token, "GET", `${EURO}/delivery_estimate`, { ...spec, optimization_goal: "REACH" })),
  ).toMatchObject({
    data: [{ estimate_ready: true }],
  });
});

test("a trial makes nothing; forms carry JSON and words that Python writes", async () => {
  const name = `Trial ${crypto.randomUUID()}`;
  const trial = { ...CAMPAIGN, name, execution_options: ["validate_only"] };
  expect(await answered(call(token, "POST", `${EURO}/campaigns`, trial))).toEqual({ success: true });
  const form = { ...CAMPAIGN, name, special_ad_categories: '["NONE"]', is_adset_budget_sharing_enabled: "False" };
  await idOf(graph("POST", `/v27.0/${EURO}/campaigns`, token, form));
  const filtering = [{ field: "name", operator: "EQUAL", value: name }];
  expect((await answered(call(token, "GET", `${EURO}/campaigns`, { filtering }))).data).toHaveLength(1);
});

test("the sandbox shows tools and people what is advertised; posts tell that they are", async () => {
  await sandbox.settings({ ads_speed: 1440 });
  const name = `Shown ${crypto.randomUUID()}`;
  const adSet = { lifetime_budget: 1234, end_time: ahead(2 * DAY) };
  const made = await boost(token, { creative: { object_story_id: story }, adSet, name });
  await advance(DAY);
  const own = async (query: string) =>
    LiveAds.parse(await sandbox.control("GET", `ads?platform=facebook${query}`)).filter((one) => one.name === name);
  const row = (kind: string, id: string) => expect.objectContaining({ kind, id, post_id: story, status: "ACTIVE" });
  const live = await own("");
  expect(live).toHaveLength(4);
  expect(live).toContainEqual(row("campaign", made.campaign));
  expect(live).toContainEqual(
    expect.objectContaining({ kind: "adset", budget_minor: 1234, currency: "EUR", spend_minor: 1234 }),
  );
  expect(live).toContainEqual(expect.objectContaining({ kind: "ad", account_id: EURO, effective_status: "ACTIVE" }));
  const page = await send("https://ads");
  expect(page.text).toContain(name);
  expect(page.text).toContain("€12.34");
  const post = await graph("GET", `/v27.0/${story}`, await facebookPage(), {
    fields: "is_eligible_for_promotion,promotable_id,promotion_status,allowed_advertising_objectives",
  });
  expect(post.json).toMatchObject({
    is_eligible_for_promotion: true,
    promotable_id: story,
    promotion_status: "active",
  });
  await answered(call(token, "DELETE", made.campaign));
  expect((await own("")).map(({ kind }) => kind)).toEqual(["creative"]);
  expect(await own("&deleted=true")).toHaveLength(4);
});
