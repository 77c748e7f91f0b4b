import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { platforms } from "../../src/platforms/registry.ts";
import { commentableOn, freshHome, NAMES, type Name, send } from "../contract/world.ts";
import { makeBot, messagesOn, minutes, platformIdOf, settled } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect, conversationsOf, conversationWith, messagesIn, sendIn, writeTo } from "../support/conversations.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR } from "../support/times.ts";

/**
 * Conversations are the same wherever the platform has them: each platform of the registry, against its
 * simulation.
 */
beforeEach(startClean);

const TALKING = NAMES.filter((name) => platforms[name]?.conversations !== undefined);
const SILENT = NAMES.filter((name) => platforms[name]?.conversations === undefined);
const DAY = 24 * HOUR;

test("Facebook, Instagram and X have conversations", () => {
  expect(TALKING.toSorted()).toEqual(["facebook", "instagram", "twitter"]);
});

/** A channel that collects its messages; nothing of it is reported by webhooks. */
async function talkingHome(name: Name) {
  const home = await freshHome(name);
  await collect(home.project, home.channel);
  const accountId = home.accountId ?? "";
  return { ...home, accountId, hear: (text: string, author = "Ada Reader") => writeTo(name, accountId, text, author) };
}

const sentTo = async (name: Name, text: string) => (await messagesOn(name)).filter((one) => one.text === text);

describe.for(TALKING)("%s", (name) => {
  const window = platforms[name]?.conversations?.window ?? null;

  test("what a person writes is listed, and an answer is sent once", { timeout: 60_000 }, async () => {
    const { project, hear } = await talkingHome(name);
    const [asked, answer] = [uniquely("Do you ship?"), uniquely("We do.")];
    await hear(asked);
    await minutes(12);
    const conversation = await conversationWith(project, "Ada Reader");
    expect(conversation).toMatchObject({ state: "unanswered", can_send: true, last_message: { text: asked } });
    expect(conversation.can_send_until === null).toBe(window === null);
    const id = conversation.conversation_id;
    const key = crypto.randomUUID();
    const [first, again] = [await sendIn(project, id, answer, { key }), await sendIn(project, id, answer, { key })];
    expect(first).toMatchObject({ status: 200, body: { message: { state: "sending", text: answer } } });
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    await settled();
    expect(await sentTo(name, answer)).toHaveLength(1);
    // The platform lists our own message too.
    await minutes(70);
    expect(await messagesIn(project, id)).toMatchObject([
      { direction: "in", origin: "person", state: "received", text: asked },
      { direction: "out", origin: "request", state: "sent", text: answer },
    ]);
    expect(await conversationWith(project, "Ada Reader")).toMatchObject({ state: "answered" });
  });

  test.for(["error", "accept_then_error", "accept_then_drop"] as const)(
    "an answer that meets with the fault %s is sent once",
    { timeout: 60_000 },
    async (fault) => {
      const { project, hear } = await talkingHome(name);
      await hear(uniquely("Hello"));
      await minutes(12);
      const { conversation_id: id } = await conversationWith(project, "Ada Reader");
      const answer = uniquely("Hello to you");
      await sandbox.fault(name, "message", fault);
      expect((await sendIn(project, id, answer)).status).toBe(200);
      await minutes(25);
      expect(await sentTo(name, answer)).toHaveLength(1);
      const own = (await messagesIn(project, id)).filter(({ direction }) => direction === "out");
      expect(own).toMatchObject([{ origin: "request", state: "sent", text: answer }]);
    },
  );

  test("a person's and a bot's message in one conversation, in the same words, arrive once each", {
    timeout: 90_000,
  }, async () => {
    const { hear, ...home } = await talkingHome(name);
    const { project, channel } = home;
    const { id: post } = await send(home, commentableOn(name));
    await queuesIdle();
    const platformId = await platformIdOf(post);
    const words = uniquely("The list is on its way.");
    await makeBot(project, [channel], {
      response_type: "direct_message",
      comment_reply: undefined,
      direct_message: words,
    });
    await hear(uniquely("I am here."));
    await minutes(12);
    const { conversation_id: id } = await conversationWith(project, "Ada Reader");
    await sandbox.comment(name, platformId, uniquely("The list, please"), "Ada Reader");
    // The first of them is carried out, and its answer is lost.
    await sandbox.fault(name, "message", "accept_then_error");
    expect((await sendIn(project, id, words)).status).toBe(200);
    await minutes(40);
    expect(await sentTo(name, words)).toHaveLength(2);
    const own = (await messagesIn(project, id)).filter(({ direction }) => direction === "out");
    expect(own.map(({ state, text }) => ({ state, text }))).toEqual([
      { state: "sent", text: words },
      { state: "sent", text: words },
    ]);
    expect(new Set(own.map(({ platform_id }) => platform_id)).size).toBe(2);
  });

  test("outside its window an answer is refused, and nothing is sent", { timeout: 60_000 }, async () => {
    const { project, hear } = await talkingHome(name);
    await hear(uniquely("Anyone?"));
    await minutes(12);
    const { conversation_id: id } = await conversationWith(project, "Ada Reader");
    await advance(DAY);
    const late = uniquely("Late");
    const answered = await sendIn(project, id, late);
    const typed = uniquely("Typed");
    const typedAnswer = await sendIn(project, id, typed, { typed: true });
    await settled();
    expect(answered).toMatchObject(window ? { status: 422, body: { code: "not_changeable" } } : { status: 200 });
    expect(await sentTo(name, late)).toHaveLength(window ? 0 : 1);
    // What a person has typed is allowed for a week.
    expect(typedAnswer.status).toBe(200);
    expect(await sentTo(name, typed)).toHaveLength(1);
    if (!window) return;
    await advance(7 * DAY);
    expect(await sendIn(project, id, uniquely("Later"), { typed: true })).toMatchObject({ status: 422 });
  });

  test("switched off, and for a disconnected channel, nothing is kept or read", { timeout: 60_000 }, async () => {
    const { project, channel, hear } = await talkingHome(name);
    await hear(uniquely("Remember me"));
    await minutes(12);
    await conversationWith(project, "Ada Reader");
    await collect(project, channel, false);
    await hear(uniquely("Forget me"));
    await minutes(12);
    expect((await conversationsOf(project)).data).toEqual([]);
    await collect(project, channel);
    await hear(uniquely("Remember me now"));
    await minutes(12);
    await conversationWith(project, "Ada Reader");
    expect((await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`)).status).toBe(200);
    expect((await conversationsOf(project)).data).toEqual([]);
    await minutes(3);
    const rows = await env.DB.prepare(
      "SELECT (SELECT count(*) FROM conversations WHERE channel_id = ?1) + (SELECT count(*) FROM direct_messages) AS kept",
    )
      .bind(channel.channel_id)
      .first();
    expect(rows).toEqual({ kept: 0 });
  });
});

test.for(SILENT)("%s has none, and says so", { timeout: 60_000 }, async (name) => {
  const { project, channel } = await freshHome(name);
  const refused = { status: 422, body: { code: "unsupported_by_platform", message: expect.stringContaining(name) } };
  const body = { collect_messages: true };
  expect(await project.call("PUT", `/social/update-channel/${channel.channel_id}`, { body })).toMatchObject(refused);
  expect(await project.call("GET", `/social/get-conversations?channel_id=${channel.channel_id}`)).toMatchObject(
    refused,
  );
});
