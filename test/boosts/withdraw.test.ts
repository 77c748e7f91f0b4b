import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  activeCampaign,
  adsOf,
  boost,
  boostableFor,
  boostHome,
  campaignOf,
  type Home,
  pass,
  publishBoostable,
} from "../support/boosts.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE, SECOND } from "../support/times.ts";

/** What becomes of campaigns when their post, their channel or its login goes. */

/** How often the state of campaigns was read from the platform. */
async function looks(platform: string): Promise<number> {
  const calls = z.array(z.looseObject({ operation: z.string().nullable() }));
  const all = calls.parse(await sandbox.control("GET", `calls?platform=${platform}`));
  return all.filter(({ operation }) => operation === "ads_read").length;
}

const running = async (platform: Home["platform"], name: string) =>
  (await adsOf(platform, undefined, name)).filter(({ kind }) => kind !== "creative");

describe.for(boostableFor("withdraw"))("on %s", (platform) => {
  let home: Home;
  beforeAll(async () => {
    home = await boostHome(platform);
  });
  afterEach(() => sandbox.noFaults());

  test("a post that is deleted takes its campaigns along, whether it stays up or not", async () => {
    const name = `Taken along ${crypto.randomUUID().slice(0, 8)}`;
    const postId = await publishBoostable(home, name);
    const id = await activeCampaign(home, { social_post_id: postId, name });
    expect(await running(platform, name)).not.toEqual([]);
    expect((await home.project.call("DELETE", `/social/delete-post/${postId}`)).status).toBe(200);
    expect((await home.project.call("GET", `/boost-campaigns/get-campaign/${id}`)).status).toBe(404);
    await queuesIdle(30 * SECOND);
    expect(await running(platform, name)).toEqual([]);
  });

  test("one that has ended stays listed without its post, and can be deleted", async () => {
    const name = `Over ${crypto.randomUUID().slice(0, 8)}`;
    const postId = await publishBoostable(home, name);
    const id = await activeCampaign(home, { social_post_id: postId, name, duration: 2 });
    await pass(72 * HOUR, 12 * HOUR);
    expect(await campaignOf(home, id)).toMatchObject({ status: "completed" });
    await home.project.call("DELETE", `/social/delete-post/${postId}`);
    await queuesIdle(30 * SECOND);
    expect(await campaignOf(home, id)).toMatchObject({ status: "completed" });
    await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
    await queuesIdle(30 * SECOND);
    expect(await running(platform, name)).toEqual([]);
  });

  test("a login that ends is reported on the campaign, and the platform is not called until it is connected again", async () => {
    const id = await activeCampaign(home, { name: `Login ${crypto.randomUUID().slice(0, 8)}` });
    await sandbox.fault(platform, "ads_read", "revoke_token");
    await pass(30 * MINUTE, 5 * MINUTE);
    const shown = await campaignOf(home, id);
    expect(shown).toMatchObject({ status: "active", error_code: "reconnect_needed" });
    expect(shown.reason).toMatch(/^The campaign.s status cannot be read at the platform: \S.*\.$/);
    const before = await looks(platform);
    await pass(60 * MINUTE, 10 * MINUTE);
    expect(await looks(platform)).toBe(before);
    await home.project.connect(platform, undefined, platform === "tiktok" ? ["ads"] : []);
    await pass(20 * MINUTE, 10 * MINUTE);
    expect(await campaignOf(home, id)).toMatchObject({ status: "active", reason: null, error_code: null });
    await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
    await queuesIdle(30 * SECOND);
  });

  test("a channel is not disconnected while one spends, nor while one is being ended", async () => {
    const { project, channel } = home;
    const name = `Spends ${crypto.randomUUID().slice(0, 8)}`;
    const id = await activeCampaign(home, { name });
    const disconnect = () => project.call("DELETE", `/social/delete-channel/${channel.channel_id}`);
    const refused = z.object({ code: z.string(), message: z.string() });
    const first = await disconnect();
    expect(first.status).toBe(422);
    expect(refused.parse(first.body)).toMatchObject({
      code: "not_changeable",
      message: expect.stringMatching(new RegExp(`Delete them first: ${id}\\.`)),
    });
    await project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
    const second = await disconnect();
    expect(second.status).toBe(422);
    expect(refused.parse(second.body).message).toContain(`${id}. Try again in a minute.`);
    await queuesIdle(30 * SECOND);
    expect(await running(platform, name)).toEqual([]);
    expect((await disconnect()).status).toBe(200);
  });
});

test("another project's channel with a campaign is not there", async () => {
  const home = await boostHome("facebook");
  const id = await boost(home);
  const other = await boostHome("facebook");
  expect((await other.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`)).status).toBe(404);
  await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
  await queuesIdle(30 * SECOND);
});

test("a channel whose login is dead is disconnected once its campaigns are deleted here", async () => {
  const home = await boostHome("facebook");
  const id = await boost(home);
  await queuesIdle(30 * SECOND);
  await sandbox.fault("facebook", "ads_read", "revoke_token");
  await pass(10 * MINUTE, MINUTE);
  const disconnect = () => home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`);
  expect((await disconnect()).status).toBe(422);
  await home.project.call("DELETE", `/boost-campaigns/delete-campaign/${id}`);
  expect((await disconnect()).status).toBe(200);
});
