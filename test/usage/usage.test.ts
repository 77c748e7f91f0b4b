import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { media } from "../contract/world.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { type ChannelRef, createPost, findPost, Project, projectWith } from "../support/world.ts";

/** What a project has used: GET /social/get-usage, and `cost` of find-post. */
const Line = z.object({
  service: z.string(),
  operation: z.string(),
  calls: z.int(),
  units: z.int(),
  bytes: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  amount: z.number(),
});
const Usage = z.object({
  month: z.string(),
  usage: z.array(Line),
  platform_cost: z.object({ amount: z.number(), currency: z.literal("USD") }),
});
const Found = z.object({ post: z.object({ cost: z.object({ amount: z.number(), reasons: z.array(z.unknown()) }) }) });

afterEach(async () => {
  for (const kind of ["accept_then_drop", "rate_limit"]) await sandbox.fault("twitter", "publish", kind, 0);
});

async function usageOf(project: Project, query = "") {
  return Usage.parse((await project.call("GET", `/social/get-usage${query}`)).body);
}

/** `units` and `amount` by operation. */
async function linesOf(project: Project): Promise<Record<string, readonly number[]>> {
  const { usage } = await usageOf(project);
  return Object.fromEntries(usage.map(({ operation, units, amount }) => [operation, [units, amount]]));
}

async function costOf(project: Project, id: number): Promise<number> {
  return Found.parse((await project.call("GET", `/social/post/${id}?include=content`)).body).post.cost.amount;
}

async function published(project: Project, channel: ChannelRef, body: Record<string, unknown>): Promise<number> {
  const id = await createPost(project, channel, body);
  for (let turn = 0; turn < 40 && (await findPost(project, id)).STATUS !== "published"; turn++) {
    await queuesIdle();
    await advance(30_000);
    await cron();
  }
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  return id;
}

const mark = () => crypto.randomUUID();

test("X: posts, links, threads, alt texts, first comments and deletions are charged by the list", async () => {
  const { project, channel } = await projectWith("twitter");
  // The login has read who the account is.
  expect(await linesOf(project)).toEqual({ user_read: [1, 0.01] });
  const text = await published(project, channel, { caption_text: mark() });
  const link = await published(project, channel, { caption_text: `${mark()} example.com` });
  const items = [`${mark()}`, `${mark()}`].map((message) => ({ message, media_urls: [] }));
  const thread = await published(project, channel, { post_type: "thread", twitter_threads: items });
  const picture = await published(project, channel, {
    caption_text: mark(),
    media_urls: [`${media("square.jpg")}?${mark()}`],
    alt_texts: ["A square"],
    first_comment: `${mark()} see example.com`,
  });
  for (let turn = 0; turn < 5; turn++) {
    await queuesIdle();
    await advance(30_000);
    await cron();
  }
  const costs = await Promise.all([text, link, thread, picture].map((id) => costOf(project, id)));
  expect(costs).toEqual([0.015, 0.2, 0.03, 0.22]);
  await project.call("DELETE", `/social/delete-post/${thread}`);
  await queuesIdle();
  expect(await linesOf(project)).toEqual({
    user_read: [1, 0.01],
    post_create: [4, 0.06],
    post_create_with_link: [2, 0.4],
    media_metadata: [1, 0.005],
    post_delete: [2, 0.02],
  });
  const { usage, platform_cost } = await usageOf(project);
  expect(platform_cost).toEqual({ amount: 0.495, currency: "USD" });
  expect(usage.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(1_000);
});

test("a lost answer costs its post and the look-up, a call that X stops at its door nothing", async () => {
  const { project, channel } = await projectWith("twitter");
  await sandbox.fault("twitter", "publish", "accept_then_drop");
  const id = await published(project, channel, { caption_text: mark() });
  const lines = await linesOf(project);
  const [reads = 0] = lines.post_read ?? [];
  expect(reads).toBeGreaterThan(0);
  expect(lines).toMatchObject({ post_create: [1, 0.015], post_read: [reads, Number((reads * 0.005).toFixed(3))] });
  expect(await costOf(project, id)).toBe(Number((0.015 + reads * 0.005).toFixed(3)));
  await sandbox.fault("twitter", "publish", "rate_limit");
  const limited = await published(project, channel, { caption_text: mark() });
  expect((await linesOf(project)).post_create).toEqual([2, 0.03]);
  expect(await costOf(project, limited)).toBeGreaterThanOrEqual(0.015);
});

test("a free platform is counted without a cost", async () => {
  const { project, channel } = await projectWith("facebook");
  const id = await published(project, channel, { caption_text: mark(), first_comment: mark() });
  for (let turn = 0; turn < 3; turn++) {
    await queuesIdle();
    await advance(30_000);
    await cron();
  }
  expect(await costOf(project, id)).toBe(0);
  await project.call("DELETE", `/social/delete-post/${id}`);
  await queuesIdle();
  const { read, ...acts } = await linesOf(project);
  expect(acts).toEqual({ post_create: [1, 0], comment_create: [1, 0], post_delete: [1, 0] });
  // The permalink was read.
  expect(read).toEqual([expect.any(Number), 0]);
});

test("months are separate, a wrong one is refused, and another project's usage does not exist", async () => {
  const { project, channel } = await projectWith("twitter");
  await published(project, channel, { caption_text: mark() });
  const { month } = await usageOf(project);
  expect(month).toBe(new Date().toISOString().slice(0, 7));
  expect((await usageOf(project, "?month=2020-01")).usage).toEqual([]);
  expect((await usageOf(await Project.create())).usage).toEqual([]);
  for (const wrong of ["2026", "2026-13", "2026-00", "1999-01", "x"]) {
    expect((await project.call("GET", `/social/get-usage?month=${wrong}`)).status).toBe(422);
  }
});

test("usage is kept for 24 months", async () => {
  const rows = async () =>
    (await env.DB.prepare("SELECT month FROM usage WHERE project_id = -7 ORDER BY month").all()).results;
  const now = new Date();
  const month = (back: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7);
  for (const back of [0, 23, 24, 25, 40]) {
    await env.DB.prepare("INSERT INTO usage VALUES (-7, ?, 'twitter', 15000, '{}')").bind(month(back)).run();
  }
  await cron();
  expect(await rows()).toEqual([24, 23, 0].map((back) => ({ month: month(back) })));
});
