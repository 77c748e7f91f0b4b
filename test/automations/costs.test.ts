import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { commonPoll, hasEnded, lastBeginning, nextPoll } from "../../src/automations/poll-interval.ts";
import type { Meter } from "../../src/core/meter.ts";
import { consume, sweep } from "../../src/entry/dispatch.ts";
import { receiveWebhook } from "../../src/inbound/receive-webhook.ts";
import type { RecurringMessage } from "../../src/jobs/messages.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { callsTo, commentableOn, type Home, homeOn, send } from "../contract/world.ts";
import { dropWebhooks, makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { READING } from "../support/comments.ts";
import { costOf, costsOf } from "../support/costs.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";

/**
 * What comment automations cost, in counts: of the sweep, of polls, of ingesting comments, of
 * answering, of each route.
 */

/** A move of a task's time: its row, and the two indexes that have the time in them. */
const MOVE = 3;

async function livePost(home: Home) {
  const name = home.channel.channel_type;
  const { id } = await send(home, commentableOn(name));
  await queuesIdle();
  return { id, platformId: await platformIdOf(id) };
}

const recurring = (): readonly RecurringMessage[] =>
  queue.messages.flatMap((message) => (message.type === "recurring" ? [message] : []));

/** The poll of one post alone: its watch is claimed, and the delivery measured. */
async function check(post: number): Promise<Meter> {
  queue.loseAll();
  await env.DB.prepare("UPDATE recurring SET due_at = due_at + ?").bind(HOUR).run();
  await env.DB.prepare("UPDATE recurring SET due_at = 1 WHERE key = ?").bind(`comments:${post}`).run();
  await cron();
  const [message, ...others] = recurring();
  if (!message || others.length > 0) throw new Error(`${others.length + 1} messages`);
  queue.loseAll();
  return costsOf((deps) => consume(deps, message));
}

const numberOf = async (query: string, ...values: unknown[]) =>
  z.object({ n: z.number() }).parse(
    await env.DB.prepare(query)
      .bind(...values)
      .first(),
  ).n;

describe("the sweep", () => {
  const WATCHES = `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
    INSERT INTO recurring (key, kind, due_at, interval_ms, group_key, state, created_at)
    SELECT 'comments:' || i, 'comments', ?3 + i, 60000, 'channel:' || (i % 100), '{"frontier":1}', 1 FROM n`;

  async function sweepWith50Due(): Promise<Meter> {
    queue.loseAll();
    await env.DB.prepare(
      "UPDATE recurring SET due_at = ? WHERE key IN (SELECT key FROM recurring ORDER BY key LIMIT 50)",
    )
      .bind(Date.now() - 1)
      .run();
    const meter = await costsOf(sweep);
    expect(recurring().flatMap(({ tasks }) => tasks)).toHaveLength(50);
    return meter;
  }

  test("reads a few hundred rows when 50 of 10,000 posts are due, and not one more beside 100,000 that sleep", async () => {
    await env.DB.prepare("DELETE FROM recurring").run();
    await cron();
    const later = Date.now() + DAY;
    await env.DB.prepare(WATCHES).bind(1_000_000, 1_010_000, later).run();
    const busy = await sweepWith50Due();
    expect(busy.d1RowsRead).toBeLessThanOrEqual(400);
    // Once a minute also the mark of the sweep.
    expect([50 * MOVE, 50 * MOVE + 1]).toContain(busy.d1RowsWritten);
    expect(busy.queueSends).toBe(1);
    await env.DB.prepare(WATCHES).bind(2_000_000, 2_100_000, later).run();
    expect(await sweepWith50Due()).toEqual(busy);
    await env.DB.prepare("DELETE FROM recurring").run();
  });

  test("sends twenty thousand polls that are due in one minute, the oldest first", async () => {
    await env.DB.prepare(WATCHES)
      .bind(1_000_000, 1_020_100, Date.now() - 5_000_000)
      .run();
    queue.loseAll();
    const meter = await costsOf(sweep);
    const keys = recurring().flatMap(({ tasks }) => tasks.map(({ key }) => key));
    expect(new Set(keys).size).toBe(20_000);
    expect(keys).not.toContain("comments:1020000");
    expect(meter.d1Calls).toBeLessThanOrEqual(65);
    queue.loseAll();
    await env.DB.prepare("DELETE FROM recurring").run();
  });
});

describe.for(READING)("%s: polling a post for five automations", (name) => {
  let home: Home;
  let post: Awaited<ReturnType<typeof livePost>>;
  const budget = platforms[name]?.comments?.reading?.budget;

  beforeAll(async () => {
    home = await homeOn(name, undefined, { isWhole: true });
    post = await livePost(home);
    // What was written before any of them concerns none.
    await sandbox.comment(name, post.platformId, "From before");
    await advance(MINUTE);
    for (let bot = 0; bot < 5; bot++) await makeBot(home.project, [home.channel]);
    await minutes(2);
    await advance(30 * MINUTE);
  });

  test("where nothing is new: one call, and no write but of the next time", async () => {
    const before = (await callsTo(name)).at(-1)?.id ?? 0;
    const cost = await check(post.id);
    const calls = (await callsTo(name)).filter(({ id }) => id > before);
    // At Bluesky two more find the server of the account.
    const fetches = name === "bluesky" ? 3 : 1;
    expect(calls).toHaveLength(fetches);
    // Where reading goes by an allowance that other things need, its moment is reserved: a row with its
    // index.
    const paced = budget ? 1 : 0;
    // A paid read without a ceiling is counted after its answer, a free one with the end: a row each.
    const paid = platforms[name]?.pricing ? 1 : 0;
    expect(cost).toMatchObject({ d1Calls: 3 + paced + paid, kvReads: 0, kvWrites: 0, queueSends: 0, fetches });
    // Taken by its turn, which is in no index, and settled.
    expect(cost.d1RowsWritten).toBe(1 + MOVE + 2 * paced + Math.max(1, paid));
    expect(cost.d1RowsRead).toBeLessThanOrEqual(paid ? 75 : 60);
    const seen = "SELECT count(*) AS n FROM comments WHERE post_id = ?";
    expect(await numberOf(seen, post.id)).toBe(0);
  });
});

test("a post is polled every minute while something has just happened there; one of long ago not for a whole channel's new automation", () => {
  const now = Date.now();
  const all = { activeSince: now, targetType: "all" } as const;
  const chosen = { activeSince: now, targetType: "posts" } as const;
  const next = (
    publishedAt: number,
    automations: Parameters<typeof lastBeginning>[1],
    newsAt = 0,
    hasWebhooks = false,
  ) =>
    nextPoll(
      { state: { scan: null, newsAt }, pages: 1 },
      { begunAt: lastBeginning(publishedAt, automations, 0), now },
      {},
      hasWebhooks,
    );
  expect(next(now, [all])).toBeLessThan(MINUTE);
  expect(next(now - 29 * DAY, [all])).toBeLessThan(MINUTE);
  expect(next(now - 31 * DAY, [chosen])).toBeLessThan(MINUTE);
  expect(next(now - 31 * DAY, [all])).toBe(DAY);
  expect(next(now - 31 * DAY, [all], now - 2 * HOUR)).toBe(4 * MINUTE);
  expect(next(now - 29 * DAY, [{ ...all, activeSince: now - 29 * DAY }])).toBe(6 * HOUR);
  // Where the platform reports comments by itself, a poll is a safety net.
  expect(next(now, [all], 0, true)).toBeLessThan(MINUTE);
  expect(next(now - 7 * HOUR, [{ ...all, activeSince: now - 7 * HOUR }], 0, true)).toBe(DAY);
});

test("the polls of a post that gets no comment cost a thousandth of what they did for ever, and end after 30 days", () => {
  const polls = (hasWebhooks: boolean) => {
    let count = 0;
    let now = 0;
    for (; count < 10_000; count++) {
      if (hasEnded({ scan: null, newsAt: 0 }, 0, now)) break;
      now += Math.max(
        MINUTE,
        nextPoll({ state: { scan: null, newsAt: 0 }, pages: 1 }, { begunAt: 0, now }, {}, hasWebhooks),
      );
    }
    return { count, days: now / DAY };
  };
  // Each takes three D1 calls and four rows written.
  expect(polls(true).count).toBeLessThanOrEqual(140);
  expect(polls(false).count).toBeLessThanOrEqual(300);
  expect(polls(true).days).toBeLessThanOrEqual(31);
  expect(polls(false).days).toBeLessThanOrEqual(31);
});

test("twenty quiet posts of one channel are polled at the moments of the youngest, and none more often than alone", () => {
  const START = 1_900_000_000_000;
  const nextOf = (begunAt: number, now: number) =>
    nextPoll({ state: { scan: null, newsAt: 0 }, pages: 1 }, { begunAt, now }, {}, false);
  const pollsOf = (next: (now: number) => number) => {
    const times: number[] = [];
    for (let now = START; now < START + DAY; now += next(now)) times.push(now);
    return times.slice(1);
  };
  const ages = Array.from({ length: 20 }, (_, count) => 4 * HOUR * 1.3 ** count);
  const alone = ages.map((age) => pollsOf((now) => nextOf(START - age, now)));
  const together = ages.map((age) => pollsOf((now) => commonPoll(nextOf(START - age, now), now, 7)));
  const moments = new Set(together.flat().map((time) => Math.round(time)));
  expect(moments.size).toBe(together[0]?.length);
  expect(moments.size).toBeLessThan(alone.flat().length / 5);
  for (const [index, times] of together.entries()) {
    const gaps = times.slice(1).map((time, before) => time - (times[before] ?? 0));
    const own = nextOf(START - (ages[index] ?? 0), START + DAY);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(own * 1.5);
    expect(times.length).toBeLessThanOrEqual((alone[index]?.length ?? 0) * 1.5 + 1);
  }
  // Others have other moments, and the soonest ones stay as they are.
  const others = pollsOf((now) => commonPoll(nextOf(START - DAY, now), now, 8)).map(Math.round);
  expect(others.filter((time) => moments.has(time))).toEqual([]);
  expect(commonPoll(50_000, START, 7)).toBe(50_000);
});

describe("on a channel", () => {
  let home: Home;
  let post: Awaited<ReturnType<typeof livePost>>;
  let platformId: string;
  const bots: number[] = [];
  beforeAll(async () => {
    home = await homeOn("facebook", await sandbox.addAccount("facebook", "Costly"), { isWhole: true });
    post = await livePost(home);
    platformId = post.platformId;
    for (const frequency of ["once", "everytime", "everytime"]) {
      const both = { response_type: "both", direct_message: "In private", frequency };
      bots.push((await makeBot(home.project, [home.channel], both)).id);
    }
    await minutes(2);
  });

  test("posts that are due together, each read by a call of its own, take as many D1 calls as one", async () => {
    const other = await homeOn("facebook", await sandbox.addAccount("facebook", "Of three posts"), { isWhole: true });
    const posts = [await livePost(other), await livePost(other), await livePost(other)];
    await makeBot(other.project, [other.channel]);
    await minutes(2);
    await advance(30 * MINUTE);
    queue.loseAll();
    await env.DB.prepare("UPDATE recurring SET due_at = due_at + ?").bind(HOUR).run();
    for (const { id } of posts) {
      await env.DB.prepare("UPDATE recurring SET due_at = 1 WHERE key = ?").bind(`comments:${id}`).run();
    }
    await cron();
    const [message] = recurring();
    queue.loseAll();
    if (message?.tasks.length !== posts.length) throw new Error("They do not come together.");
    expect(await costsOf((deps) => consume(deps, message))).toMatchObject({ d1Calls: 3, fetches: 3 });
  });

  test("a hundred new comments for three automations are ingested by three D1 calls, and enqueued by one send", async () => {
    for (let count = 0; count < 100; count++) {
      await sandbox.comment("facebook", platformId, `Comment ${count}`, `Author ${count}`);
    }
    await dropWebhooks();
    const before = (await callsTo("facebook")).at(-1)?.id ?? 0;
    const cost = await check(post.id);
    const pages = (await callsTo("facebook")).filter(({ id }) => id > before).length;
    // To be looked up and stored, beside the three of every poll.
    expect(cost.d1Calls).toBe(3 + 2 * pages);
    expect(cost.queueSends).toBe(pages);
    // Of every comment its row and four indexes; of every answer its row, three indexes, and its job with
    // one; whom one answers once, and the index by which that is forgotten after a year.
    expect(cost.d1RowsWritten).toBeLessThanOrEqual(100 * 5 + 300 * 4 + 300 * 2 + 100 * 2 + 2 * MOVE + 5);
    expect(cost.d1RowsRead).toBeLessThanOrEqual(300 * 25);
    expect(await numberOf("SELECT count(*) AS n FROM replies WHERE automation_id = ?", bots[0])).toBe(100);
  });

  test("an answer in public and in private takes seven D1 calls, and two of the platform's", async () => {
    const job = queue.takeDue();
    if (job?.type !== "job") throw new Error("Nothing is to be answered.");
    const cost = await costsOf((deps) => consume(deps, job));
    queue.loseAll();
    expect(cost).toMatchObject({ d1Calls: 7, fetches: 2 });
    // Some fifteen show that nobody else answers, hides or deletes the comment.
    expect(cost.d1RowsRead).toBeLessThanOrEqual(160);
    // Both are counted: a row each, and one of the month's index for the first of its kind. The comment is
    // listed as answered: its row, and its place in three lists.
    expect(cost.d1RowsWritten).toBeLessThanOrEqual(32);
  });

  async function shown(id: string | null): Promise<Meter> {
    const author = { id: "somebody", name: "Somebody" };
    const comment = { id: "1_2", author, text: "x", createdAt: Date.now(), isTopLevel: true, isOwn: false };
    return costsOf((deps) =>
      receiveWebhook(deps, { platform: "facebook", isTest: true }, [
        { accountId: home.accountId ?? "", postId: id, comment },
      ]),
    );
  }

  test("what a platform reports about posts that are not ours, or that no bot watches, is read in a few rows", async () => {
    const nobodys = await shown("nobody's");
    expect(nobodys).toMatchObject({ d1Calls: 1, d1RowsWritten: 0 });
    // Posts at rest are searched too.
    expect(nobodys.d1RowsRead).toBeLessThanOrEqual(4);
    const other = await homeOn("facebook", await sandbox.addAccount("facebook", "Without a bot"));
    const unwatched = await shown((await livePost(other)).platformId);
    expect(unwatched).toMatchObject({ d1Calls: 2, d1RowsWritten: 0 });
    expect(unwatched.d1RowsRead).toBeLessThanOrEqual(28);
  });

  async function cost(method: string, path: string, body?: unknown) {
    for (let tries = 0; ; tries++) {
      await advance(1_000);
      const answer = await home.project.call(method, path, body === undefined ? {} : { body });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      const found = costOf(answer);
      // Sometimes a request reads the token again.
      if (found.kvReads === 0 || method !== "GET" || tries > 3) return found;
    }
  }

  test("with 5,000 automations and 50,000 log entries, reading one, a page of them, and a page of the log cost what they show", async () => {
    const [bot = 0] = bots;
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       INSERT INTO automations (project_id, name, state, channel_ids, target_type, trigger_type, response_type, response_time,
         delay_seconds, frequency, uses_ai, active_since, created_at, updated_at)
       SELECT project_id, 'Bot ' || i, state, channel_ids, target_type, trigger_type, response_type, response_time, delay_seconds,
         frequency, uses_ai, active_since, created_at, updated_at FROM automations, n WHERE automations.id = ?`,
    )
      .bind(bot)
      .run();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
       INSERT INTO replies (automation_id, project_id, post_id, comment_id, outcome, message, due_at, created_at, updated_at)
       SELECT ?, 1, ?, 'logged-' || i, 'skipped', 'x', 1, ?, 1 FROM n`,
    )
      .bind(bot, post.id, Date.now())
      .run();
    const list = "/social/get-comment-automations?limit=10&page=";
    const one = await cost("GET", `/social/get-comment-automation/${bot}`);
    const first = await cost("GET", `${list}1`);
    const last = await cost("GET", `${list}500`);
    for (const [found, calls, rows] of [
      [one, 1, 4],
      [first, 1, 40],
      // The last page is read from the end, once the total is known.
      [last, 2, 40],
      [await cost("GET", `/social/get-comment-automation-replies/${bot}?limit=10`), 2, 20],
      [await cost("GET", `/social/get-comment-automation-replies/${bot}?limit=10&cursor=25000`), 2, 20],
      [await cost("POST", `/social/test-comment-automation/${bot}`, { text: "How much?" }), 2, 12],
    ] as const) {
      expect(found).toMatchObject({ calls, rowsWritten: 0, queueSends: 0 });
      expect(found.rowsRead).toBeLessThanOrEqual(rows);
    }
    const body = {
      name: "One more",
      channels: [home.channel.channel_id],
      comment_reply: "x",
      response_type: "comment",
    };
    const made = await cost("POST", "/social/create-comment-automation", { ...body, ai_enable: "no" });
    // One of them begins the entry of the audit log.
    expect(made).toMatchObject({ calls: 3, queueSends: 0 });
    expect(made.rowsRead).toBeLessThanOrEqual(75);
    expect(made.rowsWritten).toBeLessThanOrEqual(20);
  });

  test("an automation with 10,000 waiting answers is deleted in chunks", async () => {
    const { id } = await makeBot(home.project, [home.channel]);
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO replies (automation_id, project_id, post_id, comment_id, outcome, message, comment_part, due_at, created_at, updated_at)
       SELECT ?, 1, ?, 'waiting-' || i, 'waiting', 'x', '{"state":"waiting"}', 1, ?, 1 FROM n`,
    )
      .bind(id, post.id, Date.now())
      .run();
    await env.DB.prepare(
      `INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, deadline_at, created_at)
       SELECT 'reply:' || id, 'reply', 'replies', 1, id, 'open', ?1, ?1, 1 FROM replies WHERE automation_id = ?2`,
    )
      .bind(Date.now() + DAY, id)
      .run();
    const deleted = await cost("DELETE", `/social/delete-comment-automation/${id}`);
    expect(deleted).toMatchObject({ calls: 3, queueSends: 0 });
    expect(deleted.rowsWritten).toBeLessThanOrEqual(3_050);
    expect(deleted.rowsRead).toBeLessThanOrEqual(60_000);
    const left = "SELECT count(*) AS n FROM replies WHERE automation_id = ? AND outcome = 'waiting'";
    expect(await numberOf(left, id)).toBe(9_000);
    await env.DB.prepare("UPDATE recurring SET due_at = due_at + ? WHERE kind <> 'drop'").bind(HOUR).run();
    queue.loseAll();
    await cron();
    const [message] = recurring();
    if (!message) throw new Error("Nothing drops the rest.");
    const drop = await costsOf((deps) => consume(deps, message));
    // Nine times a thousand, and once nothing; to take the task, and to end it.
    expect(drop.d1Calls).toBeLessThanOrEqual(9 + 1 + 2);
    expect(drop.d1RowsWritten).toBeLessThanOrEqual(9 * 3_000 + 10);
    expect(await numberOf(left, id)).toBe(0);
    const open =
      "SELECT count(*) AS n FROM jobs WHERE kind = 'reply' AND state = 'open' AND subject_id IN (SELECT id FROM replies WHERE automation_id = ?)";
    expect(await numberOf(open, id)).toBe(0);
  });

  test("an automation for a channel of 10,000 posts is made by few rows, and its posts are watched in chunks", async () => {
    const other = await homeOn("facebook", await sandbox.addAccount("facebook", "Of many posts"), { isWhole: true });
    const { id } = await livePost(other);
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
       INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
         publish_mode, time_zone, publish_at, platform_posts, created_at, updated_at, published_at)
       SELECT p.project_id, p.channel_id, p.channel_type, 'published', 'post', 'x', '[]', '[]', '[]', 'now', 'UTC', p.publish_at,
         p.platform_posts, p.created_at - n.i * 60000, p.updated_at, p.published_at - n.i * 60000 FROM posts p, n WHERE p.id = ?`,
    )
      .bind(id)
      .run();
    queue.loseAll();
    const made = await other.project.call("POST", "/social/create-comment-automation", {
      body: {
        name: "All posts",
        channels: [other.channel.channel_id],
        comment_reply: "x",
        response_type: "comment",
        ai_enable: "no",
      },
    });
    queue.loseAll();
    // The one send subscribes to comments, if the login was just made.
    expect(costOf(made).calls).toBe(3);
    expect(costOf(made).queueSends).toBeLessThanOrEqual(1);
    expect(costOf(made).rowsRead).toBeLessThanOrEqual(200);
    expect(costOf(made).rowsWritten).toBeLessThanOrEqual(20 * 3 + 20);
    await env.DB.prepare("UPDATE recurring SET due_at = due_at + ? WHERE kind <> 'enroll'").bind(HOUR).run();
    await advance(2 * MINUTE);
    await cron();
    const [message] = recurring();
    if (!message) throw new Error("Nothing watches the others.");
    const enrolled = await costsOf((deps) => consume(deps, message));
    // Twenty times five hundred, by one D1 call each.
    expect(enrolled.d1Calls).toBeLessThanOrEqual(20 + 3);
    expect(enrolled.d1RowsRead).toBeLessThanOrEqual(25_000);
    expect(enrolled.d1RowsWritten).toBeLessThanOrEqual(31_000);
    const watched = "SELECT count(*) AS n FROM recurring WHERE group_key = ?";
    expect(await numberOf(watched, `channel:${other.channel.channel_id}`)).toBe(10_000);
  });
});

