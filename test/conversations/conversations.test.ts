import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { freshHome } from "../contract/world.ts";
import { deliverWebhooks, messagesOn, minutes, settled } from "../support/automations.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { collect, conversationsOf, conversationWith, messagesIn, sendIn, writeTo } from "../support/conversations.ts";
import { FACEBOOK_APP } from "../support/platform.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { addHook, projectIdOf, receiver } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import { door, Project } from "../support/world.ts";

/** Conversations as callers use them: lists, state, webhooks, lifetimes. */
beforeEach(startClean);

async function talkingHome(name: "facebook" | "instagram" | "twitter" = "facebook") {
  const home = await freshHome(name);
  await collect(home.project, home.channel);
  const accountId = home.accountId ?? "";
  return { ...home, accountId, hear: (text: string, author: string) => writeTo(name, accountId, text, author) };
}

describe.for(["facebook", "instagram"] as const)("webhooks of %s", (name) => {
  test("a message is stored at once and once, and our webhook names it without its text", async () => {
    const { project, channel, hear } = await talkingHome(name);
    const { path } = await addHook(project, { events: ["message.received"] });
    const text = uniquely("Do you ship?");
    const id = await hear(text, "Ada Reader");
    expect(await deliverWebhooks(3)).toBe(1);
    await settled();
    const { conversation_id } = await conversationWith(project, "Ada Reader");
    const [message, ...others] = await messagesIn(project, conversation_id);
    expect(message).toMatchObject({ origin: "person", text, platform_id: id });
    expect(others).toEqual([]);
    const [event, ...more] = receiver
      .at(path)
      .map((got) => z.looseObject({ data: z.unknown() }).parse(JSON.parse(got.text)));
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: "message.received",
      data: { conversation_id, message_id: message?.message_id, channel_id: channel.channel_id, channel_type: name },
    });
    expect(JSON.stringify(event)).not.toContain(text);
  });

  test("the echo of our own message is the same message", async () => {
    const { project, hear } = await talkingHome(name);
    await hear(uniquely("Hello"), "Ada Reader");
    await deliverWebhooks();
    await settled();
    const { conversation_id: id } = await conversationWith(project, "Ada Reader");
    expect((await sendIn(project, id, uniquely("Hi"))).status).toBe(200);
    await settled();
    expect(await deliverWebhooks(2)).toBe(1);
    expect(await messagesIn(project, id)).toMatchObject([{ origin: "person" }, { origin: "request", state: "sent" }]);
    expect(await conversationWith(project, "Ada Reader")).toMatchObject({ state: "answered" });
  });
});

test("an echo that comes before the answer to our own call becomes our message", async () => {
  const { project, hear } = await talkingHome();
  await hear(uniquely("Hello"), "Ada Reader");
  await minutes(3);
  const { conversation_id: id } = await conversationWith(project, "Ada Reader");
  await sandbox.fault("facebook", "message", "accept_then_drop");
  const text = uniquely("Hi");
  await sendIn(project, id, text);
  await settled();
  expect(await deliverWebhooks()).toBeGreaterThan(0);
  await minutes(10);
  const own = (await messagesIn(project, id)).filter(({ direction }) => direction === "out");
  expect(own).toMatchObject([{ origin: "request", state: "sent", text }]);
  expect((await messagesOn("facebook")).filter((one) => one.text === text)).toHaveLength(1);
});

test("a message that its sender withdraws is deleted", async () => {
  const { project, hear } = await talkingHome();
  await hear(uniquely("Oops"), "Ada Reader");
  const [shown] = await sandbox.webhooks("waiting");
  await deliverWebhooks();
  await settled();
  const { conversation_id: id } = await conversationWith(project, "Ada Reader");
  expect(await messagesIn(project, id)).toHaveLength(1);
  const body = (shown?.body ?? "").replace(/"text":"[^"]*"/, '"is_deleted":true');
  const key = { name: "HMAC", hash: "SHA-256" };
  const bytes = new TextEncoder();
  const secret = await crypto.subtle.importKey("raw", bytes.encode(FACEBOOK_APP.secret), key, false, ["sign"]);
  const digest = new Uint8Array(await crypto.subtle.sign("HMAC", secret, bytes.encode(body)));
  const signature = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const headers = { "x-hub-signature-256": `sha256=${signature}` };
  expect((await door(new Request(shown?.url ?? "", { method: "POST", headers, body }))).status).toBe(200);
  expect(await messagesIn(project, id)).toEqual([]);
});

