import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { crossed } from "../contract/sample.ts";
import {
  adAccounts,
  adsOf,
  BOOSTABLE,
  boost,
  boostHome,
  campaignOf,
  type Home,
  pass,
  publishBoostable,
  wanted,
} from "../support/boosts.ts";
import { advance } from "../support/clock.ts";
import { queuesIdle } from "../support/queue.ts";
import { addHook, receiver, verified } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, MINUTE, SECOND } from "../support/times.ts";
import { call, createPost, Project, projectWith } from "../support/world.ts";

/** Boost campaigns: the operations of spec 4.15 to 4.19, end to end with the simulated platforms. */

describe.for(crossed("a boost", BOOSTABLE, 2))("a boost on %s", (platform) => {
  let home: Home;
  beforeAll(async () => {
    home = await boostHome(platform);
  });
  afterEach(() => sandbox.noFaults());

  test("is made switched off, reviewed, shown, counted, changed, and ended", async () => {
    const { path, secret } = await addHook(home.project, { events: ["campaign.live"] });
    const id = await boost(home, { name: "Opening week" });
    expect(await campaignOf(home, id)).toMatchObject({ status: "queued", name: "Opening week", budget: 210 });
    await queuesIdle(30 * SECOND);
    expect(await campaignOf(home, id)).toMatchObject({ status: "in_review", reason: null });
    expect(await adsOf(platform, "campaign", "Opening week")).toHaveLength(1);
    await pass(20 * MINUTE, 5 * MINUTE);
    expect(await campaignOf(home, id)).toMatchObject({ status: "active" });
    expect(receiver.at(path).map((one) => verified(secret, one))).toMatchObject([
      { type: "campaign.live", data: { campaign_id: id, social_post_id: home.postId } },
    ]);
    await pass(60 * MINUTE, 20 * MINUTE);
    const shown = await campaignOf(home, id);
    expect(shown.spend).toBeGreaterThan(0);
    expect(shown.reach).toBeGreaterThan(0);
    expect(shown.impressions).toBeGreaterThanOrEqual(shown.reach);
    const listed = await home.project.call("GET", "/boost-campaigns/get-campaigns");
    expect(listed.body).toMatchObject({ total_spend: shown.spend, total_reach: shown.reach, status: true });

    const changed = await home.project.call("PUT", `/boost-campaigns/update-campaign/${id}`, { body: { budget: 280 } });
    expect(changed).toMatchObject({ status: 200, body: { campaigns: { id, budget: 280, duration: 7 } } });
    await queuesIdle(30 * SECOND);
    const budgets = (await adsOf(platform, undefined, "Opening week")).map(({ budget_minor }) => budget_minor);
    expect(budgets).toContain(28_000);

    expect(await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`)).toMatchObject({ status: 200 });
    expect((await home.project.call("GET", `/boost-campaigns/get-campaign/${id}`)).status).toBe(404);
    await queuesIdle(30 * SECOND);
    const left = await adsOf(platform, undefined, "Opening week");
    // A creative spends nothing, and shows nothing, by itself.
    expect(left.filter(({ kind }) => kind !== "creative")).toEqual([]);
  });

  test("that the platform rejects says why", async () => {
    const bad = await publishBoostable(home, "What is not shown [ads:reject]");
    const id = await boost(home, { social_post_id: bad });
    await queuesIdle(30 * SECOND);
    await pass(20 * MINUTE, 5 * MINUTE);
    expect(await campaignOf(home, id)).toMatchObject({ status: "rejected", reason: expect.stringMatching(/\S/) });
    await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
    await queuesIdle(30 * SECOND);
  });

  test("ends with its time, and is what it cost from then on", async () => {
    const id = await boost(home, { duration: 1, budget: 30 });
    await queuesIdle(30 * SECOND);
    await pass(DAY + 60 * MINUTE, 5 * 60 * MINUTE);
    const ended = await campaignOf(home, id);
    expect(ended).toMatchObject({ status: "completed" });
    expect(ended.spend).toBeLessThanOrEqual(30);
    expect(ended.events.map(({ type }) => type)).toContain("campaign.completed");
  });

  test.for([
    [{ budget: 0.5 }, 422, "budget", /at least/],
    [{ budget: 0 }, 422, "budget", /./],
    [{ budget: 210.123 }, 422, "budget", /decimals/],
    [{ duration: 0 }, 422, "duration", /./],
    [{ countries: [] }, 422, "countries", /./],
    [{ countries: ["XX"] }, 422, "countries.0", /ISO/],
    [{ ad_account_id: "act_1" }, 422, "ad_account_id", /./],
    [{ social_post_id: 999_999 }, 404, null, /no post/],
  ] as const)("is refused at once for what is wrong: %j", async ([change, status, field, why]) => {
    const body = wanted(home, change);
    const answer = await home.project.call("POST", "/boost-campaigns/create-campaign", { body });
    expect(answer.status).toBe(status);
    const { message, errors = {} } = z
      .looseObject({ message: z.string(), errors: z.record(z.string(), z.array(z.string())).optional() })
      .parse(answer.body);
    expect(message).toMatch(why);
    if (field !== null) expect(Object.keys(errors)).toEqual([field]);
  });

  test("can be checked beforehand", async () => {
    const { project, channel, account } = home;
    const query = `channel_id=${channel.channel_id}&ad_account_id=${account.id}`;
    const countries = await project.call("GET", `/boost-campaigns/get-countries?${query}`);
    expect(countries.body).toMatchObject({ countries: expect.arrayContaining([{ code: "DE", name: "Germany" }]) });
    const interests = await project.call("GET", `/boost-campaigns/search-interests?${query}&q=garden`);
    expect(
      z.object({ interests: z.array(z.object({ id: z.string(), name: z.string() })).min(1) }).parse(interests.body),
    );
    const terms = { channel_id: channel.channel_id, ad_account_id: account.id, countries: ["DE"] };
    const reach = await project.call("POST", "/boost-campaigns/get-reach-estimate", { body: terms });
    expect(reach.body).toMatchObject({ lower: expect.any(Number), upper: expect.any(Number), status: true });
    const budget = { ...terms, duration_type: "lifetime_budget", budget: 210, duration: 7 };
    const valid = await project.call("POST", "/boost-campaigns/validate-budget", { body: budget });
    expect(valid.body).toMatchObject({
      valid: true,
      currency: account.currency,
      most: 210,
      minimum: expect.any(Number),
    });
    const low = await project.call("POST", "/boost-campaigns/validate-budget", { body: { ...budget, budget: 0.01 } });
    expect(low.status).toBe(422);
  });

  test("begins one for one Idempotency-Key", async () => {
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const body = wanted(home, { name: "Only once" });
    const send = () => home.project.call("POST", "/boost-campaigns/create-campaign", { body, headers });
    const answers = await Promise.all([send(), send()]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    await queuesIdle(30 * SECOND);
    expect(await adsOf(platform, "campaign", "Only once")).toHaveLength(1);
  });
});

test("a channel that may not advertise is to be connected again, by the link that is reported", async () => {
  const { project, channel } = await projectWith("tiktok");
  const answer = await project.call("GET", `/boost-campaigns/get-ad-accounts?channel_id=${channel.channel_id}`);
  expect(answer).toMatchObject({ status: 422, body: { code: "reconnect_needed" } });
  expect(z.looseObject({ message: z.string() }).parse(answer.body).message).toMatch(
    /with ads within 15 minutes: https:\/\/belfry\.test\/connect\/\S+/,
  );
  const other = await Project.create();
  const foreign = await other.call("GET", `/boost-campaigns/get-ad-accounts?channel_id=${channel.channel_id}`);
  expect(foreign.status).toBe(404);
});

test("a bot for campaigns answers under the posts behind them", async () => {
  const home = await boostHome("facebook");
  const id = await boost(home);
  const bot = (campaign_ids: readonly number[]) =>
    home.project.call("POST", "/social/create-comment-automation", {
      body: {
        name: "Ads",
        channels: [home.channel.channel_id],
        target_type: "campaigns",
        campaign_ids,
        trigger_type: "any",
        response_type: "comment",
        comment_reply: "Thank you!",
        ai_enable: "no",
      },
    });
  expect(await bot([id + 1])).toMatchObject({ status: 422, body: { code: "reference_invalid" } });
  expect((await bot([id])).status).toBe(200);
  const [live] = await sandbox.posts("facebook");
  await advance(5 * SECOND);
  await sandbox.comment("facebook", live?.id ?? "", "Lovely", "Ada Reader");
  await pass(2 * MINUTE, MINUTE);
  expect((await sandbox.comments()).map(({ text }) => text)).toContain("Thank you!");
});

test("needs the permission, and a channel that may advertise", async () => {
  const { project, channel } = await projectWith("twitter");
  const id = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await queuesIdle();
  const body = {
    social_post_id: id,
    duration_type: "daily_budget",
    budget: 20,
    duration: 2,
    ad_account_id: "1",
    countries: ["DE"],
  };
  const refused = await project.call("POST", "/boost-campaigns/create-campaign", { body });
  expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining("twitter") } });
  const poor = await Project.create({ permissions: ["social-read-posts"] });
  for (const [method, path] of [
    ["POST", "create-campaign"],
    ["PUT", "update-campaign/1"],
    ["GET", "get-campaigns"],
    ["GET", "get-campaign/1"],
    ["DELETE", "delete-campaign/1"],
  ] as const) {
    const answer = await poor.call(
      method,
      `/boost-campaigns/${path}`,
      method === "GET" || method === "DELETE" ? {} : { body: {} },
    );
    expect([path, answer.status]).toEqual([path, 403]);
  }
});

describe("money", () => {
  test("the ceiling of a project holds, also for several at once, and its operator moves it", async () => {
    const home = await boostHome("facebook");
    const operator = { "X-Operator-Key": env.OPERATOR_KEY };
    const ceiling = (most?: number) =>
      call("POST", "/internal/ceilings", {
        headers: operator,
        body: { project: home.project.name, currency: home.account.currency, ...(most === undefined ? {} : { most }) },
      });
    expect(await ceiling(450)).toMatchObject({ status: 200, body: { is_standard: false } });
    const send = () => home.project.call("POST", "/boost-campaigns/create-campaign", { body: wanted(home) });
    const answers = await Promise.all([send(), send(), send(), send()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429]);
    expect(answers.find(({ status }) => status === 429)?.body).toMatchObject({
      code: "quota_exceeded",
      message: expect.stringContaining("450.00"),
    });
    await ceiling(1_000);
    expect((await send()).status).toBe(200);
    expect((await ceiling()).body).toMatchObject({ committed: `630.00 ${home.account.currency}` });
  });

  test("currencies without decimals are whole", async () => {
    const home = await boostHome("facebook");
    const yen = (await adAccounts(home.project, home.channel)).find(({ currency }) => currency === "JPY");
    expect(yen).toBeDefined();
    const body = (budget: number) => wanted(home, { ad_account_id: yen?.id, budget });
    const half = await home.project.call("POST", "/boost-campaigns/create-campaign", { body: body(30_000.5) });
    expect(half).toMatchObject({ status: 422, body: { message: expect.stringContaining("whole number") } });
    const whole = await home.project.call("POST", "/boost-campaigns/create-campaign", { body: body(30_000) });
    expect(whole.status).toBe(200);
    await queuesIdle(30 * SECOND);
    expect((await adsOf("facebook")).map(({ budget_minor }) => budget_minor)).toContain(30_000);
  });
});
