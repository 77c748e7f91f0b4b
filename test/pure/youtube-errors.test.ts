import { describe, test } from "vitest";
import type { Json } from "../../src/platforms/context.ts";
import type { Content } from "../../src/platforms/publishing.ts";
import type { Media } from "../../src/platforms/rules.ts";
import { youtube } from "../../src/platforms/youtube/index.ts";
import { READ_SCOPE, UPLOAD_SCOPE } from "../../src/platforms/youtube/oauth.ts";
import { accountContext, content, NOW, type Scripted, scriptedSend, video } from "../scripted-send.ts";

const { posts, oauth, rules } = youtube;
const { renewal } = youtube.grants.publish;
const FIRST = { index: 0, previous: [] };
const SESSION = "https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=EX123";
const OPEN: Json = { session: SESSION, name: "belfry-x.mp4", offset: 0, parts: 0, restarts: 0 };
const EXTRA = { title: "Opening day", category: 22, privacyStatus: "public" } as const;

function videoPost(file: Media = video("v.mp4"), type: Content["type"] = "post"): Content {
  return { ...content(type, ["Come in.", file]), extra: EXTRA };
}

/** Google's form of an error. */
function refusal(status: number, reason: string, extra: object = {}): Scripted {
  const message = `About ${reason}`;
  return {
    status,
    body: { error: { code: status, message, errors: [{ message, domain: "global", reason }], ...extra } },
  };
}

const commit = (answer: Scripted | "lost") => {
  const { send, calls } = scriptedSend(answer);
  return { calls, outcome: posts.commit(accountContext(send), videoPost(), OPEN, FIRST) };
};

