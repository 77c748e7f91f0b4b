import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { platforms } from "../../src/platforms/registry.ts";
import { crossed } from "../contract/sample.ts";
import { commentableOn, homeOn, NAMES, type Name, planFor, send } from "../contract/world.ts";
import { answersTo, deliverWebhooks, dropWebhooks, entryOf, makeBot, platformIdOf } from "../support/automations.ts";
import { advance, atOnce } from "../support/clock.ts";
import { READING } from "../support/comments.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { SECOND } from "../support/times.ts";
import { call } from "../support/world.ts";

/**
 * How soon a comment is answered: at once where the platform sends a notification, within 70 s where it has
 * to be read.
 */
const WITH_WEBHOOKS = NAMES.filter((name) => platforms[name]?.webhooks !== undefined);

const Webhooks = z.object({
  webhooks: z.array(
    z.object({
      platform: z.string(),
      is_sandbox: z.boolean(),
      callback_url: z.string(),
      verify_token: z.string().nullable(),
      is_by_hand: z.boolean(),
    }),
  ),
});

/** What an operator does by hand, where a platform requires it, with what the service shows. */
beforeAll(async () => {
  const headers = { "X-Operator-Key": env.OPERATOR_KEY };
  const { webhooks } = Webhooks.parse((await call("GET", "/internal/webhooks", { headers })).body);
  for (const { platform, is_sandbox: isSandbox, is_by_hand: isByHand, callback_url, verify_token } of webhooks) {
    if (isSandbox && isByHand) await sandbox.control("POST", "webhooks", { platform, callback_url, verify_token });
  }
});

async function livePost(name: Name) {
  const home = await homeOn(name, undefined, { isWhole: true });
  const { id } = await send(home, commentableOn(name));
  await queuesIdle();
  return { home, id };
}

describe.for(crossed("answered within 70 s", READING, 3))("%s", (name) => {
  test("a comment that no webhook reports, written at the worst moment, is answered within 70 s", async () => {
    // Right after the sweep; or so that the platform does not show it by the next one.
    const afterSweep = platforms[name]?.comments?.reading?.lagSeconds === undefined ? 1 : 35;
    const { home, id } = await livePost(name);
    const bot = await makeBot(home.project, [home.channel], { comment_reply: `Thanks ${crypto.randomUUID()}` });
    await cron();
    const sweptAt = Date.now();
    await queuesIdle(afterSweep * SECOND);
    await advance(sweptAt + afterSweep * SECOND - Date.now());
    const text = `How much? ${crypto.randomUUID()}`;
    await sandbox.comment(name, await platformIdOf(id), text);
    const commentedAt = Date.now();
    for (let second = afterSweep; second <= afterSweep + 70; second++) {
      await advance(Math.max(0, sweptAt + second * SECOND - Date.now()));
      if (second === 60) await cron();
      await queuesIdle(SECOND);
    }
    const { outcome, comment_reply: answer } = await entryOf(home.project, bot.id, text);
    expect(outcome).toBe("replied");
    expect(Date.parse(answer?.sent_at ?? "") - commentedAt).toBeLessThanOrEqual(70 * SECOND);
  });
});

describe.for(WITH_WEBHOOKS)("%s", (name) => {
  test("a comment is answered before the next sweep, by a bot that was made right after its channel was connected", async () => {
    const { home, id } = await livePost(name);
    const bot = await makeBot(home.project, [home.channel], { comment_reply: `Thanks ${crypto.randomUUID()}` });
    await queuesIdle(1_000);
    await dropWebhooks();
    const text = `How much? ${crypto.randomUUID()}`;
    const comment = await sandbox.comment(name, await platformIdOf(id), text);
    await atOnce(async () => {
      expect(await deliverWebhooks(2)).toBeGreaterThan(0);
      await queuesIdle(5_000);
    });
    const entry = await entryOf(home.project, bot.id, text);
    expect(entry).toMatchObject({ outcome: "replied", message: "Answered." });
    // Notifications of our own answer, sent twice, lead to no other answer.
    await deliverWebhooks(2);
    await queuesIdle(5_000);
    expect(await answersTo(name, comment)).toEqual([entry.comment_reply?.text]);
  });
});

test("a comment that comes without its post starts polls of the account's posts, and is answered before the next sweep", async () => {
  const home = await homeOn("instagram");
  const album = planFor("instagram").shapes.find(({ items: [files = []] }) => files.length > 1);
  if (!album) throw new Error("Instagram has no album.");
  const { id } = await send(home, album);
  await queuesIdle();
  const bot = await makeBot(home.project, [home.channel], { comment_reply: `Thanks ${crypto.randomUUID()}` });
  await queuesIdle(1_000);
  await dropWebhooks();
  const platformId = await platformIdOf(id);
  const texts = [crypto.randomUUID(), crypto.randomUUID()];
  for (const text of texts) await sandbox.comment("instagram", platformId, text);
  expect(await deliverWebhooks()).toBe(2);
  // However many there are, the post is polled once.
  expect(queue.messages.filter(({ type }) => type === "recurring")).toHaveLength(1);
  await queuesIdle(5_000);
  for (const text of texts) expect(await entryOf(home.project, bot.id, text)).toMatchObject({ outcome: "replied" });
});
