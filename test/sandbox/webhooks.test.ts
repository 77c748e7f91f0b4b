import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { z } from "zod";
import { resetSandbox, setSandboxClock } from "../support/clock.ts";
import type { Webhook } from "../support/control.ts";
import * as instagram from "../support/instagram.ts";
import { BIKES, FACEBOOK_APP, FERN, facebookPage, graph, send, X_APP, x, xLogin } from "../support/platform.ts";
import { sandbox } from "../support/sandbox.ts";
import * as threads from "../support/threads.ts";

/**
 * What the platforms send by themselves: who is told what, how it is signed, and what becomes of it when
 * nobody takes it.
 */

const HOOK = "https://hooks.test/taken";
const APP_TOKEN = `${FACEBOOK_APP.id}|${FACEBOOK_APP.secret}`;
const X_BEARER = "sandbox-x-app-bearer";
const X_SECRET = "sandbox-x-consumer-secret";

const clock = setSandboxClock;
const parsed = ({ body }: Webhook): unknown => JSON.parse(body);
const only = <T>(list: readonly T[]): T => {
  const [one, ...more] = list;
  if (one === undefined || more.length > 0) throw new Error(`Expected one, found ${list.length}.`);
  return one;
};

async function livePost(platform: string, account_id: string, text = "Open on Sunday"): Promise<string> {
  const post = await sandbox.control("POST", "posts", { platform, account_id, text, application: "own" });
  return z.looseObject({ id: z.string() }).parse(post).id;
}

async function hmac(secret: string, message: string, hash: string): Promise<Uint8Array> {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const key = await crypto.subtle.importKey("raw", bytes(secret), { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(message)));
}
const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

const subscribeApp = (callback_url = HOOK, fields = "feed") =>
  graph("POST", `/v27.0/${FACEBOOK_APP.id}/subscriptions`, APP_TOKEN, {
    object: "page",
    callback_url,
    fields,
    verify_token: "ours",
  });

async function subscribedPage(): Promise<string> {
  await subscribeApp();
  const token = await facebookPage();
  await graph("POST", `/v27.0/${FERN}/subscribed_apps`, token, { subscribed_fields: "feed" });
  return token;
}

beforeEach(async () => {
  await resetSandbox();
  await sandbox.settings({ facebook_require_appsecret_proof: false, instagram_require_appsecret_proof: false });
});
afterEach(() => clock(0));

