import { describe, test } from "vitest";
import type { Advertising, Boost, BoostTerms, Made } from "../../src/platforms/advertising.ts";
import type { AccountContext } from "../../src/platforms/context.ts";
import { facebook } from "../../src/platforms/facebook/index.ts";
import { BOOST, DONE, formOf, GONE, list, MADE, NAME, node, ok, READY, refused, run } from "../meta-ads-script.ts";
import { NOW, type Scripted } from "../scripted-send.ts";

/** Boosts at Meta once they are there: found again, on, off, gone, changed, and how they stand. */

describe("looking for what was made without an answer", () => {
  const find =
    (object: string, made: Made = MADE) =>
    (ads: Advertising, context: AccountContext) =>
      ads.find(context, BOOST, object, made, NOW);
  const item = (itemId: string, more: object = {}) => ({ id: itemId, name: NAME, status: "PAUSED", ...more });

  test("a campaign by its very name, whatever its state", async ({ expect }) => {
    const others = ["b-7f33 Summer sale", "My b-7f3x", "Summer sale"].map((name, n) => item(`x${n}`, { name }));
    const { outcome, sent } = await run(find("campaign", {}), list(...others, item("c1")));
    expect(outcome).toEqual({ kind: "found", id: "c1" });
    const { form: query } = formOf(sent);
    expect(sent[0]?.[0]).toBe("GET act_330/campaigns");
    expect(query).toMatchObject({ filtering: '[{"field":"name","operator":"CONTAIN","value":"b-7f3"}]' });
    expect(JSON.parse(String(query.effective_status))).toEqual(
      expect.arrayContaining(["ACTIVE", "PAUSED", "DELETED", "ARCHIVED", "IN_PROCESS", "WITH_ISSUES"]),
    );
    expect((await run(find("campaign", {}), list(...others))).outcome).toEqual({ kind: "absent" });
  });

  test("also where Meta takes no filter, on any page of the list", async ({ expect }) => {
    const page = (after: string | null, ...data: readonly object[]) =>
      ok({ data, paging: after === null ? {} : { cursors: { after }, next: "https://…" } });
    const { outcome, sent } = await run(
      find("campaign", {}),
      refused(100, undefined, { message: "(#100) Param filtering is not allowed" }),
      page("A", item("x", { name: "Other" })),
      page(null, item("c1")),
    );
    expect(outcome).toEqual({ kind: "found", id: "c1" });
    expect(sent.map(([, query]) => "filtering" in query)).toEqual([true, false, false]);
    const endless = Array.from({ length: 20 }, (_, n) => page(`${n}`, item(`x${n}`, { name: "Other" })));
    expect((await run(find("campaign", {}), ...endless)).outcome).toMatchObject({ kind: "unknown" });
    expect((await run(find("campaign", {}), refused(100))).outcome).toMatchObject({ kind: "failed" });
  });

  test("of two the older one, and a deleted one only where there is no other", async ({ expect }) => {
    const at = (minute: number) => ({ created_time: `2026-11-20T12:0${minute}:00+0000` });
    const found = async (...items: readonly object[]) => (await run(find("campaign", {}), list(...items))).outcome;
    expect(await found(item("young", at(5)), item("old", at(1)))).toEqual({ kind: "found", id: "old" });
    const deleted = item("gone", { ...at(1), effective_status: "DELETED" });
    expect(await found(deleted, item("young", at(5)))).toEqual({ kind: "found", id: "young" });
    expect(await found(deleted)).toEqual({ kind: "found", id: "gone" });
    expect(await found(item("untimed"), item("old", at(1)))).toEqual({ kind: "found", id: "old" });
  });

  test("what has our reference under another name is neither taken nor made again", async ({ expect }) => {
    for (const name of ["b-7f3 Summer sale – Copy", "Renamed (b-7f3)", "b-7f3"]) {
      const { outcome } = await run(find("campaign", {}), list(item("x", { name })));
      expect(outcome).toMatchObject({ kind: "unknown" });
    }
  });

  test("ad sets and ads under their parents, and a creative not at all", async ({ expect }) => {
    const adset = await run(find("adset"), list(item("s1")));
    expect(adset.outcome).toEqual({ kind: "found", id: "s1" });
    expect(adset.sent[0]?.[0]).toBe("GET c1/adsets");
    const ad = await run(find("ad"), list(item("a1")));
    expect(ad.outcome).toEqual({ kind: "found", id: "a1" });
    expect(ad.sent[0]?.[0]).toBe("GET s1/ads");
    for (const [object, made] of [
      ["creative", MADE],
      ["adset", {}],
      ["ad", { campaign: "c1" }],
    ] as const) {
      const { outcome, sent } = await run(find(object, made));
      expect([outcome, sent]).toEqual([{ kind: "absent" }, []]);
    }
    expect((await run(find("adset"), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("on, off and gone", () => {
  const enable = (ads: Advertising, context: AccountContext) => ads.enable(context, BOOST, MADE);
  const pause = (ads: Advertising, context: AccountContext) => ads.pause(context, BOOST, MADE);
  const remove = (ads: Advertising, context: AccountContext) => ads.remove(context, BOOST, MADE);
  const named = (itemId: string, status = "PAUSED") => ({ id: itemId, name: NAME, status });
  const NO_TWINS = [list(named("c1")), list(named("s1")), list(named("a1"))];
  const acts = (sent: readonly (readonly unknown[])[]) => sent.map(([call]) => call);
  const ACCOUNT = ok({ id: "act_330", currency: "EUR", account_status: 1, funding_source: "1" });

  test("it is switched on from the top, and done when Meta says so", async ({ expect }) => {
    const fresh = node("ACTIVE", { effective_status: "IN_PROCESS" });
    const { outcome, sent } = await run(enable, ...NO_TWINS, DONE, DONE, DONE, fresh, fresh, fresh);
    expect(outcome).toEqual({ kind: "done" });
    expect(sent.slice(3, 6)).toEqual(["c1", "s1", "a1"].map((one) => [`POST ${one}`, { status: "ACTIVE" }]));
    expect(acts(sent.slice(6))).toEqual(["GET c1", "GET s1", "GET a1"]);
    const late = await run(enable, ...NO_TWINS, DONE, DONE, DONE, fresh, node("PAUSED"));
    expect(late.outcome).toMatchObject({ kind: "failed", reason: "down" });
    const gone = await run(enable, ...NO_TWINS, DONE, DONE, DONE, node("DELETED"));
    expect(gone.outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("a lost answer is passing trouble, and half a boost is never switched on", async ({ expect }) => {
    const lost = await run(enable, ...NO_TWINS, DONE, "lost");
    expect(lost.outcome).toMatchObject({ kind: "failed", reason: "down" });
    const half = await run((ads, context) => ads.enable(context, BOOST, { campaign: "c1", adset: "s1" }));
    expect(half).toMatchObject({ outcome: { reason: "rejected" }, sent: [] });
  });

  test("before that, twins that are off are deleted", async ({ expect }) => {
    const on = node("ACTIVE");
    const { outcome, sent } = await run(
      enable,
      list(named("c1"), named("c2"), named("c3", "ACTIVE"), named("c4", "DELETED"), { ...named("c5"), name: "b-7f3" }),
      DONE,
      list(named("s1"), named("s2")),
      refused(100),
      list(named("a1")),
      ...[DONE, DONE, DONE, on, on, on],
    );
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent).filter((call) => `${call}`.startsWith("DELETE"))).toEqual(["DELETE c2", "DELETE s2"]);
  });

  test("off is the campaign alone, seen to be off", async ({ expect }) => {
    const { outcome, sent } = await run(pause, node("ACTIVE"), DONE, node("PAUSED"));
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent)).toEqual(["GET c1", "POST c1", "GET c1"]);
    expect(sent[1]?.[1]).toEqual({ status: "PAUSED" });
    for (const before of [node("PAUSED"), node("DELETED"), node("ARCHIVED")]) {
      expect(await run(pause, before)).toMatchObject({ outcome: { kind: "done" }, sent: [["GET c1", {}]] });
    }
    expect((await run(pause, node("ACTIVE"), DONE, node("ACTIVE"))).outcome).toMatchObject({ reason: "down" });
    expect(await run((ads, context) => ads.pause(context, BOOST, {}))).toMatchObject({ outcome: { kind: "done" } });
  });

  test("deleted is what was off first, and what Meta says is deleted", async ({ expect }) => {
    const answers = [node("ACTIVE"), DONE, node("PAUSED"), DONE, node("DELETED"), list(named("c1", "DELETED"))];
    const { outcome, sent } = await run(remove, ...answers);
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent)).toEqual(["GET c1", "POST c1", "GET c1", "DELETE c1", "GET c1", "GET act_330/campaigns"]);
    const again = await run(remove, node("DELETED"), list());
    expect(again.outcome).toEqual({ kind: "done" });
    expect((await run(remove, node("PAUSED"), DONE, node("PAUSED"))).outcome).toMatchObject({ reason: "down" });
  });

  test("a campaign whose making was lost is deleted by its name", async ({ expect }) => {
    const answers = [list(named("c9")), node("PAUSED"), DONE, node("DELETED")];
    const { outcome, sent } = await run((ads, context) => ads.remove(context, BOOST, {}), ...answers);
    expect(outcome).toEqual({ kind: "done" });
    expect(acts(sent)).toContain("DELETE c9");
  });

  test("not found is gone only where the ad account is still to be seen", async ({ expect }) => {
    expect((await run(remove, GONE, ACCOUNT, list())).outcome).toEqual({ kind: "done" });
    expect((await run(pause, GONE, ACCOUNT)).outcome).toEqual({ kind: "done" });
    expect((await run(remove, GONE, GONE)).outcome).toMatchObject({ kind: "failed" });
    expect((await run(pause, GONE, refused(200))).outcome).toMatchObject({ kind: "failed" });
  });
});

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
      ads.change(context, WAS, made, { ...WAS, ...wanted }, READY);

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
    expect(await run(change({ budgetMinor: 1 }, { campaign: "c1" }))).toMatchObject({ outcome: { kind: "done" } });
  });

  test("a country of the European Union brings who pays with it", async ({ expect }) => {
    const proposal = list({ recommendations: ["Fern & Oak"] });
    const { sent } = await run(change({ countries: ["FR"] }), ok(AD_SET), proposal, DONE);
    expect(sent[2]?.[1]).toMatchObject({ dsa_beneficiary: "Fern & Oak", dsa_payor: "Fern & Oak" });
  });

  test("what Meta does not change is refused without asking", async ({ expect }) => {
    for (const wanted of [{ objective: "traffic" }, { budgetType: "daily" }, { countries: ["KR"] }] as const) {
      expect(await run(change(wanted))).toMatchObject({ outcome: { reason: "rejected" }, sent: [] });
    }
    expect([...facebook.ads.changeable]).toEqual(["budget", "duration", "countries", "interests", "audience"]);
  });

  test("a lost answer is passing trouble", async ({ expect }) => {
    const { outcome } = await run(change({ budgetMinor: 1 }), ok(AD_SET), "lost");
    expect(outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("how it stands", () => {
  const ADSET = { end_time: "2026-11-23T12:00:00+0000", daily_budget: "0", lifetime_budget: "3000" };
  const ad = (effective_status: string, more: object = {}): Scripted =>
    ok({ id: "a1", effective_status, adset: ADSET, ...more });
  const read = (ads: Advertising, context: AccountContext) => ads.read(context, BOOST, MADE);
  const OVER = { adset: { ...ADSET, end_time: "2026-11-20T11:59:59+0000" } };
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
    ["PENDING_BILLING_INFO", {}, "paused", "no way to pay"],
    ["WITH_ISSUES", issue(1359188), "paused", "Card declined."],
    ["WITH_ISSUES", issue(1885557), "rejected", "can no longer show the post"],
    ["SOMETHING_NEW", {}, "paused", "SOMETHING_NEW"],
    [
      "DISAPPROVED",
      { ad_review_feedback: { global: { ADULT_CONTENT: "Too bare." } } },
      "rejected",
      "content: Too bare",
    ],
    ["DISAPPROVED", OVER, "rejected", "does not say why"],
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
  });

  test("what cannot be read is no standing", async ({ expect }) => {
    expect((await run(read, "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await run(read, ad("ACTIVE"), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
    expect((await run(read, GONE)).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    const odd = await run(read, ad("ACTIVE"), list({ reach: "1", impressions: "1", spend: "a lot" }));
    expect(odd.outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});
