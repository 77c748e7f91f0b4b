import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { arm, disarm, type Fate, makeMortal } from "../contract/mortal.ts";
import { drawn } from "../contract/sample.ts";
import { type Home, homeOn, type Name, plainestOn, send } from "../contract/world.ts";
import {
  answersTo,
  deliverWebhooks,
  dropWebhooks,
  entryOf,
  logOf,
  makeBot,
  messagesOn,
  minutes,
  platformIdOf,
  settled,
} from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import type { ChannelRef } from "../support/world.ts";

/**
 * What ends with its automation, its post, its channel: whatever waits to be answered, however long it was to
 * wait.
 */
const NAME: Name = "facebook";
const DAYS_4 = 4 * 24 * 3_600;
/** Longer than a queue holds a message. */
const DELAYED = { response_time: "delayed", delay_time: DAYS_4, response_type: "both", direct_message: "In private" };

let home: Home;
let second: ChannelRef<Name>;

beforeAll(async () => {
  home = await homeOn(NAME, await sandbox.addAccount(NAME, "The first"), { isWhole: true });
  const other = await sandbox.addAccount(NAME, "The second");
  const [id = 0] = await home.project.connect(NAME, [other]);
  second = { channel_type: NAME, channel_id: id };
});

let bots: (readonly [Home, number])[] = [];
afterEach(async () => {
  for (const [{ project }, id] of bots) await project.call("DELETE", `/social/delete-comment-automation/${id}`);
  bots = [];
});

async function newBot(of: Home, body: Record<string, unknown> = {}): Promise<number> {
  const { id } = await makeBot(of.project, [of.channel], { ...DELAYED, comment_reply: "In public", ...body });
  bots.push([of, id]);
  return id;
}

async function livePost(of: Home = home) {
  const { id } = await send(of, plainestOn(NAME));
  await queuesIdle();
  return { id, platformId: await platformIdOf(id) };
}

/** Time goes by, with some sweeps. */
async function hours(count: number): Promise<void> {
  const step = Math.ceil(count / 6);
  for (let left = count; left > 0; left -= step) {
    await advance(Math.min(step, left) * HOUR);
    await minutes(1);
  }
}

const change = (bot: number, body: Record<string, unknown>) =>
  home.project.call("PUT", `/social/update-comment-automation/${bot}`, { body });
const remove = (bot: number) => home.project.call("DELETE", `/social/delete-comment-automation/${bot}`);

/** Rows of the automation's answers, as they are stored: also of one that is deleted. */
async function stored(bot: number) {
  const { results } = await env.DB.prepare(
    `SELECT replies.outcome, replies.reason, replies.message, jobs.state FROM replies
     LEFT JOIN jobs ON jobs.key = 'reply:' || replies.id WHERE automation_id = ? ORDER BY replies.id`,
  )
    .bind(bot)
    .all<{ outcome: string; reason: string | null; message: string; state: string | null }>();
  return results;
}

async function openJobs() {
  const open = "SELECT key FROM jobs WHERE kind = 'reply' AND state = 'open'";
  return (await env.DB.prepare(open).all<{ key: string }>()).results;
}

async function isWatched(post: number): Promise<boolean> {
  const row = await env.DB.prepare("SELECT key FROM recurring WHERE key = ?").bind(`comments:${post}`).first();
  return row !== null;
}

async function waitingAnswer(body: Record<string, unknown> = {}) {
  const post = await livePost();
  const bot = await newBot(home, body);
  const text = `Waits ${crypto.randomUUID()}`;
  const comment = await sandbox.comment(NAME, post.platformId, text);
  await minutes(2);
  expect(await entryOf(home.project, bot, text)).toMatchObject({ outcome: "waiting" });
  expect(await isWatched(post.id)).toBe(true);
  return { post, bot, text, comment };
}

async function outcomeOf(comment: string) {
  return { public: await answersTo(NAME, comment), messages: (await messagesOn(NAME)).length };
}

