import { test } from "vitest";
import { twitter } from "../../../src/platforms/twitter/index.ts";
import {
  accountContext,
  content,
  image,
  NO_PROGRESS,
  NOW,
  type Scripted,
  scriptedSend,
  video,
} from "../../scripted-send.ts";

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
  ["a 500 in X's form", problem(500, "Internal Server Error")],
  // A gateway's own error page may come after the post was accepted.
  ["a gateway's 400", { status: 400 }],
  ["a gateway's 401", { status: 401, body: { message: "Unauthorized" } }],
  ["a gateway's 404", { status: 404, body: { error: "Not Found" } }],
  ["a gateway's redirect", { status: 302 }],
  ["a success without an id", { status: 201, body: { data: {} } }],
] as const)("after %s nobody knows whether the post is live", async ([, answer], { expect }) => {
  expect(await commitText(answer)).toMatchObject({ kind: "unknown" });
});

test("a gateway's 429 is a limit as well", async ({ expect }) => {
  expect(await commitText({ status: 429 })).toMatchObject({ kind: "failed", reason: "throttled" });
});

test("the wait ends with the latest limit that is reached", async ({ expect }) => {
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

test("alt texts are sent with the post, and those that X has are not sent again", async ({ expect }) => {
  const described = (name: string) => ({ ...image(name), altText: `About ${name}` });
  const what = content("post", ["i", described("a.jpg"), image("b.jpg"), described("c.jpg")]);
  const { send, calls } = scriptedSend(media("1"), media("2"), media("3"), media("1"), "lost", media("3"), {
    status: 201,
    body: { data: { id: "905" } },
  });
  const context = accountContext(send);
  const ready = await prepareAll(context, what);
  if (ready.kind !== "ready") throw new Error(ready.kind);
  const unprepared = await posts.commit(context, what, ready.progress, FIRST);
  if (unprepared.kind !== "unprepared") throw new Error(unprepared.kind);
  expect(await posts.commit(context, what, unprepared.progress, FIRST)).toMatchObject({ kind: "published" });
  expect(calls.slice(3).map(({ url, json }) => [url.split("/2/")[1], json])).toEqual([
    ["media/metadata", { id: "1", metadata: { alt_text: { text: "About a.jpg" } } }],
    ["media/metadata", { id: "3", metadata: { alt_text: { text: "About c.jpg" } } }],
    ["media/metadata", { id: "3", metadata: { alt_text: { text: "About c.jpg" } } }],
    ["tweets", { text: "i", media: { media_ids: ["1", "2", "3"] } }],
  ]);
});

test("a post that X refuses keeps which alt texts X has", async ({ expect }) => {
  const what = content("post", ["i", { ...image("a.jpg"), altText: "A quay" }]);
  const { send } = scriptedSend(media("1"), media("1"), problem(503, "later"));
  const context = accountContext(send);
  const ready = await prepareAll(context, what);
  if (ready.kind !== "ready") throw new Error(ready.kind);
  const kept: unknown[] = [];
  const keep = (progress: unknown) => kept.push(progress);
  expect(await posts.commit(context, what, ready.progress, { ...FIRST, keep })).not.toMatchObject({
    kind: "published",
  });
  expect(kept).toMatchObject([{ uploads: [{ id: "1", state: "done", isDescribed: true }] }]);
});

test("a file whose alt text X refuses is uploaded again, once", async ({ expect }) => {
  const what = content("post", ["i", { ...image("a.jpg"), altText: "A quay" }]);
  const refused = problem(400, "media id");
  const { send } = scriptedSend(media("1"), refused, media("2"), refused);
  const context = accountContext(send);
  const ready = await prepareAll(context, what);
  if (ready.kind !== "ready") throw new Error(ready.kind);
  const unprepared = await posts.commit(context, what, ready.progress, FIRST);
  if (unprepared.kind !== "unprepared") throw new Error(unprepared.kind);
  const again = await posts.prepare(context, what, unprepared.progress);
  if (again.kind !== "ready") throw new Error(again.kind);
  expect(again.progress).toMatchObject({ uploads: [{ id: "2" }] });
  expect(await posts.commit(context, what, again.progress, FIRST)).toMatchObject({
    kind: "failed",
    reason: "rejected",
  });
});

test("media that were uploaded a day ago are uploaded again", async ({ expect }) => {
  const { send } = scriptedSend(media("10"));
  const what = content("post", ["i", image("a.jpg"), image("b.jpg")]);
  const done = { state: "done", segments: 0, isDescribed: false, restarts: 0 };
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

test.for([
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

test("the consent page gets %20 between scopes and an S256 challenge", ({ expect }) => {
  const request = { redirectUri: "https://belfry.example/cb", state: "S", codeChallenge: "CH" };
  const url = oauth.authorizeUrl({ id: "app:1:ci", secret: "" }, request);
  expect(url.href).toContain("https://x.com/i/oauth2/authorize?");
  expect(url.search).toContain("scope=tweet.read%20tweet.write%20users.read%20media.write%20offline.access");
  expect(url.searchParams.get("code_challenge_method")).toBe("S256");
});
