import fc from "fast-check";
import { describe, test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { nameOf } from "../../../src/platforms/meta/ads/naming.ts";
import { NOW } from "../../scripted-send.ts";
import {
  type Answers,
  createObject,
  formOf,
  HOST,
  id,
  MADE,
  NAME,
  ok,
  refused,
  run,
  runAtInstagram,
} from "./ads-script.ts";

/** Boosts at Meta: what is made, field by field, and what a refusal means. */

describe("what is made", () => {
  test("a campaign, switched off, with all that is compulsory", async ({ expect }) => {
    const { outcome, sent, calls } = await run(createObject("campaign", {}, {}), id("c1"));
    expect(outcome).toEqual({ kind: "made", id: "c1" });
    expect(sent).toEqual([
      [
        "POST act_330/campaigns",
        {
          name: NAME,
          objective: "OUTCOME_ENGAGEMENT",
          buying_type: "AUCTION",
          special_ad_categories: "[]",
          is_adset_budget_sharing_enabled: "false",
          status: "PAUSED",
        },
      ],
    ]);
    expect(calls[0]).toMatchObject({
      headers: { authorization: "Bearer TOKEN" },
      form: { locale: "en_US", appsecret_proof: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  test("an ad set: budget, times, audience, and who pays", async ({ expect }) => {
    const audience = {
      countries: ["DE", "US"],
      interests: [
        { id: "6003", name: "Gardening" },
        { id: "6004", name: "Bikes" },
      ],
      audiences: ["238"],
    };
    const progress = { promotedId: "104_122", sponsor: "Fern & Oak" };
    const { sent } = await run(createObject("adset", audience, { campaign: "c1" }, progress), id("s1"));
    const { form, targeting } = formOf(sent);
    expect(sent[0]?.[0]).toBe("POST act_330/adsets");
    expect(form).toEqual({
      name: NAME,
      campaign_id: "c1",
      status: "PAUSED",
      lifetime_budget: "3000",
      start_time: "2026-11-20T12:00:00+0000",
      end_time: "2026-11-23T12:00:00+0000",
      billing_event: "IMPRESSIONS",
      optimization_goal: "POST_ENGAGEMENT",
      bid_strategy: "LOWEST_COST_WITHOUT_CAP",
      destination_type: "ON_POST",
      dsa_beneficiary: "Fern & Oak",
      dsa_payor: "Fern & Oak",
    });
    expect(targeting).toEqual({
      geo_locations: { countries: ["DE", "US"] },
      flexible_spec: [
        {
          interests: [
            { id: "6003", name: "Gardening" },
            { id: "6004", name: "Bikes" },
          ],
        },
      ],
      custom_audiences: [{ id: "238" }],
      publisher_platforms: ["facebook"],
      targeting_automation: { advantage_audience: 0 },
    });
  });

  test("an ad set by the day, for the people who are there", async ({ expect }) => {
    const { sent } = await run(
      createObject("adset", { budgetType: "daily", budgetMinor: 500, countries: ["TH"] }),
      id("s1"),
    );
    const { form, targeting } = formOf(sent);
    expect(form).toMatchObject({ daily_budget: "500" });
    for (const absent of ["lifetime_budget", "dsa_payor", "dsa_beneficiary"]) expect(form).not.toHaveProperty(absent);
    expect(targeting).toEqual({
      geo_locations: { countries: ["TH"] },
      age_min: 20,
      publisher_platforms: ["facebook"],
      targeting_automation: { advantage_audience: 0 },
    });
  });

  const PAGE = '{"page_id":"104"}';
  test.for([
    ["awareness", "OUTCOME_AWARENESS", ["REACH", undefined, PAGE], ["REACH", undefined, PAGE]],
    [
      "traffic",
      "OUTCOME_TRAFFIC",
      ["LINK_CLICKS", "WEBSITE", undefined],
      ["VISIT_INSTAGRAM_PROFILE", "INSTAGRAM_PROFILE", PAGE],
    ],
    ["engagement", "OUTCOME_ENGAGEMENT", ["POST_ENGAGEMENT", "ON_POST", undefined], ["POST_ENGAGEMENT", "ON_POST"]],
    ["video_views", "OUTCOME_ENGAGEMENT", ["THRUPLAY", "ON_VIDEO", PAGE], ["THRUPLAY", "ON_VIDEO", PAGE]],
  ] as const)("%s, in Meta's words", async ([objective, outcome, atFacebook, atInstagram], { expect }) => {
    for (const [runs, [goal, destination, promoted]] of [
      [run, atFacebook],
      [runAtInstagram, atInstagram],
    ] as const) {
      const campaign = await runs(createObject("campaign", { objective }), id("c1"));
      expect(campaign.sent[0]?.[1]).toMatchObject({ objective: outcome });
      const { form } = formOf((await runs(createObject("adset", { objective }), id("s1"))).sent);
      expect([form.optimization_goal, form.destination_type, form.promoted_object]).toEqual([
        goal,
        destination,
        promoted,
      ]);
    }
  });

  test("no objective beside those", async ({ expect }) => {
    for (const { ads } of [facebook, instagram]) {
      expect(ads.objectives).toEqual(["awareness", "traffic", "engagement", "video_views"]);
    }
    const { outcome, sent } = await run(createObject("campaign", { objective: "leads" }));
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    expect(sent).toEqual([]);
  });

  test("creatives: a Page's post by its story, media by its id, with nothing else beside Page and account", async ({
    expect,
  }) => {
    const story = await run(createObject("creative"), id("r1"));
    expect(story.sent).toEqual([["POST act_330/adcreatives", { name: NAME, object_story_id: "104_122" }]]);
    const progress = { promotedId: "180", sponsor: null };
    const media = await runAtInstagram(createObject("creative", {}, MADE, progress), id("r1"));
    const form = { name: NAME, source_instagram_media_id: "180", object_id: "104", instagram_user_id: "17841" };
    expect(media.sent).toEqual([["POST act_330/adcreatives", form]]);
  });

  test("an ad of both", async ({ expect }) => {
    const { outcome, sent } = await run(createObject("ad"), id("a1"));
    expect(outcome).toEqual({ kind: "made", id: "a1" });
    const form = { name: NAME, adset_id: "s1", creative: '{"creative_id":"r1"}', status: "PAUSED" };
    expect(sent).toEqual([["POST act_330/ads", form]]);
  });

  test("nothing where what it belongs to is not there", async ({ expect }) => {
    for (const [object, made] of [
      ["adset", {}],
      ["ad", { adset: "s1" }],
      ["ad", { creative: "r1" }],
    ] as const) {
      expect((await run(createObject(object, {}, made))).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    }
  });

  test("an unclear answer is unknown, but of a creative, which is made again", async ({ expect }) => {
    const unclear: Answers = [
      "lost",
      { status: 500, body: { error: { code: 2, message: "Service", type: "OAuthException" } } },
      { status: 502, body: null },
      ok({ success: true }),
    ];
    for (const answer of unclear) {
      for (const object of ["campaign", "adset", "ad"]) {
        expect((await run(createObject(object), answer)).outcome).toMatchObject({ kind: "unknown" });
      }
      expect((await run(createObject("creative"), answer)).outcome).toMatchObject({ kind: "failed", reason: "down" });
    }
  });

  test("an account of another form never comes into an address", async ({ expect }) => {
    for (const adAccountId of ["me", "act_", "act_1/../2", "12345x", ""]) {
      const { outcome, sent } = await run(createObject("campaign", { adAccountId }));
      expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
      expect(sent).toEqual([]);
    }
    expect((await run(createObject("campaign", { adAccountId: "330" }), id("c"))).sent[0]?.[0]).toBe(
      "POST act_330/campaigns",
    );
  });

  test("names are unique by their reference, and nothing in them is folded by Meta", ({ expect }) => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), (name) => {
        const made = nameOf({ reference: "b-7f3", name });
        expect(made.startsWith("b-7f3")).toBe(true);
        expect([...made].length).toBeLessThanOrEqual(200);
        expect(made).toBe(made.trim().replace(/\s+/g, " "));
        expect(made.isWellFormed()).toBe(true);
      }),
    );
  });
});

test.for([
  [17, "account", 300],
  [613, "account", 300],
  [80_000, "account", 300],
] as const)("a limit %i is the account's, for five minutes by default", async ([code, limit, seconds], { expect }) => {
  const bare = await run(createObject("campaign"), refused(code, 1));
  expect(bare.outcome).toMatchObject({ limit, retryAfterSeconds: seconds });
  const usage = JSON.stringify({ acc_id_util_pct: 100, reset_time_duration: 90 });
  const shown = await run(createObject("campaign"), { ...refused(code, 1), headers: { "x-ad-account-usage": usage } });
  expect(shown.outcome).toMatchObject({ limit, retryAfterSeconds: 90 });
});

test("four budget changes an hour are that one boost's limit", async ({ expect }) => {
  const { outcome } = await run(createObject("adset"), refused(613, 1487632));
  expect(outcome).toMatchObject({ reason: "throttled", retryAfterSeconds: 1200 });
  expect(outcome).not.toHaveProperty("limit");
});

describe("allowances of ad accounts", () => {
  const usedUp = (name: string, value: object) =>
    facebook.usedUp(
      { method: "POST", url: HOST },
      { kind: "answered", status: 200, headers: new Headers({ [name]: JSON.stringify(value) }), text: "", body: null },
      NOW,
    );

  test("are reported by their own header, in seconds", ({ expect }) => {
    const header = (acc_id_util_pct: number, reset_time_duration = 100) =>
      usedUp("x-ad-account-usage", { acc_id_util_pct, reset_time_duration });
    expect(header(95)).toMatchObject({
      scope: "account",
      until: NOW + 100_000,
      message: expect.stringContaining("ad"),
    });
    expect(header(94.9)).toBeNull();
    expect(header(99, 0)).toBeNull();
  });

  test("and in the one for business, in minutes", ({ expect }) => {
    const use = (type: string) =>
      usedUp("x-business-use-case-usage", { "330": [{ type, call_count: 99, estimated_time_to_regain_access: 2 }] });
    expect(use("ads_management")).toMatchObject({
      until: NOW + 120_000,
      message: expect.stringContaining("ad account"),
    });
    expect(use("pages")).toMatchObject({ message: expect.stringContaining("this Page") });
  });
});

test("facebook's login requests ads where the operator has enabled boosts, and only there", ({ expect }) => {
  const { authorizeUrl, scopes } = facebook.oauth;
  const request = { redirectUri: "https://belfry.example/x", state: "S", codeChallenge: null };
  const requested = (options: Readonly<Record<string, string>>) =>
    authorizeUrl({ id: "app", secret: "s", options }, request).searchParams.get("scope")?.split(",");
  expect(requested({ ads: "yes" })).toEqual(scopes);
  expect(requested({})).toEqual(scopes.filter((scope) => !/^ads_|_ads$/.test(scope)));
  expect(requested({})).toHaveLength(scopes.length - 3);
});

test("an account of Instagram Login can never advertise", ({ expect }) => {
  const { impossible } = instagram.capabilities.ads;
  expect(impossible({ attributes: { login: "instagram" } })).toContain("Facebook Page");
  expect(impossible({ attributes: { login: "facebook" } })).toBeNull();
});
