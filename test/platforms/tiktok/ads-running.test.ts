import { describe, test } from "vitest";
import type { BoostTerms, Made } from "../../../src/platforms/advertising.ts";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import type { Scripted } from "../../scripted-send.ts";
import { ALL, API, BOOST, listed, NAME, ok, on, READY, refused } from "./ads-script.ts";

/** Boosts at TikTok, once they are made: switched, deleted, changed and read. */

const { ads } = tiktok;

describe("switching", () => {
  const shown = (object: string, id: string, operation_status: string, more: object = {}) =>
    listed({ [`${object}_id`]: id, operation_status, ...more });
  const DONE = ok({});
  const REPEATED = { mayHaveTwins: true };
  /** No twins of campaign, ad group and ad. */
  const ALONE = [listed(), listed(), listed()];
  const OBJECTS_ON = [shown("ad", "a1", "ENABLE"), shown("adgroup", "g1", "ENABLE"), shown("campaign", "c1", "ENABLE")];

  test("activating goes from the inside out, and is checked", async ({ expect }) => {
    const answers = OBJECTS_ON.flatMap((shown) => [DONE, shown]);
    const { outcome, calls } = await on([...ALONE, ...answers], (context) => ads.enable(context, BOOST, ALL, REPEATED));
    expect(outcome).toEqual({ kind: "done" });
    expect(calls.filter(({ method }) => method === "POST").map(({ json }) => json)).toEqual([
      { advertiser_id: "7411", ad_ids: ["a1"], operation_status: "ENABLE" },
      { advertiser_id: "7411", adgroup_ids: ["g1"], operation_status: "ENABLE" },
      { advertiser_id: "7411", campaign_ids: ["c1"], operation_status: "ENABLE" },
    ]);
  });

  test("before that, twins that are off are deleted", async ({ expect }) => {
    const ad = (ad_id: string, operation_status: string) => ({ ad_id, ad_name: NAME, operation_status });
    const twins = listed(ad("a1", "DISABLE"), ad("a2", "DISABLE"), ad("a3", "DELETE"), {
      ...ad("a4", "DISABLE"),
      ad_name: "X",
    });
    const { calls } = await on([listed(), listed(), twins, DONE, DONE, listed()], (context) =>
      ads.enable(context, BOOST, ALL, REPEATED),
    );
    const posts = calls.filter(({ method }) => method === "POST").map(({ json }) => json);
    expect(posts).toEqual([
      { advertiser_id: "7411", ad_ids: ["a2"], operation_status: "DELETE" },
      { advertiser_id: "7411", ad_ids: ["a1"], operation_status: "ENABLE" },
    ]);
  });

  test("what was sent once has no twins to look up", async ({ expect }) => {
    const answers = OBJECTS_ON.flatMap((shown) => [DONE, shown]);
    const { outcome, calls } = await on(answers, (context) => ads.enable(context, BOOST, ALL, { mayHaveTwins: false }));
    expect([outcome, calls.length]).toEqual([{ kind: "done" }, 6]);
  });

  test("off is the campaign; a refusal is nothing where it is so already", async ({ expect }) => {
    const pause = (...answers: readonly (Scripted | "lost")[]) =>
      on(answers, (context) => ads.pause(context, BOOST, ALL)).then(({ outcome }) => outcome);
    expect(await pause(DONE, shown("campaign", "c1", "DISABLE"))).toEqual({ kind: "done" });
    expect(await pause(refused(40012), shown("campaign", "c1", "DISABLE"))).toEqual({ kind: "done" });
    expect(await pause(refused(40002), shown("campaign", "c1", "DISABLE"))).toEqual({ kind: "done" });
    expect(await pause(refused(40002), shown("campaign", "c1", "ENABLE"))).toMatchObject({ reason: "rejected" });
    expect(await pause(DONE, shown("campaign", "c1", "ENABLE"))).toMatchObject({ reason: "down" });
    expect(await pause(DONE, listed({ campaign_id: "c1", secondary_status: "CAMPAIGN_STATUS_DISABLE" }))).toEqual({
      kind: "done",
    });
    expect(await pause("lost")).toMatchObject({ reason: "down" });
  });

  test("a deleted one is never on", async ({ expect }) => {
    const gone = shown("ad", "a1", "ENABLE", { secondary_status: "AD_STATUS_DELETE" });
    const { outcome } = await on([...ALONE, refused(40002), gone], (context) =>
      ads.enable(context, BOOST, ALL, REPEATED),
    );
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("deleting takes every campaign of the boost, also one that no answer named", async ({ expect }) => {
    const row = (campaign_id: string, operation_status = "DISABLE") => ({
      campaign_id,
      campaign_name: NAME,
      operation_status,
    });
    const gone = listed(row("c1", "DELETE"), row("c2", "DELETE"));
    const { outcome, calls } = await on(
      [listed(row("c2"), row("c0", "DELETE"), { ...row("c9"), campaign_name: `${NAME}9` }), DONE, gone],
      (context) => ads.remove(context, BOOST, { campaign: "c1" }),
    );
    expect(outcome).toEqual({ kind: "done" });
    expect(calls[1]?.json).toEqual({ advertiser_id: "7411", campaign_ids: ["c2", "c1"], operation_status: "DELETE" });
    const remove = (made: Made, ...answers: readonly (Scripted | "lost")[]) =>
      on(answers, (context) => ads.remove(context, BOOST, made)).then(({ outcome }) => outcome);
    expect(await remove({}, listed())).toEqual({ kind: "done" });
    expect(await remove(ALL, listed(row("c1", "DELETE")))).toEqual({ kind: "done" });
    expect(await remove(ALL, listed(), refused(40007), listed())).toEqual({ kind: "done" });
    expect(await remove(ALL, listed(row("c1")), DONE, listed(row("c1")))).toMatchObject({ reason: "down" });
    expect(await remove(ALL, listed(row("c1")), refused(40002), listed(row("c1")))).toMatchObject({
      reason: "rejected",
    });
  });
});

describe("changing", () => {
  const GROUP = { adgroup_id: "g1", budget: 140.99, budget_mode: "BUDGET_MODE_TOTAL" };
  const change = (wanted: Partial<BoostTerms>, ...answers: readonly (Scripted | "lost")[]) =>
    on(answers, (context) => ads.change(context, BOOST, ALL, { wanted: { ...BOOST, ...wanted }, progress: READY }));
  const paths = (calls: readonly { readonly url: string }[]) => calls.map(({ url }) => url.slice(API.length + 1, -1));

  test("gives more money before more days", async ({ expect }) => {
    const wanted = { budgetMinor: 30_000, days: 10, countries: ["US"], interests: [], audiences: [] };
    const { outcome, calls } = await change(wanted, listed(GROUP), ok({}), refused(40012));
    expect(outcome).toEqual({ kind: "done" });
    expect(calls.slice(1).map(({ json }) => json)).toEqual([
      { advertiser_id: "7411", budget: [{ adgroup_id: "g1", budget: 300 }] },
      {
        advertiser_id: "7411",
        adgroup_id: "g1",
        location_ids: ["6252001"],
        interest_category_ids: [],
        audience_ids: [],
        schedule_end_time: "2026-11-30 12:00:00",
      },
    ]);
    expect(paths(calls)).toEqual(["adgroup/get", "adgroup/budget/update", "adgroup/update"]);
  });

  test("takes days before money, and never goes near what is spent", async ({ expect }) => {
    const spent = (spend: string) => ok({ list: [{ metrics: { spend } }] });
    const fine = await change({ budgetMinor: 10_500, days: 3 }, listed(GROUP), ok({}), spent("100.00"), ok({}));
    expect(fine.outcome).toEqual({ kind: "done" });
    expect(paths(fine.calls).slice(1)).toEqual(["adgroup/update", "report/integrated/get", "adgroup/budget/update"]);
    const { outcome } = await change({ budgetMinor: 10_500 }, listed(GROUP), ok({}), spent("100.01"));
    expect(outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("105.02 USD") });
  });

  test("looks other countries up, and refuses what TikTok fixes", async ({ expect }) => {
    const regions = ok({ region_info: [{ location_id: "9", name: "Italy", region_code: "IT", level: "COUNTRY" }] });
    const { outcome, calls } = await change({ countries: ["IT"] }, listed(GROUP), regions, ok({}), ok({}));
    expect(outcome).toEqual({ kind: "done" });
    expect(calls.map(({ json }) => json)).toContainEqual(expect.objectContaining({ location_ids: ["9"] }));
    for (const fixed of [{ objective: "awareness" }, { budgetType: "daily" }] as const) {
      expect((await change(fixed, listed(GROUP))).outcome).toMatchObject({ code: "unsupported_by_platform" });
    }
    const gone = { ...GROUP, secondary_status: "ADGROUP_STATUS_DELETE" };
    expect((await change({}, listed(gone))).outcome).toMatchObject({ reason: "rejected" });
    expect((await change({}, listed())).outcome).toMatchObject({ reason: "down" });
    const partly = (data: object) => ({ body: { code: 20001, message: "Partial success.", request_id: "r", data } });
    const item = { adgroup_id: "g1", error_code: 40002, error_message: "budget: below what is spent" };
    const refusal = await change({}, listed(GROUP), partly({ error_list: [item] }));
    expect(refusal.outcome).toMatchObject({
      reason: "rejected",
      message: expect.stringMatching(/below what is spent/),
    });
    const unlisted = await change({}, listed(GROUP), partly({}));
    expect(unlisted.outcome).toMatchObject({ reason: "down" });
    expect((await change({}, listed(GROUP), ok({}), "lost")).outcome).toMatchObject({ reason: "down" });
  });
});

describe("how it stands", () => {
  const report = (metrics: object) => ok({ list: [{ dimensions: { campaign_id: "c1" }, metrics }] });
  const read = async (
    statuses: readonly [string, string, string],
    more: readonly (Scripted | "lost")[] = [report({})],
  ) => {
    const [campaign, adgroup, ad] = statuses.map((secondary_status) => ({ secondary_status }));
    const answers = [
      listed({ campaign_id: "c1", ...campaign }),
      listed({ adgroup_id: "g1", budget: 19.99, ...adgroup }),
      listed({ ad_id: "a1", ...ad }),
    ];
    const shown = campaign?.secondary_status.endsWith("DELETE") ? answers.slice(0, 1) : answers;
    return on([...shown, ...more], (context) => ads.read(context, BOOST, ALL));
  };

  test.for([
    ["ENABLE", "DELIVERY_OK", "DELIVERY_OK", "active", null],
    ["ENABLE", "AUDIT", "AUDIT", "in_review", null],
    ["ENABLE", "NOT_START", "DELIVERY_OK", "in_review", null],
    ["DISABLE", "CAMPAIGN_DISABLE", "CAMPAIGN_DISABLE", "paused", null],
    ["ENABLE", "DELIVERY_OK", "AUDIT_DENY", "rejected", "not show this ad"],
    ["DISABLE", "AUDIT_DENY", "ADGROUP_AUDIT_DENY", "rejected", "not show this ad"],
    ["ENABLE", "BALANCE_EXCEED", "AUDIT_DENY", "rejected", "not show this ad"],
    ["ENABLE", "TIME_DONE", "AUDIT_DENY", "rejected", "not show this ad"],
    ["ENABLE", "BUDGET_EXCEED", "DELIVERY_OK", "active", "budget is currently used up"],
    ["ENABLE", "BALANCE_EXCEED", "AUDIT", "paused", "no money left"],
    ["ENABLE", "ASSET_AUTHORIZATION_LOST", "DELIVERY_OK", "paused", "may no longer be used for ads"],
    ["ENABLE", "DELIVERY_OK", "MUSIC_AUTHORIZATION_MISSING", "paused", "music"],
    ["ENABLE", "TIME_DONE", "DONE", "completed", null],
    ["DELETE", "x", "x", "deleted", null],
    ["ENABLE", "DELIVERY_OK", "NEW_THING", "paused", "AD_STATUS_NEW_THING"],
  ] as const)("%s, %s, %s is %s", async ([campaign, adgroup, ad, state, words], { expect }) => {
    const more = state === "rejected" ? [report({}), refused(40002)] : [report({})];
    const { outcome } = await read(
      [`CAMPAIGN_STATUS_${campaign}`, `ADGROUP_STATUS_${adgroup}`, `AD_STATUS_${ad}`],
      more,
    );
    expect(outcome).toMatchObject({ kind: "standing", state });
    expect(outcome).toHaveProperty("reason", words === null ? null : expect.stringContaining(words));
  });

  const FINE = ["CAMPAIGN_STATUS_ENABLE", "ADGROUP_STATUS_DELIVERY_OK", "AD_STATUS_DELIVERY_OK"] as const;

  test("with figures of all its time, deleted or not, that are texts", async ({ expect }) => {
    const { outcome, calls } = await read(FINE, [report({ spend: "12.4", impressions: "5310", reach: "-" })]);
    expect(outcome).toEqual({
      kind: "standing",
      state: "active",
      reason: null,
      budgetMinor: 1999,
      reach: 0,
      impressions: 5310,
      spendMinor: 1240,
    });
    expect(calls[3]?.query).toEqual({
      advertiser_id: "7411",
      report_type: "BASIC",
      data_level: "AUCTION_CAMPAIGN",
      dimensions: '["campaign_id"]',
      metrics: '["spend","impressions","reach"]',
      query_lifetime: true,
      filtering: JSON.stringify([
        { field_name: "campaign_ids", filter_type: "IN", filter_value: '["c1"]' },
        { field_name: "campaign_status", filter_type: "IN", filter_value: '["STATUS_ALL"]' },
      ]),
      page: 1,
      page_size: 10,
    });
    expect((await read(FINE, [ok({ list: [] })])).outcome).toMatchObject({ spendMinor: 0, impressions: 0 });
  });

  test("refused in TikTok's own words", async ({ expect }) => {
    const review = ok({
      ad_review_map: { a1: { reject_info: [{ reasons: ["Alcohol"] }, { reasons: ["Alcohol", "Text"] }] } },
    });
    const { outcome, calls } = await read([FINE[0], FINE[1], "AD_STATUS_AUDIT_DENY"], [report({}), review]);
    expect(outcome).toMatchObject({ state: "rejected", reason: expect.stringContaining("“Alcohol and Text”") });
    expect(calls[4]?.query).toEqual({ advertiser_id: "7411", ad_ids: '["a1"]' });
  });

  test("is not known while TikTok does not show it", async ({ expect }) => {
    const { outcome } = await on([listed()], (context) => ads.read(context, BOOST, ALL));
    expect(outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await read(FINE, ["lost"])).outcome).toMatchObject({ reason: "down" });
  });
});