describe("a comment on facebook", () => {
  test("is notified when app and Page have subscribed, signed over its exact bytes", async ({ expect }) => {
    await subscribedPage();
    const post = await livePost("facebook", FERN);
    const id = await sandbox.comment("facebook", post, "Äpfel? 🍏", "Ada");
    const webhook = only(await sandbox.webhooks("waiting"));
    expect(webhook).toMatchObject({ platform: "facebook", url: HOOK, attempts: 0 });
    expect(webhook.body).toContain('"message":"\\u00c4pfel? \\ud83c\\udf4f"');
    const [long, short] = [
      await hmac(FACEBOOK_APP.secret, webhook.body, "SHA-256"),
      await hmac(FACEBOOK_APP.secret, webhook.body, "SHA-1"),
    ];
    expect(webhook.headers).toEqual({
      "content-type": "application/json",
      "x-hub-signature-256": `sha256=${hex(long)}`,
      "x-hub-signature": `sha1=${hex(short)}`,
    });
    expect(parsed(webhook)).toEqual({
      object: "page",
      entry: [
        {
          id: FERN,
          time: expect.any(Number),
          changes: [
            {
              field: "feed",
              value: {
                item: "comment",
                verb: "add",
                comment_id: id,
                post_id: post,
                parent_id: post,
                from: { id: expect.any(String), name: "Ada" },
                message: "Äpfel? 🍏",
                created_time: expect.any(Number),
                post: { id: post, permalink_url: expect.any(String), status_type: "mobile_status_update" },
              },
            },
          ],
        },
      ],
    });
  });

  test("is notified when the Page itself writes it, and when it is edited, hidden or deleted", async ({ expect }) => {
    const token = await subscribedPage();
    const post = await livePost("facebook", FERN);
    const comment = await sandbox.comment("facebook", post, "Do you ship?");
    const written = await graph("POST", `/v27.0/${comment}/comments`, token, { message: "We do" });
    const own = z.object({ id: z.string() }).parse(written.json).id;
    await graph("POST", `/v27.0/${own}`, token, { message: "We do." });
    await graph("POST", `/v27.0/${comment}`, token, { is_hidden: "true" });
    await graph("POST", `/v27.0/${comment}`, token, { is_hidden: "false" });
    await graph("DELETE", `/v27.0/${own}`, token);
    const Value = z.looseObject({ verb: z.string(), comment_id: z.string(), parent_id: z.string() });
    const Entry = z.object({ changes: z.tuple([z.object({ value: Value })]) });
    const Shown = z.object({ entry: z.tuple([Entry]) });
    const shown = (await sandbox.webhooks()).map((one) => Shown.parse(parsed(one)).entry[0].changes[0].value);
    expect(shown.map(({ verb, comment_id }) => [verb, comment_id])).toEqual([
      ["add", comment],
      ["add", own],
      ["edited", own],
      ["hide", comment],
      ["unhide", comment],
      ["remove", own],
    ]);
    expect(shown[1]).toMatchObject({ parent_id: comment, from: { id: FERN }, message: "We do" });
    expect(shown[5]).not.toHaveProperty("message");
  });

  test("is not notified when either of the two has not subscribed, or no longer does", async ({ expect }) => {
    const post = await livePost("facebook", FERN);
    await sandbox.comment("facebook", post, "nobody asked");
    await subscribeApp();
    await sandbox.comment("facebook", post, "only the app asked");
    const token = await facebookPage();
    await graph("POST", `/v27.0/${FERN}/subscribed_apps`, token, { subscribed_fields: "messages" });
    await sandbox.comment("facebook", post, "the Page asked for something else");
    await graph("POST", `/v27.0/${FERN}/subscribed_apps`, token, { subscribed_fields: "messages,feed" });
    await sandbox.comment("facebook", await livePost("facebook", "104000000000002"), "on another Page");
    expect(await sandbox.webhooks()).toEqual([]);
    await sandbox.settings({ facebook_app_mode: "development" });
    await sandbox.comment("facebook", post, "the app is in development mode");
    await sandbox.settings({ facebook_app_mode: "live" });
    await sandbox.comment("facebook", post, "both asked");
    await graph("DELETE", `/v27.0/${FERN}/subscribed_apps`, token);
    await sandbox.comment("facebook", post, "the Page left");
    expect(only(await sandbox.webhooks()).body).toContain("both asked");
  });
});

describe("a comment on instagram", () => {
  const appToken = `${instagram.APP.client_id}|${instagram.APP.client_secret}`;
  const subscribeInstagram = () =>
    graph("POST", `/v27.0/${instagram.APP.client_id}/subscriptions`, appToken, {
      object: "instagram",
      callback_url: HOOK,
      fields: "comments,mentions",
      verify_token: "ours",
    });
  async function subscribedAccount(): Promise<string> {
    await subscribeInstagram();
    const token = await instagram.personToken([instagram.FERN], [...instagram.SCOPES, "pages_manage_metadata"]);
    const path = `${instagram.FERN_PAGE}/subscribed_apps`;
    const answer = await instagram.graph({ login: "facebook", token }, "POST", path, { subscribed_fields: "feed" });
    if (answer.status !== 200) throw new Error(answer.text);
    return token;
  }

  test("is notified of an account whose Page is subscribed; its own comments are marked", async ({ expect }) => {
    const token = await subscribedAccount();
    const post = await livePost("instagram", instagram.FERN);
    const comment = await sandbox.comment("instagram", post, "In stock?", "ada.l");
    await instagram.graph({ login: "facebook", token }, "POST", `${comment}/replies`, { message: "Yes" });
    const [asked, answered] = (await sandbox.webhooks()).map(parsed);
    expect(asked).toEqual({
      object: "instagram",
      entry: [
        {
          id: instagram.FERN,
          time: expect.any(Number),
          changes: [
            {
              field: "comments",
              value: {
                id: comment,
                text: "In stock?",
                from: { id: expect.any(String), username: "ada.l" },
                media: { id: post, media_product_type: "FEED" },
              },
            },
          ],
        },
      ],
    });
    expect(answered).toMatchObject({
      entry: [
        {
          changes: [
            {
              value: {
                parent_id: comment,
                from: { id: instagram.FERN, username: "fernandoak", self_ig_scoped_id: expect.any(String) },
              },
            },
          ],
        },
      ],
    });
  });

  test("may come flat, and twice when its post is an ad too", async ({ expect }) => {
    await subscribedAccount();
    const post = await livePost("instagram", instagram.FERN);
    await sandbox.settings({ instagram_webhook_shape: "flat", instagram_webhook_twins: true });
    const comment = await sandbox.comment("instagram", post, "Twice?");
    const [one, twin] = (await sandbox.webhooks()).map(parsed);
    expect(one).toMatchObject({
      entry: [{ id: instagram.FERN, field: "comments", value: { id: comment, media: { id: post } } }],
    });
    expect(one).not.toHaveProperty("entry.0.changes");
    expect(twin).toMatchObject({
      entry: [
        {
          value: {
            id: comment,
            media: { ad_id: expect.any(String), ad_title: expect.any(String), original_media_id: post },
          },
        },
      ],
    });
    expect(twin).not.toHaveProperty("entry.0.value.media.id", post);
  });

  test("of Instagram Login is notified to the address of the dashboard, signed with either secret", async ({
    expect,
  }) => {
    const refused = sandbox.control("POST", "webhooks", {
      platform: "facebook",
      callback_url: HOOK,
      verify_token: "ours",
    });
    await expect(refused).rejects.toThrow(/422/);
    await sandbox.control("POST", "webhooks", { platform: "instagram", callback_url: HOOK, verify_token: "ours" });
    const token = await instagram.accountToken();
    await instagram.graph({ login: "instagram", token }, "POST", "me/subscribed_apps", {
      subscribed_fields: "comments,messages",
    });
    expect((await instagram.graph({ login: "instagram", token }, "GET", "me/subscribed_apps")).json).toMatchObject({
      data: [{ subscribed_fields: ["comments", "messages"] }],
    });
    const post = await livePost("instagram", instagram.FERN);
    await sandbox.comment("instagram", post, "one");
    await sandbox.settings({ instagram_login_webhook_secret: "login" });
    await sandbox.comment("instagram", post, "two");
    const [one, two] = await sandbox.webhooks();
    const signed = async (secret: string, webhook: Webhook | undefined) =>
      `sha256=${hex(await hmac(secret, webhook?.body ?? "", "SHA-256"))}`;
    expect(one?.headers["x-hub-signature-256"]).toBe(await signed(instagram.APP.client_secret, one));
    expect(two?.headers["x-hub-signature-256"]).toBe(await signed(instagram.LOGIN_APP.client_secret, two));
  });
});

