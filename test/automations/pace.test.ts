import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { MAX_IN_FLIGHT } from "../../src/jobs/capacity.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { crossed } from "../contract/sample.ts";
import { type Home, homeOn, type Name, plainestOn, planFor, send, settings } from "../contract/world.ts";
import { dropWebhooks, logOf, makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { newJob } from "../support/engine.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";

/** Pace is decided when a bot acts: no project holds back what others could use. */
// A test has projects of its own: the bots of the tests before would only be polled beside them.
beforeEach(startClean);

async function livePost(home: Home) {
  const name = home.channel.channel_type;
  const types = platforms[name]?.comments?.types ?? [];
  const shape = planFor(name).shapes.find(({ type, items }) => types.includes(type) && items.length === 1);
  const { id } = await send(home, shape ?? plainestOn(name));
  await queuesIdle();
  return platformIdOf(id);
}

async function freshHome(name: Name): Promise<Home> {
  return homeOn(name, await sandbox.addAccount(name, crypto.randomUUID().slice(0, 8)), { isWhole: true });
}

async function flood(name: Name, post: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) await sandbox.comment(name, post, `Me ${index}`, `Person ${index}`);
  await dropWebhooks();
}

async function request(name: Name, post: string): Promise<string> {
  const text = `A question ${crypto.randomUUID()}`;
  await sandbox.comment(name, post, text, `Someone ${text}`);
  await dropWebhooks();
  return text;
}

/** Minutes until the bot has answered this comment; throws after `most`. */
async function answeredAfter(home: Home, bot: number, text: string, most: number): Promise<number> {
  for (let count = 1; count <= most; count++) {
    await minutes(1);
    const entry = (await logOf(home.project, bot)).find(({ comment }) => comment.text === text);
    if (entry?.outcome === "replied") return count;
  }
  throw new Error(`No answer within ${most} minutes.`);
}

/** The log shows a hundred at a time. */
async function replied(bot: number): Promise<number> {
  const query = "SELECT count(*) AS n FROM replies WHERE automation_id = ? AND outcome = 'replied'";
  return (await env.DB.prepare(query).bind(bot).first<{ n: number }>())?.n ?? 0;
}

const POLLED = ["twitter", "tiktok", "youtube", "linkedin", "facebook"] as const;

test.for(crossed("an old quiet post", POLLED, 2))(
  "%s: a comment under a new post is answered soon, though an old quiet post is polled as well",
  { timeout: 90_000 },
  async (name) => {
    const home = await freshHome(name);
    await livePost(home);
    const bot = await makeBot(home.project, [home.channel], { comment_reply: `Thanks ${crypto.randomUUID()}` });
    await minutes(2);
    for (let step = 0; step < 36; step++) {
      await advance(6 * HOUR);
      await cron();
      await queuesIdle(1_000);
    }
    await dropWebhooks();
    const fresh = await livePost(home);
    await minutes(2);
    expect(await answeredAfter(home, bot.id, await request(name, fresh), 5)).toBeLessThanOrEqual(5);
  },
);

test("what a deleted bot had waiting holds nothing back", { timeout: 90_000 }, async () => {
  const home = await freshHome("twitter");
  const post = await livePost(home);
  const loud = await makeBot(home.project, [home.channel], { comment_reply: "Flood" });
  await minutes(1);
  await flood("twitter", post, 120);
  await minutes(4);
  expect(await replied(loud.id)).toBeGreaterThanOrEqual(10);
  await home.project.call("DELETE", `/social/delete-comment-automation/${loud.id}`);
  await minutes(2);
  const calm = await makeBot(home.project, [home.channel], { comment_reply: "Calm" });
  await minutes(1);
  expect(await answeredAfter(home, calm.id, await request("twitter", post), 17)).toBeLessThanOrEqual(5);
});

