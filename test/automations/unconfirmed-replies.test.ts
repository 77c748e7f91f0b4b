import { beforeEach, expect, test } from "vitest";

import { answersTo, entryOf, makeBot, messagesOn, minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { livePost } from "../support/comments.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR } from "../support/times.ts";

/**
 * What comment automations say of answers whose fate is not plain: never more, and never less, than is so.
 */

// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
const MESSAGE = { response_type: "direct_message", comment_reply: undefined } as const;

test.for(["facebook", "instagram"] as const)(
  "of two automations on %s that write to one person, where the answers are lost, one is reported to have done it",
  { timeout: 120_000 },
  async (name) => {
    const { project, channel, platformId } = await livePost(name);
    const words = ["One", "Two"].map((word) => `${word} ${crypto.randomUUID()}`);
    const bots = [];
    for (const word of words) bots.push(await makeBot(project, [channel], { ...MESSAGE, direct_message: word }));
    await sandbox.fault(name, "message", "error", 2);
    const text = `How much? ${crypto.randomUUID()}`;
    await sandbox.comment(name, platformId, text);
    await minutes(15);
    const entries = await Promise.all(bots.map(({ id }) => entryOf(project, id, text)));
    const parts = entries.map(({ direct_message: part }) => part);
    expect(parts.filter((part) => part?.state === "sent")).toHaveLength(1);
    expect(parts.filter((part) => part?.state === "not_sent")).toMatchObject([{ reason: "duplicate" }]);
    const sent = (await messagesOn(name)).filter((one) => words.includes(one.text));
    expect(sent.map((one) => one.text)).toEqual(parts.flatMap((part) => (part?.state === "sent" ? [part.text] : [])));
  },
);

test("an answer that may exist is reported, although the connection ended before it could be looked up", {
  timeout: 120_000,
}, async () => {
  const { project, channel, platformId } = await livePost("instagram");
  const bot = await makeBot(project, [channel], { comment_reply: `Thanks ${crypto.randomUUID()}` });
  const text = `How much? ${crypto.randomUUID()}`;
  const comment = await sandbox.comment("instagram", platformId, text);
  await sandbox.fault("instagram", "reply", "accept_then_drop");
  for (let left = 5; left > 0 && (await answersTo("instagram", comment)).length === 0; left--) await minutes(1);
  await sandbox.fault("instagram", "comments", "revoke_token");
  await minutes(10);
  // Its person may connect it again within the day that it may still be answered.
  expect(await entryOf(project, bot.id, text)).toMatchObject({
    outcome: "waiting",
    message: expect.stringMatching(/Connect .* again/),
  });
  for (let left = 26; left > 0; left--) {
    await advance(HOUR);
    await cron();
    await queuesIdle(1_000);
  }
  expect(await entryOf(project, bot.id, text)).toMatchObject({
    outcome: "failed",
    reason: "may_be_published",
    comment_reply: { state: "not_sent", reason: "may_be_published" },
  });
});

test("comments that come while the login has expired are answered after the account owner has repeated it, and comments are read at once", async () => {
  const { project, channel, accountId, platformId } = await livePost("facebook");
  const bot = await makeBot(project, [channel], { comment_reply: `Thanks ${crypto.randomUUID()}` });
  const [first, second] = [`One ${crypto.randomUUID()}`, `Two ${crypto.randomUUID()}`];
  await sandbox.comment("facebook", platformId, first);
  await sandbox.fault("facebook", "reply", "revoke_token");
  await minutes(3);
  expect(await entryOf(project, bot.id, first)).toMatchObject({ outcome: "waiting" });
  // Watches find the login ended, and sleep for hours.
  await minutes(5);
  await sandbox.comment("facebook", platformId, second);
  await project.connect("facebook", accountId === undefined ? undefined : [accountId]);
  queue.loseAll();
  await minutes(25);
  for (const text of [first, second]) {
    expect(await entryOf(project, bot.id, text)).toMatchObject({ outcome: "replied" });
  }
});

test.for(["instagram", "twitter"] as const)(
  "of two messages on %s in the same words to one person, the one that was lost does not take the other for itself",
  { timeout: 120_000 },
  async (name) => {
    const { project, channel, platformId } = await livePost(name);
    const words = `Hello ${crypto.randomUUID()}`;
    const bot = await makeBot(project, [channel], { ...MESSAGE, direct_message: words });
    const texts = ["First", "Second"].map((word) => `${word} ${crypto.randomUUID()}`);
    await sandbox.fault(name, "message", "error");
    for (const text of texts) await sandbox.comment(name, platformId, text);
    await minutes(25);
    const entries = await Promise.all(texts.map((text) => entryOf(project, bot.id, text)));
    expect(entries).toMatchObject(texts.map(() => ({ outcome: "replied" })));
    expect((await messagesOn(name)).filter((one) => one.text === words)).toHaveLength(2);
    expect(new Set(entries.map(({ direct_message: part }) => part?.id)).size).toBe(2);
  },
);
