import { test } from "vitest";
import type { AccountContext } from "../../../src/platforms/context.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import type { Multipart } from "../../../src/platforms/multipart.ts";
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

const { posts, oauth } = facebook;
const TEXT = content("post", ["hello"]);
const FIRST = { index: 0, previous: [] };
const REEL = content("reel", ["look", video("r.mp4")]);
const UPLOADED = { photos: [], video: { id: "880", uploadUrl: "", sentAt: NOW - 5000, uploads: 1 } };
const ACCEPTED = { id: "880", secondaryId: "880", permalink: null };
const GRANT = { code: "CODE", redirectUri: "https://belfry.example/cb", codeVerifier: null };
const LOOK = { ...FIRST, since: NOW - 10_000, taken: new Set<string>() };

function refusal(code: number, error_subcode?: number, status = 400): Scripted {
  return { status, body: { error: { message: "(#1) words", type: "OAuthException", code, error_subcode } } };
}

const commitText = (answer: Scripted | "lost") => {
  const { send, calls } = scriptedSend(answer);
  return { calls, outcome: posts.commit(accountContext(send), TEXT, { photos: [], video: null }, FIRST) };
};

test.for([
  ["a lost answer", "lost"],
  ["code 1", refusal(1)],
  ["code 2 with status 500", refusal(2, undefined, 500)],
  ["a gateway's 502", { status: 502 }],
  // A filter may put its own page in the place of a success.
  ["a gateway's 403", { status: 403 }],
  ["a gateway's 400", { status: 400 }],
  ["a gateway's 403 in JSON", { status: 403, body: { error: { code: 403, message: "Forbidden" } } }],
  ["a redirect", { status: 302 }],
  ["a time-out of a gateway", { status: 408 }],
  ["a success without an id", { body: {} }],
] as const)("after %s nobody knows whether the post is live", async ([, answer], { expect }) => {
  expect(await commitText(answer).outcome).toMatchObject({ kind: "unknown" });
});

test.for([
  [401, "down"],
  [407, "down"],
  [429, "throttled"],
] as const)("who answers %i without Graph's words has passed nothing on: %s", async ([status, reason], { expect }) => {
  expect(await commitText({ status }).outcome).toMatchObject({ kind: "failed", reason });
});

test.for([400, 401, 403, 404, 407, 502])(
  "a gateway's %i is trouble for every other call",
  async (status, { expect }) => {
    const page = { status, body: null };
    const { send } = scriptedSend(page, page, page, page, page, page);
    const context = accountContext(send);
    const down = { kind: "failed", reason: "down" };
    expect(await posts.prepare(context, content("post", ["hi", image("a.jpg")]), NO_PROGRESS)).toMatchObject(down);
    expect(await posts.find(context, TEXT, { photos: [], video: null }, LOOK)).toMatchObject(down);
    expect(await posts.find(context, REEL, UPLOADED, LOOK)).toMatchObject(down);
    expect(await posts.confirm(context, REEL, UPLOADED, { index: 0, since: NOW, post: ACCEPTED })).toMatchObject(down);
    expect(await posts.remove?.(context, "post", { id: "104_1", secondaryId: null, permalink: null })).toMatchObject(
      down,
    );
    expect(await oauth.exchange(context, GRANT)).toMatchObject(down);
  },
);

test.for([400, 401, 403])(
  "a gateway's %i in the way of an upload is trouble, not a file refused",
  async (status, { expect }) => {
    const { send } = scriptedSend({ status }, { body: { status: { uploading_phase: { status: "not_started" } } } });
    const begun = { photos: [], video: { id: "880", uploadUrl: "", sentAt: null, uploads: 2 } };
    expect(await posts.prepare(accountContext(send), REEL, begun)).toMatchObject({ kind: "failed", reason: "down" });
  },
);

