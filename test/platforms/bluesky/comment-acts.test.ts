import { describe, expect, test } from "vitest";
import { acts } from "../../../src/platforms/bluesky/comment-acts.ts";
import type { AccountContext, Json } from "../../../src/platforms/context.ts";
import { accountContext, NOW, type Scripted, scriptedSend } from "../../scripted-send.ts";

/** Likes and hidden replies at Bluesky: records of the account that others may change at the same moment. */

const DID = "did:plc:acmebikesaaaaaaaaaaaaaaa";
const SERVER = "https://morel.us-east.host.bsky.network";
const POST = { id: `at://${DID}/app.bsky.feed.post/3lbk2v5xqzc2a`, secondaryId: "bafyPost", permalink: null };
const REPLY = "at://did:plc:adaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3lbk2v5xqzc2b";
const { like, hide } = acts;

const HOME: Scripted = {
  body: {
    id: DID,
    service: [{ id: "#atproto_pds", type: "AtprotoPersonalDataServer", serviceEndpoint: SERVER }],
  },
};
const refused = (error: string, message = "No"): Scripted => ({ status: 400, body: { error, message } });
const DONE: Scripted = { body: {} };

async function contextOf(...answers: readonly (Scripted | "lost")[]) {
  const { send, calls } = scriptedSend(HOME, ...answers);
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  if (!("privateKey" in pair)) throw new Error("The key is no pair.");
  const { kty, crv, x, y, d } = Object(await crypto.subtle.exportKey("jwk", pair.privateKey));
  const key = { kty, crv, x, y, d };
  const binding: Json = { issuer: "https://bsky.social", server: SERVER, key, clientKey: "2026-11", since: NOW };
  const known = accountContext(send, { id: DID });
  const context: AccountContext = { ...known, credentials: { ...known.credentials, binding } };
  /** What was written, without the call that finds the server. */
  const sent = () => calls.slice(1).map(({ url, json }) => [url.split("/xrpc/")[1], json]);
  return { context, sent };
}

const acted = async (act: typeof like, isOn: boolean, ...answers: readonly (Scripted | "lost")[]) => {
  const { context, sent } = await contextOf(...answers);
  return { outcome: await act(context, { id: REPLY, post: POST }, isOn), sent: sent() };
};

describe("a like", () => {
  const shown = (viewer: object = {}): Scripted => ({ body: { posts: [{ uri: REPLY, cid: "bafyReply", viewer }] } });
  const keyIn = (json: unknown) => String(Reflect.get(Object(json), "rkey"));

  test("has a key that follows from the reply, so a repeat meets the first", async () => {
    const first = await acted(like, true, shown(), DONE);
    const again = await acted(like, true, shown(), refused("InvalidSwap", "Record was at bafyLike"));
    expect([first.outcome, again.outcome]).toEqual([{ kind: "done" }, { kind: "done" }]);
    const [key, same] = [first, again].map(({ sent }) => keyIn(sent[1]?.[1]));
    expect(key).toMatch(/^[2-7a-j][2-7a-z]{12}$/);
    expect(same).toBe(key);
    expect(first.sent[1]).toEqual([
      "com.atproto.repo.putRecord",
      expect.objectContaining({
        repo: DID,
        swapRecord: null,
        record: expect.objectContaining({ subject: { uri: REPLY, cid: "bafyReply" } }),
      }),
    ]);
  });

  test("that was given in the app is not given twice, and is taken back with our own", async () => {
    const given = shown({ like: `at://${DID}/app.bsky.feed.like/3lbk2v5xqzc2c` });
    expect((await acted(like, true, given)).sent).toHaveLength(1);
    const { outcome, sent } = await acted(like, false, given, DONE, DONE);
    expect(outcome).toEqual({ kind: "done" });
    expect(sent.slice(1).map(([name, json]) => [name, keyIn(json)])).toEqual([
      ["com.atproto.repo.deleteRecord", expect.any(String)],
      ["com.atproto.repo.deleteRecord", "3lbk2v5xqzc2c"],
    ]);
  });

  test("of a deleted reply is refused; taking it back is not", async () => {
    const nothing: Scripted = { body: { posts: [] } };
    expect((await acted(like, true, nothing)).outcome).toMatchObject({ kind: "failed", reason: "rejected" });
    expect((await acted(like, false, nothing, DONE)).outcome).toEqual({ kind: "done" });
  });

  test("whose answer is lost may be repeated", async () => {
    expect((await acted(like, true, shown(), "lost")).outcome).toMatchObject({ kind: "failed", reason: "down" });
  });
});

