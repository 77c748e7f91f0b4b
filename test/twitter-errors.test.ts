import { test } from "vitest";
import { twitter } from "../src/platforms/twitter.ts";
import {
  accountContext,
  content,
  image,
  NO_PROGRESS,
  NOW,
  type Scripted,
  scriptedSend,
  video,
} from "./scripted-send.ts";

const { posts, oauth } = twitter;
const TEXT = content("tweet", ["hello"]);
const FIRST = { index: 0, previous: [] };
const SECOND = { index: 1, previous: [{ id: "900", permalink: null }] };
const LOOK = { since: NOW - 10_000, taken: new Set<string>() };
const NO_MEDIA = { uploads: [] };

function problem(status: number, detail: string, extra: object = {}): Scripted {
  return { status, body: { title: "Problem", type: "about:blank", status, detail, ...extra } };
}

const commitText = (answer: Scripted | "lost", commit: typeof FIRST | typeof SECOND = FIRST) => {
  const { send } = scriptedSend(answer);
  return posts.commit(accountContext(send), content("thread", ["hello"], ["more"]), NO_MEDIA, commit);
};

const TYPE = "https://api.x.com/2/problems";
test.for([
  ["an expired token", problem(401, "Unauthorized"), "token_expired"],
  ["no credits, new form", problem(402, "credits depleted", { type: `${TYPE}/credits-depleted` }), "blocked"],
  [
    "no credits, old form",
    problem(403, "no credits", { title: "CreditsDepleted", type: `${TYPE}/credits` }),
    "blocked",
  ],
  ["an app that is not enrolled", problem(403, "…", { type: `${TYPE}/client-forbidden` }), "blocked"],
  ["a used-up window", problem(429, "Too Many Requests"), "throttled"],
  [
    "a used-up window, v1",
    { status: 429, body: { errors: [{ code: 88, message: "Rate limit exceeded" }] } },
    "throttled",
  ],
  ["a monthly cap", problem(429, "Usage cap", { type: `${TYPE}/usage-capped`, period: "Monthly" }), "blocked"],
  ["a missing scope", problem(403, "Missing required scope: media.write"), "disconnected"],
  ["a suspended account", { status: 403, body: { errors: [{ code: 64, message: "suspended" }] } }, "disconnected"],
  ["a reply nobody asked for", problem(403, "Reply to this conversation is not allowed because …"), "rejected"],
  ["a feature that is locked", problem(403, "You are not permitted to perform this action."), "rejected"],
  [
    "bad media",
    problem(400, "One or more parameters", { errors: [{ parameters: { "media.media_ids": ["1"] } }] }),
    "rejected",
  ],
  ["too long a text", problem(400, "Your Tweet text is too long."), "rejected"],
  ["anything else", problem(400, "No idea."), "rejected"],
] as const)("%s is a failure", async ([, answer, reason], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "failed", reason });
});

test.for([
  ["a lost answer", "lost"],
  ["a 503", { status: 503 }],
  [
    "a duplicate",
    problem(403, "You are not allowed to create a Tweet with duplicate content.", { title: "Forbidden" }),
  ],
  ["a success without an id", { status: 201, body: { data: {} } }],
] as const)("after %s nobody knows whether the post is live", async ([, answer], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "unknown" });
});

test("the wait ends with the latest limit that is used up", async ({ expect }) => {
  const reset = (seconds: number) => String(NOW / 1000 + seconds);
  const headers = {
    "x-rate-limit-remaining": "40",
    "x-rate-limit-reset": reset(100),
    "x-user-limit-24hour-remaining": "0",
    "x-user-limit-24hour-reset": reset(5000),
  };
  const limited = { ...problem(429, "Too Many Requests"), headers };
  expect(await commitText(limited)).toMatchObject({ reason: "throttled", retryAfterSeconds: 5000 });
});

test("a daily cap ends at midnight", async ({ expect }) => {
  const capped = problem(429, "Usage cap exceeded", { title: "UsageCapExceeded", period: "Daily" });
  expect(await commitText(capped)).toMatchObject({ reason: "throttled", retryAfterSeconds: 12 * 3600 });
});

