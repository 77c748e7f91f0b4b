import { beforeEach, describe, expect, test } from "vitest";
import { DRAWN, drawn } from "../contract/sample.ts";
import { settings } from "../contract/world.ts";
import {
  books,
  boost,
  boostableFor,
  boostHome,
  campaignOf,
  ceiling,
  committed,
  type Home,
  pass,
  updateCampaign,
} from "../support/boosts.ts";
import { startClean } from "../support/clean-start.ts";
import { type Hook, hook, noHooks, outage, refusedByMeta } from "../support/platform-hooks.ts";
import { queuesIdle } from "../support/queue.ts";
import { happens, oneOf, seededRandom, uniquely, whole } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../support/times.ts";

/** What a campaign may come to (src/boosts/committed.ts) is never less than what the platform spends. */

// A test has a project of its own: what the tests before left would only be kept up beside it.
beforeEach(startClean);

const minor = async (home: Home) => Math.round((await committed(home)) * 100);

/** Of daily budgets as fast and as much as the platform allows on each day. */
const GREEDY = { ads_speed: 8, ads_daily_overshoot: 0.75, tiktok_ads_speed: 8 };

/** As the platform refuses a budget. */
const refused = (home: Home) =>
  home.platform === "tiktok"
    ? Response.json({ code: 40002, message: "Not now.", request_id: "x", data: {} })
    : refusedByMeta("Not now.");

test("a lowered daily budget counts with the highest one of its day", { timeout: 60_000 }, async () => {
  const home = await boostHome("facebook");
  await settings({ ads_speed: 8, ads_daily_overshoot: 0.75 });
  const name = uniquely("Peak");
  const id = await boost(home, { name, duration_type: "daily_budget", budget: 200, duration: 3 });
  await pass(10 * MINUTE, 5 * MINUTE);
  expect((await updateCampaign(home, id, { budget: 10 })).status).toBe(200);
  await queuesIdle(30 * SECOND);
  const most = await minor(home);
  await pass(6 * HOUR, HOUR);
  const { spent } = await books(home, name);
  expect(spent).toBeGreaterThan(30_000);
  expect(most).toBeGreaterThanOrEqual(spent);
  // Of the day's highest budget a day, and of the new one the rest of its days.
  expect(most).toBeLessThanOrEqual(2 * 1.75 * 20_000 + 4 * 1.75 * 1_000);
  await pass(26 * HOUR, 2 * HOUR);
  const later = await books(home, name);
  expect(await minor(home)).toBeLessThanOrEqual(later.spent + 3 * 1.75 * 1_000);
  await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
  await queuesIdle(30 * SECOND);
});

