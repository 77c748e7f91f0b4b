import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { type Home, homeOn, type Name, plainestOn, send } from "./contract-world.ts";
import {
  answersTo,
  entryOf,
  logOf,
  makeBot,
  messagesOn,
  minutes,
  platformIdOf,
  settled,
} from "./support/automations.ts";
import { advance } from "./support/clock.ts";
import { queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";
import { MINUTE } from "./support/times.ts";
import type { ChannelRef } from "./support/world.ts";

/** What ends with its automation, its post, its channel: whatever waits to be answered, however long it was to wait. */
const NAME: Name = "facebook";
const HOUR = 60 * MINUTE;
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

describe("an answer that was to go out days later", () => {
  test("goes out in its time when nothing ends it", async () => {
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

  test("goes out with the words that the automation has by then", async () => {
    const { bot, comment } = await waitingAnswer();
    await change(bot, { comment_reply: "Other words" });
    await hours(98);
    expect(await answersTo(NAME, comment)).toEqual(["Other words"]);
  });

  test("goes out in no part that has no words any more", async () => {
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
    await change(bot, {});
    await minutes(2);
    expect(await isWatched(id)).toBe(true);
    const text = `After ${crypto.randomUUID()}`;
    const after = await sandbox.comment(NAME, platformId, text);
    await hours(98);
    expect(await answersTo(NAME, after)).toEqual(["In public"]);
    expect((await logOf(own.project, bot)).map(({ outcome }) => outcome)).toEqual(["replied", "skipped"]);
  });

  test("does not when its person has ended the login at the platform, and is told as failed with what helps", async () => {
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
    expect(await answersTo(NAME, comment)).toEqual([]);
    expect(await stored(bot)).toMatchObject([{ outcome: "failed", reason: "reconnect_needed", state: "done" }]);
  });
});