test("the parent of a thread item may only not be visible yet; elsewhere it is gone", async ({ expect }) => {
  const gone = problem(403, "You attempted to reply to a Tweet that is deleted or not visible to you.");
  expect(await commitText(gone, SECOND)).toMatchObject({ kind: "failed", reason: "down", retryAfterSeconds: 2 });
  expect(await commitText(gone, FIRST)).toMatchObject({ kind: "failed", reason: "rejected" });
});

const listed = (id: string, text: string, seconds: number, extra: object = {}) => ({
  id,
  text,
  created_at: new Date(NOW + seconds * 1000).toISOString(),
  ...extra,
});

test.for(["referenced_tweets", "referenced_posts"])(
  "a lost thread item is found by text and parent in %s",
  async (name, { expect }) => {
    const to = (id: string) => ({ [name]: [{ type: "replied_to", id }] });
    const data = [
      listed("901", "more", -3),
      listed("902", "more", -3, to("1")),
      listed("903", "more", -400, to("900")),
      listed("904", "more", -3, to("900")),
    ];
    const { send, calls } = scriptedSend({ body: { data, meta: {} } });
    const thread = content("thread", ["hello"], ["more"]);
    expect(await posts.find(accountContext(send), thread, NO_MEDIA, { ...LOOK, ...SECOND })).toEqual({
      kind: "found",
      post: { id: "904", permalink: "https://x.com/acme/status/904" },
    });
    expect(calls[0]?.query?.start_time).toBe("2026-11-20T11:58:50.000Z");
  },
);

test("an empty list means absent, a partial error means nothing", async ({ expect }) => {
  const { send } = scriptedSend({ body: { meta: { result_count: 0 } } }, { status: 503 }, { body: { errors: [{}] } });
  const look = () => posts.find(accountContext(send), TEXT, NO_MEDIA, { ...LOOK, ...FIRST });
  expect(await look()).toEqual({ kind: "absent" });
  expect(await look()).toMatchObject({ kind: "unknown" });
  expect(await look()).toMatchObject({ kind: "unknown" });
});

/** Calls prepare until it is ready, as the job does. */
async function prepareAll(context: Parameters<typeof posts.prepare>[0], what: Parameters<typeof posts.prepare>[1]) {
  let outcome = await posts.prepare(context, what, NO_PROGRESS);
  while (outcome.kind === "more") outcome = await posts.prepare(context, what, outcome.progress);
  return outcome;
}

const media = (id: string, extra: object = {}) => ({ body: { data: { id, ...extra } } });
const MIB = 1024 * 1024;

test("a video goes up in gapless chunks and is waited for", async ({ expect }) => {
  const { send, calls } = scriptedSend(
    media("7"),
    { body: { data: { expires_at: 1 } } },
    { status: 200 },
    media("7", { processing_info: { state: "pending", check_after_secs: 5 } }),
    media("7", { processing_info: { state: "succeeded" } }),
  );
  const what = content("post", ["v", video("v.mp4", 6 * MIB)]);
  expect(await prepareAll(accountContext(send), what)).toMatchObject({ kind: "ready" });
  expect(calls[0]?.json).toEqual({ media_type: "video/mp4", total_bytes: 6 * MIB, media_category: "tweet_video" });
  const chunks = calls.slice(1, 3).map(({ multipart }) => [multipart?.get("segment_index"), multipart?.get("media")]);
  expect(chunks.map(([index, blob]) => [index, blob instanceof Blob ? blob.size : 0])).toEqual([
    ["0", 4 * MIB],
    ["1", 2 * MIB],
  ]);
  expect(calls[4]?.query).toEqual({ command: "STATUS", media_id: "7" });
});

test("a refused chunk begins the file again, once", async ({ expect }) => {
  const refused = problem(400, "segment_index");
  const again = scriptedSend(media("7"), refused, media("8"), { status: 200 }, media("8"));
  const what = content("post", ["v", video("v.mp4")]);
  expect(await prepareAll(accountContext(again.send), what)).toMatchObject({ progress: { uploads: [{ id: "8" }] } });
  const twice = scriptedSend(media("7"), refused, media("8"), refused);
  expect(await prepareAll(accountContext(twice.send), what)).toMatchObject({ kind: "failed", reason: "rejected" });
});