test("the same trouble before publishing is temporary", async ({ expect }) => {
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

test("a message that quotes a token is not passed on", async ({ expect }) => {
  const error = { code: 190, message: "Malformed access token EAABsecret" };
  expect(JSON.stringify(await commitText({ status: 400, body: { error } }).outcome)).not.toContain("EAABsecret");
});

test("a story that is answered without an id is not taken for published", async ({ expect }) => {
  const { send } = scriptedSend({ body: { success: true } });
  const story = content("story", ["", image("a.jpg")]);
  const outcome = posts.commit(accountContext(send), story, { photos: ["21"], video: null }, FIRST);
  expect(await outcome).toMatchObject({ kind: "unknown" });
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

const FILM = content("post", ["film", video("f.mp4", 10)]);
const offsets = (start: number, end: number) => ({ start_offset: String(start), end_offset: String(end) });
const started = { body: { upload_session_id: "S1", video_id: "770", ...offsets(0, 4) } };

const sizeOf = (field: ReturnType<Multipart["get"]>) => (typeof field === "object" ? field.part.length : null);

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
  const shown = { error: { code: 100, error_subcode: 1363037, error_data: JSON.stringify(offsets(4, 8)) } };
  const status = { body: { status: { uploading_phase: { status: "in_progress", bytes_transfered: 8 } } } };
  const { send, calls } = scriptedSend(started, { status: 400, body: shown }, refusal(6000), status, {
    body: offsets(10, 10),
  });
  expect(await prepareAll(send)).toMatchObject({ kind: "ready", progress: { video: { id: "770", restarts: 0 } } });
  expect(calls[4]?.multipart?.get("start_offset")).toBe("8");
});

test("an upload that is refused where it stands starts again, once", async ({ expect }) => {
  const { send } = scriptedSend(started, refusal(6000), refusal(100, 33), started, refusal(6000), refusal(100, 33));
  expect(await prepareAll(send)).toMatchObject({ kind: "failed", reason: "rejected" });
});

test("what is wrong with a reel is reported in words", async ({ expect }) => {
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
    url: "https://rupload.facebook.com/video-upload/v27.0/880",
    headers: { authorization: "OAuth TOKEN", file_url: "https://files.example.com/r.mp4" },
  });
});

const scopes = (...granted: string[]) => ({
  body: { data: granted.map((permission) => ({ permission, status: "granted" })) },
});
const ALL = ["pages_show_list", "pages_read_engagement", "pages_manage_posts"];
const page = (id: string, extra: object) => ({ id, name: `Page ${id}`, tasks: ["CREATE_CONTENT"], ...extra });

test("a login yields the Pages of every list page, with what stands in the way of some", async ({ expect }) => {
  const next = "https://graph.facebook.com/v27.0/me/accounts?access_token=LONG&after=A1";
  const { send, calls } = scriptedSend(
    { body: { access_token: "SHORT" } },
    { body: { access_token: "LONG", expires_in: 5183944 } },
    scopes(...ALL),
    { body: { data: { is_valid: true, user_id: "900", data_access_expires_at: 1_900_000_000 } } },
    { body: { data: [page("1", { access_token: "P1" })], paging: { cursors: { after: "A1" }, next } } },
    { body: { data: [page("2", {}), page("3", { access_token: "P3", tasks: ["ANALYZE"] })], paging: {} } },
  );
  const granted = await oauth.exchange(accountContext(send), GRANT);
  if (granted.kind !== "granted") throw new Error(granted.message);
  expect(granted.accounts.map((one) => one.grants.publish?.accessToken ?? one.unusableReason)).toEqual([
    "P1",
    expect.stringContaining("Page 2"),
    expect.stringContaining("Page 3"),
  ]);
  expect(granted.accounts[0]).toMatchObject({
    login: "900",
    grants: { publish: { refreshToken: null, expiresAt: null, reconnectBy: 1_900_000_000_000 } },
  });
  expect(calls[5]?.query).toMatchObject({ after: "A1" });
});

test("a declined permission is named on every Page", async ({ expect }) => {
  const { send } = scriptedSend(
    { body: { access_token: "SHORT" } },
    { body: { access_token: "LONG" } },
    scopes("pages_show_list", "pages_read_engagement"),
    // Facebook does not report whose login it is, in two calls; the login continues.
    { status: 500, body: {} },
    { status: 500, body: {} },
    { body: { data: [page("1", { access_token: "P1" })] } },
  );
  const granted = await oauth.exchange(accountContext(send), GRANT);
  expect(granted).toMatchObject({
    accounts: [{ grants: {}, unusableReason: expect.stringContaining("pages_manage_posts") }],
  });
});