describe("an answer that was to be sent days later", () => {
  test("is sent in its time when nothing ends it", async () => {
    const { bot, comment, text } = await waitingAnswer();
    const before = (await messagesOn(NAME)).length;
    await hours(95);
    expect(await answersTo(NAME, comment)).toEqual([]);
    await hours(3);
    expect(await entryOf(home.project, bot, text)).toMatchObject({ outcome: "replied", reason: null });
    expect(await outcomeOf(comment)).toEqual({ public: ["In public"], messages: before + 1 });
  });

  const ends: readonly (readonly [
    string,
    (waiting: { readonly bot: number; readonly post: number }) => Promise<unknown>,
    { readonly outcome: string; readonly reason: string },
  ])[] = [
    ["stopped", ({ bot }) => change(bot, { status: "stopped" }), { outcome: "skipped", reason: "stopped" }],
    [
      "moved to another channel",
      ({ bot }) => change(bot, { channels: [second.channel_id] }),
      { outcome: "skipped", reason: "stopped" },
    ],
    [
      "for a post that is deleted",
      ({ post }) => home.project.call("DELETE", `/social/delete-post/${post}`),
      { outcome: "skipped", reason: "post_gone" },
    ],
  ];
  test.for(ends)("does not when its automation is %s: the log says so at once", async ([, end, verdict]) => {
    const { bot, post, comment } = await waitingAnswer();
    const before = (await messagesOn(NAME)).length;
    await end({ bot, post: post.id });
    await minutes(2);
    expect(await stored(bot)).toMatchObject([{ ...verdict, state: "done" }]);
    const unsent = { state: "not_sent", reason: verdict.reason };
    expect(await logOf(home.project, bot)).toMatchObject([{ comment_reply: unsent, direct_message: unsent }]);
    await hours(100);
    expect(await outcomeOf(comment)).toEqual({ public: [], messages: before });
    expect(await stored(bot)).toMatchObject([{ ...verdict, state: "done" }]);
    expect(await isWatched(post.id)).toBe(false);
  });

  test("does not when its automation is deleted, of which nothing is left but what it has said", async () => {
    const { bot, post, comment } = await waitingAnswer();
    const before = (await messagesOn(NAME)).length;
    await remove(bot);
    expect(await openJobs()).toEqual([]);
    await hours(100);
    expect(await outcomeOf(comment)).toEqual({ public: [], messages: before });
    expect(await stored(bot)).toEqual([]);
    expect(await isWatched(post.id)).toBe(false);
  });

  test("is sent with the words that the automation has by then", async () => {
    const { bot, comment } = await waitingAnswer();
    await change(bot, { comment_reply: "Other words" });
    await hours(98);
    expect(await answersTo(NAME, comment)).toEqual(["Other words"]);
  });

  test("is sent in no part that has no words any more", async () => {
    const { bot, comment, text } = await waitingAnswer();
    await change(bot, { comment_reply: null, direct_message: null });
    await hours(98);
    expect(await answersTo(NAME, comment)).toEqual([]);
    expect(await entryOf(home.project, bot, text)).toMatchObject({ outcome: "skipped", reason: "no_text" });
  });

  test("of a stopped automation that is started again does not: later comments are answered", async () => {
    const { bot, post, comment } = await waitingAnswer();
    await change(bot, { status: "stopped" });
    await minutes(1);
    await change(bot, { status: "active", response_time: "instant", delay_time: 0 });
    const later = await sandbox.comment(NAME, post.platformId, "Later");
    await hours(98);
    expect(await answersTo(NAME, comment)).toEqual([]);
    expect(await answersTo(NAME, later)).toEqual(["In public"]);
  });

  test("does not when the channel is disconnected; connected again, its posts are watched again", async () => {
    const account = await sandbox.addAccount(NAME, "To be disconnected");
    const own = await homeOn(NAME, account, { isWhole: true });
    const { id, platformId } = await livePost(own);
    const bot = await newBot(own);
    const comment = await sandbox.comment(NAME, platformId, "Before");
    await minutes(2);
    await own.project.call("DELETE", `/social/delete-channel/${own.channel.channel_id}`);
    expect(await isWatched(id)).toBe(false);
    await minutes(2);
    const verdict = { outcome: "skipped", reason: "channel_disconnected", state: "done" };
    expect(await stored(bot)).toMatchObject([verdict]);
    await hours(98);
    expect(await answersTo(NAME, comment)).toEqual([]);
    expect(await stored(bot)).toMatchObject([verdict]);
    await own.project.connect(NAME, [account]);
    await minutes(2);
    expect(await isWatched(id)).toBe(true);
    const text = `After ${crypto.randomUUID()}`;
    const after = await sandbox.comment(NAME, platformId, text);
    await hours(98);
    expect(await answersTo(NAME, after)).toEqual(["In public"]);
    expect((await logOf(own.project, bot)).map(({ outcome }) => outcome)).toEqual(["replied", "skipped"]);
  });

  test("does not when the account owner has ended the login at the platform, and is reported as failed with what helps", async () => {
    const account = await sandbox.addAccount(NAME, "To be revoked");
    const own = await homeOn(NAME, account, { isWhole: true });
    const { platformId } = await livePost(own);
    const bot = await newBot(own);
    const comment = await sandbox.comment(NAME, platformId, "Before");
    await minutes(2);
    await sandbox.fault(NAME, "publish", "revoke_token");
    await send(own, plainestOn(NAME));
    await settled();
    await hours(98);
    // Within a day they may connect it again.
    expect(await stored(bot)).toMatchObject([{ outcome: "waiting" }]);
    await hours(25);
    expect(await answersTo(NAME, comment)).toEqual([]);
    expect(await stored(bot)).toMatchObject([{ outcome: "failed", reason: "reconnect_needed", state: "done" }]);
  });
});

