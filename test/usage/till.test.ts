import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { media } from "../contract/world.ts";
import { makeBot, platformIdOf } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { happens, oneOf, type Random, seededRandom, whole } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { type ChannelRef, createPost, findPost, type Project, projectWith } from "../support/world.ts";

/**
 * What we count against what the sandbox's till charges, which is written from X's documentation alone. We
 * count each read of an object, X charges the same one once a day: the till knows both sums.
 */
const Till = z.array(
  z.object({
    spent_usd: z.number(),
    without_dedup_usd: z.number(),
    balance_usd: z.number().nullable(),
    lines: z.array(z.object({ operation: z.string(), count: z.int(), usd: z.number() })),
  }),
);

async function readTill() {
  const [till] = Till.parse(await sandbox.control("GET", "till?platform=twitter"));
  if (!till) throw new Error("X has no till.");
  return till;
}

const Usage = z.object({ platform_cost: z.object({ amount: z.number() }) });
async function costOf(project: Project): Promise<number> {
  return Usage.parse((await project.call("GET", "/social/usage")).body).platform_cost.amount;
}

const Found = z.object({ post: z.object({ STATUS: z.string(), cost: z.object({ amount: z.number() }) }) });

/** Tenths of a cent: sums of decimals are not exact in floating point. */
const exact = (usd: number): number => Math.round(usd * 1000);

afterEach(async () => {
  await sandbox.settings({ twitter_credits_usd: null });
  await sandbox.noFaults();
});

async function pass(times: number, ms = 60_000): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    await queuesIdle();
    await advance(ms);
    await cron();
  }
  await queuesIdle();
}

const said = (random: Random) => {
  const text = `${crypto.randomUUID().slice(0, 13)} said`;
  return happens(random, 0.3)
    ? `${text} at ${oneOf(random, ["example.com", "https://example.com/a?b=1", "co.jp"])}`
    : text;
};

/** A post of any kind that X has. */
function randomPost(random: Random): Record<string, unknown> {
  const comment = happens(random, 0.3) ? { first_comment: said(random) } : {};
  const file = () => `${media(oneOf(random, ["square.jpg", "wide.jpg"]))}?${crypto.randomUUID()}`;
  if (happens(random, 0.2)) {
    const items = Array.from({ length: whole(random, 2, 4) }, () => ({
      message: said(random),
      ...(happens(random, 0.3) ? { media_urls: [file()], alt_texts: ["A picture"] } : { media_urls: [] }),
    }));
    return { post_type: "thread", twitter_threads: items, ...comment };
  }
  if (happens(random, 0.3)) {
    const media_urls = Array.from({ length: whole(random, 1, 3) }, file);
    const alt_texts = media_urls.map(() => (happens(random, 0.6) ? "A picture" : ""));
    return { caption_text: said(random), media_urls, alt_texts, ...comment };
  }
  return { caption_text: said(random), ...comment };
}

async function createAll(project: Project, channel: ChannelRef, random: Random, count: number) {
  const ids: number[] = [];
  for (let post = 0; post < count; post++) {
    if (happens(random, 0.15)) {
      await sandbox.fault("twitter", "publish", oneOf(random, ["accept_then_drop", "accept_then_error", "rate_limit"]));
    }
    ids.push(await createPost(project, channel, randomPost(random)));
    if (post % 8 === 7) await pass(1, 90_000);
  }
  await pass(20, 120_000);
  return ids;
}

test("posts of all kinds, lost answers, answers of bots and deletions cost what the till charges, to the cent", {
  timeout: 240_000,
}, async () => {
  const random = seededRandom(20261124);
  const before = await readTill();
  const { project, channel } = await projectWith("twitter");
  const ids = await createAll(project, channel, random, 80);
  const posts = await Promise.all(
    ids.map(async (id) => Found.parse((await project.call("GET", `/social/post/${id}?include=content`)).body).post),
  );
  expect(posts.map(({ STATUS }) => STATUS)).toEqual(ids.map(() => "published"));
  const soFar = async () => exact((await readTill()).without_dedup_usd) - exact(before.without_dedup_usd);
  const login = 10;
  expect(exact(await costOf(project))).toBe(await soFar());
  // Nothing but the login belongs to no post.
  expect(posts.reduce((sum, { cost }) => sum + exact(cost.amount), login)).toBe(await soFar());

  await makeBot(project, [channel], { response_type: "comment" });
  for (const id of ids.slice(0, 6)) {
    await sandbox.comment("twitter", await platformIdOf(id), `@acmebikes hello ${crypto.randomUUID()}`, `Ana${id}`);
  }
  await pass(12, 180_000);
  for (const id of ids.slice(0, 12)) await project.call("DELETE", `/social/delete-post/${id}`);
  await pass(3);
  const till = await readTill();
  const lines = till.lines.map(({ operation }) => operation);
  expect(lines).toEqual(
    expect.arrayContaining([
      "Interaction: Delete",
      "Media Metadata",
      "Post: Create",
      "Post: Create (summoned)",
      "Post: Create (with URL)",
      "Posts: Read",
      "User: Read",
    ]),
  );
  expect(exact(await costOf(project))).toBe(await soFar());
  // Never less than what X really charges.
  expect(exact(await costOf(project))).toBeGreaterThanOrEqual(exact(till.spent_usd) - exact(before.spent_usd));
});

test("without credits X answers 402: nothing is charged, and the posts go on when there are new ones", async () => {
  const { project, channel } = await projectWith("twitter");
  const first = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await queuesIdle();
  expect(await findPost(project, first)).toMatchObject({ STATUS: "published" });
  const { spent_usd } = await readTill();
  await sandbox.settings({ twitter_credits_usd: spent_usd });
  const [cost, { without_dedup_usd }] = [await costOf(project), await readTill()];
  const waiting = await createPost(project, channel, { caption_text: crypto.randomUUID() });
  await pass(2);
  expect(await findPost(project, waiting)).toMatchObject({ STATUS: "processing" });
  expect(await readTill()).toMatchObject({ spent_usd, balance_usd: 0, without_dedup_usd });
  expect(await costOf(project)).toBe(cost);
  await sandbox.settings({ twitter_credits_usd: null });
  await pass(20);
  expect(await findPost(project, waiting)).toMatchObject({ STATUS: "published" });
  expect(exact(await costOf(project)) - exact(cost)).toBe(
    exact((await readTill()).without_dedup_usd) - exact(without_dedup_usd),
  );
});
