import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  adAccounts,
  adsOf,
  books,
  boost,
  boostableFor,
  boostHome,
  campaignOf,
  committed,
  pass,
  updateCampaign,
  wanted,
} from "../support/boosts.ts";
import { startClean } from "../support/clean-start.ts";
import { hook, noHooks, outage, refusedByMeta } from "../support/platform-hooks.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE, SECOND } from "../support/times.ts";

/** Changes of a campaign (spec 4.16), what they may cost, and who may make them. */

// A test has a project of its own: what the tests before left would only be kept up beside it.
beforeEach(startClean);

const Interests = z.looseObject({ interests: z.array(z.object({ id: z.string(), name: z.string() })).min(1) });
/** As Meta's simulated ad account has it; TikTok's takes any. */
const AUDIENCE = "23800000000000001";

describe("update-campaign", () => {
  test.for(boostableFor("no change"))(
    "on %s takes nothing, and values that it has already, as no change",
    { timeout: 60_000 },
    async (platform) => {
      const home = await boostHome(platform);
      const id = await boost(home, { name: uniquely("Same") });
      await pass(20 * MINUTE, 5 * MINUTE);
      const before = await campaignOf(home, id);
      const whole = {
        boost_type: null,
        duration_type: "lifetime_budget",
        budget: 210,
        duration: 7,
        countries: ["DE"],
        interests: [],
        campaign_objective: before.campaign_objective,
        audience: [],
      };
      for (const body of [{}, whole, { budget: null }]) {
        expect(await updateCampaign(home, id, body)).toMatchObject({
          status: 200,
          body: { campaigns: { id, budget: 210, duration: 7 } },
        });
      }
      expect((await campaignOf(home, id)).events).toEqual(before.events);
      expect((await updateCampaign(home, id, { name: "Other" })).status).toBe(422);
      expect((await updateCampaign(home, id, { boost_type: "weekend" })).body).toMatchObject({
        campaigns: { boost_type: "weekend" },
      });
      expect((await updateCampaign(home, id, { boost_type: null })).body).toMatchObject({
        campaigns: { boost_type: null },
      });
      await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
      await queuesIdle(30 * SECOND);
    },
  );

  test.for(boostableFor("null"))(
    "on %s takes null as absent, and for interests and audience as none",
    { timeout: 60_000 },
    async (platform) => {
      const home = await boostHome(platform);
      const query = `channel_id=${home.channel.channel_id}&ad_account_id=${home.account.id}&q=garden`;
      const found = await home.project.call("GET", `/boost-campaigns/search-interests?${query}`);
      const [interest] = Interests.parse(found.body).interests;
      const aimed = { interests: [interest], audience: [AUDIENCE] };
      const id = await boost(home, { name: uniquely("Aimed"), ...aimed });
      await pass(20 * MINUTE, 5 * MINUTE);
      const before = await campaignOf(home, id);
      expect(before).toMatchObject({ status: "active", ...aimed });
      let sent = "";
      hook(({ method, body }) => {
        if (method === "POST") sent += `${body}\n`;
        return null;
      });
      for (const field of ["duration_type", "budget", "duration", "countries", "campaign_objective"]) {
        expect((await updateCampaign(home, id, { [field]: null })).status).toBe(200);
      }
      expect(await campaignOf(home, id)).toEqual(before);
      expect(sent).not.toContain(AUDIENCE);
      for (const [field, given, left] of [
        ["interests", interest?.id ?? "", AUDIENCE],
        ["audience", AUDIENCE, ""],
      ] as const) {
        sent = "";
        expect((await updateCampaign(home, id, { [field]: null, budget: null })).body).toMatchObject({
          campaigns: { [field]: [], budget: before.budget, countries: before.countries },
        });
        await queuesIdle(30 * SECOND);
        expect(sent).not.toContain(given);
        expect(sent).toContain(left);
      }
      await pass(20 * MINUTE, 5 * MINUTE);
      const after = await campaignOf(home, id);
      expect(after).toMatchObject({ status: "active", reason: null, interests: [], audience: [], duration: 7 });
      expect(after.events.map(({ type }) => type).filter((type) => type === "campaign.changed")).toHaveLength(2);
      await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
      await queuesIdle(30 * SECOND);
    },
  );

  test.for(boostableFor("replacement"))(
    "on %s replaces what the platform does not change, and keeps what was spent",
    { timeout: 120_000 },
    async (platform) => {
      const home = await boostHome(platform);
      const name = uniquely("Replaced");
      const id = await boost(home, { name, budget: 420, duration: 7 });
      await pass(20 * MINUTE, 5 * MINUTE);
      await pass(12 * HOUR, 6 * HOUR);
      const { spend } = await campaignOf(home, id);
      expect(spend).toBeGreaterThan(0);
      const change = { duration_type: "daily_budget", budget: 50, campaign_objective: "awareness" };
      expect(await updateCampaign(home, id, change)).toMatchObject({
        status: 200,
        body: { campaigns: { budget: 50 } },
      });
      await pass(20 * MINUTE, 5 * MINUTE);
      const changed = await campaignOf(home, id);
      expect(changed).toMatchObject({
        status: "active",
        budget: 50,
        campaign_objective: "awareness",
        duration_type: "daily_budget",
      });
      expect(await adsOf(platform, "campaign", name)).toHaveLength(1);
      await pass(6 * HOUR, 2 * HOUR);
      const later = await campaignOf(home, id);
      expect(later.spend).toBeGreaterThan(spend);
      expect((await books(home, name)).spent).toBe(Math.round(later.spend * 100));
      expect(await committed(home)).toBeGreaterThanOrEqual(later.spend + 50);
      await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
      await queuesIdle(30 * SECOND);
      const { spent, left } = await books(home, name);
      expect([left, await committed(home)]).toEqual([0, spent / 100]);
    },
  );

  test.for(boostableFor("refused before"))(
    "on %s a change that is refused before anything is removed leaves the campaign as it is",
    {
      timeout: 60_000,
    },
    async (platform) => {
      const home = await boostHome(platform);
      const name = uniquely("Kept");
      const id = await boost(home, { name, budget: 420, duration: 7 });
      await pass(20 * MINUTE, 5 * MINUTE);
      const objects = async () => (await adsOf(platform, undefined, name)).map((one) => [one.id, one.status]);
      const [before, there] = [await campaignOf(home, id), await objects()];
      const sent: string[] = [];
      hook(({ url }) => {
        if (/adgroup\/(budget\/)?update|targeting/.test(decodeURIComponent(url))) sent.push(url);
        if (!/is_eligible_for_promotion|boost_eligibility_info|identity\/video\/info/.test(url)) return null;
        return platform === "tiktok"
          ? Response.json({ code: 40002, message: "Not this post.", request_id: "x", data: {} })
          : refusedByMeta("Not this post.");
      });
      expect((await updateCampaign(home, id, { campaign_objective: "awareness" })).status).toBe(200);
      await pass(20 * MINUTE, 5 * MINUTE);
      const after = await campaignOf(home, id);
      expect(after).toMatchObject({
        status: "active",
        campaign_objective: before.campaign_objective,
        reason: expect.stringMatching(/^The change was not applied: .*Not this post/),
      });
      expect(after.events.slice(before.events.length).map(({ type }) => type)).toEqual([
        "campaign.updated",
        "campaign.change_failed",
      ]);
      expect(await objects()).toEqual(there);
      // Nothing was sent, so there is nothing to restore.
      expect(sent).toEqual([]);
      noHooks();
      await pass(6 * HOUR, 2 * HOUR);
      expect((await campaignOf(home, id)).spend).toBeGreaterThan(after.spend);
      await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
      await queuesIdle(30 * SECOND);
    },
  );

  test.for(boostableFor("taken back"))(
    "on %s a change that is taken back while its replacement deletes leaves a campaign that runs",
    {
      timeout: 120_000,
    },
    async (platform) => {
      const home = await boostHome(platform);
      const name = uniquely("Back");
      const id = await boost(home, { name, budget: 420, duration: 7 });
      await pass(20 * MINUTE, 5 * MINUTE);
      await sandbox.fault(platform, "ads_delete", "accept_then_error");
      expect((await updateCampaign(home, id, { duration_type: "daily_budget", budget: 50 })).status).toBe(200);
      await queuesIdle(1_000);
      expect(await sandbox.faults()).toEqual([]);
      expect(await adsOf(platform, "campaign", name)).toEqual([]);
      expect((await updateCampaign(home, id, { duration_type: "lifetime_budget", budget: 420 })).status).toBe(200);
      await pass(20 * MINUTE, 5 * MINUTE);
      const after = await campaignOf(home, id);
      expect(after).toMatchObject({ status: "active", duration_type: "lifetime_budget", budget: 420, reason: null });
      expect(await adsOf(platform, "campaign", name)).toHaveLength(1);
      await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
      await queuesIdle(30 * SECOND);
      const { spent, left } = await books(home, name);
      expect([left, await committed(home)]).toEqual([0, spent / 100]);
    },
  );
});

