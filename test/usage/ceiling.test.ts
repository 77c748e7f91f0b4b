import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { entryOf, makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance, rewind } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { eventsOf } from "../support/queueing.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import { type ChannelRef, call, createPost, findPost, HANDLES, type Project, projectWith } from "../support/world.ts";

/** The most that platforms may charge a project in a month: MAX_PLATFORM_COST, `npm run ceiling`. */

// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
afterEach(async () => {
  await sandbox.noFaults();
  await rewind();
});

async function setCeiling({ name }: Project, most?: number) {
  const body = { project: name, ...(most === undefined ? {} : { most }) };
  const answer = await call("POST", "/internal/cost-ceilings", {
    headers: { "X-Operator-Key": env.OPERATOR_KEY },
    body,
  });
  expect(answer.status).toBe(200);
  return z.object({ most: z.string().nullable(), spent: z.string() }).parse(answer.body);
}

const Usage = z.object({
  platform_cost: z.object({ amount: z.number() }),
  ceiling: z.object({ amount: z.number() }).nullable(),
});
async function usageOf(project: Project) {
  const { platform_cost, ceiling } = Usage.parse((await project.call("GET", "/social/get-usage")).body);
  return { cost: platform_cost.amount, ceiling: ceiling?.amount ?? null };
}

const stateOf = async (project: Project, id: number) => (await findPost(project, id)).STATUS;

async function pass(times: number, ms: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    await queuesIdle();
    await advance(ms);
    await cron();
  }
  await queuesIdle();
}

/** Creates posts with a link, 0.20 each, at the same moment. */
async function linksAtOnce(project: Project, channel: ChannelRef, count: number): Promise<readonly number[]> {
  const texts = Array.from({ length: count }, () => `${crypto.randomUUID()} example.com`);
  return Promise.all(texts.map((caption_text) => createPost(project, channel, { caption_text })));
}

/** The percents of which the project was notified, with their months. */
async function notices(project: Project): Promise<readonly string[]> {
  const rows = await env.DB.prepare(
    `SELECT detail FROM events JOIN projects ON projects.id = events.project_id
     WHERE projects.name = ? AND type = 'usage.near_limit' ORDER BY events.id`,
  )
    .bind(project.name)
    .all<{ detail: string }>();
  const Detail = z.object({ percent: z.int(), month: z.string() });
  return rows.results.map(({ detail }) => {
    const { percent, month } = Detail.parse(JSON.parse(detail));
    return `${month} ${percent}`;
  });
}

const monthOf = (time: number) => new Date(time).toISOString().slice(0, 7);

function nextMonth(): number {
  const now = new Date(Date.now());
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
}

/** Calls that X has received of this kind, for an account where the path names it. */
async function callsTo(path: string): Promise<number> {
  const calls = z.array(z.looseObject({ path: z.string() })).parse(await sandbox.control("GET", "calls"));
  return calls.filter((one) => one.path.includes(path)).length;
}

test("at the ceiling not one paid call more is made, and what waits goes on when it is raised or the month ends", {
  timeout: 120_000,
}, async () => {
  await advance(nextMonth() - 3 * HOUR - Date.now());
  const month = monthOf(Date.now());
  const { project, channel } = await projectWith("twitter");
  expect(await setCeiling(project)).toEqual({ most: null, spent: "0.01 USD" });
  await setCeiling(project, 1);
  const ids = await linksAtOnce(project, channel, 8);
  await pass(3, 20_000);
  const states = async () => (await Promise.all(ids.map((id) => stateOf(project, id)))).toSorted();
  expect(await states()).toEqual([...Array(4).fill("processing"), ...Array(4).fill("published")]);
  expect(await usageOf(project)).toEqual({ cost: 0.81, ceiling: 1 });
  // What still fits is published.
  const small = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await pass(1, 1_000);
  expect(await stateOf(project, small)).toBe("published");
  // The timeline names the reason, and when the post continues.
  const waiting = [];
  for (const id of ids) if ((await stateOf(project, id)) === "processing") waiting.push(id);
  const [first = 0] = waiting;
  const events = await eventsOf(project, first);
  const wait = events.findLast(({ type }) => type === "post.waiting");
  expect(wait).toMatchObject({ detail: { error_code: "cost_ceiling" }, message: expect.stringContaining("1.00 USD") });
  expect(await notices(project)).toEqual([`${month} 80`, `${month} 100`]);
  // Raised: the waiting posts continue without another request, as far as it allows.
  await setCeiling(project, 2);
  await pass(4, 20_000);
  expect(await states()).toEqual(Array(8).fill("published"));
  expect(await usageOf(project)).toEqual({ cost: 1.625, ceiling: 2 });
  // Two of three do not fit: they continue next month.
  const late = await linksAtOnce(project, channel, 3);
  await pass(2, 20_000);
  const lateStates = async () => (await Promise.all(late.map((id) => stateOf(project, id)))).toSorted();
  expect(await lateStates()).toEqual(["processing", "processing", "published"]);
  // Lowered and raised: one notice for each share and month all the same.
  for (const most of [1, 3, 2]) await setCeiling(project, most);
  await pass(2, 20_000);
  expect(await notices(project)).toEqual([`${month} 80`, `${month} 100`]);
  await advance(nextMonth() + 11 * MINUTE - Date.now());
  await pass(3, 6 * HOUR);
  expect(await lateStates()).toEqual(Array(3).fill("published"));
  // The new month has its own notices: lowering the ceiling below what was spent sends both.
  const next = monthOf(Date.now());
  expect(next).not.toBe(month);
  const { cost } = await usageOf(project);
  expect(cost).toBeLessThan(1);
  await setCeiling(project, 0);
  expect((await notices(project)).slice(2)).toEqual([`${next} 80`, `${next} 100`]);
});