const ReplyPart = z.object({ state: z.enum(["waiting", "sent", "not_sent"]), code: z.string().optional() });
const Steps = z.array(z.object({ name: z.string() }));

/** An answer whose job is about to be delivered for the first time. */
async function aboutToBeAnswered(of: Home, post: string) {
  await env.DB.prepare("DELETE FROM rate_buckets").run();
  const text = `Mortal ${crypto.randomUUID()}`;
  const comment = await sandbox.comment(NAME, post, text, `Somebody ${crypto.randomUUID().slice(0, 8)}`);
  queue.loseAll();
  expect(await deliverWebhooks()).toBeGreaterThan(0);
  const message = queue.takeDue();
  if (message?.type !== "job") throw new Error(`No job for ${text} of ${of.project.name}.`);
  return { comment, message, key: message.key, id: Number(message.key.split(":")[1]) };
}
type About = Awaited<ReturnType<typeof aboutToBeAnswered>>;

async function turn({ project }: Home, bot: number, status: "stopped" | "active"): Promise<void> {
  await project.call("PUT", `/social/update-comment-automation/${bot}`, { body: { status } });
}

/** The acts that its journal has begun. */
async function actsOf({ key }: About): Promise<readonly string[]> {
  const acts = "SELECT name FROM job_steps WHERE job_key = ? AND name IN ('comment', 'message') AND state <> 'waiting'";
  return Steps.parse((await env.DB.prepare(acts).bind(key).all()).results).map(({ name }) => name);
}

async function isOpen({ key }: About): Promise<boolean> {
  return (await openJobs()).some((job) => job.key === key);
}

async function untilEnded(about: About): Promise<void> {
  for (let count = 0; count < 90; count++) {
    if (!(await isOpen(about))) return;
    await advance(MINUTE);
    await cron();
    await queuesIdle(1_000);
  }
  throw new Error(`${about.key} does not end.`);
}

/** The outcome of a reply, in its row and on the platform; fails the test if they differ. */
async function fateOf({ id, comment }: About, messages: number) {
  const row = await env.DB.prepare("SELECT * FROM replies WHERE id = ?").bind(id).first();
  const parts = {
    comment: ReplyPart.parse(JSON.parse(String(row?.comment_part))),
    message: ReplyPart.parse(JSON.parse(String(row?.message_part))),
  };
  const shown = {
    comment: (await answersTo(NAME, comment)).length,
    message: (await messagesOn(NAME)).length - messages,
  };
  const found = { outcome: String(row?.outcome), reason: row?.reason, parts, shown };
  for (const part of ["comment", "message"] as const) {
    const isInDoubt = parts[part].code === "may_be_published";
    if (!isInDoubt && (parts[part].state === "sent" ? 1 : 0) !== shown[part]) throw new Error(JSON.stringify(found));
    if (parts[part].state === "waiting" || shown[part] > 1) throw new Error(JSON.stringify(found));
  }
  const sent = Object.values(parts).filter(({ state }) => state === "sent").length;
  const outcomes = [["skipped", "failed"], ["partly_replied"], ["replied"]][sent] ?? [];
  if (!outcomes.includes(found.outcome)) throw new Error(JSON.stringify(found));
  return found;
}

/** Death is tried at three times as many places as the others (at all of them with `CONTRACT=all`). */
const DRAWN_PLACES = 3;

