import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, test } from "vitest";
import { APPS } from "../../../src/platforms/apps.ts";
import type { AccountContext } from "../../../src/platforms/context.ts";
import { twitter } from "../../../src/platforms/twitter/index.ts";
import type { HandshakeSecrets } from "../../../src/platforms/webhooks.ts";
import { accountContext, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** What X sends by itself: proving our address, believing what is signed, and having it sent at all. */

const { webhooks } = twitter;
const SECRET = "consumer secret";
const app = { id: "id", secret: "client secret", options: { consumer_secret: SECRET, bearer: "APP" } };
const secrets: HandshakeSecrets = { app, verifyToken: "" };
const unset: HandshakeSecrets = { app: { ...app, options: {} }, verifyToken: "" };
const signed = (text: string, key = SECRET) => `sha256=${createHmac("sha256", key).update(text).digest("base64")}`;

describe("X's question whether the address is ours", () => {
  const request = (query: string, of = secrets) => webhooks.handshake(new URLSearchParams(query), of);

  test("is answered with the consumer secret", async ({ expect }) => {
    expect(await request("crc_token=NzY_-1%3D")).toEqual({
      contentType: "application/json",
      body: JSON.stringify({ response_token: signed("NzY_-1=") }),
    });
  });

  test("signs no text that is an event, and no text that it signs is an event", async ({ expect }) => {
    const event = JSON.stringify({ data: { event_type: "post.reply.create" } });
    for (const token of [event, " T", "T\n", "[1]", '"T"', "T.1", "T+1", "T/1", "x".repeat(129), "ü", "\u0000"]) {
      expect(await request(new URLSearchParams({ crc_token: token }).toString()), token).toBeNull();
    }
    const text = fc.oneof(
      fc.string({ maxLength: 140 }),
      fc.stringMatching(/^[A-Za-z0-9_=-]{1,130}$/),
      fc.json(),
      fc.constantFrom("true", "null", "1", "-1", "1e5"),
    );
    await fc.assert(
      fc.asyncProperty(text, async (token) => {
        const answer = await request(new URLSearchParams({ crc_token: token }).toString());
        if (answer === null) return;
        const { response_token } = JSON.parse(answer.body);
        const headers = new Headers({ "x-twitter-webhooks-signature": response_token });
        expect(await webhooks.verify(new TextEncoder().encode(token), headers, secrets)).toBe(false);
      }),
    );
  });

  test("is no question without a token, and has no answer without the secret", async ({ expect }) => {
    expect(await request("")).toBeNull();
    expect(await request("crc_token=")).toBeNull();
    expect(await request("crc_token=T", unset)).toBeNull();
  });
});

describe("a signature", () => {
  const body = new TextEncoder().encode('{"data":{"text":"ü"}}');
  const text = '{"data":{"text":"ü"}}';
  const verify = (header: string | null, of = secrets) =>
    webhooks.verify(body, new Headers(header === null ? {} : { "x-twitter-webhooks-signature": header }), of);

  test("is that of the very bytes", async ({ expect }) => {
    expect(await verify(signed(text))).toBe(true);
    expect(await verify(signed(`${text} `))).toBe(false);
  });

  test.for([
    ["none", null],
    ["by the client's secret", signed(text, "client secret")],
    ["without its prefix", signed(text).slice("sha256=".length)],
    ["cut", signed(text).slice(0, -3)],
    ["no base64", "sha256=%%%"],
    ["empty", ""],
  ] as const)("%s is not believed", async ([, header], { expect }) => {
    expect(await verify(header)).toBe(false);
  });

  test("proves nothing where no secret is set", async ({ expect }) => {
    expect(await verify(signed(text), unset)).toBe(false);
    expect(await verify(signed(text, ""), { ...unset, app: { ...app, options: { consumer_secret: "" } } })).toBe(false);
  });
});

const PAYLOAD = {
  id: "2094370000000000001",
  text: "@acmebikes what &lt;does&gt; it weigh?",
  author_id: "555",
  conversation_id: "900",
  in_reply_to_tweet_id: "900",
  referenced_tweets: [{ type: "replied_to", id: "900" }],
};
const event = (payload: object, more: object = {}) => ({
  data: {
    event_uuid: "0f9c",
    event_type: "post.reply.create",
    tag: "account-104",
    filter: { user_id: "104" },
    payload,
    includes: { users: [{ id: "555", username: "ana" }] },
    ...more,
  },
});
const INBOUND = {
  accountId: "104",
  postId: "900",
  comment: {
    id: "2094370000000000001",
    author: { id: "555", name: "ana" },
    createdAt: Number((2094370000000000001n >> 22n) + 1_288_834_974_657n),
    text: "@acmebikes what <does> it weigh?",
    isTopLevel: true,
    isOwn: false,
  },
};

describe("an event", () => {
  const { in_reply_to_tweet_id: _, referenced_tweets, ...bare } = PAYLOAD;
  test.for([
    ["in the older names", PAYLOAD],
    ["with references in the older names only", { ...bare, referenced_tweets }],
    ["in the newer names", { ...bare, referenced_posts: referenced_tweets }],
    ["with the parent in the newer name", { ...bare, in_reply_to_post_id: "900" }],
  ] as const)("%s reports the reply", ([, payload], { expect }) => {
    expect(webhooks.parse(event(payload))).toEqual([INBOUND]);
  });

  test("of a long reply reports all of it", ({ expect }) => {
    const [inbound] = webhooks.parse(event({ ...PAYLOAD, note_tweet: { text: "All &amp; more" } }));
    expect(inbound?.comment.text).toBe("All & more");
  });

  test("of our own reply says so", ({ expect }) => {
    expect(webhooks.parse(event({ ...PAYLOAD, author_id: "104" }))).toMatchObject([{ comment: { isOwn: true } }]);
  });

  test.for([
    ["of another kind", event(PAYLOAD, { event_type: "post.mention.create" })],
    ["of an answer deeper in the conversation", event({ ...PAYLOAD, in_reply_to_tweet_id: "901" })],
    ["without what it answers", event(bare)],
    ["for nobody", event(PAYLOAD, { filter: {} })],
    ["without a number", event({ ...PAYLOAD, id: "abc" })],
    ["of no form", { data: [] }],
    ["that is nothing", null],
  ] as const)("%s is left out", ([, body], { expect }) => {
    expect(webhooks.parse(body)).toEqual([]);
  });

  test("of whatever form never throws", ({ expect }) => {
    const odd = fc.oneof(fc.jsonValue(), fc.string(), fc.constant(undefined));
    const payload = fc.record(
      Object.fromEntries(Object.entries(PAYLOAD).map(([name, value]) => [name, fc.oneof(fc.constant(value), odd)])),
      { requiredKeys: [] },
    );
    const body = fc.oneof(
      odd,
      payload.map((one) => event(one)),
      fc.tuple(payload, odd).map(([one, filter]) => event(one, { filter })),
    );
    fc.assert(
      fc.property(body, (sent) => {
        const flawed = webhooks
          .parse(sent)
          .filter(({ postId, comment }) => typeof postId !== "string" || !Number.isFinite(comment.createdAt));
        expect(flawed).toEqual([]);
      }),
    );
  });
});

describe("having X send", () => {
  const URL = "https://hooks.example.com/inbound/twitter";
  const subscribe = (
    answers: readonly (Scripted | "lost")[],
    options: Readonly<Record<string, string>> = app.options,
  ) => {
    const { send, calls } = scriptedSend(...answers);
    const context: AccountContext = { ...accountContext(send), app: { ...app, options } };
    return { calls, outcome: webhooks.subscribe(context, { url: URL, verifyToken: "" }) };
  };
  const webhook = (more: object = {}) => ({
    id: "1900",
    url: URL,
    valid: true,
    created_at: "2026-08-31T10:00:00.000Z",
    ...more,
  });
  const NONE = { body: { meta: { result_count: 0 } } };
  const own = {
    subscription_id: "s1",
    event_type: "post.reply.create",
    filter: { user_id: "104" },
    webhook_id: "1900",
  };
  const MADE = { body: { data: { subscription: own } } };
  const DONE = { kind: "subscribed" };
  const shape = (calls: readonly { method: string; url: string }[]) =>
    calls.map(({ method, url }) => `${method} ${url.replace("https://api.x.com/2/", "")}`);

  test("registers the address and subscribes for the account, as the app", async ({ expect }) => {
    const { outcome, calls } = subscribe([NONE, { body: { data: webhook() } }, NONE, MADE]);
    expect(await outcome).toEqual(DONE);
    expect(shape(calls)).toEqual([
      "GET webhooks",
      "POST webhooks",
      "GET activity/subscriptions",
      "POST activity/subscriptions",
    ]);
    expect(calls[1]?.json).toEqual({ url: URL });
    expect(calls[3]?.json).toEqual({
      event_type: "post.reply.create",
      filter: { user_id: "104" },
      tag: "account-104",
      webhook_id: "1900",
    });
    expect(calls.map(({ headers }) => headers?.authorization)).toEqual(calls.map(() => "Bearer APP"));
  });

  test.for([
    ["a list", { data: [{ ...own, filter: { user_id: "9" } }, own] }],
    ["a list under a name", { data: { subscriptions: [own] } }],
    ["a list with odd items", { data: [null, 7, {}, { event_type: 7 }, own] }],
  ] as const)("leaves what exists as it is: %s", async ([, body], { expect }) => {
    const { outcome, calls } = subscribe([
      { body: { data: [null, { id: "7", url: 7 }, webhook({ url: "https://other" }), webhook()] } },
      { body },
    ]);
    expect(await outcome).toEqual(DONE);
    expect(shape(calls)).toEqual(["GET webhooks", "GET activity/subscriptions"]);
  });

  test.for([
    ["another account's", { filter: { user_id: "105" } }],
    ["another address's", { webhook_id: "1901" }],
    ["of other events", { event_type: "post.create" }],
  ] as const)("a subscription %s is not this one", async ([, more], { expect }) => {
    const { outcome, calls } = subscribe([
      { body: { data: [webhook()] } },
      { body: { data: [{ ...own, ...more }], meta: { next_token: "N" } } },
      NONE,
      MADE,
    ]);
    expect(await outcome).toEqual(DONE);
    expect(calls.map(({ query }) => query?.pagination_token)).toEqual([undefined, undefined, "N", undefined]);
    expect(calls).toHaveLength(4);
  });

  test("an address that X no longer believes is proven again", async ({ expect }) => {
    const { outcome, calls } = subscribe([
      { body: { data: [webhook({ valid: false })] } },
      { body: {} },
      { body: { data: [own] } },
    ]);
    expect(await outcome).toEqual(DONE);
    expect(shape(calls)[1]).toBe("PUT webhooks/1900");
  });

  test("an address that another connection has registered meanwhile is taken", async ({ expect }) => {
    const duplicate = { status: 400, body: { title: "DuplicateUrlFailed", status: 400, detail: "It is there." } };
    const { outcome, calls } = subscribe([NONE, duplicate, { body: { data: [webhook()] } }, NONE, MADE]);
    expect(await outcome).toEqual(DONE);
    expect(calls).toHaveLength(5);
  });

  test("what X has against the app says nothing of the account", async ({ expect }) => {
    const refusal = (status: number, detail: string) => ({
      status,
      body: { title: "x", type: "about:blank", status, detail },
    });
    expect(await subscribe([refusal(401, "Unauthorized")]).outcome).toMatchObject({ reason: "blocked" });
    const crc = refusal(400, "CrcValidationFailed");
    expect(await subscribe([NONE, crc, NONE]).outcome).toMatchObject({
      reason: "blocked",
      message: expect.stringContaining("CrcValidationFailed"),
    });
    const slow = await subscribe([refusal(429, "Too Many Requests")]).outcome;
    expect(slow).toMatchObject({ kind: "failed", reason: "throttled" });
    expect(slow).not.toHaveProperty("limit");
    expect(await subscribe(["lost"]).outcome).toMatchObject({ reason: "down" });
  });

  test("needs what the operator may leave out: then reading alone finds replies", async ({ expect }) => {
    for (const options of [{}, { consumer_secret: SECRET }, { bearer: "APP" }]) {
      const { outcome, calls } = subscribe([], options);
      expect([await outcome, calls]).toEqual([DONE, []]);
    }
    expect(Object.keys(APPS.twitter.sandbox.options)).toEqual(Object.keys(APPS.twitter.options));
  });
});

describe("the doctor's question", () => {
  const examine = async (options: Readonly<Record<string, string>>, ...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    const findings = await twitter.oauth.setup.check?.(
      { ...accountContext(send), app: { ...app, options } },
      "https://x.test",
    );
    return { findings, calls };
  };

  test.for([
    ["nothing is set", {}, [], true, "X_CONSUMER_SECRET, X_BEARER_TOKEN"],
    ["the token is missing", { consumer_secret: SECRET }, [], false, "X_BEARER_TOKEN is missing"],
    ["the secret is missing", { bearer: "APP" }, [], false, "X_CONSUMER_SECRET is missing"],
    ["X knows no webhook yet", app.options, [{ body: { meta: {} } }], true, "accepts"],
    ["all is well", app.options, [{ body: { data: [{ url: "https://a.test", valid: true }] } }], true, "accepts"],
    [
      "an address was given up",
      app.options,
      [{ body: { data: [{ url: "https://a.test", valid: false }] } }],
      false,
      "https://a.test",
    ],
    [
      "the token is wrong",
      app.options,
      [{ status: 401, body: { title: "Unauthorized", status: 401 } }],
      false,
      "did not list",
    ],
    ["X does not answer", app.options, ["lost"], false, "did not list"],
  ] as const)("is answered where %s", async ([, options, answers, isGood, words], { expect }) => {
    const { findings, calls } = await examine(options, ...answers);
    expect(findings).toMatchObject([{ topic: "webhooks", isGood, message: expect.stringContaining(words) }]);
    expect(calls).toHaveLength(answers.length);
  });
});
