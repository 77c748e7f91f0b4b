import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { platforms } from "../../src/platforms/registry.ts";
import { settings } from "../contract/world.ts";
import { answersTo, entryOf, logOf, makeBot, messagesOn, minutes } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { livePost, READING } from "../support/comments.ts";
import { sandbox } from "../support/sandbox.ts";

/**
 * What a comment automation does is the same wherever comments can be read: each platform of the registry,
 * against its simulation.
 */
// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
afterEach(() => settings({ twitter_receives_dm: true }));

describe.for(READING)("%s", (name) => {
  test("a comment is found, answered in public and in private once, and reported in the log", {
    timeout: 120_000,
  }, async () => {
    const { project, channel, id, platformId } = await livePost(name);
    const hasMessages = platforms[name]?.messages !== undefined;
    const bot = await makeBot(project, [channel], {
      response_type: "both",
      comment_reply: `Thanks ${crypto.randomUUID()}`,
      direct_message: `Hello ${crypto.randomUUID()}`,
    });
    const text = `How much? ${crypto.randomUUID()}`;
    const comment = await sandbox.comment(name, platformId, text);
    await minutes(25);
    const entry = await entryOf(project, bot.id, text);
    expect(entry).toMatchObject({ post_id: id, outcome: "replied", reason: null, message: "Answered." });
    expect(await answersTo(name, comment)).toEqual([entry.comment_reply?.text]);
    const messages = (await messagesOn(name)).filter((one) => one.text === entry.direct_message?.text);
    expect(messages).toHaveLength(hasMessages ? 1 : 0);
    // Our own answer is none to answer.
    await minutes(5);
    expect(await logOf(project, bot.id)).toHaveLength(1);
    expect(await answersTo(name, comment)).toHaveLength(1);
  });
});
