import { beforeEach, describe, expect, test } from "vitest";
import {
  activeCampaign,
  adsOf,
  type Boostable,
  boost,
  boostableFor,
  boostHome,
  campaignOf,
  ceiling,
  committed,
  type Home,
  pass,
  updateCampaign,
  wanted,
} from "../support/boosts.ts";
import { startClean } from "../support/clean-start.ts";
import { hook, noHooks, outage, refusedByMeta, throttledByMeta } from "../support/platform-hooks.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE, SECOND } from "../support/times.ts";

/**
 * A campaign has one owner: it never spends after it is reported as ended, and never more than its project's
 * ceiling.
 */

// A test has a project of its own: what the tests before left would only be kept up beside it.
beforeEach(startClean);

const remove = (home: Home, id: number) => home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);

/** Everything of it that is left at the platform; a creative spends nothing by itself. */
const left = async (platform: Boostable, name: string) =>
  (await adsOf(platform, undefined, name)).filter(({ kind }) => kind !== "creative");

describe("an end", () => {
  test.for([
    ["an outage", () => outage()],
    ["a throttle of ten hours", () => throttledByMeta(36_000)],
  ] as const)(
    "of what fails halfway leaves nothing, soon after %s, and reports what was spent",
    async ([, trouble]) => {
      const home = await boostHome("facebook");
      const name = uniquely("Halfway");
      hook(({ method, url }) =>
        method === "POST" && /\/act_\d+\/ads$/.test(new URL(url).pathname) ? refusedByMeta("No.") : null,
      );
      hook(({ method }) => (method === "DELETE" ? trouble() : null));
      const id = await boost(home, { name });
      await queuesIdle(30 * SECOND);
      expect(await campaignOf(home, id)).toMatchObject({
        status: "creating",
        reason: expect.stringMatching(/being ended/),
      });
      noHooks();
      await pass(2 * MINUTE, MINUTE);
      const failed = await campaignOf(home, id);
      expect(failed).toMatchObject({ status: "failed", spend: 0 });
      expect(failed.events.at(-1)).toMatchObject({
        type: "campaign.failed",
        detail: { social_post_id: home.postId, spend: 0 },
      });
      expect(await left("facebook", name)).toEqual([]);
      expect(await committed(home)).toBe(0);
    },
  );

  test("an outage while it is activated does not make it fail", { timeout: 60_000 }, async () => {
    const home = await boostHome("facebook");
    const until = { at: Number.POSITIVE_INFINITY };
    hook(({ method, url }) => {
      if (method !== "GET" || !url.includes("configured_status")) return null;
      if (until.at === Number.POSITIVE_INFINITY) until.at = Date.now() + 3 * MINUTE;
      return Date.now() < until.at ? outage() : null;
    });
    const id = await boost(home, { name: uniquely("Outage") });
    await queuesIdle(60 * SECOND);
    await pass(30 * MINUTE, 5 * MINUTE);
    expect(await campaignOf(home, id)).toMatchObject({ status: "active" });
  });

  test.for([
    ["an outage", () => outage()],
    ["a throttle of ten hours", () => throttledByMeta(36_000)],
  ] as const)("is tried at once while a change waits for %s", { timeout: 60_000 }, async ([, trouble]) => {
    const home = await boostHome("facebook");
    const name = uniquely("Sleeper");
    const id = await activeCampaign(home, { name });
    hook(({ method, body }) => (method === "POST" && body.includes("lifetime_budget=30000") ? trouble() : null));
    expect((await updateCampaign(home, id, { budget: 300 })).status).toBe(200);
    await pass(20 * MINUTE, 5 * MINUTE);
    noHooks();
    expect((await remove(home, id)).status).toBe(200);
    await queuesIdle(30 * SECOND);
    expect(await left("facebook", name)).toEqual([]);
  });

  test("of what is on already, though nothing confirms it, is tried at once", { timeout: 60_000 }, async () => {
    const home = await boostHome("facebook");
    const name = uniquely("Being made");
    let met = 0;
    hook(({ method, url }) =>
      method === "GET" && url.includes("configured_status") && met++ === 0 ? throttledByMeta(36_000) : null,
    );
    const id = await boost(home, { name });
    await queuesIdle(60 * SECOND);
    await pass(2 * HOUR, 10 * MINUTE);
    const shown = await campaignOf(home, id);
    expect(shown).toMatchObject({ status: "active" });
    expect(shown.spend).toBeGreaterThan(0);
    await remove(home, id);
    await queuesIdle(30 * SECOND);
    expect(await left("facebook", name)).toEqual([]);
  });

  test("reaches the platform within a minute of its being reachable", { timeout: 60_000 }, async () => {
    const home = await boostHome("tiktok");
    const name = uniquely("Unreachable");
    const id = await activeCampaign(home, { name });
    hook(({ url }) => (url.includes("/status/update") ? outage() : null));
    await remove(home, id);
    await queuesIdle(30 * SECOND);
    await pass(2 * HOUR, 20 * MINUTE);
    await pass(2 * MINUTE, MINUTE);
    expect(await left("tiktok", name)).not.toEqual([]);
    noHooks();
    await pass(MINUTE, MINUTE);
    expect(await left("tiktok", name)).toEqual([]);
  });

  test("wanted while the login was over comes with the reconnection, however late", { timeout: 90_000 }, async () => {
    const home = await boostHome("facebook");
    const name = uniquely("Orphan");
    const id = await activeCampaign(home, { name });
    await sandbox.fault("facebook", "ads_read", "revoke_token");
    await pass(20 * MINUTE, 10 * MINUTE);
    expect((await remove(home, id)).status).toBe(200);
    await pass(50 * HOUR, 10 * HOUR);
    expect(await left("facebook", name)).not.toEqual([]);
    await home.project.connect("facebook");
    await pass(2 * MINUTE, MINUTE);
    expect(await left("facebook", name)).toEqual([]);
  });

  test.for(boostableFor("both"))(
    "of the post of %s, while a campaign of it is accepted, wins",
    { timeout: 60_000 },
    async (platform) => {
      const home = await boostHome(platform);
      const name = uniquely("Both");
      let deleted = 0;
      hook(async () => {
        if (deleted !== 0) return null;
        deleted = -1;
        deleted = (await home.project.call("DELETE", `/social/delete-post/${home.postId}`)).status;
        return null;
      });
      const answer = await home.project.call("POST", "/boost-campaigns/create-campaign", {
        body: wanted(home, { name }),
      });
      noHooks();
      expect([deleted, answer.status]).toEqual([200, 404]);
      await pass(10 * MINUTE, 5 * MINUTE);
      expect(await left(platform, name)).toEqual([]);
    },
  );
});