describe("a hidden reply", () => {
  const gate = (hiddenReplies?: readonly string[]) => ({
    $type: "app.bsky.feed.threadgate",
    post: POST.id,
    allow: [{ $type: "app.bsky.feed.threadgate#mentionRule" }],
    createdAt: "2026-11-01T10:00:00.000Z",
    ...(hiddenReplies && { hiddenReplies }),
  });
  const stored = (hiddenReplies?: readonly string[]): Scripted => ({
    body: { uri: "at://gate", cid: "bafyGate", value: gate(hiddenReplies) },
  });

  test("is listed in a new gate under the key of the post, which lets everybody reply", async () => {
    const { outcome, sent } = await acted(hide, true, refused("RecordNotFound"), DONE);
    expect(outcome).toEqual({ kind: "done" });
    expect(sent[1]?.[1]).toEqual({
      repo: DID,
      collection: "app.bsky.feed.threadgate",
      rkey: "3lbk2v5xqzc2a",
      swapRecord: null,
      record: {
        $type: "app.bsky.feed.threadgate",
        post: POST.id,
        createdAt: new Date(NOW).toISOString(),
        hiddenReplies: [REPLY],
      },
    });
  });

  test.for([true, false])("leaves the rest of a gate as it was (hide: %s)", async (isOn) => {
    const others = ["at://a", "at://b"];
    const [before, after] = isOn ? [others, [...others, REPLY]] : [[...others, REPLY], others];
    const { outcome, sent } = await acted(hide, isOn, stored(before), DONE);
    expect(outcome).toEqual({ kind: "done" });
    expect(sent[1]?.[1]).toMatchObject({ swapRecord: "bafyGate", record: gate(after) });
  });

  test.for([
    [true, stored([REPLY])],
    [false, stored()],
    [false, refused("RecordNotFound")],
  ] as const)("is not written when it is so already (hide: %s)", async ([isOn, answer]) => {
    const { outcome, sent } = await acted(hide, isOn, answer);
    expect([outcome, sent.length]).toEqual([{ kind: "done" }, 1]);
  });

  test("waits when the gate changed meanwhile, when the account is not shown, and says that the list is full", async () => {
    const swapped = await acted(hide, true, stored([]), refused("InvalidSwap"));
    expect(swapped.outcome).toMatchObject({ kind: "failed", reason: "down" });
    const unseen = await acted(hide, true, refused("InvalidRequest", "Could not locate record"));
    expect([unseen.outcome, unseen.sent.length]).toEqual([expect.objectContaining({ reason: "down" }), 1]);
    const message =
      "Invalid app.bsky.feed.threadgate record: array too big (maximum 50, got 51) at $.record.hiddenReplies";
    const full = await acted(hide, true, stored([]), refused("InvalidRequest", message));
    expect(full.outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("as many replies") });
  });
});

describe("a refused proof", () => {
  const unproven: Scripted = { status: 401, body: { error: "invalid_dpop_proof", message: "DPoP proof replayed" } };
  const shown: Scripted = { body: { posts: [{ uri: REPLY, cid: "bafyReply", viewer: {} }] } };

  test("is followed by another one at once, and the act is done once", async () => {
    const { outcome, sent } = await acted(like, true, shown, unproven, DONE);
    expect(outcome).toEqual({ kind: "done" });
    expect(sent.map(([name]) => name)).toEqual([
      "app.bsky.feed.getPosts",
      "com.atproto.repo.putRecord",
      "com.atproto.repo.putRecord",
    ]);
  });

  test("is temporary trouble if the other one is refused too: neither the act nor the connection has ended", async () => {
    const { outcome } = await acted(like, true, shown, unproven, unproven);
    expect(outcome).toMatchObject({ kind: "failed", reason: "down", message: expect.stringContaining("replayed") });
  });
});
