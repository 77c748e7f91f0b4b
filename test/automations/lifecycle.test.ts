import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { drawn } from "../contract/sample.ts";
import { type Home, homeOn, plainestOn, planFor, send } from "../contract/world.ts";
import { newAccount } from "../support/accounts.ts";
import { commentsOn, dropWebhooks, logOf, makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { boost, boostHome, campaignOf, pass } from "../support/boosts.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";

/**
 * Polls of comments belong to the latest turn: whatever starts, stops or wakes one while another check is
 * under way stands.
 */
type Meanwhile = () => Promise<unknown>;
let meanwhile = new Map<string, Meanwhile>();
const original = globalThis.fetch;
/** Runs something once, while the first check of comments under this post is under way. */
function during(part: string, run: Meanwhile): void {
  meanwhile.set(part, run);
}
beforeEach(async () => {
  // A test has projects of its own: the bots of the tests before would only be polled beside them.
  await startClean();
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const [part, run] = [...meanwhile].find(([one]) => request.url.includes(one)) ?? [];
    if (part !== undefined && request.method === "GET") {
      meanwhile.delete(part);
      await run?.();
    }
    return original(request);
  };
});
afterEach(() => {
  globalThis.fetch = original;
  meanwhile = new Map();
});

async function untilMet(most: number): Promise<void> {
  for (let count = 0; count < most && meanwhile.size > 0; count++) await minutes(1);
  expect([...meanwhile.keys()]).toEqual([]);
}

async function livePost(home: Home) {
  const { id } = await send(home, plainestOn(home.channel.channel_type));
  await queuesIdle();
  return { id, platformId: await platformIdOf(id) };
}

const commentsPart = ({ platformId }: { readonly platformId: string }): string => `${platformId}/comments`;

/** What the bot made of the comment. */
const outcomes = async (home: Home, bot: number, text: string): Promise<readonly string[]> =>
  (await logOf(home.project, bot)).filter(({ comment }) => comment.text === text).map(({ outcome }) => outcome);

async function comment(post: { readonly platformId: string }): Promise<string> {
  const text = `Hello ${crypto.randomUUID()}`;
  await sandbox.comment("facebook", post.platformId, text);
  await dropWebhooks();
  return text;
}

