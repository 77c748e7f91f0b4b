import { describe, test } from "vitest";
import { z } from "zod";
import type { Boost, Made } from "../../../src/platforms/advertising.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { NOW, type Scripted } from "../../scripted-send.ts";
import { ALL, API, BOOST, listed, NAME, ok, on, READY, refused } from "./ads-script.ts";

/** Boosts at TikTok: what is made of them, and how it is found again. */

const { ads } = tiktok;

const create = (object: string, made: Made, answers: readonly (Scripted | "lost")[], boost = BOOST) =>
  on(answers, (context) => ads.createObject(context, boost, { object, made, progress: READY }));

describe("what is made", () => {
  test("is a campaign without a budget of its own, switched off", async ({ expect }) => {
    const { outcome, calls } = await create("campaign", {}, [ok({ campaign_id: "c1" })]);
    expect(outcome).toEqual({ kind: "made", id: "c1" });
    expect(calls).toMatchObject([
      { method: "POST", url: `${API}/campaign/create/`, headers: { "access-token": "TOKEN" } },
    ]);
    expect(calls[0]?.json).toEqual({
      advertiser_id: "7411",
      request_id: expect.stringMatching(/^[1-9]\d{10,18}$/),
      campaign_name: NAME,
      objective_type: "VIDEO_VIEWS",
      budget_mode: "BUDGET_MODE_INFINITE",
      operation_status: "DISABLE",
    });
  });

  test("is an ad group that bounds the money and the time, switched off", async ({ expect }) => {
    const { outcome, calls } = await create("adgroup", { campaign: "c1" }, [ok({ adgroup_id: "g1" })]);
    expect(outcome).toEqual({ kind: "made", id: "g1" });
    expect(calls[0]?.url).toBe(`${API}/adgroup/create/`);
    expect(calls[0]?.json).toEqual({
      advertiser_id: "7411",
      request_id: expect.stringMatching(/^[1-9]\d{10,18}$/),
      campaign_id: "c1",
      adgroup_name: NAME,
      placement_type: "PLACEMENT_TYPE_NORMAL",
      placements: ["PLACEMENT_TIKTOK"],
      location_ids: ["3017382", "6252001"],
      gender: "GENDER_UNLIMITED",
      interest_category_ids: ["10001"],
      audience_ids: ["88"],
      budget_mode: "BUDGET_MODE_TOTAL",
      budget: 140.99,
      schedule_type: "SCHEDULE_START_END",
      schedule_start_time: "2026-11-20 12:00:00",
      schedule_end_time: "2026-11-27 12:00:00",
      optimization_goal: "ENGAGED_VIEW",
      billing_event: "CPV",
      bid_type: "BID_TYPE_NO_BID",
      pacing: "PACING_MODE_SMOOTH",
      operation_status: "DISABLE",
    });
  });

  test("is one ad, of the post itself, in the name of its account", async ({ expect }) => {
    const { outcome, calls } = await create("ad", { campaign: "c1", adgroup: "g1" }, [ok({ ad_ids: ["a1"] })]);
    expect(outcome).toEqual({ kind: "made", id: "a1" });
    expect(calls[0]?.url).toBe(`${API}/ad/create/`);
    expect(calls[0]?.json).toEqual({
      advertiser_id: "7411",
      adgroup_id: "g1",
      creatives: [
        {
          ad_name: NAME,
          identity_type: "TT_USER",
          identity_id: "idn",
          ad_format: "SINGLE_VIDEO",
          tiktok_item_id: "7430000000000000123",
          operation_status: "DISABLE",
        },
      ],
    });
  });

  test.for([
    ["awareness", "REACH", "REACH", "CPM", undefined],
    ["traffic", "TRAFFIC", "CLICK", "CPC", "WEBSITE"],
    ["engagement", "ENGAGEMENT", "FOLLOWERS", "OCPM", undefined],
  ] as const)("for %s is %s: %s, paid by %s", async ([objective, type, goal, event, promotion], { expect }) => {
    const boost = { ...BOOST, objective, interests: [], audiences: [] };
    const campaign = await create("campaign", {}, [ok({ campaign_id: "c1" })], boost);
    expect(campaign.calls[0]?.json).toMatchObject({ objective_type: type });
    const { calls } = await create("adgroup", ALL, [ok({ adgroup_id: "g1" })], boost);
    expect(calls[0]?.json).toMatchObject({ optimization_goal: goal, billing_event: event });
    const shown = z.looseObject({ promotion_type: z.string().optional() }).parse(calls[0]?.json);
    expect(shown.promotion_type).toBe(promotion);
    expect(calls[0]?.json).not.toHaveProperty("interest_category_ids");
    expect(calls[0]?.json).not.toHaveProperty("audience_ids");
  });

  test("for traffic leads to the account's page; pictures are a carousel", async ({ expect }) => {
    const post = { ...BOOST.post, secondaryId: "p_pub_1" };
    const { calls } = await create("ad", ALL, [ok({ ad_ids: ["a1"] })], { ...BOOST, objective: "traffic", post });
    expect(calls[0]?.json).toMatchObject({
      creatives: [
        {
          ad_format: "CAROUSEL_ADS",
          call_to_action: "LEARN_MORE",
          landing_page_url: "https://www.tiktok.com/@acme",
        },
      ],
    });
  });

  test("for anything else is refused before any call", async ({ expect }) => {
    const boost = { ...BOOST, objective: "leads" as const };
    const { outcome } = await create("campaign", {}, [], boost);
    expect(outcome).toMatchObject({ reason: "rejected", code: "unsupported_by_platform" });
    expect(ads.objectives).toEqual(["awareness", "traffic", "engagement", "video_views"]);
  });

  test("a day's budget in a currency without small change", async ({ expect }) => {
    const boost: Boost = { ...BOOST, budgetType: "daily", budgetMinor: 2500, currency: "JPY" };
    const { calls } = await create("adgroup", ALL, [ok({ adgroup_id: "g1" })], boost);
    expect(calls[0]?.json).toMatchObject({ budget_mode: "BUDGET_MODE_DAY", budget: 2500 });
  });

  test("carries the same key in each attempt, and another one in each object and boost", async ({ expect }) => {
    const keyOf = async (object: string, boost = BOOST) => {
      const { calls } = await create(object, ALL, [ok({ campaign_id: "c", adgroup_id: "g" })], boost);
      return z.object({ request_id: z.string() }).parse(calls[0]?.json).request_id;
    };
    const keys = [
      await keyOf("campaign"),
      await keyOf("adgroup"),
      await keyOf("campaign", { ...BOOST, reference: "b" }),
    ];
    expect(await keyOf("campaign", { ...BOOST, budgetMinor: 1 })).toBe(keys[0]);
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(BigInt(key)).toBeLessThan(2n ** 63n);
  });

  test.for([
    ["lost", "unknown"],
    [refused(50000), "unknown"],
    [refused(40050), "unknown"],
    [{ status: 502 }, "unknown"],
    [ok({}), "unknown"],
    [refused(40100), "throttled"],
    [refused(40105), "token_expired"],
    [refused(40001), "permission_missing"],
    [refused(40101), "blocked"],
    [refused(60001), "down"],
  ] as const)("a campaign answered %j is %s", async ([answer, what], { expect }) => {
    const { outcome } = await create("campaign", {}, [answer]);
    expect(outcome.kind === "failed" ? outcome.reason : outcome.kind).toBe(what);
  });

  test("a refusal may mean that it exists: it is looked up by its name", async ({ expect }) => {
    const other = { campaign_id: "c0", campaign_name: `${NAME} 2` };
    const there = await create("campaign", {}, [
      refused(40002),
      listed(other, { campaign_id: "c1", campaign_name: NAME }),
    ]);
    expect(there.outcome).toEqual({ kind: "made", id: "c1" });
    const group = await create("adgroup", ALL, [refused(40002), listed({ adgroup_id: "g1", adgroup_name: NAME })]);
    expect(group.outcome).toEqual({ kind: "made", id: "g1" });
    const absent = await create("campaign", {}, [refused(40002), listed(other)]);
    expect(absent.outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("“No” (40002") });
    expect((await create("campaign", {}, [refused(40002), "lost"])).outcome.kind).toBe("unknown");
    // An ad has no key: what was refused is not there.
    expect((await create("ad", ALL, [refused(40002)])).outcome).toMatchObject({ reason: "rejected" });
  });
});

