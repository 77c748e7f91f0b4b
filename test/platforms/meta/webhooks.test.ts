import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, test } from "vitest";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { instagram } from "../../../src/platforms/instagram/index.ts";
import { parseJson } from "../../../src/platforms/json.ts";
import { threads } from "../../../src/platforms/threads/index.ts";
import { accountContext, type Scripted, scriptedSend } from "../../scripted-send.ts";

/**
 * What Meta's platforms send by themselves: whose address it is, whether they have signed it, what it says,
 * and how it is set up.
 */

const ALL = { facebook, instagram, threads };
const SECRETS = { app: { id: "app", secret: "app secret" }, verifyToken: "our word" };
const SECONDS = 1_790_000_400;
const utf8 = (text: string) => new TextEncoder().encode(text);

/** A body of each, as documented. */
const SENT = {
  facebook: {
    object: "page",
    entry: [
      {
        id: "104",
        time: SECONDS,
        changes: [
          {
            field: "feed",
            value: {
              item: "comment",
              verb: "add",
              comment_id: "122_9",
              post_id: "104_122",
              parent_id: "104_122",
              from: { id: "700", name: "Ada" },
              message: "Do you ship?",
              created_time: SECONDS,
            },
          },
        ],
      },
    ],
  },
  instagram: {
    object: "instagram",
    entry: [
      {
        id: "17841",
        time: SECONDS,
        field: "comments",
        value: { id: "1787", text: "In stock?", from: { id: "910", username: "ada.l" }, media: { id: "1805" } },
      },
    ],
  },
  threads: {
    topic: "moderate",
    target_id: "2600",
    time: SECONDS,
    values: {
      field: "replies",
      value: {
        id: "1807",
        username: "ada.l",
        text: "Love it",
        timestamp: "2026-09-21T14:20:00+0000",
        replied_to: { id: "1806" },
        root_post: { id: "1806", owner_id: "2600", username: "fernandoak" },
      },
    },
  },
};

/** The value with another one in the place of its `at`th part, counted from the outside in. */
function replacedAt(whole: unknown, at: number, value: unknown): unknown {
  let left = at;
  const walk = (part: unknown): unknown => {
    if (left-- === 0) return value;
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, walk(inner)]));
  };
  return walk(whole);
}

const sign = (body: string, secret = SECRETS.app.secret) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
// As Meta writes it: what is not ASCII is escaped, and the signature is of the escapes.
const BODY = '{"object":"page","entry":[{"message":"caf\\u00e9 \\ud83d\\ude00"}]}';

