import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { shareOf } from "../../src/acting/pace.ts";
import {
  ACCOUNTS,
  calm,
  commentableOn,
  factsOf,
  type Home,
  NAMES,
  type Name,
  outcomeOf,
  plainestOn,
  publish,
  send,
  settings,
  settingsNow,
} from "../contract/world.ts";
import { answersTo, deliverWebhooks, dropWebhooks, entryOf, makeBot, settled } from "../support/automations.ts";
import { quiet, requests } from "../support/between.ts";
import { counts, databases, projectIn, useDatabases } from "../support/databases.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";
import type { Project } from "../support/world.ts";

/** What two projects share that live in two databases: an account, its limits, its login and its webhooks. */
useDatabases();

const projects: Project[] = [];
beforeAll(async () => {
  for (const database of [1, 2]) projects.push(await projectIn(database));
});
afterEach(async () => {
  quiet();
  vi.restoreAllMocks();
  await calm();
});

/** The account in both databases. */
async function homesOn(name: Name, accountId = ACCOUNTS[name][0]): Promise<readonly Home[]> {
  await settings(factsOf(name).roomy);
  const homes: Home[] = [];
  for (const project of projects) {
    const [channel_id = 0] = await project.connect(name, [accountId]);
    homes.push({ project, channel: { channel_type: name, channel_id }, accountId });
  }
  return homes;
}

test("both channels know that the account is in two databases", async () => {
  const [one] = await homesOn("twitter");
  const where = `platform = 'twitter' AND account_id = '${one?.accountId}' AND databases = 2`;
  expect(await counts("channels", where)).toEqual([0, 1, 1]);
});

describe("with every answer lost, both at once", () => {
  const taking = NAMES.filter((name) => !factsOf(name).refusesRepeats).slice(0, 2);
  const refusing = NAMES.filter((name) => factsOf(name).refusesRepeats).slice(0, 2);

  test.for(taking)("%s: no live post is adopted twice", async (name) => {
    const caption_text = `Shared and taken ${crypto.randomUUID()}`;
    const homes = await homesOn(name);
    await sandbox.fault(name, "publish", "accept_then_drop", 8);
    const sents = await Promise.all(homes.map((home) => send(home, plainestOn(name), { caption_text })));
    await Promise.all(queue.messages.map((message) => queue.deliver(message)));
    await queuesIdle(36 * 60 * MINUTE);
    const outcomes = await Promise.all(sents.map(outcomeOf));
    const published = outcomes.filter(({ state }) => state === "published");
    const live = (await sandbox.postsWith(caption_text)).length;
    expect(outcomes.filter(({ state }) => state === "failed").length + published.length).toBe(2);
    expect(live).toBeGreaterThanOrEqual(published.length);
    expect(live).toBeLessThanOrEqual(2);
    expect(new Set(published.map(({ permalink }) => permalink)).size).toBe(published.length);
  });

  test.for(refusing)("%s: one is live, and one is published", async (name) => {
    const caption_text = `Shared and lost ${crypto.randomUUID()}`;
    const homes = await homesOn(name);
    await sandbox.fault(name, "publish", "accept_then_drop", 8);
    const sents = await Promise.all(homes.map((home) => send(home, plainestOn(name), { caption_text })));
    await Promise.all(queue.messages.map((message) => queue.deliver(message)));
    await queuesIdle();
    expect(await sandbox.postsWith(caption_text)).toHaveLength(1);
    const states = await Promise.all(sents.map(async (sent) => (await outcomeOf(sent)).state));
    expect(states.toSorted()).toEqual(["failed", "published"]);
  });
});

test("the login ends with the last channel of both databases", async () => {
  const accountId = await sandbox.addAccount("twitter", uniquely("Fresh"));
  const [one, two] = await homesOn("twitter", accountId);
  if (!one || !two) throw new Error("The account is not connected.");
  const ends = () => requests().filter((request) => /\/revoke\/?(?:\?|$)/.test(request)).length;
  const disconnect = async ({ project, channel }: Home) => {
    expect((await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`)).status).toBe(200);
    await queuesIdle(MINUTE);
  };
  await disconnect(one);
  expect(ends()).toBe(0);
  expect(await publish(two, plainestOn("twitter"))).toMatchObject({ state: "published" });
  await disconnect(two);
  expect(ends()).toBeGreaterThanOrEqual(1);
});

test("a limit that one database has reached stops the calls of the other", async () => {
  const homes = await homesOn("twitter", await sandbox.addAccount("twitter", uniquely("Limited")));
  const usual = await settingsNow(["twitter_posts_per_day"]);
  await settings({ twitter_posts_per_day: 0 });
  const posts = () => requests("/2/tweets").filter((request) => request.startsWith("POST")).length;
  const refused: number[] = [];
  for (const home of homes) {
    await send(home, plainestOn("twitter"));
    await queuesIdle(MINUTE);
    refused.push(posts());
  }
  expect(refused[0]).toBeGreaterThan(0);
  expect(refused[1]).toBe(refused[0]);
  await settings(usual);
  await queuesIdle(25 * 60 * MINUTE);
});

test("a platform's webhook reaches the bots of every database that has the account", async () => {
  const homes = await homesOn("facebook");
  for (const home of homes) {
    const { id } = await send(home, commentableOn("facebook"));
    await queuesIdle();
    await cron();
    await queuesIdle(1_000);
    const bot = await makeBot(home.project, [home.channel], { comment_reply: uniquely("Thanks") });
    await dropWebhooks();
    const found = await Promise.all(
      databases().map((one) =>
        one
          .prepare("SELECT platform_posts ->> '$[0].id' AS live FROM posts WHERE id = ?")
          .bind(id)
          .first<string>("live"),
      ),
    );
    const live = found.find((one) => one !== null);
    if (!live) throw new Error(`Post ${id} is not live.`);
    const text = uniquely("Told");
    const comment = await sandbox.comment("facebook", live, text, "Ada Reader");
    expect(await deliverWebhooks()).toBeGreaterThan(0);
    await settled();
    expect(await entryOf(home.project, bot.id, text)).toMatchObject({ outcome: "replied" });
    expect(await answersTo("facebook", comment)).toHaveLength(1);
  }
});

test("a pace is divided: all databases together never pass it", () => {
  const paces = [
    [30, 60],
    [1, 75],
    [750, 3600],
  ] as const;
  for (const [most, perSeconds] of paces) {
    expect(shareOf({ most, perSeconds }, 1)).toEqual({ most, perSeconds });
    for (const databases of [2, 3, 8]) {
      const share = shareOf({ most, perSeconds }, databases);
      expect((databases * share.most) / share.perSeconds).toBeLessThanOrEqual(most / perSeconds + 1e-9);
    }
  }
});