describe("what a lost call made", () => {
  const find = (object: string, ...answers: readonly (Scripted | "lost")[]) =>
    on(answers, (context) => ads.find(context, BOOST, { object, made: ALL, since: NOW }));

  test.for([
    ["campaign", { campaign_name: NAME }],
    ["adgroup", { campaign_ids: ["c1"] }],
    ["ad", { adgroup_ids: ["g1"] }],
  ] as const)(
    "%s is looked up by %j, deleted ones too, and recognized by its exact name",
    async ([object, where], { expect }) => {
      const row = (id: string, name: string) => ({ [`${object}_id`]: id, [`${object}_name`]: name });
      const { outcome, calls } = await find(object, listed(row("1", `x${NAME}`), row("2", NAME)));
      expect(outcome).toEqual({ kind: "found", id: "2" });
      expect(calls[0]).toMatchObject({
        method: "GET",
        url: `${API}/${object}/get/`,
        query: { advertiser_id: "7411", filtering: JSON.stringify({ ...where, primary_status: "STATUS_ALL" }) },
      });
      expect((await find(object, listed(row("1", `${NAME}0`)))).outcome).toEqual({ kind: "absent" });
      expect((await find(object, "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    },
  );

  test("of two the elder counts, and one that was deleted never", async ({ expect }) => {
    const one = (campaign_id: string, create_time: string, secondary_status = "CAMPAIGN_STATUS_DISABLE") => ({
      campaign_id,
      campaign_name: NAME,
      create_time,
      secondary_status,
    });
    const younger = one("5", "2026-11-20 12:00:09");
    const gone = one("3", "2026-11-20 11:00:00", "CAMPAIGN_STATUS_DELETE");
    const { outcome } = await find("campaign", listed(younger, gone, one("7", "2026-11-20 12:00:01")));
    expect(outcome).toEqual({ kind: "found", id: "7" });
    expect((await find("campaign", listed(gone))).outcome).toEqual({ kind: "absent" });
  });

  test("an odd object hides none, and keeps one that bears our reference from being made again", async ({ expect }) => {
    const odd = [
      null,
      7,
      "x",
      [],
      {},
      { campaign_id: null, campaign_name: "Another" },
      { campaign_id: "9", campaign_name: 7, ad_id: {} },
    ];
    for (const one of odd) {
      const list = { list: [one, { campaign_id: "2", campaign_name: NAME }], page_info: { total_page: 1 } };
      expect((await find("campaign", ok(list))).outcome, JSON.stringify(one)).toEqual({ kind: "found", id: "2" });
      expect((await find("campaign", ok({ list: [one] }))).outcome, JSON.stringify(one)).toEqual({ kind: "absent" });
    }
    const unnamed = ok({ list: [{ campaign_id: {}, campaign_name: NAME }] });
    expect((await find("campaign", unnamed)).outcome).toMatchObject({ kind: "unknown" });
  });

  test("an ad with another post is not ours; neither is anything said of what was not shown", async ({ expect }) => {
    const ad = { ad_id: "a9", ad_name: NAME, tiktok_item_id: "1" };
    expect((await find("ad", listed(ad))).outcome.kind).toBe("unknown");
    const { outcome } = await find("ad", listed(ad, { ...ad, ad_id: "a1", tiktok_item_id: BOOST.post.id }));
    expect(outcome).toEqual({ kind: "found", id: "a1" });
    expect((await find("ad", ok({ list: [], page_info: { total_page: 2 } }))).outcome.kind).toBe("unknown");
  });
});
