import fc from "fast-check";
import { describe, test } from "vitest";
import { toMinor } from "../../../src/core/money.ts";
import type { Advertising, Boost, BoostTerms } from "../../../src/platforms/advertising.ts";
import type { AccountContext } from "../../../src/platforms/context.ts";
import { metaDecimals, mostMinor } from "../../../src/platforms/meta/ads/money.ts";
import { BOOST, DONE, list, ok, READY, refused, run, runAtInstagram } from "./ads-script.ts";

/** Boosts at Meta before anything is made: the post, the account, the money, the audience. */

/** A post is read with its Page's token, which the person's gives. */
const OWN = ok({ access_token: "page" });

describe("before anything is made", () => {
  const prepare =
    (boost: Partial<Boost> = {}) =>
    async (ads: Advertising, context: AccountContext) =>
      ads.prepare?.(context, { ...BOOST, ...boost }, null);

  test("a post is promoted by the id that it says", async ({ expect }) => {
    const own = await run(prepare(), OWN, ok({ id: "104_122", is_published: true, promotable_id: "104_999" }));
    expect(own.outcome).toEqual({ kind: "ready", progress: { promotedId: "104_999", sponsor: null } });
    expect(own.sent.map(([call]) => call).slice(0, 2)).toEqual(["GET 104", "GET 104_122"]);
    const plain = await run(prepare(), OWN, ok({ id: "104_122" }));
    expect(plain.outcome).toEqual({ kind: "ready", progress: READY });
  });

  test("a video by the post that shows it", async ({ expect }) => {
    const video = { post: { ...BOOST.post, id: "777" } };
    const { outcome, sent } = await run(prepare(video), OWN, ok({ post_id: "122" }), ok({ id: "104_122" }));
    expect(outcome).toMatchObject({ kind: "ready", progress: { promotedId: "104_122" } });
    expect(sent.map(([call]) => call)).toEqual(["GET 104", "GET 777", "GET 104_122"]);
  });

  test.for([
    [{ is_published: false }, "does not show this post"],
    [{ is_published: true, is_eligible_for_promotion: false }, "does not boost this post"],
  ] as const)("a post with %j is not boosted", async ([body, words], { expect }) => {
    const { outcome } = await run(prepare(), OWN, ok(body));
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected", code: "content_refused" });
    expect(outcome).toMatchObject({ message: expect.stringContaining(words) });
  });

  test("in the European Union a payer is named: as Meta proposes, else the Page", async ({ expect }) => {
    const eu = { countries: ["US", "DE"] };
    const proposed = await run(prepare(eu), OWN, ok({}), list({ recommendations: ["Fern & Oak"] }));
    expect(proposed.outcome).toMatchObject({ progress: { sponsor: "Fern & Oak" } });
    for (const none of [list(), list({ recommendations: [" "] }), refused(100)]) {
      const page = await run(prepare(eu), OWN, ok({}), none, ok({ id: "104", name: "Acme" }));
      expect(page.outcome).toMatchObject({ progress: { sponsor: "Acme" } });
      expect(page.sent.map(([call]) => call)).toEqual([
        "GET 104",
        "GET 104_122",
        "GET act_330/dsa_recommendations",
        "GET 104",
      ]);
    }
    expect((await run(prepare(eu), OWN, ok({}), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("where a declaration is needed, nothing is requested", async ({ expect }) => {
    const { outcome, sent } = await run(prepare({ countries: ["US", "TW", "SG"] }));
    expect(outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("Taiwan and Singapore") });
    expect(sent).toEqual([]);
  });

  const eligibility = (adAccountId: string | null) => (ads: Advertising, context: AccountContext) =>
    ads.eligibility(context, { ...BOOST.post, id: "180" }, adAccountId);
  const PAGE = ok({ id: "104", name: "Acme" });
  const media = (boost_eligibility_info?: object) => ok({ id: "180", boost_eligibility_info });

  test("what Instagram says of a post is passed on, and nothing said is nothing against it", async ({ expect }) => {
    const page = { id: "104", name: "Acme" };
    const shown = await runAtInstagram(
      eligibility(null),
      PAGE,
      media({ eligible_to_boost: false, boost_ineligible_reason: "Dieses Reel enthält Musik." }),
    );
    expect(shown.outcome).toEqual({
      kind: "eligibility",
      isEligible: false,
      reason: "Dieses Reel enthält Musik.",
      page,
    });
    expect(shown.calls[1]?.query).toMatchObject({ fields: "id,boost_eligibility_info", locale: "en_US" });
    for (const info of [{ eligible_to_boost: true }, undefined]) {
      const fine = await runAtInstagram(eligibility(null), PAGE, media(info));
      expect(fine.outcome).toEqual({ kind: "eligibility", isEligible: true, reason: null, page });
    }
  });

  test("with an ad account a creative is tried, which makes nothing", async ({ expect }) => {
    const { outcome, sent } = await runAtInstagram(
      eligibility("act_330"),
      PAGE,
      media({ eligible_to_boost: true }),
      refused(100, 2875030, { error_user_msg: "This reel has music." }),
    );
    expect(outcome).toMatchObject({ isEligible: false, reason: expect.stringContaining("This reel has music.") });
    expect(sent[2]).toEqual([
      "POST act_330/adcreatives",
      expect.objectContaining({ source_instagram_media_id: "180", execution_options: '["validate_only"]' }),
    ]);
    const fine = await runAtInstagram(eligibility("act_330"), PAGE, media(), DONE);
    expect(fine.outcome).toMatchObject({ isEligible: true });
    const lost = await runAtInstagram(eligibility("act_330"), PAGE, media(), "lost");
    expect(lost.outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("accounts and what can be chosen", () => {
  const ACCOUNT = {
    id: "act_330",
    name: "Fern ads",
    currency: "EUR",
    timezone_name: "Europe/Berlin",
    account_status: 1,
    min_daily_budget: 100,
    amount_spent: "1250",
    spend_cap: "0",
    funding_source: "5550001",
  };
  const terms = (more: Partial<BoostTerms> = {}): BoostTerms => ({ ...BOOST, ...more });

  test.for([
    [{}, null],
    [{ account_status: 9 }, null],
    [{ account_status: 3 }, "payment"],
    [{ account_status: 101 }, "closed"],
    [{ account_status: 555 }, "does not let"],
    [{ funding_source: undefined }, "no payment method"],
    [{ spend_cap: "1250" }, "spending limit"],
    [{ spend_cap: "1251" }, null],
  ] as const)("an account with %j may spend unless: %s", async ([changed, problem], { expect }) => {
    const { outcome } = await run((ads, context) => ads.accounts(context), list({ ...ACCOUNT, ...changed }));
    expect(outcome).toEqual({
      kind: "accounts",
      accounts: [
        {
          id: "act_330",
          name: "Fern ads",
          currency: "EUR",
          decimals: 2,
          timeZone: "Europe/Berlin",
          problem: problem === null ? null : expect.stringContaining(problem),
        },
      ],
    });
  });

  test.for([
    ["daily", "engagement", {}, 120],
    ["lifetime", "engagement", {}, 360],
    ["daily", "video_views", {}, 150],
    ["daily", "engagement", { min_daily_budget: 200 }, 200],
    ["daily", "engagement", { currency: "JPY" }, 100],
  ] as const)("the least %s budget of %s, with %j", async ([budgetType, objective, account, least], { expect }) => {
    const minimum = { currency: "EUR", min_daily_budget_imp: 120, min_daily_budget_video_views: "150" };
    const { outcome, sent } = await run(
      (ads, context) => ads.floor(context, terms({ budgetType, objective })),
      ok({ ...ACCOUNT, ...account }),
      list({ ...minimum, currency: "USD", min_daily_budget_imp: 9 }, minimum),
    );
    expect(outcome).toMatchObject({ kind: "floor", leastMinor: least });
    expect(sent.map(([call]) => call)).toEqual(["GET act_330", "GET act_330/minimum_budgets"]);
  });

  test("that an account belongs to another person stops no channel", async ({ expect }) => {
    const { outcome } = await run((ads, context) => ads.floor(context, terms()), refused(200));
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("countries that need a declaration are left out", async ({ expect }) => {
    const place = (key: string, type = "country") => ({ key, name: `Name of ${key}`, type });
    const { outcome, sent } = await run(
      (ads, context) => ads.countries(context, "act_330"),
      list(place("DE"), place("TW"), place("KR"), place("3843", "region")),
    );
    expect(outcome).toEqual({ kind: "countries", countries: [{ code: "DE", name: "Name of DE" }] });
    expect(sent[0]).toMatchObject(["GET search", { type: "adgeolocation", location_types: '["country"]' }]);
  });

  test("interests by their names", async ({ expect }) => {
    const found = list({ id: "6003", name: "Gardening", audience_size_lower_bound: 1, path: [] });
    const { outcome, sent } = await run((ads, context) => ads.interests(context, "act_330", "garden"), found);
    expect(outcome).toEqual({ kind: "interests", interests: [{ id: "6003", name: "Gardening" }] });
    expect(sent[0]).toEqual(["GET search", { type: "adinterest", q: "garden", limit: 25 }]);
  });

  test.for([
    [{ users_lower_bound: 210, users_upper_bound: 240, estimate_ready: true }, [210, 240, true]],
    [{ users_lower_bound: -1, users_upper_bound: -1, estimate_ready: false }, [null, null, false]],
    [{}, [null, null, true]],
  ] as const)("an estimate of %j", async ([data, [lower, upper, isReady]], { expect }) => {
    const { outcome, sent } = await run((ads, context) => ads.reach(context, terms()), ok({ data }));
    expect(outcome).toEqual({ kind: "reach", lower, upper, isReady });
    expect(sent[0]?.[0]).toBe("GET act_330/reachestimate");
    expect(JSON.stringify(sent[0]?.[1])).toContain("advantage_audience");
  });
});

describe("amounts", () => {
  test.for([
    ["12.47", "EUR", 1247],
    ["12.4", "EUR", 1240],
    ["12", "EUR", 1200],
    ["0", "EUR", 0],
    ["0.07", "EUR", 7],
    ["1.005", "EUR", 101],
    ["1.0049", "EUR", 100],
    ["9.995", "EUR", 1000],
    ["1234", "JPY", 1234],
    ["1234.5", "JPY", 1235],
    ["90071992547409.91", "USD", 9007199254740991],
    ["12.47", "BHD", 1247],
    ["500", "HUF", 500],
  ] as const)("%s %s is %i", ([spend, currency, minor], { expect }) => {
    expect(toMinor(spend, metaDecimals(currency))).toBe(minor);
  });

  test("any amount of hundredths comes back as it was", ({ expect }) => {
    fc.assert(
      fc.property(fc.nat(), (minor) => {
        const spend = `${Math.floor(minor / 100)}.${String(minor % 100).padStart(2, "0")}`;
        expect(toMinor(spend, 2)).toBe(minor);
      }),
    );
  });

  test.for([
    ["lifetime", 30, 1],
    ["daily", 1, 1.75],
    ["daily", 4, 7],
    // Four days in one calendar week, and four in the next.
    ["daily", 8, 14],
    ["daily", 15, 21],
    ["daily", 30, 35],
  ] as const)("a %s budget for %i days may cost %d of it", ([budgetType, days, times], { expect }) => {
    expect(mostMinor({ budgetType, budgetMinor: 500, days })).toBe(500 * times);
    // Of one cent nothing is cut off.
    expect(mostMinor({ budgetType, budgetMinor: 1, days })).toBe(Math.ceil(times));
  });

  test("Meta never goes above what is reported as the most, wherever the days lie in their weeks", ({ expect }) => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 0, max: 6 }), (days, weekday) => {
        const weeks = new Map<number, number>();
        for (let day = weekday; day < weekday + days; day += 1) {
          const week = Math.floor(day / 7);
          weeks.set(week, Math.min(700, (weeks.get(week) ?? 0) + 175));
        }
        const spent = [...weeks.values()].reduce((sum, one) => sum + one, 0);
        expect(spent).toBeLessThanOrEqual(mostMinor({ budgetType: "daily", budgetMinor: 100, days }));
      }),
    );
  });
});
