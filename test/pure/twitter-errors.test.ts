import { test } from "vitest";
import { codeOf } from "../../src/platforms/outcomes.ts";
import { twitter } from "../../src/platforms/twitter/index.ts";
import {
  accountContext,
  content,
  image,
  NO_PROGRESS,
  NOW,
  type Scripted,
  scriptedSend,
  video,
} from "../scripted-send.ts";

const { posts, oauth } = twitter;
const { renewal } = twitter.grants.publish;
const FIRST = { index: 0, previous: [] };
const SECOND = { index: 1, previous: [{ id: "900", secondaryId: null, permalink: null }] };
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
  ["an expired token", problem(401, "Unauthorized"), "token_expired", "reconnect_needed"],
  [
    "no credits, new form",
    problem(402, "credits depleted", { type: `${TYPE}/credits-depleted` }),
    "blocked",
    "operator_action",
  ],
  [
    "no credits, old form",
    problem(403, "no credits", { title: "CreditsDepleted", type: `${TYPE}/credits` }),
    "blocked",
    "operator_action",
  ],
  [
    "an app that is not enrolled",
    problem(403, "…", { type: `${TYPE}/client-forbidden` }),
    "blocked",
    "operator_action",
  ],
  ["a used-up window", problem(429, "Too Many Requests"), "throttled", "rate_limited"],
  [
    "a used-up window, v1",
    { status: 429, body: { errors: [{ code: 88, message: "Rate limit exceeded" }] } },
    "throttled",
    "rate_limited",
  ],
  [
    "a monthly cap",
    problem(429, "Usage cap", { type: `${TYPE}/usage-capped`, period: "Monthly" }),
    "blocked",
    "operator_action",
  ],
  ["a missing scope", problem(403, "Missing required scope: media.write"), "permission_missing", "permission_missing"],
  [
    "a suspended account",
    { status: 403, body: { errors: [{ code: 64, message: "suspended" }] } },
    "disconnected",
    "reconnect_needed",
  ],
  ["a suspended account, in words", problem(403, "Your account is suspended."), "disconnected", "reconnect_needed"],
  [
    "a locked account",
    { status: 403, body: { errors: [{ code: 326, message: "To protect our users" }] } },
    "throttled",
    "account_restricted",
  ],
  [
    "a locked account, in words",
    problem(403, "This account is temporarily locked."),
    "throttled",
    "account_restricted",
  ],
  [
    "a reply nobody asked for",
    problem(403, "Reply to this conversation is not allowed because …"),
    "rejected",
    "platform_rejected",
  ],
  [
    "a feature that is locked",
    problem(403, "You are not permitted to perform this action."),
    "rejected",
    "platform_rejected",
  ],
  [
    "bad media",
    problem(400, "One or more parameters", { errors: [{ parameters: { "media.media_ids": ["1"] } }] }),
    "rejected",
    "media_invalid",
  ],
  ["too long a text", problem(400, "Your Tweet text is too long."), "rejected", "content_invalid"],
  ["anything else", problem(400, "No idea."), "rejected", "platform_rejected"],
  ["a link that X refuses", problem(400, "Your Tweet has an invalid URL."), "rejected", "content_refused"],
  ["too long a video", problem(400, "Video longer than 2 minutes"), "rejected", "media_invalid"],
] as const)("%s is a failure, told by its code", async ([, answer, reason, told], { expect }) => {
  const outcome = await commitText(answer);
  expect(outcome).toMatchObject({ kind: "failed", reason });
  expect(outcome.kind === "failed" && codeOf(outcome)).toBe(told);
});

test.for([
  ["a lost answer", "lost"],
  ["a 503", { status: 503 }],
  ["a 500 in X's form", problem(500, "Internal Server Error")],
  // Who knows where a gateway stands: a page of its own may come after the post was taken.
  ["a gateway's 400", { status: 400 }],
  ["a gateway's 401", { status: 401, body: { message: "Unauthorized" } }],
  ["a gateway's 403", { status: 403 }],
  ["a gateway's 404", { status: 404, body: { error: "Not Found" } }],
  ["a gateway's redirect", { status: 302 }],
  ["a success without an id", { status: 201, body: { data: {} } }],
] as const)("after %s nobody knows whether the post is live", async ([, answer], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "unknown" });
});