test.for(boostableFor("old terms"))(
  "on %s a campaign whose old terms are refused as well has failed, with nothing left",
  { timeout: 120_000 },
  async (platform) => {
    const home = await boostHome(platform);
    const name = uniquely("Lost");
    const id = await boost(home, { name, budget: 420, duration: 7 });
    await pass(6 * HOUR, 2 * HOUR);
    hook(({ method, url }) => {
      if (method !== "POST" || !/\/(act_\d+\/adsets|adgroup\/create\/?)$/.test(new URL(url).pathname)) return null;
      return platform === "tiktok"
        ? Response.json({ code: 40002, message: "Not so.", request_id: "x", data: {} })
        : refusedByMeta("Not so.");
    });
    expect((await updateCampaign(home, id, { duration_type: "daily_budget", budget: 50 })).status).toBe(200);
    await pass(20 * MINUTE, 5 * MINUTE);
    const after = await campaignOf(home, id);
    const { spent, left } = await books(home, name);
    expect(after).toMatchObject({ status: "failed", reason: expect.stringContaining("Not so") });
    expect([left, after.spend, await committed(home)]).toEqual([0, spent / 100, spent / 100]);
    expect(after.events.map(({ type }) => type).slice(-2)).toEqual(["campaign.change_failed", "campaign.failed"]);
  },
);

