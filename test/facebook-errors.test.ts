import { test } from "vitest";
import { facebook } from "../src/platforms/facebook.ts";
import type { AccountContext } from "../src/platforms/platform.ts";
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

const { posts, oauth } = facebook;
const TEXT = content("post", ["hello"]);
const FIRST = { index: 0, previous: [] };
const LOOK = { ...FIRST, since: NOW - 10_000, taken: new Set<string>() };

function refusal(code: number, error_subcode?: number, status = 400): Scripted {
  return { status, body: { error: { message: "(#1) words", type: "OAuthException", code, error_subcode } } };
}

const commitText = (answer: Scripted | "lost") => {
  const { send, calls } = scriptedSend(answer);
  return { calls, outcome: posts.commit(accountContext(send), TEXT, { photos: [], video: null }, FIRST) };
};

test.for([
  [190, 463, "token_expired"],
  [190, 467, "token_expired"],
  [190, undefined, "token_expired"],
  [102, undefined, "token_expired"],
  [190, 458, "disconnected"],
  [190, 460, "disconnected"],
  [190, 492, "disconnected"],
  [10, undefined, "disconnected"],
  [200, undefined, "disconnected"],
  [299, undefined, "disconnected"],
  [200, 2069030, "rejected"],
  [100, undefined, "rejected"],
  [100, 33, "rejected"],
  [100, 1609005, "rejected"],
  [1609005, undefined, "rejected"],
  [368, 1346003, "rejected"],
  [368, 1390008, "throttled"],
  [4, undefined, "throttled"],
  [17, undefined, "throttled"],
  [32, undefined, "throttled"],
  [613, undefined, "throttled"],
  [80001, undefined, "throttled"],
  [104, undefined, "blocked"],
  [3, undefined, "blocked"],
  [9999, undefined, "rejected"],
] as const)("code %i/%s of a publishing call is a failure: %s", async ([code, subcode, reason], { expect }) => {
  expect(await commitText(refusal(code, subcode)).outcome).toMatchObject({ kind: "failed", reason });
});

test.for([
  ["a lost answer", "lost"],
  ["code 1", refusal(1)],
  ["code 2 with status 500", refusal(2, undefined, 500)],
  ["an identical post (506)", refusal(506)],
  ["photos that were posted already (1366051)", refusal(100, 1366051)],
  ["a gateway page", { status: 502 }],
  ["a success without an id", { body: {} }],
] as const)("after %s nobody knows whether the post is live", async ([, answer], { expect }) => {
  expect(await commitText(answer).outcome).toMatchObject({ kind: "unknown" });
});

test("the same trouble before publishing is passing", async ({ expect }) => {
  const { send } = scriptedSend(refusal(2, undefined, 500));
  const outcome = posts.prepare(accountContext(send), content("post", ["hi", image("a.jpg")]), NO_PROGRESS);
  expect(await outcome).toMatchObject({ kind: "failed", reason: "down" });
});

test("the minutes of the usage header become seconds; zero minutes say nothing", async ({ expect }) => {
  const usage = (minutes: number) => ({
    ...refusal(32),
    headers: {
      "x-business-use-case-usage": `{"104":[{"type":"pages","call_count":100,"estimated_time_to_regain_access":${minutes}}]}`,
    },
  });
  expect(await commitText(usage(12)).outcome).toMatchObject({ reason: "throttled", retryAfterSeconds: 720 });
  expect(await commitText(usage(0)).outcome).not.toHaveProperty("retryAfterSeconds");
});

test("every call carries the proof of its token, and no token in the address", async ({ expect }) => {
  const { calls, outcome } = commitText({ body: { id: "104_1" } });
  expect(await outcome).toEqual({ kind: "published", post: { id: "104_1", permalink: null } });
  expect(calls[0]).toMatchObject({
    url: "https://graph.facebook.com/v26.0/104/feed",
    headers: { authorization: "Bearer TOKEN" },
    // printf TOKEN | openssl dgst -sha256 -hmac "app secret"
    form: { message: "hello", appsecret_proof: "c4a344a9e97d279844bfc49d48eff004cafcc840229139b0f1a97f6abc3c15c0" },
  });
});

test("a message that quotes a token is not passed on", async ({ expect }) => {
  const error = { code: 190, message: "Malformed access token EAABsecret" };
  expect(JSON.stringify(await commitText({ status: 400, body: { error } }).outcome)).not.toContain("EAABsecret");
});