describe("the ceiling", () => {
  test("counts an accepted raise until it is refused, whatever a status check reads", { timeout: 60_000 }, async () => {
    const home = await boostHome("facebook");
    await ceiling(home, 450);
    const id = await activeCampaign(home, { budget: 210, name: uniquely("Raised") });
    hook(({ method, body }) => (method === "POST" && body.includes("lifetime_budget=42000") ? outage() : null));
    expect((await updateCampaign(home, id, { budget: 420 })).status).toBe(200);
    await pass(30 * MINUTE, 5 * MINUTE);
    expect(await committed(home)).toBe(420);
    const second = wanted(home, { budget: 210, name: uniquely("Second") });
    expect((await home.project.call("POST", "/boost-campaigns/create-campaign", { body: second })).status).toBe(429);
    noHooks();
    await pass(20 * MINUTE, 10 * MINUTE);
    expect(await campaignOf(home, id)).toMatchObject({ budget: 420, reason: null });
    expect(await committed(home)).toBe(420);
  });

  test("counts a lowering when the platform has it, and not before", { timeout: 60_000 }, async () => {
    const home = await boostHome("facebook");
    await ceiling(home, 450);
    const id = await activeCampaign(home, { budget: 400, name: uniquely("Lowered") });
    hook(({ method, body, url }) =>
      method === "POST" && body.includes("lifetime_budget=") && !url.includes("/adsets")
        ? refusedByMeta("Not lower.")
        : null,
    );
    expect((await updateCampaign(home, id, { budget: 100 })).status).toBe(200);
    expect(await committed(home)).toBe(400);
    await pass(10 * MINUTE, 5 * MINUTE);
    const shown = await campaignOf(home, id);
    expect(shown).toMatchObject({ status: "active", budget: 400, reason: expect.stringContaining("Not lower.") });
    expect(shown.events.map(({ type }) => type)).toContain("campaign.change_failed");
    noHooks();
    expect((await updateCampaign(home, id, { budget: 100 })).status).toBe(200);
    await queuesIdle(30 * SECOND);
    expect(await committed(home)).toBe(100);
  });

  test("lets a budget be lowered also where it is passed already", async () => {
    const home = await boostHome("facebook");
    const id = await activeCampaign(home, { budget: 210, name: uniquely("Passed") });
    await ceiling(home, 50);
    expect((await updateCampaign(home, id, { budget: 220 })).status).toBe(429);
    expect((await updateCampaign(home, id, { budget: 100 })).status).toBe(200);
  });

  test("knows what a daily budget has spent when it is lowered", { timeout: 120_000 }, async () => {
    const home = await boostHome("tiktok");
    const id = await activeCampaign(home, {
      budget: 60,
      duration: 4,
      duration_type: "daily_budget",
      name: uniquely("Daily"),
    });
    await pass(71 * HOUR, 6 * HOUR);
    expect((await updateCampaign(home, id, { budget: 50 })).status).toBe(200);
    await queuesIdle(30 * SECOND);
    const most = await committed(home);
    await pass(30 * HOUR, 6 * HOUR);
    expect((await campaignOf(home, id)).spend).toBeLessThanOrEqual(most);
  });
});

describe("a change", () => {
  test("is not undone by the refusal of an older one", { timeout: 60_000 }, async () => {
    const home = await boostHome("facebook");
    const name = uniquely("Twice");
    const id = await activeCampaign(home, { budget: 210, name });
    let second = 0;
    hook(async ({ method, body }) => {
      if (method !== "POST" || second !== 0 || !body.includes("lifetime_budget=42000")) return null;
      second = -1;
      second = (await updateCampaign(home, id, { budget: 300 })).status;
      return refusedByMeta("That is too much.");
    });
    expect((await updateCampaign(home, id, { budget: 420 })).status).toBe(200);
    await pass(10 * MINUTE, 5 * MINUTE);
    expect(second).toBe(200);
    expect((await campaignOf(home, id)).budget).toBe(300);
    expect((await adsOf("facebook", "adset", name)).map(({ budget_minor }) => budget_minor)).toEqual([30_000]);
  });

  test("that comes too late is reported", { timeout: 90_000 }, async () => {
    const home = await boostHome("facebook");
    const id = await activeCampaign(home, { name: uniquely("Longer"), duration: 1, budget: 100 });
    await pass(23 * HOUR, 4 * HOUR);
    hook(({ method, body }) => (method === "POST" && body.includes("end_time=") ? outage() : null));
    expect((await updateCampaign(home, id, { duration: 3 })).status).toBe(200);
    await pass(3 * HOUR, 30 * MINUTE);
    const shown = await campaignOf(home, id);
    expect(shown).toMatchObject({ status: "completed", duration: 1 });
    expect(shown.events.map(({ type }) => type)).toContain("campaign.change_failed");
  });
});
