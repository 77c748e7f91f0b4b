import { describe, test } from "vitest";
import { tiktok } from "../../../src/platforms/tiktok/index.ts";
import { NOW, type Scripted } from "../../scripted-send.ts";
import { ACME, API, BOOST, DAY, linked, listed, ok, on, refused } from "./ads-script.ts";

/** In whose name a TikTok post may be shown as an ad, where, and to whom. */

const { ads } = tiktok;

const REGIONS = ok({
  region_info: [
    { location_id: "3017382", name: "France", region_code: "FR", level: "COUNTRY" },
    { location_id: "6252001", name: "United States", region_code: "US", level: "COUNTRY" },
    { location_id: "5128638", name: "New York", region_code: "US", level: "PROVINCE" },
  ],
});

describe("the right to the post", () => {
  const post = (status: string) => ok({ video_detail: { item_id: BOOST.post.id, status } });
  const PUBLIC = post("ITEM_STATUS_HESITATE_RECOMMEND");
  const prepare = (...answers: readonly (Scripted | "lost")[]) =>
    on(answers, async (context) => ads.prepare?.(context, BOOST, null));
  const shared = (more: object = {}) =>
    listed({
      auth_info: { ad_auth_status: "AUTHORIZED", auth_end_time: "2026-12-20 10:00:00", ...more },
      item_info: { item_id: BOOST.post.id },
      user_info: { identity_id: "code", tiktok_name: "Acme" },
    });

  test("is that of the account of the same name, and places have TikTok's ids", async ({ expect }) => {
    const { outcome, calls } = await prepare(linked({ identity_id: "0", username: "bikes" }, ACME), PUBLIC, REGIONS);
    expect(outcome).toEqual({
      kind: "ready",
      progress: { identity: { type: "TT_USER", id: "idn" }, locations: { FR: "3017382", US: "6252001" } },
    });
    expect(calls[1]).toMatchObject({
      url: `${API}/identity/video/info/`,
      query: { advertiser_id: "7411", identity_id: "idn", identity_type: "TT_USER", item_id: BOOST.post.id },
    });
    expect(calls[2]).toMatchObject({
      url: `${API}/tool/region/`,
      query: { placements: '["PLACEMENT_TIKTOK"]', objective_type: "VIDEO_VIEWS", level_range: "TO_COUNTRY" },
    });
  });

  test("is else that of a code, until the boost ends", async ({ expect }) => {
    const { outcome, calls } = await prepare(linked(), shared(), REGIONS);
    expect(outcome).toMatchObject({ kind: "ready", progress: { identity: { type: "AUTH_CODE", id: "code" } } });
    expect(calls[1]).toMatchObject({ url: `${API}/tt_video/list/`, query: { advertiser_id: "7411", page_size: 50 } });
    const short = await prepare(linked(), shared({ auth_end_time: "2026-11-27 11:59:59" }));
    expect(short.outcome).toMatchObject({
      reason: "rejected",
      message: expect.stringContaining("Extend the video code"),
    });
    const over = await prepare(linked(), shared({ ad_auth_status: "EXPIRED" }));
    expect(over.outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("@acme is not linked") });
  });

  test.for([
    [linked(), "@acme is not linked with this ad account"],
    [linked({ ...ACME, available_status: "IS_PRIVATE_ACCOUNT" }), "is private"],
    [linked({ ...ACME, available_status: "NOT_BUSINESS_ACCOUNT" }), "business account"],
    [linked({ ...ACME, available_status: "SCOPE_UNAVAILABLE" }), "SCOPE_UNAVAILABLE"],
    [linked({ ...ACME, can_pull_video: false }), "existing posts"],
  ] as const)("%j: none", async ([identities, words], { expect }) => {
    const { outcome } = await prepare(identities, refused(40001));
    expect(outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining(words) });
  });

  test("needs a post that everybody sees, in countries where there are ads", async ({ expect }) => {
    expect((await prepare(linked(ACME), post("ITEM_STATUS_PRIVATE"))).outcome).toMatchObject({ reason: "rejected" });
    expect((await prepare(linked(ACME), refused(40002))).outcome).toMatchObject({ reason: "rejected" });
    expect((await prepare(linked(ACME), "lost")).outcome).toMatchObject({ reason: "down" });
    const some = ok({ region_info: [{ location_id: "3017382", name: "France", region_code: "FR", level: "COUNTRY" }] });
    expect((await prepare(linked(ACME), PUBLIC, some)).outcome).toMatchObject({
      code: "unsupported_by_platform",
      message: expect.stringContaining("in US"),
    });
    const pictures = { ...BOOST, post: { ...BOOST.post, secondaryId: "p_pub_1" } };
    const { outcome } = await on([], async (context) => ads.prepare?.(context, pictures, null));
    expect(outcome).toMatchObject({ kind: "failed", reason: "rejected" });
  });

  test("waits for the id of a post that TikTok has not reported yet", async ({ expect }) => {
    const boost = { ...BOOST, post: { ...BOOST.post, id: "v_pub_1" } };
    const wait = (progress: { times: number } | null) =>
      on([], async (context) => ads.prepare?.(context, boost, progress)).then(({ outcome }) => outcome);
    expect(await wait(null)).toMatchObject({ kind: "more", progress: { times: 1 }, afterSeconds: 60 });
    expect(await wait({ times: 1 })).toMatchObject({ progress: { times: 2 }, afterSeconds: 120 });
    const { outcome } = await on([], (context) => ads.eligibility(context, boost.post, null));
    expect(outcome).toMatchObject({ isEligible: false, reason: expect.stringContaining("moderation") });
  });

  test("reports whether a post is eligible, by the ad account that is named, or that of the login", async ({
    expect,
  }) => {
    const eligible = { kind: "eligibility", isEligible: true, reason: null, page: { id: "idn", name: "Acme Ltd" } };
    const named = await on([linked(ACME), PUBLIC], (context) => ads.eligibility(context, BOOST.post, "7412"));
    expect(named.outcome).toEqual(eligible);
    expect(named.calls[0]?.query).toMatchObject({ advertiser_id: "7412" });
    const known = await on([linked(ACME), PUBLIC], (context) =>
      ads.eligibility({ ...context, credentials: { ...context.credentials, accountId: "7413" } }, BOOST.post, null),
    );
    expect(known.calls[0]?.query).toMatchObject({ advertiser_id: "7413" });
    const none = await on([linked(), listed()], (context) => ads.eligibility(context, BOOST.post, "7411"));
    expect(none.outcome).toMatchObject({
      isEligible: false,
      reason: expect.stringContaining("not linked"),
      page: null,
    });
    // A code that ends in an hour is one now.
    const soon = new Date(NOW + DAY / 24).toISOString().slice(0, 19).replace("T", " ");
    const code = await on([linked(), shared({ auth_end_time: soon })], (context) =>
      ads.eligibility(context, BOOST.post, "7411"),
    );
    expect(code.outcome).toMatchObject({ isEligible: true });
  });
});