test("media that were uploaded a day ago are uploaded again", async ({ expect }) => {
  const { send } = scriptedSend(media("10"));
  const what = content("post", ["i", image("a.jpg"), image("b.jpg")]);
  const done = { state: "done", segments: 0, restarts: 0 };
  const uploads = [
    { ...done, id: "1", at: NOW - 24 * 3_600_000 },
    { ...done, id: "2", at: NOW - 3_600_000 },
  ];
  expect(await posts.prepare(accountContext(send), what, { uploads })).toMatchObject({
    kind: "more",
    progress: { uploads: [{ id: "10" }, { id: "2" }] },
  });
});

test("the media of a thread go with their item, in order", async ({ expect }) => {
  const thread = content("thread", ["a", image("1.jpg")], ["b", image("2.jpg"), image("3.jpg")]);
  const { send, calls } = scriptedSend(media("1"), media("2"), media("3"), {
    status: 201,
    body: { data: { id: "905" } },
  });
  const context = accountContext(send);
  const ready = await prepareAll(context, thread);
  if (ready.kind !== "ready") throw new Error(ready.kind);
  await posts.commit(context, thread, ready.progress, SECOND);
  expect(calls.at(-1)?.json).toEqual({
    text: "b",
    media: { media_ids: ["2", "3"] },
    reply: { in_reply_to_tweet_id: "900" },
  });
});

test("deleting is done when X says so, or does not know the post", async ({ expect }) => {
  const { send } = scriptedSend(
    { body: { data: { deleted: true } } },
    problem(404, "Not Found Error"),
    problem(401, "Unauthorized"),
  );
  const remove = () => posts.remove?.(accountContext(send), "post", { id: "1", permalink: null });
  expect(await remove()).toEqual({ kind: "removed" });
  expect(await remove()).toEqual({ kind: "removed" });
  expect(await remove()).toMatchObject({ kind: "failed", reason: "token_expired" });
});

const PAIR = { access_token: "A2", refresh_token: "R2", expires_in: 7200, scope: oauth.scopes.join(" ") };
const dead = { error: "invalid_request", error_description: "Value passed for the token was invalid." };

test("refreshing gives the whole new pair; only X's word ends a connection", async ({ expect }) => {
  const { send, calls } = scriptedSend({ body: PAIR }, "lost", { status: 503 }, { status: 400, body: dead });
  const refresh = () => oauth.refresh?.(accountContext(send));
  expect(await refresh()).toEqual({
    kind: "refreshed",
    credentials: { accessToken: "A2", refreshToken: "R2", expiresAt: NOW + 7_200_000, scopes: oauth.scopes },
  });
  expect(calls[0]?.headers?.authorization).toBe(`Basic ${btoa("app:app%20secret")}`);
  expect(await refresh()).toMatchObject({ kind: "failed", reason: "down" });
  expect(await refresh()).toMatchObject({ kind: "failed", reason: "down" });
  expect(await refresh()).toMatchObject({ kind: "failed", reason: "disconnected" });
});

test("a login yields its account, and names what X did not give", async ({ expect }) => {
  const me = { body: { data: { id: "224", name: "Acme", username: "acme", subscription_type: "Premium" } } };
  const { send } = scriptedSend(
    { body: PAIR },
    me,
    { body: { ...PAIR, scope: "tweet.read users.read offline.access" } },
    me,
  );
  const grant = { code: "C", redirectUri: "https://belfry.example/cb", codeVerifier: "V" };
  const exchange = () => oauth.exchange(accountContext(send), grant);
  expect(await exchange()).toMatchObject({
    accounts: [{ id: "224", attributes: { subscription_type: "Premium" }, obstacle: null }],
  });
  expect(await exchange()).toMatchObject({
    accounts: [{ credentials: null, obstacle: expect.stringContaining("tweet.write, media.write") }],
  });
});

test("the consent page is asked with %20 between scopes and an S256 challenge", ({ expect }) => {
  const request = { redirectUri: "https://belfry.example/cb", state: "S", codeChallenge: "CH" };
  const url = oauth.authorizeUrl({ id: "app:1:ci", secret: "" }, request);
  expect(url.href).toContain("https://x.com/i/oauth2/authorize?");
  expect(url.search).toContain("scope=tweet.read%20tweet.write%20users.read%20media.write%20offline.access");
  expect(url.searchParams.get("code_challenge_method")).toBe("S256");
});