test("a thread is reserved as a whole: it never stops at the ceiling between two items", async () => {
  const { project, channel } = await projectWith("twitter");
  await setCeiling(project, 1);
  const items = (count: number) =>
    Array.from({ length: count }, () => ({ message: `${crypto.randomUUID()} example.com`, media_urls: [] }));
  const tooLong = await createPost(project, channel, { post_type: "thread", twitter_threads: items(5) });
  const short = await createPost(project, channel, { post_type: "thread", twitter_threads: items(4) });
  await pass(3, 20_000);
  expect([await stateOf(project, tooLong), await stateOf(project, short)]).toEqual(["processing", "published"]);
  expect(await usageOf(project)).toEqual({ cost: 0.81, ceiling: 1 });
  await setCeiling(project, 2);
  await pass(3, 20_000);
  expect(await stateOf(project, tooLong)).toBe("published");
  expect(await usageOf(project)).toEqual({ cost: 1.81, ceiling: 2 });
});

test("from 80 % of the ceiling on, comments are polled less often, in pages that still fit", {
  timeout: 120_000,
}, async () => {
  const { project, channel } = await projectWith("twitter", HANDLES.fern);
  const id = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await linksAtOnce(project, channel, 8);
  await pass(1, 1_000);
  await makeBot(project, [{ ...channel }], { response_type: "comment" });
  const reads = () => callsTo("search/recent");
  await minutes(12);
  const usual = await reads();
  expect(usual).toBeGreaterThan(8);
  // 1.625 of 2 are spent. A page of a hundred replies could cost 3.
  await setCeiling(project, 2);
  await minutes(3);
  const before = await reads();
  await sandbox.comment("twitter", await platformIdOf(id), `@fern hello ${crypto.randomUUID()}`, "Ana");
  await minutes(12);
  const slow = (await reads()) - before;
  expect(slow).toBeGreaterThan(0);
  expect(slow).toBeLessThanOrEqual(usual / 2);
  // The comment was read and answered.
  expect((await usageOf(project)).cost).toBeGreaterThan(1.625);
  expect((await usageOf(project)).cost).toBeLessThanOrEqual(2);
  // At the ceiling nothing is read.
  await setCeiling(project, 1);
  await minutes(1);
  const [full, cost] = [await reads(), await usageOf(project)];
  await minutes(5);
  expect([await reads(), await usageOf(project)]).toEqual([full, cost]);
});

test("from 80 % of the ceiling on, lost answers are looked up less often", { timeout: 120_000 }, async () => {
  const near = await projectWith("twitter", HANDLES.fern);
  const free = await projectWith("twitter");
  await linksAtOnce(near.project, near.channel, 8);
  await setCeiling(near.project, 2);
  await pass(2, 5 * MINUTE);
  await sandbox.fault("twitter", "publish", "error", 2);
  const posts = await Promise.all(
    [free, near].map(async ({ project, channel }) => ({
      project,
      id: await createPost(project, channel, { caption_text: crypto.randomUUID() }),
    })),
  );
  const states = () => Promise.all(posts.map(({ project, id }) => stateOf(project, id)));
  const spend = async (turns: number) => {
    for (let turn = 0; turn < turns; turn++) {
      await queuesIdle(0);
      await advance(10_000);
      await cron();
    }
    await queuesIdle(0);
  };
  // Three look-ups within 43 seconds come before the next attempt; near the ceiling within three minutes.
  await spend(8);
  expect(await states()).toEqual(["published", "processing"]);
  for (let turn = 0; turn < 10 && (await states()).includes("processing"); turn++) await spend(6);
  expect(await states()).toEqual(["published", "published"]);
});

test("a bot's answer waits at the ceiling for longer than a day, and goes on when it is raised", {
  timeout: 120_000,
}, async () => {
  // A ceiling is that of a month, and this test takes two days.
  await advance(nextMonth() + HOUR - Date.now());
  const { project, channel } = await projectWith("twitter");
  const id = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await pass(1, 1_000);
  const bot = await makeBot(project, [channel], { response_type: "comment", comment_reply: "See example.com" });
  await linksAtOnce(project, channel, 4);
  await minutes(1);
  const text = `@acmebikes hello ${crypto.randomUUID()}`;
  await sandbox.comment("twitter", await platformIdOf(id), text, "Ana");
  // The comment is read before the ceiling is set, and answered after it.
  for (let turn = 0; turn < 3; turn++) {
    await advance(MINUTE);
    await cron();
    for (let message = queue.takeDue(); message; message = queue.takeDue()) {
      if (message.type === "recurring") await queue.deliver(message);
    }
  }
  await setCeiling(project, 1);
  await minutes(6);
  expect(await entryOf(project, bot.id, text)).toMatchObject({
    outcome: "waiting",
    message: expect.stringContaining("1.00 USD"),
  });
  for (let turn = 0; turn < 6; turn++) await pass(1, 6 * HOUR + 11 * MINUTE);
  expect(await entryOf(project, bot.id, text)).toMatchObject({ outcome: "waiting" });
  await setCeiling(project, 2);
  await minutes(3);
  expect(await entryOf(project, bot.id, text)).toMatchObject({ outcome: "replied" });
});