test.for(boostableFor("new terms"))(
  "on %s terms that are refused after the old objects are gone give way to the old terms",
  { timeout: 120_000 },
  async (platform) => {
    const home = await boostHome(platform);
    const name = uniquely("Refused");
    const id = await boost(home, { name, budget: 420, duration: 7 });
    await pass(20 * MINUTE, 5 * MINUTE);
    let isRefused = true;
    hook(({ method, url, body }) => {
      const isCreation = method === "POST" && /\/(act_\d+\/adsets|adgroup\/create\/?)$/.test(new URL(url).pathname);
      if (!isRefused || !isCreation || !/daily_budget|BUDGET_MODE_DAY/.test(body)) return null;
      return platform === "tiktok"
        ? Response.json({ code: 40002, message: "Not so.", request_id: "x", data: {} })
        : refusedByMeta("Not so.");
    });
    expect((await updateCampaign(home, id, { duration_type: "daily_budget", budget: 50 })).status).toBe(200);
    await pass(20 * MINUTE, 5 * MINUTE);
    isRefused = false;
    const after = await campaignOf(home, id);
    expect(after).toMatchObject({ status: "active", duration_type: "lifetime_budget", budget: 420 });
    expect(after.reason).toMatch(/^The change was not applied: .*Not so/);
    expect(after.events.map(({ type }) => type)).toContain("campaign.change_failed");
    expect(await adsOf(platform, "campaign", name)).toHaveLength(1);
    await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
    await queuesIdle(30 * SECOND);
    const { spent, left } = await books(home, name);
    expect([left, await committed(home)]).toEqual([0, spent / 100]);
  },
);