test("900 long comments that a platform sends at once are stored by statements that D1 takes", async () => {
  // What the earlier tests left to be polled.
  await env.DB.prepare("DELETE FROM recurring").run();
  queue.loseAll();
  const home = await homeOn("facebook", await sandbox.addAccount("facebook", "Of long comments"), { isWhole: true });
  const post = await livePost(home);
  await makeBot(home.project, [home.channel], { trigger_type: "keywords", keywords: ["none"] });
  const now = Date.now();
  const shown = Array.from({ length: 900 }, (_, count) => ({
    accountId: home.accountId ?? "",
    postId: post.platformId,
    comment: {
      id: `long-${count}`,
      author: { id: `author-${count}`, name: "Somebody" },
      text: "漢".repeat(2_100),
      createdAt: now,
      isTopLevel: true,
      isOwn: false,
    },
  }));
  const cost = await costsOf((deps) => receiveWebhook(deps, { platform: "facebook", isTest: true }, shown));
  // To find the post, to read it, to know what is new, and 150 at a time: D1 takes parameters of two
  // megabytes. And the polls of the post start again, should they have ended.
  expect(cost.d1Calls).toBe(3 + 6 + 1);
  expect(await numberOf("SELECT count(*) AS n FROM comments WHERE post_id = ?", post.id)).toBe(900);
});