test.for([
  ["in words", problem(403, "You are not allowed to create a Tweet with duplicate content.", { title: "Forbidden" })],
  ["as a code", { status: 403, body: { errors: [{ code: 187, message: "Status is a duplicate." }] } }],
] as const)("a duplicate, %s, is evidence that the post is there", async ([, answer], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "duplicate", message: expect.stringContaining("uplicate") });
});

test("a locked account waits for its owner, and the sentence tells what to do", async ({ expect }) => {
  const headers = { "x-rate-limit-remaining": "99", "x-rate-limit-reset": String(NOW / 1000 + 60) };
  const locked = { status: 403, headers, body: { errors: [{ code: 326, message: "temporarily locked" }] } };
  const message = expect.stringContaining("Sign in at x.com and unlock it");
  expect(await commitText(locked)).toMatchObject({ reason: "throttled", retryAfterSeconds: 1800, message });
});

test("a gateway's 429 is a limit as well", async ({ expect }) => {
  expect(await commitText({ status: 429 })).toMatchObject({ kind: "failed", reason: "throttled" });
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
  expect(chunks.map(([index, file]) => [index, typeof file === "object" ? file.part.length : 0])).toEqual([
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

test("an alt text follows its file, and is repeated by itself when its answer is lost", async ({ expect }) => {
  const what = content("post", ["i", { ...image("a.jpg"), altText: "A quay" }, image("b.jpg")]);
  const { send, calls } = scriptedSend(media("1"), "lost", media("1"), media("2"));
  const context = accountContext(send);
  const first = await posts.prepare(context, what, NO_PROGRESS);
  if (first.kind !== "more") throw new Error(first.kind);
  expect(await posts.prepare(context, what, first.progress)).toMatchObject({ kind: "failed", reason: "down" });
  const second = await posts.prepare(context, what, first.progress);
  if (second.kind !== "more") throw new Error(second.kind);
  expect(await posts.prepare(context, what, second.progress)).toMatchObject({
    kind: "ready",
    progress: {
      uploads: [
        { id: "1", state: "done" },
        { id: "2", state: "done" },
      ],
    },
  });
  expect(calls.map(({ url }) => url.split("/2/")[1])).toEqual([
    "media/upload",
    "media/metadata",
    "media/metadata",
    "media/upload",
  ]);
  expect(calls[1]?.json).toEqual({ id: "1", metadata: { alt_text: { text: "A quay" } } });
});

test("a file whose alt text X refuses is uploaded again, once", async ({ expect }) => {
  const what = content("post", ["i", { ...image("a.jpg"), altText: "A quay" }]);
  const refused = problem(400, "media id");
  const again = scriptedSend(media("1"), refused, media("2"), media("2"));
  expect(await prepareAll(accountContext(again.send), what)).toMatchObject({ progress: { uploads: [{ id: "2" }] } });
  const twice = scriptedSend(media("1"), refused, media("2"), refused);
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
    { status: 404 },
    { status: 403 },
  );
  const remove = () => posts.remove?.(accountContext(send), "post", { id: "1", secondaryId: null, permalink: null });
  expect(await remove()).toEqual({ kind: "removed" });
  expect(await remove()).toEqual({ kind: "removed" });
  expect(await remove()).toMatchObject({ kind: "failed", reason: "token_expired" });
  // A gateway's pages: the post may be up as before.
  expect(await remove()).toMatchObject({ kind: "failed", reason: "down" });
  expect(await remove()).toMatchObject({ kind: "failed", reason: "down" });
});

test("a gateway's page in the middle of an upload is passing trouble, not a refusal", async ({ expect }) => {
  const what = content("post", ["v", video("v.mp4")]);
  const { send } = scriptedSend(media("7"), { status: 403 });
  expect(await prepareAll(accountContext(send), what)).toMatchObject({ kind: "failed", reason: "down" });
});

const PAIR = { access_token: "A2", refresh_token: "R2", expires_in: 7200, scope: oauth.scopes.join(" ") };
const dead = { error: "invalid_request", error_description: "Value passed for the token was invalid." };

test("refreshing gives the whole new pair; only X's word ends a connection", async ({ expect }) => {
  const { send, calls } = scriptedSend({ body: PAIR }, "lost", { status: 503 }, { status: 400, body: dead });
  const refresh = () => renewal.refresh(accountContext(send));
  expect(await refresh()).toEqual({
    kind: "refreshed",
    credentials: { accessToken: "A2", refreshToken: "R2", expiresAt: NOW + 7_200_000, scopes: oauth.scopes },
  });
  expect(calls[0]?.headers?.authorization).toBe(`Basic ${btoa("app:app%20secret")}`);
  expect(await refresh()).toMatchObject({ kind: "failed", reason: "down" });
  expect(await refresh()).toMatchObject({ kind: "failed", reason: "down" });
  expect(await refresh()).toMatchObject({ kind: "failed", reason: "disconnected" });
});

test.for([
  ["a 403", { status: 403 }],
  ["a 401", { status: 401 }],
  ["a 400", { status: 400 }],
  ["a 404", { status: 404 }],
  ["a redirect", { status: 307 }],
  ["a 200 that is no token", { status: 200, body: "<html>" }],
  [
    "an error that is none of OAuth's",
    { status: 403, body: { error: "Forbidden", status: 403, path: "/2/oauth2/token" } },
  ],
  ["a problem in the form of the API", problem(401, "Unauthorized")],
  ["a problem about the account", problem(403, "suspended", { type: `${TYPE}/user-suspended` })],
] as const)("%s at the token endpoint is trouble, not X's word on the connection", async ([, answer], { expect }) => {
  const { send } = scriptedSend(answer, answer);
  const context = accountContext(send);
  expect(await renewal.refresh(context)).toMatchObject({ kind: "failed", reason: "down" });
  const grant = { code: "C", redirectUri: "https://belfry.example/cb", codeVerifier: "V" };
  expect(await oauth.exchange(context, grant)).toMatchObject({ kind: "failed", reason: "down" });
});

test.for([
  [
    "our credentials",
    401,
    { error: "unauthorized_client", error_description: "Missing valid authorization header" },
    "blocked",
  ],
  ["our credentials, in RFC 6749's word", 401, { error: "invalid_client" }, "blocked"],
  [
    "our request",
    400,
    { error: "invalid_request", error_description: "Missing required parameter [code]." },
    "blocked",
  ],
  ["the token", 400, dead, "disconnected"],
  ["the token, in RFC 6749's word", 400, { error: "invalid_grant" }, "disconnected"],
  ["our pace", 429, dead, "throttled"],
  ["our plan", 403, { title: "Client Forbidden", type: `${TYPE}/client-forbidden`, status: 403 }, "blocked"],
] as const)("X's word at the token endpoint may be about %s", async ([, status, body, reason], { expect }) => {
  const { send } = scriptedSend({ status, body });
  expect(await renewal.refresh(accountContext(send))).toMatchObject({ kind: "failed", reason });
});

test("a code that came too late is refused: the person starts again", async ({ expect }) => {
  const late = { error: "invalid_request", error_description: "Value passed for the authorization code was invalid." };
  const { send } = scriptedSend({ status: 400, body: late });
  const grant = { code: "C", redirectUri: "https://belfry.example/cb", codeVerifier: "V" };
  expect(await oauth.exchange(accountContext(send), grant)).toMatchObject({ kind: "failed", reason: "rejected" });
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
    accounts: [{ id: "224", attributes: { subscription_type: "Premium" }, unusableReason: null }],
  });
  expect(await exchange()).toMatchObject({
    accounts: [{ grants: {}, unusableReason: expect.stringContaining("tweet.write, media.write") }],
  });
});

test("the consent page is asked with %20 between scopes and an S256 challenge", ({ expect }) => {
  const request = { redirectUri: "https://belfry.example/cb", state: "S", codeChallenge: "CH" };
  const url = oauth.authorizeUrl({ id: "app:1:ci", secret: "" }, request);
  expect(url.href).toContain("https://x.com/i/oauth2/authorize?");
  expect(url.search).toContain("scope=tweet.read%20tweet.write%20users.read%20media.write%20offline.access");
  expect(url.searchParams.get("code_challenge_method")).toBe("S256");
});