/** The deletions of a platform do not get through, nor what is switched off for them. */
const isRemoval: Hook = ({ method, body }) =>
  method === "DELETE" || (method === "POST" && /"?(status|operation_status)"?[=:]"?(PAUSED|DISABLE|DELETE)/.test(body))
    ? outage()
    : null;

test.for(boostableFor("beside"))(
  "on %s daily objects that take the place of their like count beside those, while these go on",
  { timeout: 120_000 },
  async (platform) => {
    const home = await boostHome(platform);
    await settings(GREEDY);
    const name = uniquely("Beside");
    const id = await boost(home, { name, duration_type: "daily_budget", budget: 200, duration: 3 });
    await pass(20 * MINUTE, 5 * MINUTE);
    const { campaign_objective: before } = await campaignOf(home, id);
    hook(isRemoval);
    expect((await updateCampaign(home, id, { campaign_objective: "awareness" })).status).toBe(200);
    await queuesIdle(1_000);
    expect((await updateCampaign(home, id, { campaign_objective: before })).status).toBe(200);
    const most = await minor(home);
    await pass(6 * HOUR, 2 * HOUR);
    noHooks();
    for (let days = 0; days < 4; days++) {
      await pass(DAY, 8 * HOUR);
      const { spent } = await books(home, name);
      expect(most, `day ${days}: ${spent}`).toBeGreaterThanOrEqual(spent);
    }
    expect(await campaignOf(home, id)).toMatchObject({ status: "completed", campaign_objective: before });
  },
);

/** One of the seeds that decide the random changes; all of them in a whole run. */
const seedsFor = (label: string, seeds: readonly number[]) => drawn(`ceiling: ${label}`, seeds, 1);

describe.for(boostableFor("committed"))(`what is committed on %s, by changes ${DRAWN}`, (platform) => {
  const TYPES = ["lifetime_budget", "daily_budget"];
  test.for(TYPES.flatMap((type) => seedsFor(`${platform} ${type}`, [11, 12]).map((seed) => [type, seed] as const)))(
    "is never less than what is spent and can still be: %s, seed %i",
    { timeout: 120_000 },
    async ([type, seed]) => {
      const random = seededRandom(seed);
      const home = await boostHome(platform);
      const isDaily = type === "daily_budget";
      if (isDaily) await settings(GREEDY);
      await ceiling(home, 100_000);
      const name = uniquely("Random");
      const id = await boost(home, { name, duration_type: type, budget: 300, duration: 14 });
      await pass(20 * MINUTE, 5 * MINUTE);
      let mood = 0;
      hook(({ method, body }) => {
        if (method !== "POST" || !/(lifetime|daily)_budget=|"budget":/.test(body)) return null;
        return mood === 1 ? refused(home) : mood === 2 ? outage() : null;
      });
      // What it was said to come to since the last change.
      let least = Number.POSITIVE_INFINITY;
      const check = async (turn: number) => {
        const most = await minor(home);
        expect(most, `turn ${turn}: it rose without a request`).toBeLessThanOrEqual(least);
        least = Math.min(least, most);
        const { spent, left } = await books(home, name);
        expect(
          most - spent - (isDaily ? 0 : left),
          `turn ${turn}: ${most} for ${spent} and ${left}`,
        ).toBeGreaterThanOrEqual(0);
        expect(least - spent, `turn ${turn}: ${least} before ${spent}`).toBeGreaterThanOrEqual(0);
      };
      const PAUSES = [
        [10 * SECOND, 10 * SECOND],
        [20 * MINUTE, 10 * MINUTE],
        [6 * HOUR, 3 * HOUR],
      ] as const;
      for (let turn = 0; turn < 12; turn++) {
        mood = whole(random, 0, 2);
        const kind = whole(random, 0, 4);
        if (kind < 3) await updateCampaign(home, id, { budget: whole(random, 60, 900) });
        if (kind === 3) await updateCampaign(home, id, { duration: whole(random, 5, 20) });
        least = Number.POSITIVE_INFINITY;
        await check(turn);
        await pass(...(PAUSES[whole(random, 0, 2)] ?? PAUSES[0]));
        await check(turn);
      }
      mood = 0;
      // Without further changes it runs on for a while.
      for (let turn = 12; turn < 16; turn++) {
        await pass(15 * HOUR, 5 * HOUR);
        await check(turn);
      }
      await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
      await pass(2 * MINUTE, MINUTE);
      const { spent, left } = await books(home, name);
      expect([left, await minor(home)]).toEqual([0, spent]);
    },
  );
});

describe.for(boostableFor("tight"))(`under a tight ceiling on %s, by changes ${DRAWN}`, (platform) => {
  test.for(seedsFor(`${platform} tight`, [32, 33, 34]))(
    "changes that replace, are refused and are taken back never pass it: seed %i",
    { timeout: 180_000 },
    async (seed) => {
      const random = seededRandom(seed);
      const home = await boostHome(platform);
      await settings({ ads_speed: 2, ads_daily_overshoot: 0.75, tiktok_ads_speed: 2 });
      const name = uniquely("Tight");
      const first = { duration_type: "lifetime_budget", budget: 300, duration: 7, campaign_objective: "engagement" };
      const id = await boost(home, { name, ...first });
      await pass(20 * MINUTE, 5 * MINUTE);
      // Some raises pass it, and most changes to a daily budget.
      const most = 100_000;
      await ceiling(home, most / 100);
      let mood = "well";
      hook((call) => {
        const { method, body } = call;
        if (mood === "keeps") return isRemoval(call);
        if (method !== "POST" || !/(lifetime|daily)_budget=|"budget":/.test(body)) return null;
        return mood === "refuses" ? refused(home) : mood === "down" ? outage() : null;
      });
      const check = async (turn: number) => {
        const all = await minor(home);
        const { spent, left } = await books(home, name);
        const { duration_type } = await campaignOf(home, id);
        expect(all, `turn ${turn}: ${mood}`).toBeLessThanOrEqual(most);
        expect(all, `turn ${turn}: ${mood}`).toBeGreaterThanOrEqual(
          spent + (duration_type === "daily_budget" ? 0 : left),
        );
      };
      let terms: Record<string, unknown> = first;
      for (let turn = 0; turn < 14; turn++) {
        mood = oneOf(random, ["well", "well", "refuses", "down", "keeps"]);
        if (happens(random, 0.3)) await sandbox.fault(platform, "ads_delete", "accept_then_error");
        const isDaily = happens(random, 0.5);
        const change = oneOf<Record<string, unknown>>(random, [
          { budget: whole(random, 60, 900) },
          { duration: whole(random, 5, 12) },
          { campaign_objective: oneOf(random, ["awareness", "engagement"]) },
          {
            duration_type: isDaily ? "daily_budget" : "lifetime_budget",
            budget: whole(random, 20, 60) * (isDaily ? 1 : 10),
          },
          terms,
        ]);
        const { duration_type, budget, duration, campaign_objective } = await campaignOf(home, id);
        terms = { duration_type, budget, duration, campaign_objective };
        await updateCampaign(home, id, change);
        // Some are taken back at once, others when they have come halfway.
        if (happens(random, 0.3)) await queuesIdle(1_000);
        if (happens(random, 0.3)) await updateCampaign(home, id, terms);
        await check(turn);
        await pass(
          ...oneOf(random, [
            [10 * SECOND, 10 * SECOND],
            [20 * MINUTE, 10 * MINUTE],
            [6 * HOUR, 3 * HOUR],
          ] as const),
        );
        await check(turn);
      }
      noHooks();
      await sandbox.noFaults();
      await pass(30 * MINUTE, 5 * MINUTE);
      await check(14);
      const { status, spend } = await campaignOf(home, id);
      expect(["active", "completed", "failed"]).toContain(status);
      if (status === "active") {
        await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
        await pass(2 * MINUTE, MINUTE);
      } else expect(Math.round(spend * 100)).toBe((await books(home, name)).spent);
      const { spent } = await books(home, name);
      expect(await minor(home)).toBe(spent);
      await pass(12 * HOUR, 6 * HOUR);
      expect((await books(home, name)).spent).toBe(spent);
    },
  );
});