/** Two bots of an X account, each for a post of its own. */
async function twoBots() {
  const home = await freshHome("twitter");
  await livePost(home);
  await livePost(home);
  const { results } = await env.DB.prepare("SELECT id FROM posts WHERE channel_id = ? ORDER BY id")
    .bind(home.channel.channel_id)
    .all<{ id: number }>();
  const [first, second] = results;
  if (!first || !second) throw new Error("There are no two posts.");
  const botFor = async (text: string, { id }: { id: number }) => ({
    ...(await makeBot(home.project, [home.channel], { comment_reply: text, target_type: "posts", post_ids: [id] })),
    post: await platformIdOf(id),
  });
  return { home, loud: await botFor("Flood", first), calm: await botFor("Calm", second) };
}

test("bots of an account take turns: one's flood delays another's answer by one act", { timeout: 90_000 }, async () => {
  const { home, loud, calm } = await twoBots();
  await minutes(1);
  await flood("twitter", loud.post, 60);
  await minutes(4);
  const before = await replied(loud.id);
  const text = await request("twitter", calm.post);
  // One act every 82 s becomes free, after those at the front of the queue.
  expect(await answeredAfter(home, calm.id, text, 17)).toBeLessThanOrEqual(5);
  // And none of them starves.
  await minutes(20);
  expect(await replied(loud.id)).toBeGreaterThanOrEqual(before + 8);
});

test("who moves up in line passes its project's share, however full that is", { timeout: 90_000 }, async () => {
  const { home, loud, calm } = await twoBots();
  await minutes(1);
  await flood("twitter", loud.post, 40);
  await minutes(4);
  for (let count = 0; count < 5; count++) await request("twitter", calm.post);
  await minutes(3);
  const before = await replied(calm.id);
  expect(before).toBeLessThanOrEqual(3);
  const { project_id: projectId } = z
    .object({ project_id: z.number() })
    .parse(await env.DB.prepare("SELECT project_id FROM channels WHERE id = ?").bind(home.channel.channel_id).first());
  for (let count = 0; count < MAX_IN_FLIGHT; count++) await newJob({ projectId, queue: "replies" });
  await env.DB.prepare(
    "UPDATE jobs SET message_at = ?1, throttled_at = NULL, lease_owner = 'busy', lease_until = ?2 WHERE kind = 'engine'",
  )
    .bind(Date.now(), Date.now() + HOUR)
    .run();
  await home.project.call("DELETE", `/social/delete-comment-automation/${loud.id}`);
  // Each of the others' turns is theirs now: one every 82 s.
  await minutes(Math.ceil(((5 - before) * 82) / 60) + 2);
  expect(await replied(calm.id)).toBe(5);
  await env.DB.prepare("DELETE FROM jobs WHERE kind = 'engine'").run();
});

describe("YouTube, which counts per app", () => {
  test("one project's flood delays another project's answer by a turn; an answer that waits a day fails with its reason", {
    timeout: 200_000,
  }, async () => {
    await settings({});
    const one = await freshHome("youtube");
    const loudPost = await livePost(one);
    const loud = await makeBot(one.project, [one.channel], { comment_reply: "Flood" });
    await minutes(1);
    await flood("youtube", loudPost, 100);
    await minutes(6);
    expect(await replied(loud.id)).toBeLessThanOrEqual(40);
    const two = await freshHome("youtube");
    const quiet = await livePost(two);
    const calm = await makeBot(two.project, [two.channel], { comment_reply: "Calm" });
    await minutes(2);
    const waited = await answeredAfter(two, calm.id, await request("youtube", quiet), 100);
    expect(waited).toBeLessThanOrEqual(80);
    for (let half = 0; half < 50; half++) {
      await advance(30 * MINUTE);
      await cron();
      await queuesIdle(1_000);
    }
    const rows = await env.DB.prepare(
      "SELECT outcome, reason, count(*) AS n FROM replies WHERE automation_id = ? GROUP BY 1, 2",
    )
      .bind(loud.id)
      .all<{ outcome: string; reason: string | null; n: number }>();
    const failed = rows.results.filter(({ outcome }) => outcome === "failed");
    expect(failed).toEqual([{ outcome: "failed", reason: "rate_limited", n: expect.any(Number) }]);
    expect(rows.results.filter(({ outcome }) => outcome === "waiting")).toEqual([]);
    // No window of a day holds more than the pace.
    expect(rows.results.find(({ outcome }) => outcome === "replied")?.n).toBeLessThanOrEqual(82);
  });
});