test("images go up unpublished, one a call, and their ids make the post", async ({ expect }) => {
  const album = content("post", ["two", image("a.jpg"), image("b.jpg")]);
  const { send, calls } = scriptedSend({ body: { id: "21" } }, { body: { id: "22" } }, { body: { id: "104_9" } });
  const context = accountContext(send);
  const first = await posts.prepare(context, album, NO_PROGRESS);
  if (first.kind !== "more") throw new Error(first.kind);
  const second = await posts.prepare(context, album, first.progress);
  if (second.kind !== "ready") throw new Error(second.kind);
  await posts.commit(context, album, second.progress, FIRST);
  expect(calls.map((call) => call.form?.url)).toEqual([
    "https://files.example.com/a.jpg",
    "https://files.example.com/b.jpg",
    undefined,
  ]);
  expect(calls[2]?.form?.attached_media).toBe('[{"media_fbid":"21"},{"media_fbid":"22"}]');
});

const listed = (id: string, message: string, seconds: number, attachments: unknown[] = []) => ({
  id,
  message,
  created_time: new Date(NOW + seconds * 1000).toISOString().replace(".000Z", "+0000"),
  permalink_url: `https://www.facebook.com/${id}`,
  attachments: { data: attachments },
});

test("a lost text post is found by its text, but not one that is older, taken or different", async ({ expect }) => {
  const data = [
    listed("104_1", "hello", -300),
    listed("104_2", "hello", -5),
    listed("104_3", "hello!", -5),
    listed("104_4", "hello", -8, [{ media_type: "photo", target: { id: "77" } }]),
  ];
  const answer = { body: { data } };
  const { send } = scriptedSend(answer, answer);
  expect(await posts.find(accountContext(send), TEXT, { photos: [], video: null }, LOOK)).toEqual({
    kind: "found",
    post: { id: "104_2", permalink: "https://www.facebook.com/104_2" },
  });
  const request = { ...LOOK, taken: new Set(["104_2"]) };
  expect(await posts.find(accountContext(send), TEXT, { photos: [], video: null }, request)).toEqual({
    kind: "absent",
  });
});

test("a lost photo post is found by its photo alone", async ({ expect }) => {
  const album = { media_type: "album", subattachments: { data: [{ target: { id: "21" } }, { target: { id: "22" } }] } };
  const data = [
    listed("104_5", "x", -2, [{ media_type: "photo", target: { id: "99" } }]),
    listed("104_6", "x", -2, [album]),
  ];
  const { send } = scriptedSend({ body: { data } });
  const two = content("post", ["x", image("a.jpg"), image("b.jpg")]);
  const outcome = posts.find(accountContext(send), two, { photos: ["21", "22"], video: null }, LOOK);
  expect(await outcome).toMatchObject({ kind: "found", post: { id: "104_6" } });
});

const REEL = content("reel", ["look", video("r.mp4")]);
const UPLOADED = { photos: [], video: { id: "880", uploadUrl: "", sentAt: NOW - 5000, uploads: 1 } };
const status = (publishing: string, extra: object = {}) => ({
  body: {
    status: {
      video_status: "processing",
      uploading_phase: { status: "complete", bytes_transferred: 3 },
      processing_phase: { status: "completed" },
      publishing_phase: { status: publishing, ...extra },
    },
    permalink_url: "/reel/880/",
    post_id: "55",
  },
});

test("a reel is live when its publishing phase says so, in either spelling", async ({ expect }) => {
  const { send, calls } = scriptedSend({ body: { success: true } }, status("in_progress"), status("completed"));
  const context = accountContext(send);
  const accepted = await posts.commit(context, REEL, UPLOADED, FIRST);
  if (accepted.kind !== "accepted") throw new Error(accepted.kind);
  expect(calls[0]?.form).toMatchObject({ upload_phase: "finish", video_id: "880", video_state: "PUBLISHED" });
  expect(await posts.confirm(context, REEL, UPLOADED, { index: 0, since: NOW, post: accepted.post })).toMatchObject({
    kind: "processing",
  });
  expect(await posts.confirm(context, REEL, UPLOADED, { index: 0, since: NOW, post: accepted.post })).toEqual({
    kind: "live",
    post: { id: "104_55", permalink: "https://www.facebook.com/reel/880/" },
  });
});

