import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { consume } from "../../src/entry/dispatch.ts";
import type { RecurringMessage } from "../../src/jobs/messages.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { drawn } from "../contract/sample.ts";
import { type Home, homeOn, NAMES, plainestOn, planFor, send } from "../contract/world.ts";
import { answersTo, dropWebhooks, logOf, makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { alterJson, answering, failStatements, quiet, requests } from "../support/between.ts";
import { advance } from "../support/clock.ts";
import { costsOf } from "../support/costs.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";

/** Where one call lists the comments of several posts, it serves them all, and nothing is missed for it. */
const POSTS = 5;
const SHARING = NAMES.filter((name) => platforms[name]?.comments?.reading?.several !== undefined);

/** How the call for several posts differs from that for one, and an answer to it. */
const CALLS = {
  youtube: {
    path: "/commentThreads",
    isShared: (url: URL) => url.searchParams.has("allThreadsRelatedToChannelId"),
    items: "items",
    next: (body: object) => ({ ...body, nextPageToken: "MORE" }),
    isOf: (item: unknown, post: string) => JSON.stringify(item).includes(`"videoId":"${post}"`),
    odd: [null, "odd", { id: 7 }, { id: "Ugz", snippet: { topLevelComment: {} } }],
    unplaced: (item: unknown) => JSON.parse(JSON.stringify(item).replaceAll("videoId", "video")),
  },
  twitter: {
    path: "/search/recent",
    isShared: (url: URL) => (url.searchParams.get("query") ?? "").includes(" OR "),
    items: "data",
    next: (body: object) => ({ ...body, meta: { result_count: 1, next_token: "MORE" } }),
    isOf: (item: unknown, post: string) => JSON.stringify(item).includes(`"conversation_id":"${post}"`),
    odd: [null, "odd", { id: { no: "id" } }, { id: "x", text: 7 }],
    unplaced: (item: unknown) => JSON.parse(JSON.stringify(item).replaceAll("conversation_id", "conversation")),
  },
} as const;
type Sharing = keyof typeof CALLS;

test("every platform whose posts are listed together is tested here", () => {
  expect(SHARING.toSorted()).toEqual(Object.keys(CALLS).toSorted());
});

describe.for(Object.keys(CALLS) as Sharing[])("%s: posts of one channel", { timeout: 60_000 }, (name) => {
  const { path, isShared, items, next, isOf, odd, unplaced } = CALLS[name];
  let home: Home;
  let posts: readonly { readonly id: number; readonly platformId: string }[];
  let bot: number;

  beforeAll(async () => {
    // A check in which tokens end reads one post, and has the others wait for the renewal.
    await sandbox.settings({ [`${name}_access_token_seconds`]: 604_800 });
    home = await homeOn(name, await sandbox.addAccount(name, "Of several"), { isWhole: true });
    const types = platforms[name]?.comments?.types ?? [];
    const shape = planFor(name).shapes.find(({ type }) => types.includes(type)) ?? plainestOn(name);
    const made = [];
    for (let count = 0; count < POSTS; count++) made.push(await send(home, shape));
    await queuesIdle();
    await minutes(2);
    posts = await Promise.all(made.map(async ({ id }) => ({ id, platformId: await platformIdOf(id) })));
    bot = (await makeBot(home.project, [home.channel])).id;
    await minutes(2);
    await advance(30 * MINUTE);
  });
  beforeEach(async () => {
    await check(POSTS);
    quiet();
  });
  afterEach(quiet);

  const reads = () => requests(path).map((sent) => new URL(sent.slice(sent.indexOf(" ") + 1)));
  const shared = () => reads().filter(isShared).length;
  const own = () => reads().length - shared();

  /** Makes so many of the posts due together, and delivers their poll. */
  async function check(count: number) {
    await env.DB.prepare("DELETE FROM rate_buckets").run();
    await env.DB.prepare("DELETE FROM rate_waits").run();
    return claim(await dueMessage(count))();
  }

  const claim = (message: RecurringMessage) => () => costsOf((deps) => consume(deps, message));

  async function dueMessage(count: number): Promise<RecurringMessage> {
    await dropWebhooks();
    queue.loseAll();
    await advance(10 * MINUTE);
    await env.DB.prepare("UPDATE recurring SET due_at = due_at + ? WHERE kind = 'comments'").bind(HOUR).run();
    // What else is due, as the renewal of a login, is done before.
    await cron();
    await queuesIdle(MINUTE);
    for (const { id } of posts.slice(0, count)) {
      await env.DB.prepare("UPDATE recurring SET due_at = 1 WHERE key = ?").bind(`comments:${id}`).run();
    }
    await cron();
    const due = queue.messages.flatMap((message) => (message.type === "recurring" ? [message] : []));
    expect(due.map(({ tasks }) => tasks.length)).toEqual([count]);
    queue.loseAll();
    const [message] = due;
    if (!message) throw new Error("Nothing is due.");
    return message;
  }

  /** A person writes under each of the posts; returns the ids, and how to see that each is answered, once. */
  async function commented() {
    const mark = crypto.randomUUID();
    const ids: string[] = [];
    for (const [index, { platformId }] of posts.entries()) {
      ids.push(await sandbox.comment(name, platformId, `${mark} ${index}`, `Author ${mark} ${index}`));
    }
    await advance(5 * MINUTE);
    const expectAnswered = async () => {
      for (let looks = 0; looks < 3; looks++) {
        await cron();
        await queuesIdle(MINUTE);
        await advance(MINUTE);
      }
      const seen = (await logOf(home.project, bot)).filter(({ comment }) => comment.text?.includes(mark));
      expect(seen.map(({ post_id }) => post_id).toSorted()).toEqual(posts.map(({ id }) => id).toSorted());
      for (const id of ids) expect(await answersTo(name, id)).toHaveLength(1);
    };
    return { mark, ids, expectAnswered };
  }

  test("are read by one call, and take as many D1 calls as one", async () => {
    const cost = await check(POSTS);
    expect([shared(), own()]).toEqual([1, 0]);
    // To take them, to read what they need, to take the turn, and to write their next times.
    const paid = platforms[name]?.pricing ? 1 : 0;
    expect(cost).toMatchObject({ d1Calls: 4 + paid, fetches: 1 });
    expect(cost.d1RowsWritten).toBeLessThanOrEqual(POSTS * (1 + 3) + 3 + 2 * paid);
    expect(cost.d1RowsRead).toBeLessThanOrEqual(POSTS * 40);
  });

  test("have a comment under each answered, once, however often it is shown", async () => {
    const { expectAnswered } = await commented();
    await check(POSTS);
    expect([shared(), own()]).toEqual([1, 0]);
    await check(POSTS);
    await expectAnswered();
  });

  test("a post alone is read by a call of its own", async () => {
    await check(1);
    expect([shared(), own()]).toEqual([0, 1]);
  });

  test("odd items hide no comment", async () => {
    const { expectAnswered } = await commented();
    alterJson(path, (body) => withItems(body, (list) => [...odd, ...list, ...odd]));
    await check(POSTS);
    expect(shared()).toBe(1);
    await expectAnswered();
  });

  test("a comment that does not tell its post is found by the posts' own calls", async () => {
    const { expectAnswered } = await commented();
    let isFirst = true;
    alterJson(path, (body) => {
      if (!isFirst) return body;
      isFirst = false;
      return withItems(body, ([newest, ...others]) => [unplaced(newest), ...others]);
    });
    await check(POSTS);
    expect([shared(), own()]).toEqual([1, POSTS]);
    await expectAnswered();
  });

  test("a list that goes on serves whom it is whole for, and the others are read by themselves", async () => {
    const { expectAnswered } = await commented();
    const [newest = { platformId: "" }] = posts.slice(-1);
    let isFirst = true;
    alterJson(path, (body) => {
      if (!isFirst) return body;
      isFirst = false;
      return next(Object(withItems(body, (list) => list.filter((item) => isOf(item, newest.platformId)).slice(0, 1))));
    });
    await check(POSTS);
    expect([shared(), own()]).toEqual([1, POSTS]);
    await expectAnswered();
  });

  test.for(drawn(`${name} refused`, [403, 400, 500], 1))(
    "a call that is refused with %i has each read by itself",
    async (status) => {
      const { expectAnswered } = await commented();
      answering((request) =>
        isShared(new URL(request.url)) ? Response.json({ error: { code: status, message: "No." } }, { status }) : null,
      );
      await check(POSTS);
      expect(own()).toBe(POSTS);
      quiet();
      await expectAnswered();
    },
  );

  test("a used-up allowance is not tried by every post again", async () => {
    answering((request) => {
      const isRead = request.url.includes(path);
      return isRead ? Response.json({ error: { code: 429, message: "No." } }, { status: 429 }) : null;
    });
    await check(POSTS);
    expect([shared(), own()]).toEqual([1, 0]);
    await env.DB.prepare("DELETE FROM rate_limits").run();
  });

  test("those that wait in line at the pace all go with the first that has its turn", async () => {
    const waiting = async () =>
      (await env.DB.prepare("SELECT count(*) AS n FROM rate_waits").first<{ n: number }>())?.n;
    await check(POSTS);
    quiet();
    await env.DB.prepare("UPDATE rate_buckets SET full_at = ?")
      .bind(Date.now() + 2 * DAY)
      .run();
    await claim(await dueMessage(POSTS))();
    expect([shared(), own(), await waiting()]).toEqual([0, 0, POSTS]);
    const again = claim(await dueMessage(POSTS));
    await env.DB.prepare("UPDATE rate_buckets SET full_at = 0").run();
    await again();
    expect([shared(), own(), await waiting()]).toEqual([1, 0, 0]);
  });

  test("where reading them together fails, each is read by itself", async () => {
    failStatements(/"automation_id", "post_id" from "automation_targets"/, 1);
    await check(POSTS);
    expect([shared(), own()]).toEqual([0, POSTS]);
  });

  test("posts that are polled again before the sweep are polled together again", async () => {
    const { expectAnswered } = await commented();
    await check(POSTS);
    const prompt = queue.messages.flatMap((message) => (message.type === "recurring" ? [message.tasks.length] : []));
    expect(prompt).toEqual(name === "twitter" ? [POSTS] : []);
    await expectAnswered();
  });

  test("once a day each is read by itself, for what came to light late", async () => {
    await env.DB.prepare(
      "UPDATE recurring SET state = json_set(state, '$.deepAt', 1) WHERE key LIKE 'comments:%'",
    ).run();
    await check(POSTS);
    expect([shared(), own()]).toEqual([0, POSTS]);
    await check(POSTS);
    expect([shared(), own()]).toEqual([1, POSTS]);
  });

  function withItems(body: unknown, change: (list: readonly unknown[]) => readonly unknown[]): unknown {
    const known = z.looseObject({ [items]: z.array(z.unknown()).default([]) }).parse(body);
    return { ...known, [items]: change(z.array(z.unknown()).parse(known[items])) };
  }
});