test("a reply on Threads is notified flat, to the address of the dashboard, while the account is logged in", async ({
  expect,
}) => {
  await sandbox.control("POST", "webhooks", { platform: "threads", callback_url: HOOK, verify_token: "ours" });
  const post = await livePost("threads", threads.FERN);
  await sandbox.comment("threads", post, "no login yet");
  await threads.threadsLogin();
  const reply = await sandbox.comment("threads", post, "Love it", "ada.l");
  await sandbox.settings({ threads_app_mode: "development" });
  await sandbox.comment("threads", post, "a stranger's, while the app is in development mode");
  await sandbox.settings({ threads_app_mode: "live", threads_webhook_values: "list" });
  await sandbox.comment("threads", reply, "Me too");
  const [first, second] = (await sandbox.webhooks()).map(parsed);
  expect(first).toMatchObject({
    app_id: "444000222000001",
    topic: "moderate",
    target_id: threads.FERN,
    values: {
      field: "replies",
      value: {
        id: reply,
        username: "ada.l",
        text: "Love it",
        replied_to: { id: post },
        root_post: { id: post, owner_id: threads.FERN, username: "fernandoak" },
        timestamp: expect.stringMatching(/\+0000$/),
      },
    },
  });
  expect(second).toMatchObject({ values: [{ value: { replied_to: { id: reply }, root_post: { id: post } } }] });
});