test("a lost finish is looked up by the video's id", async ({ expect }) => {
  const { send } = scriptedSend(status("complete", { publish_status: "published" }), status("not_started"));
  const context = accountContext(send);
  expect(await posts.find(context, REEL, UPLOADED, LOOK)).toMatchObject({ kind: "found", post: { id: "104_55" } });
  expect(await posts.find(context, REEL, UPLOADED, LOOK)).toEqual({ kind: "absent" });
});

const FILM = content("post", ["film", video("f.mp4", 10)]);
const offsets = (start: number, end: number) => ({ start_offset: String(start), end_offset: String(end) });
const started = { body: { upload_session_id: "S1", video_id: "770", ...offsets(0, 4) } };

const sizeOf = (part: unknown) => (part instanceof Blob ? part.size : null);

/** Calls `prepare` until it is not `more`. */
async function prepareAll(send: AccountContext["send"], progress = NO_PROGRESS) {
  for (let stored = progress; ; ) {
    const outcome = await posts.prepare(accountContext(send), FILM, stored);
    if (outcome.kind !== "more") return outcome;
    stored = outcome.progress;
  }
}

test("a feed video goes up at the offsets that Facebook names, then `finish` makes it public", async ({ expect }) => {
  const { send, calls } = scriptedSend(
    started,
    { body: offsets(4, 8) },
    { body: offsets(8, 99) },
    { body: offsets(10, 10) },
    { body: { success: true } },
  );
  const ready = await prepareAll(send);
  if (ready.kind !== "ready") throw new Error(ready.message);
  expect(calls[0]?.form).toMatchObject({ upload_phase: "start", file_size: "10" });
  const chunks = calls.slice(1).map(({ multipart }) => ({
    at: multipart?.get("start_offset"),
    session: multipart?.get("upload_session_id"),
    proof: typeof multipart?.get("appsecret_proof"),
    bytes: sizeOf(multipart?.get("video_file_chunk")),
  }));
  expect(chunks).toEqual([
    { at: "0", session: "S1", proof: "string", bytes: 4 },
    { at: "4", session: "S1", proof: "string", bytes: 4 },
    { at: "8", session: "S1", proof: "string", bytes: 2 },
  ]);
  const done = await posts.commit(accountContext(send), FILM, ready.progress, FIRST);
  expect(done).toMatchObject({ kind: "accepted", post: { id: "770" } });
  expect(calls[4]?.form).toMatchObject({ upload_phase: "finish", upload_session_id: "S1", description: "film" });
});

test("a transfer out of step goes on where Facebook stands, by its refusal or by the video's status", async ({
  expect,
}) => {
  const told = { error: { code: 100, error_subcode: 1363037, error_data: JSON.stringify(offsets(4, 8)) } };
  const status = { body: { status: { uploading_phase: { status: "in_progress", bytes_transfered: 8 } } } };
  const { send, calls } = scriptedSend(started, { status: 400, body: told }, refusal(6000), status, {
    body: offsets(10, 10),
  });
  expect(await prepareAll(send)).toMatchObject({ kind: "ready", progress: { video: { id: "770", restarts: 0 } } });
  expect(calls[4]?.multipart?.get("start_offset")).toBe("8");
});

test("an upload that is refused where it stands begins anew, once", async ({ expect }) => {
  const { send } = scriptedSend(started, refusal(6000), refusal(100, 33), started, refusal(6000), refusal(100, 33));
  expect(await prepareAll(send)).toMatchObject({ kind: "failed", reason: "rejected" });
});

test("a lost answer to `finish` is looked up by the video's id, and so is a refusal of a second one", async ({
  expect,
}) => {
  const progress = { photos: [], video: { id: "770", session: "S1", start: 10, end: 10, chunks: 3, restarts: 0 } };
  const video = (video_status: string, published: boolean) => ({
    body: { status: { video_status }, published, permalink_url: "/104/videos/770/", post_id: "104_7" },
  });
  const live = { id: "104_7", permalink: "https://www.facebook.com/104/videos/770/" };
  const { send, calls } = scriptedSend(
    video("ready", true),
    video("processing", true),
    video("upload_complete", false),
    refusal(6000),
    video("ready", true),
    refusal(6000),
    video("upload_complete", false),
  );
  const context = accountContext(send);
  expect(await posts.find(context, FILM, progress, LOOK)).toEqual({ kind: "found", post: live });
  expect(await posts.find(context, FILM, progress, LOOK)).toMatchObject({ kind: "unknown" });
  expect(await posts.find(context, FILM, progress, LOOK)).toEqual({ kind: "absent" });
  expect(await posts.commit(context, FILM, progress, FIRST)).toMatchObject({ kind: "accepted", post: { id: "770" } });
  expect(await posts.commit(context, FILM, progress, FIRST)).toMatchObject({ kind: "failed", reason: "rejected" });
  expect(calls[0]).toMatchObject({ url: "https://graph.facebook.com/v26.0/770" });
});

