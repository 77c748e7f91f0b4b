import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { calm, type Home } from "./contract-world.ts";
import { advance } from "./support/clock.ts";
import { cron, queue, queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";
import { MINUTE } from "./support/times.ts";
import { createPost, PAGES, projectWith } from "./support/world.ts";

/** A reconnection is a row: what waited for the login goes on, however much it is, and whatever is lost on the way. */
const HOUR = 60 * MINUTE;
beforeEach(() => queue.loseAll());
afterEach(async () => {
  queue.refuse(0);
  await calm();
});

/** Lets the given time pass with sweeps in between. */
async function pass(ms: number, step: number): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    await queuesIdle(Math.min(step, 30_000));
    await advance(step);
    await cron();
  }
  await queuesIdle(30_000);
}

type Connected = Pick<Home, "project" | "channel"> & { readonly accountId: string };

/** Posts that are live and were deleted while the login was over; their mark. */
async function leftLive({ project, channel }: Connected, count: number): Promise<string> {
  const mark = crypto.randomUUID();
  const ids: number[] = [];
  for (let n = 0; n < count; n++) ids.push(await createPost(project, channel, { caption_text: `${mark} number ${n}` }));
  for (let n = 0; n < 10; n++) {
    await queuesIdle(30_000);
    await advance(30_000);
    await cron();
  }
  expect(await sandbox.postsWith(mark)).toHaveLength(count);
  await sandbox.fault("facebook", "delete", "revoke_token");
  for (const id of ids) expect((await project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(200);
  await queuesIdle(30_000);
  return mark;
}

const removalsOf = async (channelId: number) => {
  const rows = await env.DB.prepare(
    "SELECT DISTINCT removal FROM posts WHERE channel_id = ? AND deleted_at IS NOT NULL",
  )
    .bind(channelId)
    .all<{ removal: string }>();
  return rows.results.map(({ removal }) => removal);
};

async function connectedPage(): Promise<Connected> {
  return projectWith("facebook", PAGES.harbour);
}

describe("posts that were given up while their channel was disconnected", () => {
  test("are taken down though the queue refused every message of the reconnection", async () => {
    const home = await connectedPage();
    const mark = await leftLive(home, 2);
    await pass(26 * HOUR, HOUR);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["given_up"]);
    await sandbox.noFaults();
    queue.refuse(1_000);
    await home.project.connect("facebook", [home.accountId]);
    queue.refuse(0);
    await pass(15 * MINUTE, MINUTE);
    expect(await sandbox.postsWith(mark)).toEqual([]);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["done"]);
  });

  test("are taken down by sweeps alone when each message of the reconnection was lost", async () => {
    const home = await connectedPage();
    const mark = await leftLive(home, 2);
    await pass(26 * HOUR, HOUR);
    await sandbox.noFaults();
    await home.project.connect("facebook", [home.accountId]);
    queue.loseAll();
    await pass(15 * MINUTE, MINUTE);
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });

  test("are all taken down, 115 of them", { timeout: 180_000 }, async () => {
    const home = await connectedPage();
    const mark = await leftLive(home, 115);
    await pass(26 * HOUR, HOUR);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["given_up"]);
    await sandbox.noFaults();
    await home.project.connect("facebook", [home.accountId]);
    await pass(5 * MINUTE, MINUTE);
    expect(await sandbox.postsWith(mark)).toEqual([]);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["done"]);
  });
});