describe("a reply on X", () => {
  const Created = z.object({ data: z.object({ id: z.string() }) });
  const Subscribed = z.object({ data: z.object({ subscription: z.object({ subscription_id: z.string() }) }) });
  const register = async (url = HOOK) =>
    Created.parse((await x("POST", "/2/webhooks", X_BEARER, { url })).json).data.id;
  const subscribe = (webhook_id: string, more: Record<string, unknown> = {}) => {
    const body = { event_type: "post.reply.create", filter: { user_id: BIKES }, tag: "acct-7", webhook_id, ...more };
    return x("POST", "/2/activity/subscriptions", X_BEARER, body);
  };

  test("is notified for each subscription that it meets, the account's own too", async ({ expect }) => {
    const webhook = await register();
    expect((await subscribe(webhook)).json).toMatchObject({ data: { subscription: { tag: "acct-7" } } });
    const { access_token } = await xLogin();
    const post = await livePost("twitter", BIKES);
    const reply = await sandbox.comment("twitter", post, "@acmebikes what does it weigh?", "Ana");
    await x("POST", "/2/tweets", access_token, { text: "@ana 9 kg", reply: { in_reply_to_tweet_id: reply } });
    await sandbox.comment("twitter", reply, "to Ana alone", "Ben");
    const [asked, answered, ...more] = await sandbox.webhooks();
    expect(more).toEqual([]);
    expect(asked && parsed(asked)).toEqual({
      data: {
        event_uuid: expect.any(String),
        event_type: "post.reply.create",
        tag: "acct-7",
        filter: { user_id: BIKES },
        payload: {
          id: reply,
          text: "@acmebikes what does it weigh?",
          author_id: expect.any(String),
          conversation_id: post,
          in_reply_to_tweet_id: post,
          referenced_tweets: [{ type: "replied_to", id: post }],
        },
        includes: { users: [{ id: expect.any(String), username: "ana" }] },
      },
    });
    expect(asked?.headers["x-twitter-webhooks-signature"]).toBe(
      `sha256=${base64(await hmac(X_SECRET, asked?.body ?? "", "SHA-256"))}`,
    );
    expect(answered && parsed(answered)).toMatchObject({ data: { payload: { author_id: BIKES } } });
  });

  test("is chosen by direction and word; a mention is an event of its own", async ({ expect }) => {
    const webhook = await register();
    await subscribe(webhook, { filter: { user_id: BIKES, direction: "outbound" }, tag: "out" });
    await subscribe(webhook, { filter: { user_id: BIKES, keyword: "Price" }, tag: "price" });
    await subscribe(webhook, { event_type: "post.mention.create", tag: "mention" });
    const post = await livePost("twitter", BIKES);
    await sandbox.comment("twitter", post, "@acmebikes the price?");
    await sandbox.comment("twitter", post, "nice");
    const Tagged = z.object({ data: z.object({ tag: z.string() }) });
    const tags = (await sandbox.webhooks()).map((one) => Tagged.parse(parsed(one)).data.tag);
    expect(tags.toSorted()).toEqual(["mention", "price"]);
  });

  test("is set up by the app's own token, which its keys are exchanged for", async ({ expect }) => {
    const token = (key: string) =>
      send("https://api.x.com/oauth2/token", {
        method: "POST",
        headers: { Authorization: `Basic ${btoa(key)}` },
        body: new URLSearchParams({ grant_type: "client_credentials" }),
      });
    expect((await token(`sandbox-x-consumer-key:${X_SECRET}`)).json).toEqual({
      token_type: "bearer",
      access_token: X_BEARER,
    });
    expect(await token(`${X_APP.id}:${X_APP.secret}`)).toMatchObject({ status: 403, json: { errors: [{ code: 99 }] } });
    const { access_token } = await xLogin();
    expect(await x("GET", "/2/webhooks", access_token)).toMatchObject({
      status: 403,
      json: { type: "https://api.x.com/2/problems/unsupported-authentication" },
    });
    expect(await x("GET", "/2/webhooks", "nothing")).toMatchObject({ status: 401 });
    expect((await x("GET", "/2/webhooks", X_BEARER)).json).toEqual({ meta: { result_count: 0 } });
  });

  test("a webhook and its subscriptions are listed, changed and deleted", async ({ expect }) => {
    const webhook = await register();
    const message = async (url: string) => (await x("POST", "/2/webhooks", X_BEARER, { url })).text;
    expect(await message(HOOK)).toContain("DuplicateUrlFailed");
    for (const url of ["http://hooks.test/x", "https://hooks.test:8443/x", "nonsense", `${HOOK}?${"x".repeat(200)}`]) {
      expect(await message(url)).toContain("UrlValidationFailed");
    }
    expect((await x("GET", "/2/webhooks", X_BEARER)).json).toMatchObject({
      data: [{ id: webhook, url: HOOK, valid: true }],
    });
    expect((await x("PUT", `/2/webhooks/${webhook}`, X_BEARER)).json).toEqual({ data: { valid: true } });
    expect(await subscribe("123")).toMatchObject({ status: 400 });
    expect(await subscribe(webhook, { event_type: "post.nonsense" })).toMatchObject({ status: 400 });
    expect(await subscribe(webhook, { event_type: "dm.received" })).toMatchObject({ status: 403 });
    const { subscription_id } = Subscribed.parse((await subscribe(webhook)).json).data.subscription;
    const path = `/2/activity/subscriptions/${subscription_id}`;
    expect((await x("PUT", path, X_BEARER, { tag: "new" })).json).toMatchObject({
      data: { subscription: { subscription_id, tag: "new", webhook_id: webhook, filter: { user_id: BIKES } } },
    });
    expect((await x("GET", "/2/activity/subscriptions", X_BEARER)).json).toMatchObject({ data: [{ tag: "new" }] });
    expect((await x("DELETE", path, X_BEARER)).json).toEqual({ data: { deleted: true } });
    expect((await x("DELETE", `/2/webhooks/${webhook}`, X_BEARER)).json).toEqual({ data: { deleted: true } });
  });
});

