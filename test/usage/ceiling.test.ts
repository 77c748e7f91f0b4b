import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import { makeBot, minutes } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { eventsOf } from "../support/queueing.ts";
import { sandbox } from "../support/sandbox.ts";
import { type ChannelRef, call, createPost, findPost, HANDLES, type Project, projectWith } from "../support/world.ts";

/** The most that platforms may charge a project in a month: MAX_PLATFORM_COST, `npm run ceiling`. */
const MINUTE = 60_000;

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
  const { platform_cost, ceiling } = Usage.parse((await project.call("GET", "/social/usage")).body);
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

async function notices(project: Project): Promise<readonly unknown[]> {
  const rows = await env.DB.prepare(
    `SELECT detail FROM events JOIN projects ON projects.id = events.project_id
     WHERE projects.name = ? AND type = 'usage.near_limit' ORDER BY events.id`,
  )
    .bind(project.name)
    .all<{ detail: string }>();
  return rows.results.map(({ detail }) => z.object({ percent: z.int() }).parse(JSON.parse(detail)).percent);
}

test("at the ceiling not one paid call more is made, and what waits goes on when it is raised or the month ends", {
  timeout: 120_000,
}, async () => {
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
  // The timeline names the reason, and when it goes on.
  const waiting = [];
  for (const id of ids) if ((await stateOf(project, id)) === "processing") waiting.push(id);
  const [first = 0] = waiting;
  const events = await eventsOf(project, first);
  const wait = events.findLast(({ type }) => type === "post.waiting");
  expect(wait).toMatchObject({ detail: { error_code: "cost_ceiling" }, message: expect.stringContaining("1.00 USD") });
  expect(await notices(project)).toEqual([80, 100]);
  // Raised: the waiting posts go on without another request, as far as it allows.
  await setCeiling(project, 2);
  await pass(4, 20_000);
  expect(await states()).toEqual(Array(8).fill("published"));
  expect(await usageOf(project)).toEqual({ cost: 1.625, ceiling: 2 });
  expect(await notices(project)).toEqual([80, 100]);
  // Down again, and a month later.
  const late = await linksAtOnce(project, channel, 3);
  await pass(2, 20_000);
  expect((await Promise.all(late.map((id) => stateOf(project, id)))).toSorted()).toEqual([
    "processing",
    "processing",
    "published",
  ]);
  const now = new Date();
  await advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) - Date.now() + 11 * MINUTE);
  await pass(12, 120_000);
  for (const id of late) expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
});

test("comments are read up to the ceiling and never beyond, less often from 80 % on", {
  timeout: 120_000,
}, async () => {
  const { project, channel } = await projectWith("twitter", HANDLES.fern);
  const id = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await pass(1, 1_000);
  await makeBot(project, [channel]);
  const reads = async () => {
    const calls = z.array(z.looseObject({ path: z.string() })).parse(await sandbox.control("GET", "calls"));
    return calls.filter(({ path }) => path.includes("search/recent")).length;
  };
  await minutes(10);
  expect(await reads()).toBeGreaterThan(2);
  expect(await stateOf(project, id)).toBe("published");
  // A read of a hundred replies and authors may cost up to two dollars: one that could pass it is not made.
  await setCeiling(project, 1);
  const before = await reads();
  await minutes(10);
  expect(await reads()).toBe(before);
  expect((await usageOf(project)).cost).toBeLessThan(1);
});
