import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { arm, disarm, FATES, type Fate, isStalled, makeMortal, resume, untilStalled } from "../../contract/mortal.ts";
import { drawn } from "../../contract/sample.ts";
import { calm, type Home } from "../../contract/world.ts";
import { startClean } from "../../support/clean-start.ts";
import { advance } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { HOUR, MINUTE } from "../../support/times.ts";
import { createPost, PAGES, projectWith } from "../../support/world.ts";

/**
 * A reconnection is a row: what waited for the login continues, however much it is, and whatever is lost on
 * the way.
 */
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

/**
 * So many posts more that are live and were given up, as the one with the mark was; its row and job are
 * copied.
 */
async function copyGivenUp({ accountId }: Connected, mark: string, count: number, text = mark): Promise<void> {
  const made = Array.from({ length: count }, (_, n) => ({
    platform: "facebook",
    account_id: accountId,
    text: `${text} copy ${n}`,
    application: "own",
  }));
  const live = await Promise.all(made.map((post) => sandbox.control("POST", "posts", post)));
  const given = `SELECT * FROM posts WHERE caption LIKE ?1 || ' number 0%'`;
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread, publish_mode,
        time_zone, publish_at, platform_posts, created_at, updated_at, published_at, removal, deleted_at)
      SELECT project_id, channel_id, channel_type, state, post_type, ?3, media_urls, hash_tags, thread, publish_mode, time_zone, publish_at,
        json_array(json_object('id', copy.value ->> 'id', 'secondaryId', NULL, 'permalink', NULL)),
        created_at, updated_at, published_at, 'given_up', deleted_at
      FROM (${given}) JOIN json_each(?2) AS copy`,
    ).bind(mark, JSON.stringify(live), text),
    env.DB.prepare(
      `INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, deadline_at, created_at, finished_at)
      SELECT kind || ':' || posts.id, kind, queue, posts.project_id, posts.id, jobs.state, run_at, deadline_at, jobs.created_at, finished_at
      FROM posts JOIN jobs ON jobs.key = 'unpublish:' || (SELECT id FROM (${given}))
      WHERE posts.caption = ?2 AND posts.removal = 'given_up'`,
    ).bind(mark, text),
  ]);
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

describe("removals that failed while their channel was disconnected", () => {
  // What the tests before left would be kept up through the days of the next one.
  beforeEach(startClean);

  test("are deleted though the queue refused every message of the reconnection", async () => {
    const home = await connectedPage();
    const mark = await leftLive(home, 2);
    await pass(26 * HOUR, 2 * HOUR);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["given_up"]);
    await sandbox.noFaults();
    queue.refuse(1_000);
    await home.project.connect("facebook", [home.accountId]);
    queue.refuse(0);
    await pass(15 * MINUTE, MINUTE);
    expect(await sandbox.postsWith(mark)).toEqual([]);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["done"]);
  });

  test("are deleted by sweeps alone when each message of the reconnection was lost", async () => {
    const home = await connectedPage();
    const mark = await leftLive(home, 2);
    await pass(26 * HOUR, 2 * HOUR);
    await sandbox.noFaults();
    await home.project.connect("facebook", [home.accountId]);
    queue.loseAll();
    await pass(15 * MINUTE, MINUTE);
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });

  test("are all deleted, 250 of them, in three chunks", { timeout: 60_000 }, async () => {
    const home = await connectedPage();
    const mark = await leftLive(home, 1);
    await pass(26 * HOUR, 2 * HOUR);
    await sandbox.noFaults();
    await copyGivenUp(home, mark, 249);
    expect(await sandbox.postsWith(mark)).toHaveLength(250);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["given_up"]);
    await home.project.connect("facebook", [home.accountId]);
    await pass(3 * MINUTE, MINUTE);
    expect(await sandbox.postsWith(mark)).toEqual([]);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["done"]);
  });
});

describe("whatever the work of a reconnection is about to do", () => {
  let home: Connected;
  let original: string;
  beforeAll(async () => {
    await startClean();
    home = await connectedPage();
    original = await leftLive(home, 1);
    await pass(26 * HOUR, 2 * HOUR);
    await sandbox.noFaults();
    makeMortal();
  });

  /**
   * A reconnection with two posts to take down, whose work meets this at its acts; how many acts there were.
   */
  async function reconnected(fates: Readonly<Record<number, Fate>>): Promise<number> {
    const mark = crypto.randomUUID();
    await copyGivenUp(home, original, 2, mark);
    await home.project.connect("facebook", [home.accountId]);
    arm(fates);
    await untilStalled(queuesIdle(1_000));
    const acts = disarm();
    if (isStalled()) resume();
    for (let looks = 0; looks < 10 && (await sandbox.postsWith(mark)).length > 0; looks++) {
      await advance(MINUTE);
      await cron();
      await queuesIdle(1_000);
    }
    expect([fates, await sandbox.postsWith(mark)]).toEqual([fates, []]);
    return acts;
  }

  test.for(FATES)("nothing stays live when a delivery of it %s there", { timeout: 60_000 }, async (fate) => {
    const acts = await reconnected({});
    expect(acts).toBeGreaterThan(10);
    const all = Array.from({ length: acts }, (_, index) => index + 1);
    for (const at of drawn(`reconnected ${fate}`, all, 3)) await reconnected({ [at]: fate });
    await pass(2 * MINUTE, MINUTE);
    expect(await removalsOf(home.channel.channel_id)).toEqual(["done"]);
  });
});