describe("who is shown it", () => {
  test("countries are reported by their codes, without what is in them", async ({ expect }) => {
    const { outcome } = await on([REGIONS], (context) => ads.countries(context, "7411"));
    expect(outcome).toEqual({
      kind: "countries",
      countries: [
        { code: "FR", name: "France" },
        { code: "US", name: "United States" },
      ],
    });
  });

  test("interests are found by a part of their names", async ({ expect }) => {
    const categories = ["Food & Drink", "Travel", "Café culture"].map((interest_category_name, index) => {
      return { interest_category_id: String(index), interest_category_name };
    });
    const { outcome, calls } = await on([ok({ interest_categories: categories })], (context) =>
      ads.interests(context, "7411", "CAFE"),
    );
    expect(outcome).toEqual({ kind: "interests", interests: [{ id: "2", name: "Café culture" }] });
    expect(calls[0]?.query).toMatchObject({ version: 2, language: "en", placements: '["PLACEMENT_TIKTOK"]' });
  });

  test("so many people", async ({ expect }) => {
    const size = ok({ user_count: { lower_end: 1_200_000, upper_end: 1_500_000 }, user_count_stage: 3 });
    const { outcome, calls } = await on([REGIONS, size], (context) => ads.reach(context, BOOST));
    expect(outcome).toEqual({ kind: "reach", lower: 1_200_000, upper: 1_500_000, isReady: true });
    expect(calls[1]).toMatchObject({ method: "POST", url: `${API}/ad/audience_size/estimate/` });
    expect(calls[1]?.json).toEqual({
      advertiser_id: "7411",
      objective_type: "VIDEO_VIEWS",
      optimization_goal: "ENGAGED_VIEW",
      placement_type: "PLACEMENT_TYPE_NORMAL",
      placements: ["PLACEMENT_TIKTOK"],
      location_ids: ["3017382", "6252001"],
      gender: "GENDER_UNLIMITED",
      interest_category_ids: ["10001"],
    });
  });
});
