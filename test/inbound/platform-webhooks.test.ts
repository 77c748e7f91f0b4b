import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { webhookAddress } from "../../src/channels/webhook-address.ts";
import { createMeter } from "../../src/core/meter.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { createDeps } from "../../src/service/deps.ts";
import { commentableOn, homeOn, NAMES, type Name, send, settings } from "../contract/world.ts";
import {
  answersTo,
  commentsOn,
  deliverWebhooks,
  dropWebhooks,
  entryOf,
  logOf,
  makeBot,
  minutes,
  platformIdOf,
  settled,
} from "../support/automations.ts";
import { advance } from "../support/clock.ts";
import { FACEBOOK_APP } from "../support/platform.ts";
import { bindings, cron, queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";
import { door, ORIGIN } from "../support/world.ts";

/**
 * A platform's notification leads to an answer at once, once, and only if it is authentic. Delivered as
 * the sandbox signed it.
 */
const WITH_WEBHOOKS = NAMES.filter((name) => platforms[name]?.webhooks !== undefined);
const CALM = { webhooks_repeat: false, instagram_webhook_shape: "changes", instagram_webhook_twins: false };
afterEach(() => settings(CALM));

type Live = Awaited<ReturnType<typeof livePost>>;

async function livePost(name: Name) {
  const home = await homeOn(name);
  const { id } = await send(home, commentableOn(name));
  await queuesIdle();
  // The subscription is a task of the login.
  await cron();
  await queuesIdle(1_000);
  await subscribeAtDashboard(name);
  return { ...home, name, id, platformId: await platformIdOf(id) };
}

/** Where the callback of an app is entered by hand. */
async function subscribeAtDashboard(name: Name): Promise<void> {
  const address = await webhookAddress(createDeps(bindings, { test: true }, createMeter()), name, true);
  if (!address || name !== "threads") return;
  const body = { platform: name, callback_url: address.url, verify_token: address.verifyToken };
  await sandbox.control("POST", "webhooks", body);
}

const write = ({ name, platformId }: Live, text: string, author = "Ada Reader") =>
  sandbox.comment(name, platformId, text, author);

describe.for(WITH_WEBHOOKS)("%s", (name) => {
  let live: Live;
  let bot: number;
  beforeAll(async () => {
    live = await livePost(name);
    bot = (await makeBot(live.project, [live.channel], { comment_reply: uniquely("Thanks") })).id;
    await dropWebhooks();
  });

  test("what is reported is answered at once, and neither its repeats nor reading it again change anything", async () => {
    const text = uniquely("Told");
    const comment = await write(live, text);
    expect(await deliverWebhooks(3)).toBeGreaterThan(0);
    await settled();
    expect(await entryOf(live.project, bot, text)).toMatchObject({ outcome: "replied", comment: { text } });
    expect(await answersTo(name, comment)).toHaveLength(1);
    // The platform notifies us of our own answer too.
    await deliverWebhooks();
    await minutes(3);
    await deliverWebhooks();
    await minutes(1);
    expect(await answersTo(name, comment)).toHaveLength(1);
    expect(await logOf(live.project, bot)).toHaveLength(1);
  });

  test("what is lost is read", async () => {
    const text = uniquely("Lost");
    const comment = await write(live, text);
    await dropWebhooks();
    await minutes(20);
    expect(await entryOf(live.project, bot, text)).toMatchObject({ outcome: "replied" });
    expect(await answersTo(name, comment)).toHaveLength(1);
    await dropWebhooks();
  });

  test("what is not signed by the platform changes nothing", async () => {
    const text = uniquely("Forged");
    await write(live, text);
    const [shown] = await sandbox.webhooks("waiting");
    if (!shown) throw new Error("Nothing was reported.");
    const post = (body: string, headers: Record<string, string>) =>
      door(new Request(shown.url, { method: "POST", body, headers }));
    const changed = shown.body.replace("Forged", "Forgot");
    expect(changed).not.toBe(shown.body);
    expect((await post(changed, shown.headers)).status).toBe(401);
    expect((await post(shown.body, { "content-type": "application/json" })).status).toBe(401);
    const cut = Object.fromEntries(Object.entries(shown.headers).map(([key, value]) => [key, value.slice(0, -1)]));
    expect((await post(shown.body, cut)).status).toBe(401);
    // The sandbox's secrets open nothing of live projects.
    const liveUrl = shown.url.replace(/\/test$/, "");
    expect([401, 404]).toContain(
      (await door(new Request(liveUrl, { method: "POST", body: shown.body, headers: shown.headers }))).status,
    );
    await settled();
    expect((await logOf(live.project, bot)).filter(({ comment }) => comment.text === text)).toEqual([]);
    await dropWebhooks();
    await minutes(20);
    expect((await logOf(live.project, bot)).filter(({ comment }) => comment.text === text)).toHaveLength(1);
    await dropWebhooks();
  });

  test("a question of another person is not answered", async () => {
    const url = `${ORIGIN}/webhooks/${name}/test`;
    const request = (query: string) => door(new Request(`${url}?${query}`));
    const verify = "hub.mode=subscribe&hub.challenge=12345&hub.verify_token=guessed";
    const statuses = [(await request("")).status, (await request(verify)).status];
    expect(statuses).toEqual([403, 403]);
    expect((await door(new Request(url, { method: "POST", body: "x".repeat(5 * 1024 * 1024) }))).status).toBe(413);
    expect((await door(new Request(url, { method: "PUT", body: "{}" }))).status).toBe(405);
  });
});

test("a platform that reports nothing has no address", async () => {
  for (const path of ["youtube", "myspace", "facebook/live", "youtube/test"]) {
    expect((await door(new Request(`${ORIGIN}/webhooks/${path}`, { method: "POST", body: "{}" }))).status).toBe(404);
  }
});

describe("X's handshake", () => {
  const address = `${ORIGIN}/webhooks/twitter/test`;
  const challenge = (crc_token: string, source: string) =>
    door(new Request(`${address}?${new URLSearchParams({ crc_token })}`, { headers: { "CF-Connecting-IP": source } }));
  const asEvent = (body: string, signature: string) =>
    door(new Request(address, { method: "POST", body, headers: { "x-twitter-webhooks-signature": signature } }));

  test("signs nothing that is accepted as an event", async () => {
    const live = await livePost("twitter");
    await makeBot(live.project, [live.channel], { comment_reply: uniquely("Thanks") });
    await dropWebhooks();
    await write(live, uniquely("Forged"));
    const [event] = await sandbox.webhooks("waiting");
    if (!event) throw new Error("The sandbox sent no event.");
    const texts = [
      event.body,
      ` ${event.body}`,
      "[]",
      "{}",
      '"x"',
      "7",
      "true",
      "null",
      "eyJhIjoxfQ==",
      "T".repeat(128),
    ];
    const signed: string[] = [];
    for (const [index, text] of texts.entries()) {
      const answer = await challenge(text, `192.0.2.${index}`);
      expect([200, 403]).toContain(answer.status);
      if (answer.status !== 200) continue;
      signed.push(text);
      const { response_token } = z.object({ response_token: z.string() }).parse(await answer.json());
      expect((await asEvent(text, response_token)).status).toBe(401);
    }
    expect(signed).toEqual(["7", "true", "null", "eyJhIjoxfQ==", "T".repeat(128)]);
    await dropWebhooks();
  });

  test("is answered at X's pace, and a flood from one address costs no other", async () => {
    const statuses: number[] = [];
    for (let index = 0; index < 10; index++) statuses.push((await challenge(`T${index}`, "198.51.100.1")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429, 429, 429, 429]);
    expect((await challenge("T", "198.51.100.2")).status).toBe(200);
    await advance(10 * MINUTE);
    expect((await challenge("T", "198.51.100.1")).status).toBe(200);
  });
});

describe("Instagram", () => {
  test.for(["changes", "flat"])("reports comments in the shape “%s”, of boosted posts twice", async (shape) => {
    const live = await livePost("instagram");
    const { id } = await makeBot(live.project, [live.channel], { comment_reply: uniquely("Thanks") });
    await dropWebhooks();
    await settings({ instagram_webhook_shape: shape, instagram_webhook_twins: true });
    const text = uniquely("Twice");
    const comment = await write(live, text);
    await deliverWebhooks();
    await settled();
    await minutes(2);
    await deliverWebhooks();
    await minutes(2);
    expect(await answersTo("instagram", comment)).toHaveLength(1);
    expect(await logOf(live.project, id)).toHaveLength(1);
  });
});

describe("a notification of many", () => {
  async function signed(body: string) {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const key = await crypto.subtle.importKey(
      "raw",
      bytes(FACEBOOK_APP.secret),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const digest = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(body)));
    const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${hex}` };
    return door(new Request(`${ORIGIN}/webhooks/facebook/test`, { method: "POST", body, headers }));
  }

  test("that is no JSON, or not our own, is refused or passed over, and never a 500", async () => {
    expect((await signed("")).status).toBe(400);
    expect((await signed("{")).status).toBe(400);
    for (const body of ["[]", "{}", '"x"', "7", '{"object":"page"}', '{"object":"page","entry":[null]}']) {
      expect((await signed(body)).status).toBe(200);
    }
    const strange = { object: "page", entry: [{ id: "1", time: "x", changes: [{ field: "feed", value: 7 }, null] }] };
    expect((await signed(JSON.stringify(strange))).status).toBe(200);
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    expect([200, 400]).toContain((await signed(deep)).status);
  });

  test("brings a thousand comments at once, which are answered in their turn", async () => {
    const live = await livePost("facebook");
    const { id } = await makeBot(live.project, [live.channel], { trigger_type: "keywords", keywords: ["wanted"] });
    await advance(MINUTE);
    const now = Math.floor(Date.now() / 1000);
    const changes = Array.from({ length: 1000 }, (_, index) => ({
      field: "feed",
      value: {
        item: "comment",
        verb: "add",
        comment_id: `${live.platformId}_${5_000_000 + index}`,
        post_id: live.platformId,
        parent_id: live.platformId,
        from: { id: String(7_000_000 + index), name: `Person ${index}` },
        message: index % 100 === 0 ? "wanted" : "other",
        created_time: now,
      },
    }));
    const body = JSON.stringify({ object: "page", entry: [{ id: live.accountId, time: now, changes }] });
    expect((await signed(body)).status).toBe(200);
    expect((await signed(body)).status).toBe(200);
    const Log = z.object({
      replies: z.object({ data: z.array(z.looseObject({ outcome: z.string() })), next_cursor: z.string().nullable() }),
    });
    const outcomes: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "?limit=100" : `?limit=100&cursor=${cursor}`;
      const answer = await live.project.call("GET", `/social/get-comment-automation-replies/${id}${query}`);
      const { replies } = Log.parse(answer.body);
      outcomes.push(...replies.data.map(({ outcome }) => outcome));
      cursor = replies.next_cursor;
    }
    expect(outcomes).toHaveLength(1000);
    expect(outcomes.filter((outcome) => outcome === "waiting")).toHaveLength(10);
    expect((await commentsOn("facebook")).filter(({ post_id }) => post_id === live.platformId)).toHaveLength(0);
  });
});