test("lists begin with what is unanswered, in pages, by channel and state; another project sees none of it", async () => {
  const { project, channel, hear } = await talkingHome();
  for (const author of ["One", "Two", "Three"]) {
    await hear(uniquely("Hello"), author);
    await advance(MINUTE);
  }
  await minutes(3);
  const { conversation_id: three } = await conversationWith(project, "Three");
  await sendIn(project, three, uniquely("Hi"));
  await settled();
  const { conversation_id: two } = await conversationWith(project, "Two");
  expect((await project.call("PUT", `/social/update-conversation/${two}`, { body: { done: true } })).status).toBe(200);
  const names: (string | null)[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await conversationsOf(project, `?limit=1&cursor=${cursor}`);
    names.push(...page.data.map(({ person }) => person.name));
    cursor = page.next_cursor;
  }
  expect(names).toEqual(["One", "Three", "Two"]);
  const ofState = async (state: string) =>
    (await conversationsOf(project, `?channel_id=${channel.channel_id}&state=${state}`)).data.map(
      ({ person }) => person.name,
    );
  expect([await ofState("unanswered"), await ofState("answered"), await ofState("done")]).toEqual([
    ["One"],
    ["Three"],
    ["Two"],
  ]);
  expect((await project.call("GET", "/social/get-conversations?cursor=x")).status).toBe(422);
  const other = await Project.create();
  for (const path of ["", "/messages", "/events"])
    expect((await other.call("GET", `/social/get-conversation/${two}${path}`)).status).toBe(404);
  expect((await sendIn(other, two, "Hi")).status).toBe(404);
  expect((await other.call("PUT", `/social/update-conversation/${two}`, { body: { done: true } })).status).toBe(404);
});

test("a conversation is assigned to a member, annotated, done, and reopened by the person", async () => {
  const { project, hear } = await talkingHome();
  await hear(uniquely("Hello"), "Ada Reader");
  await minutes(3);
  const { conversation_id: id } = await conversationWith(project, "Ada Reader");
  const put = (body: unknown) => project.call("PUT", `/social/update-conversation/${id}`, { body });
  expect(await put({ assigned_to: "kim@example.com" })).toMatchObject({
    status: 422,
    body: { code: "reference_invalid", errors: { assigned_to: [expect.stringContaining("kim@example.com")] } },
  });
  await addMember(await projectIdOf(project), "kim@example.com");
  expect(await put({ assigned_to: "Kim@example.com", note: "Wants a list.", done: true })).toMatchObject({
    status: 200,
    body: { conversation: { assigned_to: "kim@example.com", note: "Wants a list.", done: true, state: "done" } },
  });
  expect(await put({ note: null })).toMatchObject({ body: { conversation: { note: null, done: true } } });
  await hear(uniquely("One more thing"), "Ada Reader");
  await deliverWebhooks();
  await settled();
  expect(await conversationWith(project, "Ada Reader")).toMatchObject({ state: "unanswered", done: false });
  const events = await project.call("GET", `/social/get-conversation-events/${id}`);
  const { events: listed } = z.object({ events: z.array(z.looseObject({ type: z.string() })) }).parse(events.body);
  expect(listed.map(({ type }) => type)).toEqual([
    "message.received",
    "conversation.changed",
    "conversation.changed",
    "message.received",
  ]);
});

test("a refusal is final and says why; a text that is too long is refused before", async () => {
  const { project, hear } = await talkingHome("twitter");
  await hear(uniquely("Hello"), "Ada Reader");
  await minutes(12);
  const { conversation_id: id } = await conversationWith(project, "Ada Reader");
  await sandbox.settings({ twitter_receives_dm: false });
  await sendIn(project, id, uniquely("Hi"));
  await minutes(12);
  await sandbox.settings({ twitter_receives_dm: true });
  expect((await messagesIn(project, id)).at(-1)).toMatchObject({
    state: "failed",
    error_code: "platform_rejected",
    reason: expect.stringMatching(/permission/i),
  });
  expect(await conversationWith(project, "Ada Reader")).toMatchObject({ state: "unanswered" });
  expect(await sendIn(project, id, "x".repeat(10_001))).toMatchObject({ status: 422 });
});

test("messages are forgotten after sixty days, with their conversations", async () => {
  const { project, channel, hear } = await talkingHome();
  await hear(uniquely("Hello"), "Ada Reader");
  await minutes(3);
  expect((await conversationsOf(project)).data).toHaveLength(1);
  await advance(61 * 24 * HOUR);
  await cron();
  await queuesIdle(1_000);
  const { kept } = z
    .object({ kept: z.number() })
    .parse(
      await env.DB.prepare(
        "SELECT (SELECT count(*) FROM conversations WHERE channel_id = ?) + (SELECT count(*) FROM direct_messages) AS kept",
      )
        .bind(channel.channel_id)
        .first(),
    );
  expect(kept).toBe(0);
});

async function addMember(projectId: number, email: string): Promise<void> {
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare("INSERT INTO people (email, code_attempts, created_at) VALUES (?, 0, ?)").bind(email, now),
    env.DB.prepare(
      "INSERT INTO memberships (person_id, project_id, role, digest, created_at) SELECT id, ?, 'editor', 'off', ? FROM people WHERE email = ?",
    ).bind(projectId, now, email),
  ]);
}