test("what is wrong with a reel is told in words", async ({ expect }) => {
  const phase = { status: "error", errors: [{ code: 1363040, message: "Bad ratio" }] };
  const { send } = scriptedSend({ body: { status: { video_status: "error", processing_phase: phase } } });
  expect(await posts.prepare(accountContext(send), REEL, UPLOADED)).toMatchObject({
    kind: "failed",
    reason: "rejected",
    message: expect.stringContaining("9:16"),
  });
});

test("the token is sent to Meta's upload host only", async ({ expect }) => {
  const { send, calls } = scriptedSend({ body: { success: true } });
  const started = { photos: [], video: { id: "880", uploadUrl: "https://evil.example/x", sentAt: null, uploads: 0 } };
  expect(await posts.prepare(accountContext(send), REEL, started)).toMatchObject({ kind: "more" });
  expect(calls[0]).toMatchObject({
    url: "https://rupload.facebook.com/video-upload/v26.0/880",
    headers: { authorization: "OAuth TOKEN", file_url: "https://files.example.com/r.mp4" },
  });
});

test("removing what is gone is removed, once a read agrees", async ({ expect }) => {
  const { send } = scriptedSend(refusal(100, 33), refusal(100, 33), refusal(100, 33), { body: { id: "104_1" } });
  const context = accountContext(send);
  const post = { id: "104_1", permalink: null };
  expect(await posts.remove?.(context, "post", post)).toEqual({ kind: "removed" });
  expect(await posts.remove?.(context, "post", post)).toMatchObject({ kind: "failed", reason: "rejected" });
});

const GRANT = { code: "CODE", redirectUri: "https://belfry.example/cb", codeVerifier: null };
const scopes = (...granted: string[]) => ({
  body: { data: granted.map((permission) => ({ permission, status: "granted" })) },
});
const ALL = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];
const page = (id: string, extra: object) => ({ id, name: `Page ${id}`, tasks: ["CREATE_CONTENT"], ...extra });

test("a login yields the Pages of every list page, with what stands in the way of some", async ({ expect }) => {
  const next = "https://graph.facebook.com/v26.0/me/accounts?access_token=LONG&after=A1";
  const { send, calls } = scriptedSend(
    { body: { access_token: "SHORT" } },
    { body: { access_token: "LONG", expires_in: 5183944 } },
    scopes(...ALL),
    { body: { data: [page("1", { access_token: "P1" })], paging: { cursors: { after: "A1" }, next } } },
    { body: { data: [page("2", {}), page("3", { access_token: "P3", tasks: ["ANALYZE"] })], paging: {} } },
  );
  const granted = await oauth.exchange(accountContext(send), GRANT);
  if (granted.kind !== "granted") throw new Error(granted.message);
  expect(granted.accounts.map((one) => one.credentials?.accessToken ?? one.obstacle)).toEqual([
    "P1",
    expect.stringContaining("Page 2"),
    expect.stringContaining("Page 3"),
  ]);
  expect(granted.accounts[0]?.credentials).toMatchObject({ refreshToken: null, expiresAt: null });
  expect(calls[4]?.query).toMatchObject({ after: "A1" });
});

test("a declined permission is named on every Page", async ({ expect }) => {
  const { send } = scriptedSend(
    { body: { access_token: "SHORT" } },
    { body: { access_token: "LONG" } },
    scopes("pages_show_list", "pages_read_engagement"),
    { body: { data: [page("1", { access_token: "P1" })] } },
  );
  const granted = await oauth.exchange(accountContext(send), GRANT);
  expect(granted).toMatchObject({
    accounts: [{ credentials: null, obstacle: expect.stringContaining("pages_manage_posts") }],
  });
});