describe("in the outbox", () => {
  test("a notification that was refused comes again after growing gaps, the same, until it is dropped", async ({
    expect,
  }) => {
    await subscribedPage();
    await sandbox.comment("facebook", await livePost("facebook", FERN), "again");
    const [first] = await sandbox.webhooks("waiting");
    const id = first?.id ?? 0;
    expect(await sandbox.webhookAnswered(id, 500)).toMatchObject({ state: "later", attempts: 1 });
    expect(await sandbox.webhooks("waiting")).toEqual([]);
    await clock(11_000);
    expect(only(await sandbox.webhooks("waiting"))).toEqual({ ...first, attempts: 1 });
    const hours = 3_600_000;
    for (const at of [1, 2, 4, 8, 16, 30, 48]) {
      expect(await sandbox.webhookAnswered(id, 0)).toMatchObject({ state: "later" });
      await clock(at * hours);
      expect(await sandbox.webhooks("waiting")).toHaveLength(1);
    }
    expect(await sandbox.webhookAnswered(id, 404)).toMatchObject({ state: "dropped", attempts: 9 });
    await expect(sandbox.webhookAnswered(id + 99, 200)).rejects.toThrow(/422/);
  });

  test("each is delivered twice, or none is, as the settings say", async ({ expect }) => {
    await subscribedPage();
    const post = await livePost("facebook", FERN);
    await sandbox.settings({ webhooks_repeat: true });
    await sandbox.comment("facebook", post, "twice");
    const [one, other] = await sandbox.webhooks("waiting");
    expect(other).toEqual({ ...one, id: other?.id });
    expect(await sandbox.webhookAnswered(one?.id ?? 0, 200)).toMatchObject({ state: "delivered", attempts: 1 });
    expect(only(await sandbox.webhooks("waiting")).id).toBe(other?.id);
    await sandbox.settings({ webhooks_repeat: false, webhooks_lost: true });
    await sandbox.comment("facebook", post, "lost");
    expect(only(await sandbox.webhooks("lost")).body).toContain("lost");
    expect(await sandbox.webhooks("waiting")).toHaveLength(1);
  });
});

describe("when the sandbox sends by itself", () => {
  beforeEach(() => sandbox.settings({ webhooks: "send" }));

  test("what is taken is delivered; what is not waits for a later attempt", async ({ expect }) => {
    await subscribedPage();
    const post = await livePost("facebook", FERN);
    await sandbox.comment("facebook", post, "taken");
    await vi.waitFor(async () => expect(await sandbox.webhooks("delivered")).toHaveLength(1), { timeout: 10_000 });
    expect((await subscribeApp("https://hooks.test/full")).status).toBe(200);
    await sandbox.comment("facebook", post, "refused");
    await vi.waitFor(async () => expect(await sandbox.webhooks("later")).toHaveLength(1), { timeout: 10_000 });
    await clock(11_000);
    await vi.waitFor(async () => expect(only(await sandbox.webhooks("later")).attempts).toBe(2), { timeout: 10_000 });
  });

  test("an address is registered when it answers the platform's question, and not otherwise", async ({ expect }) => {
    for (const url of [
      "https://hooks.test/wrong",
      "http://127.0.0.1:1/closed",
      "http://example.test/plain",
      "nonsense",
    ]) {
      const refused = await subscribeApp(url);
      expect(refused).toMatchObject({ status: 400, json: { error: { code: 2200 } } });
    }
    expect((await subscribeApp()).json).toEqual({ success: true });
    const refused = { platform: "threads", callback_url: "https://hooks.test/wrong", verify_token: "ours" };
    await expect(sandbox.control("POST", "webhooks", refused)).rejects.toThrow("Callback verification failed");
    const wrong = await x("POST", "/2/webhooks", X_BEARER, { url: "https://hooks.test/wrong" });
    expect(wrong).toMatchObject({ status: 400, text: expect.stringContaining("CrcValidationFailed") });
    expect(await x("POST", "/2/webhooks", X_BEARER, { url: HOOK })).toMatchObject({ status: 200 });
  });
});