/** A home with a live post, a bot for this post, and what changes its state. */
async function watched() {
  const home = await homeOn("facebook", await newAccount("facebook"), { isWhole: true });
  const post = await livePost(home);
  const answer = `Thanks ${crypto.randomUUID()}`;
  const body = { target_type: "posts", post_ids: [post.id], comment_reply: answer };
  const bot = await makeBot(home.project, [home.channel], body);
  const change = (body: Record<string, unknown>) =>
    home.project.call("PUT", `/social/update-comment-automation/${bot.id}`, { body });
  return {
    home,
    post,
    answer,
    start: () => change({ status: "active" }),
    stop: () => change({ status: "stopped" }),
    change: () => change({ name: crypto.randomUUID() }),
    remove: () => home.project.call("DELETE", `/social/delete-comment-automation/${bot.id}`),
    async reconnect() {
      await home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`);
      await home.project.connect("facebook", [home.accountId ?? ""]);
    },
  };
}
type Watched = Awaited<ReturnType<typeof watched>>;

describe("a bot that is active in the end answers what is written then, and a stopped one does not", () => {
  const ACTS: Readonly<Record<string, { readonly run: (at: Watched) => Promise<unknown>; readonly leaves?: boolean }>> =
    {
      start: { run: ({ start }) => start(), leaves: true },
      stop: { run: ({ stop }) => stop(), leaves: false },
      change: { run: ({ change }) => change() },
      reconnect: { run: ({ reconnect }) => reconnect() },
      wake: { run: ({ home }) => home.project.connect("facebook", [home.accountId ?? ""]) },
      another: {
        run: ({ home, post }) => makeBot(home.project, [home.channel], { target_type: "posts", post_ids: [post.id] }),
      },
      delete: { run: ({ remove }) => remove(), leaves: false },
    };
  test.for(drawn("first acts", Object.keys(ACTS), 3))(
    "%s, then any other while the check of before is settled",
    { timeout: 90_000 },
    async (first) => {
      const worlds: { readonly second: string; readonly at: Watched }[] = [];
      for (const second of Object.keys(ACTS)) worlds.push({ second, at: await watched() });
      await minutes(2);
      const waiting = new Map<string, Meanwhile>();
      for (const { second, at } of worlds) {
        await ACTS[first]?.run(at);
        // In the check that is under way, or the next one; where there is none, after the first act.
        const run = async () => {
          waiting.delete(second);
          await ACTS[second]?.run(at);
        };
        waiting.set(second, run);
        during(commentsPart(at.post), run);
      }
      await minutes(2);
      for (const run of waiting.values()) await run();
      meanwhile.clear();
      await queuesIdle(1_000);
      await minutes(12);
      const texts = new Map<string, string>();
      for (const { second, at } of worlds) texts.set(second, await comment(at.post));
      await minutes(8);
      const shown = await commentsOn("facebook");
      const answered: string[] = [];
      for (const { second, at } of worlds) {
        const requested = shown.find(({ text }) => text === texts.get(second))?.id ?? "";
        const given = shown.filter(({ reply_to, text }) => reply_to === requested && text === at.answer);
        answered.push(...given.map(() => second));
      }
      const isActive = (second: string) => {
        const isDeleted = first === "delete" || second === "delete";
        return !isDeleted && [first, second].reduce((active, act) => ACTS[act]?.leaves ?? active, true);
      };
      expect(answered).toEqual(Object.keys(ACTS).filter(isActive));
    },
  );
});

test("a bot that is started while the last check of its post is settled answers", { timeout: 30_000 }, async () => {
  const home = await homeOn("facebook", undefined, { isWhole: true });
  const one = await livePost(home);
  const two = await livePost(home);
  await makeBot(home.project, [home.channel], { target_type: "posts", post_ids: [two.id] });
  const bot = await makeBot(home.project, [home.channel], { target_type: "posts", post_ids: [one.id] });
  await minutes(2);
  const set = (status: string) =>
    home.project.call("PUT", `/social/update-comment-automation/${bot.id}`, { body: { status } });
  await set("stopped");
  // Both checks are in one message, settled together: that of the stopped bot has ended by now.
  during(commentsPart(two), async () => {
    // D1 answers in order: behind everything that this check still reads.
    for (let turn = 0; turn < 20; turn++) await env.DB.prepare("SELECT 1").run();
    await set("active");
  });
  await untilMet(5);
  await minutes(2);
  const text = await comment(one);
  await minutes(5);
  expect(await outcomes(home, bot.id, text)).toEqual(["replied"]);
});

test.for(["facebook", "linkedin"] as const)(
  "%s: a bot that is created during a check answers the comments of that check",
  { timeout: 60_000 },
  async (name) => {
    const home = await homeOn(name, undefined, { isWhole: true });
    const shape = planFor(name).shapes[0] ?? plainestOn(name);
    const { id } = await send(home, shape);
    await queuesIdle();
    const platformId = await platformIdOf(id);
    const first = await makeBot(home.project, [home.channel], { comment_reply: `First ${crypto.randomUUID()}` });
    await minutes(3);
    await dropWebhooks();
    const text = `Between ${crypto.randomUUID()}`;
    let second = 0;
    during("comments", async () => {
      second = (await makeBot(home.project, [home.channel], { comment_reply: `Second ${crypto.randomUUID()}` })).id;
      await advance(5_000);
      await sandbox.comment(name, platformId, text);
      await dropWebhooks();
    });
    await untilMet(90);
    await minutes(30);
    expect(await outcomes(home, first.id, text)).toEqual(["replied"]);
    expect(await outcomes(home, second, text)).toEqual(["replied"]);
  },
);

test("a bot for campaigns answers again after its channel was disconnected and connected again", {
  timeout: 60_000,
}, async () => {
  const home = await boostHome("facebook");
  const id = await boost(home, { duration: 1, budget: 30 });
  await queuesIdle(30_000);
  const bot = await makeBot(home.project, [home.channel], { target_type: "campaigns", campaign_ids: [id] });
  await pass(27 * 60 * MINUTE, 3 * 60 * MINUTE);
  expect(await campaignOf(home, id)).toMatchObject({ status: "completed" });
  const post = { platformId: await platformIdOf(home.postId) };
  await home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`);
  await queuesIdle(30_000);
  await minutes(2);
  await home.project.connect("facebook");
  await minutes(15);
  const text = await comment(post);
  await minutes(10);
  expect(await outcomes(home, bot.id, text)).toEqual(["replied"]);
});
