import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  billOf,
  COUNTS,
  type Counts,
  MONTHS,
  POLLS_OF_A_POST,
  totalOf,
  type Work,
} from "../../scripts/support/bill.ts";
import { nextPoll } from "../../src/automations/poll-interval.ts";
import { createMeter, type Meter } from "../../src/core/meter.ts";
import { consume, sweep } from "../../src/entry/dispatch.ts";
import type { QueueMessage } from "../../src/jobs/messages.ts";
import { type Home, homeOn, plainestOn, send } from "../contract/world.ts";
import { makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { costOf, costsOf } from "../support/costs.ts";
import { expectCounted, type Measured, measuredOf } from "../support/measured.ts";
import { queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, MINUTE } from "../support/times.ts";

/**
 * The counts of `npm run bill` are what the service takes, and no more than a third too high. So is what
 * Cloudflare charges in the two months of docs/costs.md.
 */

const found: { -readonly [Name in keyof Work]?: Counts } = {};

function expectMeasured(piece: keyof Work, measured: Measured): void {
  expectCounted(piece, measured);
  found[piece] = { ...COUNTS[piece], ...measured };
}

/** Delivers the jobs that are due; returns what each delivery took. Polls are left out. */
async function deliverDue(): Promise<Meter[]> {
  const meters: Meter[] = [];
  for (let message: QueueMessage | null = queue.takeDue(); message; message = queue.takeDue()) {
    const body = message;
    if (body.type === "job") meters.push(await costsOf((deps) => consume(deps, body)));
  }
  return meters;
}

let home: Home;
let post: { readonly id: number; readonly platformId: string };
beforeAll(async () => {
  home = await homeOn("twitter", undefined, { isWhole: true });
  // The first requests and posts of a project write what the later ones find.
  for (let n = 0; n < 2; n++) await send(home, plainestOn("twitter"));
  await queuesIdle();
});

test("a post", async () => {
  const body = { ...home.channel, post_type: "post", publish_mode: "now", media_urls: [], caption_text: "Fresh rolls" };
  const created = await home.project.call("POST", "/social/create-post", { body });
  expect(created.status).toBe(200);
  const cost = costOf(created);
  const request = { ...createMeter(), d1RowsRead: cost.rowsRead, d1RowsWritten: cost.rowsWritten };
  const deliveries = await deliverDue();
  expect(deliveries).toHaveLength(COUNTS.post.messages);
  const measured = measuredOf([request, ...deliveries]);
  expectMeasured("post", {
    ...measured,
    kvReads: measured.kvReads + cost.kvReads,
    objectCalls: measured.objectCalls + cost.objectCalls,
  });
});

describe("with a bot", () => {
  beforeAll(async () => {
    const { id } = await send(home, plainestOn("twitter"));
    await queuesIdle();
    post = { id, platformId: await platformIdOf(id) };
    await makeBot(home.project, [home.channel]);
    await minutes(2);
    await advance(30 * MINUTE);
    await onlyThisPost();
  });

  /** Its poll is due, and no other. */
  async function onlyThisPost(): Promise<void> {
    queue.loseAll();
    await env.DB.prepare("UPDATE recurring SET due_at = due_at + ?").bind(DAY).run();
    await env.DB.prepare("UPDATE recurring SET due_at = 1 WHERE key = ?").bind(`comments:${post.id}`).run();
  }

  /** Jobs that the poll sends stay in the queue. */
  async function costOfPoll(): Promise<Meter> {
    await costsOf(sweep);
    const [message, ...others] = queue.messages.filter(({ type }) => type === "recurring");
    if (!message || others.length > 0) throw new Error(`There are ${others.length + 1} messages.`);
    queue.loseAll();
    return costsOf((deps) => consume(deps, message));
  }

  test("a poll", async () => {
    expectMeasured("poll", measuredOf([await costOfPoll()]));
  });

  test("an answer, with the comment that is stored", async () => {
    await onlyThisPost();
    const quiet = COUNTS.poll;
    await sandbox.comment("twitter", post.platformId, "How much is it?", "A customer");
    await advance(MINUTE);
    const meters = [await costOfPoll()];
    // The answer is due a little later.
    for (let n = 0; n < 3; n++) {
      await advance(MINUTE);
      meters.push(...(await deliverDue()));
    }
    const { rowsRead, rowsWritten, kvReads, objectCalls } = measuredOf(meters);
    expect(await repliesOf(post.id)).toBe(1);
    // The poll itself is counted as a poll.
    expectMeasured("answer", {
      rowsRead: rowsRead - quiet.rowsRead,
      rowsWritten: rowsWritten - quiet.rowsWritten,
      kvReads,
      objectCalls,
    });
  });
});

test("a read of what a post achieved, and a look for posts that are due", async () => {
  queue.loseAll();
  const path = `/social/update-channel/${home.channel.channel_id}`;
  await home.project.call("PUT", path, { body: { collect_insights: true } });
  await send(home, plainestOn("twitter"));
  await queuesIdle();
  const task = async (dueAt: number) =>
    env.DB.prepare("UPDATE recurring SET due_at = CASE kind WHEN 'insights' THEN 1 ELSE ? END").bind(dueAt).run();
  // The first run reads the account and finds the post; the last one finds that nothing is due.
  for (const days of [0, 1.1, 0.05]) {
    queue.loseAll();
    await advance(Math.round(days * DAY));
    await task(Date.now() + DAY);
    await costsOf(sweep);
    const [message, ...others] = queue.messages.filter(({ type }) => type === "recurring");
    if (!message || others.length > 0) throw new Error(`There are ${others.length + 1} messages.`);
    const meter = await costsOf((deps) => consume(deps, message));
    if (days > 0) expectMeasured(days > 1 ? "reading" : "look", measuredOf([meter]));
  }
});

test("a sweep in which nothing is due", async () => {
  queue.loseAll();
  await env.DB.prepare("UPDATE recurring SET due_at = due_at + ?")
    .bind(60 * DAY)
    .run();
  await costsOf(sweep);
  expectMeasured("sweep", measuredOf([await costsOf(sweep)]));
});

test("the polls of a post without comments", () => {
  let polls = 0;
  const quiet = { scan: null, newsAt: 0 };
  for (let now = 0; now < 30 * DAY; polls++)
    now += nextPoll({ state: quiet, pages: 1 }, { begunAt: 0, now }, {}, false);
  expect(polls).toBeLessThanOrEqual(POLLS_OF_A_POST);
  expect(polls).toBeGreaterThan(0.9 * POLLS_OF_A_POST);
});

test.for([MONTHS.small, MONTHS.large])("the bill of $posts posts, from what was measured", (month) => {
  const { post, poll, answer, reading, look, sweep } = found;
  if (!post || !poll || !answer || !reading || !look || !sweep) throw new Error("The tests before this one measure.");
  const measured = billOf(month, { ...COUNTS, post, poll, answer, reading, look, sweep });
  const shown = new Map(billOf(month).map((line) => [line.title, line]));
  for (const { title, amount, usd } of measured) {
    expect(shown.get(title)?.amount, title).toBeGreaterThanOrEqual(amount);
    expect(shown.get(title)?.usd, title).toBeGreaterThanOrEqual(usd);
  }
  const [own, theirs] = [measured, [...shown.values()]].map((lines) =>
    totalOf(lines.filter(({ group }) => group === "Cloudflare")),
  );
  expect(theirs).toBeLessThanOrEqual(1.34 * (own ?? 0));
});

const repliesOf = async (id: number) =>
  z
    .object({ n: z.number() })
    .parse(await env.DB.prepare("SELECT count(*) AS n FROM replies WHERE post_id = ?").bind(id).first()).n;
