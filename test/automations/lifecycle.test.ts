import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Home, homeOn, plainestOn, planFor, send } from "../contract/world.ts";
import { answersTo, commentsOn, dropWebhooks, logOf, makeBot, minutes, platformIdOf } from "../support/automations.ts";
import { boost, boostHome, campaignOf, pass } from "../support/boosts.ts";
import { advance } from "../support/clock.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";

/**
 * Polls of comments belong to the latest turn: whatever starts, stops or wakes one while another check is
 * under way stands.
 */
type Meanwhile = () => Promise<unknown>;
let meanwhile: { readonly part: string; readonly run: Meanwhile } | null = null;
const original = globalThis.fetch;
/** Runs something once, while the first check of comments under this post is under way. */
function during(part: string, run: Meanwhile): void {
  meanwhile = { part, run };
}
beforeEach(() => {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { part, run } = meanwhile ?? { part: "-", run: null };
    if (run && request.method === "GET" && request.url.includes(part)) {
      meanwhile = null;
      await run();
    }
    return original(request);
  };
});
afterEach(async () => {
  globalThis.fetch = original;
  meanwhile = null;
  await sandbox.noFaults();
});

async function untilMet(most: number): Promise<void> {
  for (let count = 0; count < most && meanwhile !== null; count++) await minutes(1);
  expect(meanwhile).toBeNull();
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
  const home = await homeOn("facebook", undefined, { isWhole: true });
  const post = await livePost(home);
  const answer = `Thanks ${crypto.randomUUID()}`;
  const body = { target_type: "posts", post_ids: [post.id], comment_reply: answer };
  const bot = await makeBot(home.project, [home.channel], body);
  await minutes(2);
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
  const pairs = Object.keys(ACTS).flatMap((first) => Object.keys(ACTS).map((second) => [first, second] as const));

  test.for(pairs)("%s, then %s while the check of before is settled", { timeout: 30_000 }, async ([first, second]) => {
    const at = await watched();
    const acts = [ACTS[first], ACTS[second]];
    await acts[0]?.run(at);
    // The check that is under way, or the next one: where there is none, the second act follows the first.
    let hasRun = false;
    const run = async () => {
      hasRun = true;
      await acts[1]?.run(at);
    };
    during(commentsPart(at.post), run);
    await minutes(2);
    if (!hasRun) await run();
    meanwhile = null;
    await queuesIdle(1_000);
    await minutes(12);
    const text = await comment(at.post);
    await minutes(8);
    const isDeleted = first === "delete" || second === "delete";
    const isActive = !isDeleted && acts.reduce((active, act) => act?.leaves ?? active, true);
    const shown = await commentsOn("facebook");
    const asked = shown.find((one) => one.text === text)?.id ?? "";
    const given = (await answersTo("facebook", asked)).filter((one) => one === at.answer);
    expect(given).toHaveLength(isActive ? 1 : 0);
  });
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
    await new Promise((resolve) => setTimeout(resolve, 100));
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
  await pass(27 * 60 * MINUTE, 30 * MINUTE);
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