test.for([
  ["an expired token", refusal(401, "authError"), "token_expired"],
  ["a missing login", refusal(401, "required"), "token_expired"],
  ["an account without a channel", refusal(401, "youtubeSignupRequired"), "disconnected"],
  ["a closed account", refusal(403, "authenticatedUserAccountClosed"), "disconnected"],
  ["a suspended account", refusal(403, "authenticatedUserAccountSuspended"), "disconnected"],
  ["a missing scope", refusal(403, "insufficientPermissions"), "permission_missing"],
  [
    "a missing scope, told in the details",
    { status: 403, body: { error: { code: 403, details: [{ reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT" }] } } },
    "permission_missing",
  ],
  ["the project's quota", refusal(403, "quotaExceeded"), "throttled"],
  ["the project's quota, in its older word", refusal(403, "dailyLimitExceeded"), "throttled"],
  ["a pace", refusal(429, "rateLimitExceeded"), "throttled"],
  ["a pace with status 403", refusal(403, "userRateLimitExceeded"), "throttled"],
  ["the channel's cap, a 400", refusal(400, "uploadLimitExceeded"), "throttled"],
  ["an API that is not enabled", refusal(403, "accessNotConfigured"), "blocked"],
  [
    "an API that is not enabled, told by its status",
    {
      status: 403,
      body: { error: { code: 403, status: "PERMISSION_DENIED", details: [{ reason: "SERVICE_DISABLED" }] } },
    },
    "blocked",
  ],
  ["a title", refusal(400, "invalidTitle"), "rejected"],
  ["a category", refusal(400, "invalidCategoryId"), "rejected"],
  ["a privacy setting", refusal(403, "forbiddenPrivacySetting"), "rejected"],
  ["a conflict", refusal(409, "alreadyExists"), "down"],
] as const)("%s is a failure", async ([, answer, reason], { expect }) => {
  const outcome = await commit(answer).outcome;
  expect(outcome).toMatchObject({ kind: "failed", reason, message: expect.stringMatching(/^[A-Z].*[.”] \(\w+\)$/) });
});

test.for([
  ["a reason that is not documented", refusal(400, "somethingNew")],
  ["a 401 with a reason that is not documented", refusal(401, "tokenTooOld")],
  ["a documented reason with another status", refusal(403, "invalidTitle")],
  ["a documented reason with a 500", refusal(500, "insufficientPermissions")],
  ["a lost answer", "lost"],
  ["a 503 in Google's form", refusal(503, "backendError")],
  ["a 500 in Google's form", refusal(500, "internalError")],
  ["a gateway's 503", { status: 503 }],
  ["a gateway's 400", { status: 400, body: "<html>" }],
  ["a gateway's 403", { status: 403, body: "<html>" }],
  ["a success without an id", { status: 200, body: { kind: "youtube#video" } }],
  ["a success without a body", { status: 201 }],
  ["a session that is gone", { status: 404, body: "Not Found" }],
  ["a session that has ended", { status: 410 }],
  ["a 308 that leads elsewhere", { status: 308, headers: { location: "https://elsewhere.example" } }],
  ["a 308 that nobody can read", { status: 308, headers: { range: "all of it" } }],
  ["a 308 after the last byte", { status: 308, headers: { range: "bytes=0-2" } }],
] as const)("after %s nobody knows whether the video is there", async ([, answer], { expect }) => {
  expect(await commit(answer).outcome).toMatchObject({ kind: "unknown" });
});

test.for([
  [refusal(400, "invalidTitle"), "content_invalid"],
  [refusal(400, "badContent"), "media_invalid"],
  [refusal(403, "forbiddenPrivacySetting"), "unsupported_by_platform"],
  [refusal(403, "authenticatedUserAccountSuspended"), "account_restricted"],
  [refusal(400, "somethingNew"), undefined],
] as const)("%j says more than its reason: %s", async ([answer, code], { expect }) => {
  const outcome = await commit(answer).outcome;
  expect("code" in outcome ? outcome.code : undefined).toBe(code);
});

describe("waits", () => {
  // NOW is 04:00 in Los Angeles.
  test("the quota of a day ends at midnight Pacific time", async ({ expect }) => {
    const outcome = await commit(refusal(403, "quotaExceeded")).outcome;
    expect(outcome).toMatchObject({ reason: "throttled", retryAfterSeconds: 20 * 3600 });
    expect(outcome).toMatchObject({ message: expect.stringContaining("midnight Pacific time") });
  });

  test("the channel's own cap is another thing, and is asked again by the hour", async ({ expect }) => {
    const outcome = await commit(refusal(400, "uploadLimitExceeded")).outcome;
    expect(outcome).toMatchObject({
      retryAfterSeconds: 3600,
      code: "account_restricted",
      message: expect.stringContaining("This channel"),
    });
  });

  test("Retry-After counts where YouTube sends it", async ({ expect }) => {
    const limited = { ...refusal(429, "rateLimitExceeded"), headers: { "retry-after": "17" } };
    expect(await commit(limited).outcome).toMatchObject({ retryAfterSeconds: 17 });
    expect(await commit(refusal(429, "rateLimitExceeded")).outcome).not.toHaveProperty("retryAfterSeconds");
  });
});

describe("a video that was taken", () => {
  const video = (status: object, extra: object = {}) => ({ body: { items: [{ id: "aB3", status, ...extra }] } });
  const accepted = (waitedMs: number) => {
    const post = { id: "aB3", secondaryId: null, permalink: "https://www.youtube.com/watch?v=aB3" };
    return { index: 0, post, since: NOW - waitedMs };
  };
  const confirm = (answer: Scripted | "lost", waitedMs = 60_000) => {
    const { send, calls } = scriptedSend(answer);
    return { calls, outcome: posts.confirm(accountContext(send), videoPost(), OPEN, accepted(waitedMs)) };
  };

  test("is asked for by its id, and live when it is processed", async ({ expect }) => {
    const { calls, outcome } = confirm(video({ uploadStatus: "processed" }));
    expect(await outcome).toEqual({ kind: "live", post: accepted(0).post });
    expect(calls[0]).toMatchObject({
      url: "https://www.googleapis.com/youtube/v3/videos",
      query: { part: "status,processingDetails", id: "aB3" },
    });
  });

  test.for([
    ["at once", 0, 5],
    ["after a minute", 60_000, 8],
    ["after ten minutes", 600_000, 75],
    ["after hours", 6 * 3_600_000, 300],
  ] as const)("is asked for again %s, ever more rarely", async ([, waitedMs, afterSeconds], { expect }) => {
    const outcome = await confirm(video({ uploadStatus: "uploaded" }), waitedMs).outcome;
    expect(outcome).toEqual({ kind: "processing", afterSeconds });
  });

  test.for([
    ["failed", { failureReason: "codec" }, "codec", "media_invalid"],
    ["failed", { failureReason: "invalidFile" }, "does not take the file for a video", "media_invalid"],
    ["failed", { failureReason: "somethingNew" }, "Try another file. YouTube's words: “somethingNew”", "media_invalid"],
    ["failed", {}, "could not process the video.", "media_invalid"],
    ["rejected", { rejectionReason: "copyright" }, "copyright", "content_refused"],
    ["rejected", { rejectionReason: "duplicate" }, "has it already", "content_refused"],
    ["rejected", { rejectionReason: "length" }, "youtube.com/verify", "media_invalid"],
    ["rejected", { rejectionReason: "uploaderAccountSuspended" }, "is suspended", "account_restricted"],
    ["rejected", { rejectionReason: "constructor" }, "constructor", "platform_rejected"],
    ["deleted", {}, "was deleted", "platform_rejected"],
  ] as const)("never goes up when it %s: %j", async ([uploadStatus, reason, words, code], { expect }) => {
    const outcome = await confirm(video({ uploadStatus, ...reason })).outcome;
    expect(outcome).toMatchObject({ kind: "broken", code, message: expect.stringContaining(words) });
  });

  test("never goes up when its processing failed, whatever the upload says", async ({ expect }) => {
    const details = { processingDetails: { processingStatus: "failed", processingFailureReason: "transcodeFailed" } };
    const outcome = await confirm(video({ uploadStatus: "uploaded" }, details)).outcome;
    expect(outcome).toMatchObject({ kind: "broken", message: expect.stringContaining("transcodeFailed") });
  });

  test("that YouTube does not show is awaited for ten minutes, and then gone", async ({ expect }) => {
    expect(await confirm({ body: { items: [] } }, 590_000).outcome).toMatchObject({ kind: "processing" });
    expect(await confirm({ body: {} }, 610_000).outcome).toMatchObject({ kind: "broken" });
    expect(await confirm("lost").outcome).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("that is live already needs no second look; a Short has an address of its own", async ({ expect }) => {
    const taken = { status: 201, body: { id: "aB3", status: { uploadStatus: "processed" } } };
    expect(await commit(taken).outcome).toMatchObject({
      kind: "published",
      post: { id: "aB3", permalink: "https://www.youtube.com/watch?v=aB3" },
    });
    const { send } = scriptedSend({ status: 201, body: { id: "aB3", status: { uploadStatus: "uploaded" } } });
    const short = posts.commit(accountContext(send), videoPost(undefined, "reel"), OPEN, FIRST);
    expect(await short).toMatchObject({
      kind: "accepted",
      post: { id: "aB3", permalink: "https://www.youtube.com/shorts/aB3" },
    });
  });
});

test("deleting is done when YouTube says so, or does not know the video", async ({ expect }) => {
  const { send, calls } = scriptedSend(
    { status: 204 },
    refusal(404, "videoNotFound"),
    refusal(403, "forbidden"),
    { status: 404, body: "<html>" },
    "lost",
  );
  const remove = () => posts.remove?.(accountContext(send), "post", { id: "aB3", secondaryId: null, permalink: null });
  expect(await remove()).toEqual({ kind: "removed" });
  expect(calls[0]).toMatchObject({ method: "DELETE", query: { id: "aB3" } });
  expect(await remove()).toEqual({ kind: "removed" });
  expect(await remove()).toMatchObject({ kind: "failed", reason: "rejected" });
  // A gateway's page: the video may be up as before.
  expect(await remove()).toMatchObject({ kind: "failed", reason: "down" });
  expect(await remove()).toMatchObject({ kind: "failed", reason: "down" });
});

describe("login", () => {
  const GRANT = { code: "4/0C", redirectUri: "https://belfry.example/cb", codeVerifier: "V" };
  const TOKENS = { access_token: "A", refresh_token: "R", expires_in: 3599, scope: oauth.scopes.join(" ") };
  const CHANNEL = {
    id: "UCx",
    snippet: { title: "Harbour Bakery", customUrl: "@harbourbakery", thumbnails: { default: { url: "https://yt/x" } } },
    contentDetails: { relatedPlaylists: { likes: "", uploads: "UUx" } },
    status: { longUploadsStatus: "eligible" },
  };
  const exchange = (...answers: readonly (Scripted | "lost")[]) => {
    const { send, calls } = scriptedSend(...answers);
    return { calls, outcome: oauth.exchange(accountContext(send), GRANT) };
  };

  test("the consent page is asked for a lasting login, by S256, and for the account", ({ expect }) => {
    const request = { redirectUri: GRANT.redirectUri, state: "S", codeChallenge: "CH" };
    const { origin, pathname, searchParams } = oauth.authorizeUrl({ id: "app", secret: "" }, request);
    expect(origin + pathname).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    expect(Object.fromEntries(searchParams)).toMatchObject({
      client_id: "app",
      access_type: "offline",
      prompt: "select_account consent",
      scope: oauth.scopes.join(" "),
      code_challenge: "CH",
      code_challenge_method: "S256",
      state: "S",
    });
  });

  test("yields the channel, and what decides its limits and look-ups", async ({ expect }) => {
    const { calls, outcome } = exchange({ body: TOKENS }, { body: { items: [CHANNEL] } });
    expect(await outcome).toEqual({
      kind: "granted",
      accounts: [
        {
          id: "UCx",
          name: "Harbour Bakery",
          username: "harbourbakery",
          pictureUrl: "https://yt/x",
          attributes: { uploads_playlist: "UUx", long_uploads: "eligible" },
          grants: {
            publish: { accessToken: "A", refreshToken: "R", expiresAt: NOW + 3_599_000, scopes: oauth.scopes },
          },
          unusableReason: null,
          login: null,
        },
      ],
    });
    expect(calls[0]?.form).toMatchObject({ client_id: "app", client_secret: "app secret", code_verifier: "V" });
    expect(calls[1]).toMatchObject({ headers: { authorization: "Bearer A" }, query: { mine: true } });
  });

  test("with a scope unticked it names what is missing", async ({ expect }) => {
    const some = { ...TOKENS, scope: `${UPLOAD_SCOPE} ${READ_SCOPE}` };
    expect(await exchange({ body: some }, { body: { items: [CHANNEL] } }).outcome).toMatchObject({
      accounts: [{ grants: {}, unusableReason: expect.stringContaining("youtube.force-ssl") }],
    });
    // Upload alone cannot even read which channel it is.
    const least = exchange({ body: { ...TOKENS, scope: UPLOAD_SCOPE } });
    expect(await least.outcome).toMatchObject({
      reason: "rejected",
      message: expect.stringContaining("youtube.readonly"),
    });
    expect(least.calls).toHaveLength(1);
  });

  test("without a refresh token is no connection", async ({ expect }) => {
    const { refresh_token: _, ...once } = TOKENS;
    expect(await exchange({ body: once }, { body: { items: [CHANNEL] } }).outcome).toMatchObject({
      accounts: [{ grants: {}, unusableReason: expect.stringContaining("one hour") }],
    });
  });

  test.for([
    ["items that are missing", { body: { kind: "youtube#channelListResponse" } }],
    ["an empty list", { body: { items: [] } }],
    ["a refusal", refusal(401, "youtubeSignupRequired")],
  ] as const)("without a channel, told by %s, says so", async ([, answer], { expect }) => {
    const outcome = await exchange({ body: TOKENS }, answer).outcome;
    expect(outcome).toMatchObject({ reason: "rejected", message: expect.stringContaining("no YouTube channel") });
  });

  test.for([
    ["the code", { status: 400, body: { error: "invalid_grant", error_description: "Bad Request" } }, "rejected"],
    ["our redirect address", { status: 400, body: { error: "redirect_uri_mismatch" } }, "blocked"],
    ["our client", { status: 401, body: { error: "invalid_client" } }, "blocked"],
    ["nobody", { status: 503 }, "down"],
  ] as const)("refused because of %s", async ([, answer, reason], { expect }) => {
    expect(await exchange(answer).outcome).toMatchObject({ kind: "failed", reason });
  });

  test("a renewal keeps the refresh token; only Google's word ends a connection", async ({ expect }) => {
    const { refresh_token: _, ...renewed } = TOKENS;
    const dead = { error: "invalid_grant", error_description: "Token has been expired or revoked." };
    const { send } = scriptedSend(
      { body: renewed },
      "lost",
      { status: 503 },
      { status: 400, body: "<html>" },
      { status: 400, body: dead },
      { status: 400, body: { error: "admin_policy_enforced" } },
    );
    const refresh = () => renewal.refresh(accountContext(send));
    expect(await refresh()).toMatchObject({ kind: "refreshed", credentials: { accessToken: "A", refreshToken: null } });
    for (let tries = 0; tries < 3; tries++) expect(await refresh()).toMatchObject({ reason: "down" });
    expect(await refresh()).toMatchObject({ reason: "disconnected" });
    expect(await refresh()).toMatchObject({ reason: "disconnected" });
  });
});

describe("Google's word on our client", () => {
  const URI = "https://belfry.example/connect/callback/youtube";
  const check = (answer: Scripted | "lost") => {
    const { send, calls } = scriptedSend(answer);
    return { calls, found: oauth.setup.check?.(accountContext(send), URI) };
  };

  test("comes with the refusal of a code that is none", async ({ expect }) => {
    const { calls, found } = check({ status: 400, body: { error: "invalid_grant" } });
    expect(await found).toEqual([{ topic: "credentials", isGood: true, message: expect.any(String) }]);
    expect(calls[0]?.form).toMatchObject({ client_id: "app", client_secret: "app secret", redirect_uri: URI });
  });

  test("may be about the redirect address", async ({ expect }) => {
    const found = await check({ status: 400, body: { error: "redirect_uri_mismatch" } }).found;
    expect(found).toMatchObject([
      { isGood: true },
      { topic: "redirect", isGood: false, fix: expect.stringContaining(URI) },
    ]);
  });

  test.for([
    ["a wrong secret", { status: 401, body: { error: "invalid_client" } }, "does not accept"],
    ["a deleted client", { status: 401, body: { error: "deleted_client" } }, "does not accept"],
    ["no answer", "lost", "could not be asked"],
    ["a page", { status: 400, body: "<html>" }, "could not be asked"],
    ["an outage", { status: 503, body: { error: "invalid_client" } }, "could not be asked"],
  ] as const)("after %s says that it %s", async ([, answer, words], { expect }) => {
    const found = await check(answer).found;
    expect(found).toMatchObject([{ topic: "credentials", isGood: false, message: expect.stringContaining(words) }]);
  });
});

describe("rules", () => {
  const limits = (longUploads?: string) => rules(longUploads === undefined ? {} : { long_uploads: longUploads }).post;

  test("a channel that is not verified may upload a quarter of an hour", ({ expect }) => {
    const maxSeconds = (status?: string) => limits(status)?.files.video?.maxSeconds;
    expect([undefined, "allowed", "eligible", "disallowed", "longUploadsUnspecified"].map(maxSeconds)).toEqual([
      43_200, 43_200, 900, 900, 43_200,
    ]);
  });

  test("a description is counted in bytes, a title in characters", ({ expect }) => {
    const post = limits();
    expect(post?.text.measure("é👩‍👧")).toBe(2 + 11);
    expect(post?.title?.measure("é👧")).toBe(2);
    expect(post?.title?.problems?.("a < b")).toHaveLength(1);
    expect(post?.title?.problems?.("   ")).toHaveLength(1);
    expect(post?.text.problems?.("5 > 4 & more")).toHaveLength(1);
    expect(post?.text.problems?.("4 & more")).toEqual([]);
  });
});
