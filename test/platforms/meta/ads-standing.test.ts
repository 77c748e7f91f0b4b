import { describe, test } from "vitest";
import type { Advertising, Boost, BoostTerms, Made } from "../../../src/platforms/advertising.ts";
import type { AccountContext } from "../../../src/platforms/context.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import type { Scripted } from "../../scripted-send.ts";
import { BOOST, DONE, formOf, GONE, list, MADE, ok, READY, run } from "./ads-script.ts";

/** Boosts at Meta: other terms, and how they stand. */

describe("other terms", () => {
  const AD_SET = {
    daily_budget: "0",
    lifetime_budget: "3000",
    end_time: "2026-11-23T12:00:00+0000",
    targeting: {
      geo_locations: { countries: ["US"], location_types: ["home", "recent"] },
      flexible_spec: [{ interests: [{ id: "6003", name: "Gardening" }] }],
      age_min: 18,
    },
  };
  const WAS: Boost = { ...BOOST, interests: [{ id: "6003", name: "Gardening" }] };
  const change =
    (wanted: Partial<BoostTerms>, made: Made = MADE) =>
    (ads: Advertising, context: AccountContext) =>
      ads.change(context, WAS, made, { wanted: { ...WAS, ...wanted }, progress: READY });

  test.for([
    [{ budgetMinor: 4000 }, { lifetime_budget: "4000" }],
    [{ days: 5 }, { end_time: "2026-11-25T12:00:00+0000" }],
    [
      { days: 5, budgetMinor: 5000 },
      { lifetime_budget: "5000", end_time: "2026-11-25T12:00:00+0000" },
    ],
  ] as const)("%j is sent as %j", async ([wanted, form], { expect }) => {
    const { outcome, sent } = await run(change(wanted), ok(AD_SET), DONE);
    expect(outcome).toEqual({ kind: "done" });
    expect(sent[1]).toEqual(["POST s1", form]);
  });

  test.for([
    [{ countries: ["US", "CA"] }, { geo_locations: { countries: ["US", "CA"] } }],
    [{ interests: [] }, { geo_locations: { countries: ["US"] } }],
    [{ audiences: ["238"] }, { custom_audiences: [{ id: "238" }] }],
  ] as const)("%j replaces the targeting as a whole", async ([wanted, part], { expect }) => {
    const { sent } = await run(change(wanted), ok(AD_SET), DONE);
    const { form, targeting } = formOf(sent, 1);
    expect(form).toEqual({});
    expect(targeting).toMatchObject({ ...part, targeting_automation: { advantage_audience: 0 } });
    expect("flexible_spec" in targeting).toBe(!("interests" in wanted));
  });

  test("what Meta has already is not sent", async ({ expect }) => {
    const { outcome, sent } = await run(change({}), ok(AD_SET));
    expect([outcome, sent.length]).toEqual([{ kind: "done" }, 1]);
    const elsewhere = { geo_locations: { countries: ["US"] }, interests: WAS.interests };
    const other = { ...AD_SET, targeting: elsewhere };
    expect((await run(change({}), ok(other))).outcome).toEqual({ kind: "done" });
    expect(await run(change({ budgetMinor: 1 }, { campaign: "c1" }))).toMatchObject({ outcome: { kind: "done" } });
  });

  test("a country of the European Union brings who pays with it", async ({ expect }) => {
    const proposal = list({ recommendations: ["Fern & Oak"] });
    const { sent } = await run(change({ countries: ["FR"] }), ok(AD_SET), proposal, DONE);
    expect(sent[2]?.[1]).toMatchObject({ dsa_beneficiary: "Fern & Oak", dsa_payor: "Fern & Oak" });
  });

  test("what Meta does not change is refused without a call", async ({ expect }) => {
    for (const wanted of [{ objective: "traffic" }, { budgetType: "daily" }, { countries: ["KR"] }] as const) {
      expect(await run(change(wanted))).toMatchObject({ outcome: { reason: "rejected" }, sent: [] });
    }
    expect([...facebook.ads.changeable]).toEqual(["budget", "duration", "countries", "interests", "audience"]);
  });

  test("a lost answer is a temporary error", async ({ expect }) => {
    const { outcome } = await run(change({ budgetMinor: 1 }), ok(AD_SET), "lost");
    expect(outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("how it stands", () => {
  const ADSET = { end_time: "2026-11-23T12:00:00+0000", daily_budget: "0", lifetime_budget: "3000" };
  const ad = (effective_status: string, more: object = {}): Scripted =>
    ok({ id: "a1", effective_status, adset: ADSET, ...more });
  const read = (ads: Advertising, context: AccountContext) => ads.read(context, BOOST, MADE);
  const OVER = { adset: { ...ADSET, end_time: "2026-11-20T12:00:00+0000" } };
  const issue = (error_code: number) => ({ issues_info: [{ error_code, error_message: "Card declined." }] });

  test.for([
    ["ACTIVE", {}, "active", null],
    ["ACTIVE", OVER, "completed", null],
    ["ACTIVE", { adset: { ...ADSET, budget_remaining: "0" } }, "completed", null],
    ["ACTIVE", { adset: { ...ADSET, budget_remaining: "1" } }, "active", null],
    [
      "ACTIVE",
      { adset: { ...ADSET, lifetime_budget: "0", daily_budget: "500", budget_remaining: "0" } },
      "active",
      null,
    ],
    ["IN_PROCESS", {}, "in_review", null],
    ["PENDING_REVIEW", {}, "in_review", null],
    ["PENDING_REVIEW", OVER, "completed", null],
    ["PREAPPROVED", {}, "in_review", null],
    ["PAUSED", {}, "paused", null],
    ["CAMPAIGN_PAUSED", {}, "paused", null],
    ["ADSET_PAUSED", OVER, "completed", null],
    ["PENDING_BILLING_INFO", {}, "paused", "no payment method"],
    ["WITH_ISSUES", issue(1359188), "paused", "Card declined."],
    ["WITH_ISSUES", issue(1885557), "rejected", "can no longer show the post"],
    ["SOMETHING_NEW", {}, "paused", "SOMETHING_NEW"],
    [
      "DISAPPROVED",
      { ad_review_feedback: { global: { ADULT_CONTENT: "Too bare." } } },
      "rejected",
      "content: Too bare",
    ],
    ["DISAPPROVED", OVER, "rejected", "gives no reason"],
    ["ARCHIVED", {}, "deleted", "archived"],
    ["DELETED", OVER, "deleted", null],
  ] as const)("%s with %j is %s", async ([status, more, state, words], { expect }) => {
    const { outcome } = await run(read, ad(status, more), list());
    expect(outcome).toMatchObject({ state, reason: words === null ? null : expect.stringContaining(words) });
  });

  test("what it has brought, in minor units; and zeros before anything was shown", async ({ expect }) => {
    const row = { reach: "1830", impressions: "2411", spend: "12.47", account_currency: "EUR", date_start: "x" };
    const { outcome, sent } = await run(read, ad("ACTIVE"), list(row));
    expect(outcome).toEqual({
      kind: "standing",
      state: "active",
      reason: null,
      budgetMinor: 3000,
      reach: 1830,
      impressions: 2411,
      spendMinor: 1247,
    });
    expect(sent[1]).toEqual([
      "GET c1/insights",
      { fields: "reach,impressions,spend,account_currency", date_preset: "maximum" },
    ]);
    const yen = await run(
      read,
      ad("ACTIVE"),
      list({ reach: "1", impressions: "1", spend: "310", account_currency: "JPY" }),
    );
    expect(yen.outcome).toMatchObject({ spendMinor: 310 });
    expect((await run(read, ad("ACTIVE"), list())).outcome).toMatchObject({ reach: 0, impressions: 0, spendMinor: 0 });
    const empty = ok({ data: [], paging: { cursors: { after: "MTAw" }, next: "https://graph.facebook.com/next" } });
    const late = await run(read, ad("ACTIVE"), empty, list(row));
    expect(late.outcome).toMatchObject({ spendMinor: 1247 });
    expect(late.sent[2]?.[1]).toMatchObject({ after: "MTAw" });
    expect(await run(read, ad("ACTIVE"), empty, "lost")).toMatchObject({ outcome: { kind: "failed" } });
    const onlyNext = ok({ data: [], paging: { next: "https://graph.facebook.com/next?after=MTAw" } });
    expect((await run(read, ad("ACTIVE"), onlyNext, list(row))).outcome).toMatchObject({ spendMinor: 1247 });
  });

  test("what cannot be read is no standing", async ({ expect }) => {
    expect((await run(read, "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await run(read, ad("ACTIVE"), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await run(read, GONE)).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    const odd = await run(read, ad("ACTIVE"), list({ reach: "1", impressions: "1", spend: "a lot" }));
    expect(odd.outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});