describe.for(Object.entries(ALL))("%s", ([, { webhooks }]) => {
  const request = (query: Record<string, string>, verifyToken = "our word") =>
    webhooks.handshake(new URLSearchParams(query), { ...SECRETS, verifyToken });
  const RIGHT = { "hub.mode": "subscribe", "hub.verify_token": "our word", "hub.challenge": "1158201444" };

  test("answers the challenge to a caller that knows our word", async ({ expect }) => {
    expect(await request(RIGHT)).toEqual({ contentType: "text/plain", body: "1158201444" });
  });

  test.for([
    ["another word", { ...RIGHT, "hub.verify_token": "our work" }],
    ["a longer word", { ...RIGHT, "hub.verify_token": "our word " }],
    ["no word", { ...RIGHT, "hub.verify_token": "" }],
    ["another mode", { ...RIGHT, "hub.mode": "unsubscribe" }],
    ["no challenge", { ...RIGHT, "hub.challenge": "" }],
    ["nothing", {}],
  ] as const)("answers nothing to %s", async ([, query], { expect }) => {
    expect(await request({ ...query })).toBeNull();
  });

  test("answers nothing where we have no word", async ({ expect }) => {
    expect(await request({ ...RIGHT, "hub.verify_token": "" }, "")).toBeNull();
  });

  const verify = (body: string, signature: string | null, secrets = SECRETS) =>
    webhooks.verify(utf8(body), new Headers(signature === null ? {} : { "x-hub-signature-256": signature }), secrets);

  test("believes what is signed as it came, and nothing else", async ({ expect }) => {
    expect(await verify(BODY, sign(BODY))).toBe(true);
    expect(
      await verify(
        BODY,
        sign(BODY).replace(/[a-f]/g, (digit) => digit.toUpperCase()),
      ),
    ).toBe(true);
    expect(await verify(JSON.stringify(JSON.parse(BODY)), sign(BODY))).toBe(false);
    expect(await verify(BODY, sign(`${BODY} `))).toBe(false);
    expect(await verify(BODY, sign(BODY, "another secret"))).toBe(false);
  });

  test.for([
    null,
    "",
    "sha256=",
    "sha1=abc",
    `sha256=${"0".repeat(63)}`,
    `sha256=${"0".repeat(64)}`,
    `sha256=${"g".repeat(64)}`,
  ])("does not believe %s", async (signature, { expect }) => {
    expect(await verify(BODY, signature)).toBe(false);
  });

  test("accepts no call without a secret of this service", async ({ expect }) => {
    const none = { ...SECRETS, app: { id: "app", secret: "" } };
    expect(await verify(BODY, `sha256=${"0".repeat(64)}`, none)).toBe(false);
  });

  test("makes nothing of what it does not know, and never throws", ({ expect }) => {
    for (const body of [undefined, null, 7, "x", [], {}, { object: "page" }, { object: "instagram", entry: {} }]) {
      expect(webhooks.parse(body)).toEqual([]);
    }
    const spoiled = fc.tuple(
      fc.nat(40),
      fc.oneof(fc.jsonValue(), fc.double(), fc.constantFrom("", "__proto__", 1e300, -1)),
    );
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(SENT)), fc.array(spoiled, { maxLength: 4 }), (body, changes) => {
        const sent = changes.reduce<unknown>((whole, [at, value]) => replacedAt(whole, at, value), body);
        for (const { accountId, comment } of webhooks.parse(sent)) {
          expect(comment.id).toEqual(expect.stringMatching(/./s));
          expect(accountId).not.toBe("");
          expect(() => new Date(comment.createdAt).toISOString()).not.toThrow();
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe("facebook's events", () => {
  const value = (more: object = {}) => ({
    item: "comment",
    verb: "add",
    comment_id: "122_9",
    post_id: "104_122",
    parent_id: "104_122",
    from: { id: "700", name: "Ada" },
    message: "Do you ship?",
    created_time: SECONDS - 2,
    ...more,
  });
  const body = (...values: readonly unknown[]) => ({
    object: "page",
    entry: [{ id: "104", time: SECONDS, changes: values.map((one) => ({ field: "feed", value: one })) }],
  });
  const ADA = {
    accountId: "104",
    postId: "104_122",
    comment: {
      id: "122_9",
      author: { id: "700", name: "Ada" },
      createdAt: (SECONDS - 2) * 1000,
      text: "Do you ship?",
      isTopLevel: true,
      isOwn: false,
    },
  };

  test("are comments, with the post, the author and the time", ({ expect }) => {
    expect(facebook.webhooks.parse(body(value()))).toEqual([ADA]);
    const text = JSON.stringify(body(value({ message: "café 😀" }))).replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    expect(facebook.webhooks.parse(parseJson(text))).toMatchObject([{ comment: { text: "café 😀" } }]);
  });

  test.for([
    ["an answer", { parent_id: "122_8" }, { isTopLevel: false }],
    ["a comment without a parent", { parent_id: undefined }, { isTopLevel: true }],
    ["one whose parent is reported as the post", { parent_id: "7", post: { id: "7" } }, { isTopLevel: true }],
    ["the Page's own", { from: { id: "104", name: "Fern" } }, { isOwn: true }],
    ["one of which nobody is reported", { from: undefined }, { author: null, isOwn: null }],
    ["one of an author without a name", { from: { id: 700 } }, { author: { id: "700", name: null } }],
    ["a picture", { message: undefined }, { text: "" }],
    ["one without a time", { created_time: undefined }, { createdAt: SECONDS * 1000 }],
    ["one with another form of time", { created_time: `${SECONDS}` }, { createdAt: SECONDS * 1000 }],
    ["one in milliseconds", { created_time: SECONDS * 1000 + 5 }, { createdAt: SECONDS * 1000 + 5 }],
  ] as const)("%s", ([, more, expected], { expect }) => {
    const [one, ...others] = facebook.webhooks.parse(body(value(more)));
    expect(others).toEqual([]);
    expect(one?.comment).toMatchObject(expected);
  });

  test.for([
    ["edited", { verb: "edited" }],
    ["removed", { verb: "remove" }],
    ["hidden", { verb: "hide" }],
    ["a reaction", { item: "reaction" }],
    ["a post", { item: "status" }],
    ["without an id", { comment_id: undefined }],
  ] as const)("are not reported where it is %s; what stands beside it is", ([, more], { expect }) => {
    expect(facebook.webhooks.parse(body(value(more), null, value()))).toEqual([ADA]);
  });

  test("of other fields and objects are not our own", ({ expect }) => {
    const messages = {
      object: "page",
      entry: [{ id: "104", time: SECONDS, changes: [{ field: "messages", value: value() }] }],
    };
    expect(facebook.webhooks.parse(messages)).toEqual([]);
    expect(facebook.webhooks.parse({ ...body(value()), object: "user" })).toEqual([]);
  });

  test("may carry numbers for ids, also those that a number does not hold", ({ expect }) => {
    const sent =
      '{"object":"page","entry":[{"id":104000000000000011,"time":1790000400,"changes":[{"field":"feed","value":{"item":"comment","verb":"add","comment_id":990000000000000011,"post_id":7,"created_time":1790000398}}]}]}';
    expect(facebook.webhooks.parse(parseJson(sent))).toMatchObject([
      { accountId: "104000000000000011", postId: "7", comment: { id: "990000000000000011" } },
    ]);
  });
});

describe("instagram's events", () => {
  const value = (more: object = {}) => ({
    id: "1787",
    text: "In stock?",
    from: { id: "910", username: "ada.l" },
    media: { id: "1805", media_product_type: "FEED" },
    ...more,
  });
  const entry = { id: "17841", time: SECONDS };
  const body = (one: unknown) => ({
    object: "instagram",
    entry: [{ ...entry, changes: [{ field: "comments", value: one }] }],
  });
  const ADA = {
    accountId: "17841",
    postId: "1805",
    comment: {
      id: "1787",
      author: { id: "910", name: "ada.l" },
      createdAt: SECONDS * 1000,
      text: "In stock?",
      isTopLevel: true,
      isOwn: false,
    },
  };

  test("are reported in either form, and may be in milliseconds", ({ expect }) => {
    expect(instagram.webhooks.parse(body(value()))).toEqual([ADA]);
    const flat = { object: "instagram", entry: [{ ...entry, field: "comments", value: value() }] };
    expect(instagram.webhooks.parse(flat)).toEqual([ADA]);
    const late = { object: "instagram", entry: [{ ...flat.entry[0], time: SECONDS * 1000 }] };
    expect(instagram.webhooks.parse(late)).toEqual([ADA]);
  });

  test.for([
    ["an answer", { parent_id: "1780" }, { comment: { isTopLevel: false } }],
    ["our own by its id", { from: { id: "17841", username: "fern" } }, { comment: { isOwn: true } }],
    ["perhaps our own", { from: { id: "910", self_ig_scoped_id: "910" } }, { comment: { isOwn: null } }],
    ["of nobody", { from: undefined }, { comment: { author: null, isOwn: null } }],
    ["of an album", { media: undefined }, { postId: null }],
    ["of a boosted post", { media: { id: "99", ad_id: "1", original_media_id: "1805" } }, { postId: "1805" }],
    ["a picture", { text: undefined }, { comment: { text: "" } }],
  ] as const)("%s", ([, more, expected], { expect }) => {
    expect(instagram.webhooks.parse(body(value(more)))).toMatchObject([expected]);
  });

  test("without a time are left to be read", ({ expect }) => {
    const timeless = {
      object: "instagram",
      entry: [{ id: "17841", changes: [{ field: "comments", value: value() }] }],
    };
    expect(instagram.webhooks.parse(timeless)).toEqual([]);
    const live = { object: "instagram", entry: [{ ...entry, changes: [{ field: "live_comments", value: value() }] }] };
    expect(instagram.webhooks.parse(live)).toEqual([]);
  });
});

describe("threads' events", () => {
  const value = (more: object = {}) => ({
    id: "1807",
    username: "ada.l",
    text: "Love it",
    timestamp: "2026-09-21T14:20:00+0000",
    replied_to: { id: "1806" },
    root_post: { id: "1806", owner_id: "2600", username: "fernandoak" },
    ...more,
  });
  const body = (values: unknown) => ({ app_id: "4", topic: "moderate", target_id: "2600", time: SECONDS, values });
  const shown = (more: object = {}) => ({ field: "replies", value: value(more) });
  const ADA = {
    accountId: "2600",
    postId: "1806",
    comment: {
      id: "1807",
      author: { id: "ada.l", name: "ada.l" },
      createdAt: SECONDS * 1000,
      text: "Love it",
      isTopLevel: true,
      isOwn: false,
    },
  };

  test("are flat, alone or in a list", ({ expect }) => {
    expect(Date.parse("2026-09-21T14:20:00Z")).toBe(SECONDS * 1000);
    expect(threads.webhooks.parse(body(shown()))).toEqual([ADA]);
    expect(threads.webhooks.parse(body([shown(), null, shown()]))).toEqual([ADA, ADA]);
  });

  test.for([
    ["an answer to another", { replied_to: { id: "1810" } }, { comment: { isTopLevel: false } }],
    ["our own", { username: "fernandoak" }, { comment: { isOwn: true } }],
    ["without the root", { root_post: undefined }, { accountId: "2600", postId: null, comment: { isOwn: null } }],
    ["without a name", { username: undefined }, { comment: { author: null, isOwn: null } }],
    ["without a time of its own", { timestamp: undefined }, { comment: { createdAt: SECONDS * 1000 } }],
  ] as const)("%s", ([, more, expected], { expect }) => {
    expect(threads.webhooks.parse(body(shown(more)))).toMatchObject([expected]);
  });

  test("of other fields are not our own", ({ expect }) => {
    for (const field of ["delete", "mentions", "publish"]) {
      expect(threads.webhooks.parse(body({ ...shown(), field }))).toEqual([]);
    }
  });
});

describe("setting up", () => {
  const TO = { url: "https://belfry.example.com/inbound/x", verifyToken: "our word" };
  const DONE: Scripted = { body: { success: true } };
  const known = (...data: readonly object[]): Scripted => ({ body: { data } });
  const here = (object: string, ...fields: readonly string[]) => ({
    object,
    callback_url: TO.url,
    active: true,
    fields: fields.map((name) => ({ name, version: "v27.0" })),
  });
  const refused = (code: number): Scripted => ({ status: 400, body: { error: { code, message: "No", type: "X" } } });
  const GRAPH = "https://graph.facebook.com/v27.0";
  const LINKED = { id: "17841", attributes: { login: "facebook", page_id: "105" } };
  const PAGE: Scripted = { body: { access_token: "PAGE" } };

  async function subscribe(
    { webhooks }: Pick<typeof facebook, "webhooks">,
    account: object,
    ...answers: readonly (Scripted | "lost")[]
  ) {
    const { send, calls } = scriptedSend(...answers);
    return { outcome: await webhooks.subscribe(accountContext(send, account), TO), calls };
  }

  test("registers with Facebook where to send what, and then for which Page", async ({ expect }) => {
    const { outcome, calls } = await subscribe(facebook, { id: "104" }, known(), DONE, DONE);
    expect(outcome).toEqual({ kind: "subscribed" });
    const app = { authorization: "Bearer app|app secret" };
    expect(calls).toMatchObject([
      { method: "GET", url: `${GRAPH}/app/subscriptions`, headers: app },
      {
        method: "POST",
        url: `${GRAPH}/app/subscriptions`,
        headers: app,
        form: { object: "page", callback_url: TO.url, fields: "feed", verify_token: "our word" },
      },
      {
        method: "POST",
        url: `${GRAPH}/104/subscribed_apps`,
        headers: { authorization: "Bearer TOKEN" },
        form: { subscribed_fields: "feed" },
      },
    ]);
  });

  test("leaves what is set up as it is", async ({ expect }) => {
    const { calls } = await subscribe(facebook, { id: "104" }, known(here("page", "messages", "feed")), DONE);
    expect(calls.map(({ method }) => method)).toEqual(["GET", "POST"]);
    const more = await subscribe(facebook, { id: "104" }, known(here("page", "messages")), DONE, DONE);
    expect(more.calls[1]?.form).toMatchObject({ fields: "messages,feed" });
  });

  test.for([
    ["for another address", { ...here("page", "feed"), callback_url: "https://elsewhere.example/hook" }],
    ["of another object", here("instagram", "feed")],
    ["that is switched off", { ...here("page", "feed"), active: false }],
  ] as const)("writes again what is there %s", async ([, other], { expect }) => {
    const { calls } = await subscribe(facebook, { id: "104" }, known(other), DONE, DONE);
    expect(calls[1]?.form).toMatchObject({ callback_url: TO.url, fields: "feed" });
  });

  test.for([
    ["the app's token is refused", [refused(190)], "blocked"],
    ["our address does not answer", [known(), refused(2200)], "blocked"],
    ["the app's limit is reached", [refused(4)], "throttled"],
    ["an answer is lost", ["lost"], "down"],
    ["the person has declined it", [known(here("page", "feed")), refused(200)], "permission_missing"],
    ["the Page's token is over", [known(here("page", "feed")), refused(190)], "token_expired"],
  ] as const)("fails where %s", async ([, answers, reason], { expect }) => {
    expect((await subscribe(facebook, { id: "104" }, ...answers)).outcome).toMatchObject({ kind: "failed", reason });
  });

  test("is for the linked Page with Facebook Login, and for the account with Instagram Login", async ({ expect }) => {
    const linked = await subscribe(instagram, LINKED, known(), DONE, PAGE, DONE);
    expect(linked.outcome).toEqual({ kind: "subscribed" });
    expect(linked.calls[1]?.form).toMatchObject({ object: "instagram", fields: "comments" });
    expect(linked.calls[3]).toMatchObject({
      url: `${GRAPH}/105/subscribed_apps`,
      headers: { authorization: "Bearer PAGE" },
      form: { subscribed_fields: "feed" },
    });
    const alone = await subscribe(instagram, { id: "17841", attributes: { login: "instagram" } }, DONE);
    expect(alone.outcome).toEqual({ kind: "subscribed" });
    expect(alone.calls).toMatchObject([
      {
        method: "POST",
        url: "https://graph.instagram.com/v27.0/17841/subscribed_apps",
        form: { subscribed_fields: "comments" },
      },
    ]);
  });

  test("cannot be requested from Threads", async ({ expect }) => {
    const { outcome, calls } = await subscribe(threads, { id: "2600" });
    expect([outcome, calls]).toEqual([{ kind: "subscribed" }, []]);
  });
});

test("Instagram is believed with either secret of an app of Instagram Login", async ({ expect }) => {
  const secrets = (meta_secret?: string) => ({
    ...SECRETS,
    app: { ...SECRETS.app, options: { login: "instagram", ...(meta_secret === undefined ? {} : { meta_secret }) } },
  });
  const believes = (signature: string, of: ReturnType<typeof secrets>) =>
    instagram.webhooks.verify(utf8(BODY), new Headers({ "x-hub-signature-256": signature }), of);
  expect(await believes(sign(BODY), secrets("meta"))).toBe(true);
  expect(await believes(sign(BODY, "meta"), secrets("meta"))).toBe(true);
  expect(await believes(sign(BODY, "meta"), secrets())).toBe(false);
  expect(await believes(sign(BODY, ""), secrets(""))).toBe(false);
  expect(await believes(sign(BODY, "another secret"), secrets("meta"))).toBe(false);
});