test("a campaign is not replaced by a daily budget for less than a day", async () => {
  const home = await boostHome("facebook");
  const id = await boost(home, { budget: 60, duration: 2 });
  await pass(20 * MINUTE, 5 * MINUTE);
  await pass(25 * HOUR, 5 * HOUR);
  const before = await campaignOf(home, id);
  const refused = await updateCampaign(home, id, { duration_type: "daily_budget", budget: 50 });
  expect(refused).toMatchObject({ status: 422, body: { errors: { duration: [expect.stringMatching(/a day/)] } } });
  expect(await campaignOf(home, id)).toMatchObject({ status: "active", events: before.events });
  const longer = await updateCampaign(home, id, { duration_type: "daily_budget", budget: 50, duration: 4 });
  expect(longer).toMatchObject({ status: 200, body: { campaigns: { budget: 50 } } });
  await pass(20 * MINUTE, 5 * MINUTE);
  expect(await campaignOf(home, id)).toMatchObject({ status: "active", duration_type: "daily_budget", reason: null });
  await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
  await queuesIdle(30 * SECOND);
});

test("an ad account that the person may only view is not usable, and refusals name it", async () => {
  const home = await boostHome("facebook");
  const viewed = (await adAccounts(home.project, home.channel)).find(({ name }) => name === "Only to look at");
  expect(viewed).toMatchObject({ usable: false, reason: expect.stringMatching(/may only view/) });
  const body = wanted(home, { ad_account_id: viewed?.id });
  const refused = await home.project.call("POST", "/boost-campaigns/create-campaign", { body });
  expect(refused).toMatchObject({
    status: 422,
    body: { code: "permission_missing", errors: { ad_account_id: [expect.any(String)] } },
  });
});

test("trouble of the platform is a 500 with Retry-After", async () => {
  const home = await boostHome("facebook");
  hook(({ url }) => (url.includes("/adaccounts") ? outage() : null));
  const answer = await home.project.call(
    "GET",
    `/boost-campaigns/get-ad-accounts?channel_id=${home.channel.channel_id}`,
  );
  expect(answer).toMatchObject({ status: 500, body: { code: "platform_unavailable" } });
  expect(Number(answer.headers.get("Retry-After"))).toBeGreaterThan(0);
});

test("a campaign has one job, however often it is changed", async () => {
  const home = await boostHome("facebook");
  const id = await boost(home, { name: uniquely("Owned") });
  await pass(20 * MINUTE, 5 * MINUTE);
  for (const budget of [240, 280]) {
    expect((await updateCampaign(home, id, { budget })).status).toBe(200);
    await queuesIdle(30 * SECOND);
  }
  const jobs = await env.DB.prepare("SELECT key FROM jobs WHERE kind = 'campaign' AND subject_id = ?").bind(id).all();
  expect(jobs.results).toEqual([{ key: `campaign:${id}` }]);
  await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
  await queuesIdle(30 * SECOND);
});

test("every event of a campaign names its post", async () => {
  const home = await boostHome("facebook");
  hook(({ method, url }) => (method === "POST" && url.includes("/adsets") ? outage() : null));
  const id = await boost(home);
  await pass(2 * MINUTE, MINUTE);
  const { events } = await campaignOf(home, id);
  expect(events.map(({ type }) => type)).toContain("campaign.waiting");
  for (const { detail } of events) expect(detail).toMatchObject({ social_post_id: home.postId });
  noHooks();
  await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
  await pass(15 * MINUTE, 5 * MINUTE);
  expect((await books(home, "Boost")).left).toBeGreaterThanOrEqual(0);
});