describe("whatever an answer's delivery is about to do", { timeout: 240_000 }, () => {
  let own: Home;
  let account: string;
  let post: Awaited<ReturnType<typeof livePost>>;
  let bot: number;
  let acts: number;
  const places = () => Array.from({ length: acts }, (_, index) => index + 1);
  const BOTH = { outcome: "replied", reason: null, shown: { comment: 1, message: 1 } };
  const INSTANT = { response_time: "instant", delay_time: 0 };

  beforeAll(async () => {
    makeMortal();
    account = await sandbox.addAccount(NAME, "Mortal");
    own = await homeOn(NAME, account, { isWhole: true });
    post = await livePost(own);
  });

  beforeEach(async () => {
    bot = await newBot(own, INSTANT);
    await minutes(1);
    await dropWebhooks();
  });

  /** `then`: what happens after the delivery, before the next one. */
  async function answered(fates: Readonly<Record<number, Fate>>, then?: () => Promise<void>, comment?: About) {
    const about = comment ?? (await aboutToBeAnswered(own, post.platformId));
    const messages = (await messagesOn(NAME)).length;
    arm(fates);
    await queue.deliver(about.message).catch(() => {});
    const count = disarm();
    const begun = await actsOf(about);
    await then?.();
    await untilEnded(about);
    return { found: await fateOf(about, messages), begun, count };
  }

  test("both parts are sent once, when nothing happens", async () => {
    const { found, count } = await answered({});
    acts = count;
    expect(found).toMatchObject(BOTH);
    expect(acts).toBeGreaterThanOrEqual(10);
  });

  test.for(["dies", "fails", "loses the answer"] as const)(
    "when it %s there, the next one makes up for it: both parts are sent once",
    async (fate) => {
      for (const at of drawn(fate, places(), fate === "dies" ? 3 * DRAWN_PLACES : DRAWN_PLACES)) {
        expect([at, (await answered({ [at]: fate })).found]).toMatchObject([at, BOTH]);
      }
    },
  );

  test("when it dies there, and the automation is stopped before the next one, nothing is begun, and what was is reported", async () => {
    for (const at of drawn("dies, then stopped", places(), DRAWN_PLACES)) {
      const { found, begun } = await answered({ [at]: "dies" }, async () => {
        await own.project.call("PUT", `/social/update-comment-automation/${bot}`, { body: { status: "stopped" } });
      });
      expect([at, found]).toMatchObject([at, { shown: shownAtMost(found.shown, begun) }]);
      expect([at, found.reason]).toEqual([at, found.shown.comment + found.shown.message === 2 ? null : "stopped"]);
      await own.project.call("PUT", `/social/update-comment-automation/${bot}`, { body: { status: "active" } });
    }
  });

  const ends: readonly (readonly [string, () => Promise<unknown>, string, () => Promise<unknown>])[] = [
    [
      "stopped and started again",
      async () => {
        await turn(own, bot, "stopped");
        await turn(own, bot, "active");
      },
      "stopped",
      async () => {},
    ],
    [
      "its post deleted",
      () => own.project.call("DELETE", `/social/delete-post/${post.id}`),
      "post_gone",
      async () => {
        queue.loseAll();
        await queuesIdle();
        post = await livePost(own);
        await dropWebhooks();
      },
    ],
    [
      "its channel disconnected",
      () => own.project.call("DELETE", `/social/delete-channel/${own.channel.channel_id}`),
      "channel_disconnected",
      async () => {
        await own.project.connect(NAME, [account]);
        await minutes(2);
        await dropWebhooks();
      },
    ],
  ];
  test.for(ends)(
    "%s there: what was not begun is not sent, and the log says why",
    async ([what, happens, why, mend]) => {
      for (const at of drawn(what, places(), DRAWN_PLACES)) {
        // As many acts as this are not always needed: then nothing happens.
        let before: readonly string[] = ["comment", "message"];
        const about = await aboutToBeAnswered(own, post.platformId);
        const { found } = await answered(
          {
            [at]: async () => {
              // What a delivery does after its end concerns others.
              if (await isOpen(about)) before = await actsOf(about);
              await happens();
            },
          },
          undefined,
          about,
        );
        const shown = { comment: before.includes("comment") ? 1 : 0, message: before.includes("message") ? 1 : 0 };
        expect([at, found]).toMatchObject([at, { shown, reason: before.length === 2 ? null : why }]);
        await mend();
      }
    },
  );
});

test("whatever taking a comment in is about to do when the automation is stopped: started again, its author is answered once", async () => {
  makeMortal();
  const own = await homeOn(NAME, await sandbox.addAccount(NAME, "Taken in"), { isWhole: true });
  const post = await livePost(own);
  const bot = await newBot(own, {
    response_time: "instant",
    delay_time: 0,
    frequency: "once",
    response_type: "comment",
  });
  await minutes(1);
  let count = 1;
  for (let at = 0; at <= count; at++) {
    await env.DB.prepare("DELETE FROM rate_buckets").run();
    await dropWebhooks();
    queue.loseAll();
    const author = `Once ${crypto.randomUUID().slice(0, 8)}`;
    const comments = [await sandbox.comment(NAME, post.platformId, "One", author)];
    arm(at === 0 ? {} : { [at]: () => turn(own, bot, "stopped") });
    await deliverWebhooks();
    const events = disarm();
    if (at === 0) count = events;
    await queuesIdle(1_000);
    await turn(own, bot, "active");
    await advance(5_000);
    comments.push(await sandbox.comment(NAME, post.platformId, "Two", author));
    await deliverWebhooks();
    await queuesIdle(1_000);
    const answers = await Promise.all(comments.map((comment) => answersTo(NAME, comment)));
    expect([at, answers.flat()]).toEqual([at, ["In public"]]);
  }
  expect(count).toBeGreaterThan(3);
});

/** What exists of what was begun, and nothing of what was not. */
function shownAtMost(shown: Readonly<Record<"comment" | "message", number>>, begun: readonly string[]) {
  return {
    comment: begun.includes("comment") ? shown.comment : 0,
    message: begun.includes("message") ? shown.message : 0,
  };
}
