import { env } from "cloudflare:workers";
import { afterEach, beforeAll, beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { resetSandbox, setSandboxClock } from "../../support/clock.ts";
import {
  type Answer,
  challengeOf,
  FERN,
  facebookCode,
  facebookLogin,
  facebookPage,
  graph,
  send,
  VERIFIER,
} from "../../support/platform.ts";
import { uniquely } from "../../support/random.ts";
import { SANDBOX, sandbox } from "../../support/sandbox.ts";

/** What the simulated facebook promises beyond what the service uses of it today. */

const Id = z.object({ id: z.string() });
const Attachment = z.object({ type: z.string(), media_type: z.string(), unshimmed_url: z.string().optional() });
const Listed = z.object({
  data: z.array(
    z.looseObject({
      id: z.string().optional(),
      message: z.string().optional(),
      application: z.object({ id: z.string() }).optional(),
    }),
  ),
  paging: z.object({ next: z.string().optional(), cursors: z.object({ after: z.string() }) }).optional(),
});

let token = "";
const get = (path: string, params: Record<string, string> = {}) => graph("GET", `/v27.0${path}`, token, params);
const post = (path: string, params: Record<string, string> = {}) => graph("POST", `/v27.0${path}`, token, params);
const idOf = (answer: Answer) => Id.parse(answer.json).id;
const clock = setSandboxClock;

async function listed(edge: string, params: Record<string, string> = {}) {
  return Listed.parse(
    (await get(`/me/${edge}`, { fields: "id,message,application{id}", limit: "100", ...params })).json,
  );
}

beforeAll(async () => {
  await sandbox.settings({ facebook_require_appsecret_proof: false });
  token = await facebookPage();
});
beforeEach(() => sandbox.settings({ facebook_listing_lag_ms: 0, processing_ms: 0 }));

describe("a login that was begun with a challenge", () => {
  test("is finished with its verifier only, once", async ({ expect }) => {
    const challenge = { code_challenge: await challengeOf(VERIFIER), code_challenge_method: "S256" };
    const code = await facebookCode(challenge);
    expect(await facebookLogin(code)).toMatchObject({ status: 400, json: { error: { code: 100 } } });
    for (const wrong of [`${VERIFIER}x`, challenge.code_challenge, "short", ""]) {
      expect(await facebookLogin(code, { code_verifier: wrong })).toMatchObject({ status: 400 });
    }
    expect((await facebookLogin(code, { code_verifier: VERIFIER })).status).toBe(200);
    expect((await facebookLogin(code, { code_verifier: VERIFIER })).status).toBe(400);
  });

  test("takes plain challenges, and a stray verifier of a login without one", async ({ expect }) => {
    const plain = await facebookCode({ code_challenge: VERIFIER });
    expect((await facebookLogin(plain, { code_verifier: VERIFIER })).status).toBe(200);
    expect((await facebookLogin(await facebookCode(), { code_verifier: VERIFIER })).status).toBe(200);
  });

  test("is refused when the challenge is none", async ({ expect }) => {
    for (const query of [
      { code_challenge: "short", code_challenge_method: "S256" },
      { code_challenge: VERIFIER, code_challenge_method: "S512" },
      { code_challenge_method: "S256" },
    ]) {
      await expect(facebookCode(query)).rejects.toThrow("consent page answered 400");
    }
  });
});

describe("parameters that an endpoint does not know", () => {
  afterEach(() => sandbox.settings({ strict: true }));

  test("are refused in a strict sandbox, but for the id that Meta's SDK sends", async ({ expect }) => {
    const refused = await post("/me/feed", { message: uniquely("strict"), locale: "en_US" });
    expect(refused).toMatchObject({ status: 400, json: { error: { code: 100 } } });
    expect((await post("/me/feed", { message: uniquely("strict"), id: FERN })).status).toBe(200);
  });

  test("are ignored otherwise, as Graph does", async ({ expect }) => {
    await sandbox.settings({ strict: false });
    const taken = await post("/me/feed", { message: uniquely("lenient"), locale: "en_US", nonsense: "1" });
    expect(taken.status).toBe(200);
  });

  test("a reset comes back to the strictness that this installation was given", async ({ expect }) => {
    await sandbox.settings({ strict: false });
    await resetSandbox();
    expect(await sandbox.control("GET", "settings")).toMatchObject({ strict: true, facebook_short_pages: false });
    await sandbox.settings({ facebook_require_appsecret_proof: false });
    token = await facebookPage();
  });
});

test("fields on a write answer what a read would", async ({ expect }) => {
  const photo = await post("/me/photos", {
    url: sandbox.media("square.jpg"),
    published: "false",
    fields: "id,width,published",
  });
  expect(photo.json).toEqual({ id: expect.any(String), width: expect.any(Number), published: false });
  const video = await post("/me/videos", { file_url: sandbox.media("clip.mp4"), fields: "id,permalink_url" });
  expect(video.json).toEqual({ id: expect.any(String), permalink_url: expect.stringContaining("/videos/") });
  const id = idOf(await post("/me/feed", { message: uniquely("commented") }));
  const comment = await post(`/${id}/comments`, { message: "hello", fields: "id,message,from{id}" });
  expect(comment.json).toEqual({ id: expect.any(String), message: "hello", from: { id: FERN } });
});

test("a text comes back as it was written, or altered when a setting says so", async ({ expect }) => {
  const mark = crypto.randomUUID();
  const text = `Two  blanks\tand a tab \r\n\n\n\nzero\u200bwidth, by @[${FERN}] ${mark}`;
  const id = idOf(await post("/me/feed", { message: text }));
  expect((await get(`/${id}`, { fields: "message" })).json).toMatchObject({ message: text });
  await sandbox.settings({ facebook_text_readback: "altered" });
  const altered = `Two blanks and a tab\n\nzerowidth, by Fern & Oak ${mark}`;
  expect((await get(`/${id}`, { fields: "message" })).json).toMatchObject({ message: altered });
  expect((await listed("published_posts")).data[0]).toMatchObject({ id, message: altered });
  await sandbox.settings({ facebook_text_readback: "exact" });
});

test.for([
  ["https://example.com/page", { type: "share", media_type: "link", unshimmed_url: "https://example.com/page" }],
  ["https://youtu.be/abc123", { type: "video_share_youtube", media_type: "video" }],
] as const)("a link in the text becomes an attachment: %s", async ([link, expected], { expect }) => {
  const id = idOf(await post("/me/feed", { message: `Look: ${link}. ${crypto.randomUUID()}` }));
  const read = await get(`/${id}`, { fields: "attachments{type,media_type,unshimmed_url}" });
  const shape = z.object({ attachments: z.object({ data: z.array(Attachment) }) });
  expect(shape.parse(read.json).attachments.data).toEqual([expect.objectContaining(expected)]);
});

test("posts by hand and by other applications are reported by their application, and cannot be edited", async ({
  expect,
}) => {
  const [byHand, byOther] = [uniquely("by hand"), uniquely("by another")];
  const put = (text: string, application: string) =>
    sandbox.control("POST", "posts", { platform: "facebook", account_id: FERN, text, application });
  const hand = Id.parse(await put(byHand, "hand"));
  await put(byOther, "other");
  const own = uniquely("by us");
  await post("/me/feed", { message: own });
  const { data } = await listed("published_posts");
  const applicationOf = (text: string) => data.find((one) => one.message === text)?.application?.id;
  expect(data.find((one) => one.message === byHand)).not.toHaveProperty("application");
  expect(applicationOf(byOther)).toMatch(/^\d+$/);
  expect(applicationOf(own)).not.toBe(applicationOf(byOther));
  expect((await sandbox.posts("facebook")).map((one) => one.text)).toEqual(expect.arrayContaining([byHand, byOther]));
  expect(await post(`/${hand.id}`, { message: "mine now" })).toMatchObject({
    status: 403,
    json: { error: { code: 10 } },
  });
});

test("a post can be backdated; it cannot have a future date, or no audience", async ({ expect }) => {
  const at = "2026-01-02T03:04:05.000Z";
  const put = (more: object) =>
    sandbox.control("POST", "posts", { platform: "facebook", account_id: FERN, text: "x", ...more });
  expect(await put({ text: uniquely("old"), created_at: at })).toMatchObject({ created_at: at });
  await expect(put({ created_at: "2100-01-01T00:00:00Z" })).rejects.toThrow(/422.*future/);
  await expect(put({ account_id: "1" })).rejects.toThrow(/422.*no account 1/);
});

test.for(["published_posts", "posts", "feed", "stories"])(
  "%s lags as long as its setting says",
  async (edge, { expect }) => {
    await sandbox.settings({ facebook_listing_lag_ms: 11 * 60_000 });
    const photo = idOf(await post("/me/photos", { url: sandbox.media("square.jpg"), published: "false" }));
    const answer =
      edge === "stories"
        ? await post("/me/photo_stories", { photo_id: photo })
        : await post("/me/feed", { message: uniquely(edge) });
    const id = z
      .union([Id.transform((one) => one.id), z.object({ post_id: z.string() }).transform((one) => one.post_id)])
      .parse(answer.json);
    const params = edge === "stories" ? { fields: "post_id" } : {};
    const seen = async () => JSON.stringify(await listed(edge, params)).includes(id);
    expect(await seen()).toBe(false);
    await clock(10 * 60_000);
    expect(await seen()).toBe(false);
    await clock(12 * 60_000);
    expect(await seen()).toBe(true);
    await clock(0);
  },
);

test("short pages: an empty first one with a next, and all posts in the end", async ({ expect }) => {
  const texts = ["one", "two", "three"].map(uniquely);
  for (const text of texts) await post("/me/feed", { message: text });
  await sandbox.settings({ facebook_short_pages: true });
  const found: string[] = [];
  const first = await listed("published_posts");
  expect(first.data).toEqual([]);
  expect(first.paging?.next).toContain("after=");
  let isShortInBetween = false;
  for (let page = first; page.paging?.next; ) {
    page = await listed("published_posts", { after: page.paging.cursors.after });
    found.push(...page.data.map((one) => one.message ?? ""));
    isShortInBetween ||= page.data.length < 100 && page.paging?.next !== undefined;
  }
  await sandbox.settings({ facebook_short_pages: false });
  expect(found).toEqual(expect.arrayContaining(texts));
  expect(isShortInBetween).toBe(true);
});

test.for(["PUBLISHED", '["PUBLISHED"]', '["PUBLISHED","ARCHIVED"]'])(
  "stories take the status %s",
  async (status, { expect }) => {
    const photo = idOf(await post("/me/photos", { url: sandbox.media("square.jpg"), published: "false" }));
    await post("/me/photo_stories", { photo_id: photo });
    const stories = await listed("stories", { fields: "media_id,status", status });
    expect(stories.data).toContainEqual(expect.objectContaining({ media_id: photo }));
  },
);

test("a label for AI is ignored, or taken if the setting says so", async ({ expect }) => {
  const labelsOf = async () => {
    const message = uniquely("labelled");
    expect((await post("/me/feed", { message, is_ai_generated: "true" })).status).toBe(200);
    return (await sandbox.postsWith(message)).map(({ labels }) => labels);
  };
  expect(await labelsOf()).toEqual([[]]);
  await sandbox.settings({ facebook_ai_labels: "accepted" });
  expect(await labelsOf()).toEqual([["is_ai_generated"]]);
  await sandbox.settings({ facebook_ai_labels: "ignored" });
});

describe("videos", () => {
  const Started = z.object({ video_id: z.string(), upload_url: z.string() });

  async function uploadReel(edge = "video_reels"): Promise<string> {
    const started = Started.parse((await post(`/me/${edge}`, { upload_phase: "start" })).json);
    const headers = { Authorization: `OAuth ${token}`, file_url: sandbox.media("reel.mp4") };
    expect200(await send(started.upload_url, { method: "POST", headers }));
    return started.video_id;
  }
  const expect200 = (answer: Answer) => {
    if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  };
  const finish = (id: string, description: string) =>
    post("/me/video_reels", { upload_phase: "finish", video_id: id, video_state: "PUBLISHED", description });

  afterEach(() => sandbox.settings({ facebook_video_state: "accurate", facebook_vertical_videos: "published" }));

  test("a second finish makes a second reel, unless a setting says otherwise", async ({ expect }) => {
    const mark = crypto.randomUUID();
    const id = await uploadReel();
    await finish(id, mark);
    await finish(id, mark);
    const twice = await sandbox.postsWith(mark);
    expect(new Set(twice.map((one) => one.permalink)).size).toBe(2);
    await sandbox.settings({ facebook_finish_is_idempotent: true });
    await finish(id, mark);
    await sandbox.settings({ facebook_finish_is_idempotent: false });
    expect(await sandbox.postsWith(mark)).toHaveLength(2);
  });

  test("the same of a story", async ({ expect }) => {
    const id = await uploadReel("video_stories");
    const stories = async () =>
      (await sandbox.posts("facebook")).filter((one) => one.permalink?.includes("/stories/")).length;
    const before = await stories();
    for (let round = 0; round < 2; round++) await post("/me/video_stories", { upload_phase: "finish", video_id: id });
    expect((await stories()) - before).toBe(2);
  });

  test.for([
    ["not_started", "processing", "not_started"],
    ["upload_complete", "upload_complete", "not_started"],
    ["ready_unpublished", "ready", "complete"],
  ] as const)("a reel that is live claims %s for a while", async ([state, video_status, processing], { expect }) => {
    await sandbox.settings({ facebook_video_state: state, facebook_video_state_ms: 60_000 });
    const mark = crypto.randomUUID();
    const id = await uploadReel();
    await finish(id, mark);
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
    const read = () => get(`/${id}`, { fields: "status,published,post_id" });
    expect((await read()).json).toEqual({
      id,
      published: false,
      status: expect.objectContaining({
        video_status,
        processing_phase: { status: processing },
        publishing_phase: { status: "not_started" },
      }),
    });
    await clock(61_000);
    expect((await read()).json).toMatchObject({
      published: true,
      post_id: expect.any(String),
      status: { video_status: "ready", publishing_phase: { status: "complete", publish_status: "published" } },
    });
    await clock(0);
  });

  test("a vertical video sent to /videos ends as a draft when a setting says so; a wide one does not", async ({
    expect,
  }) => {
    await sandbox.settings({ facebook_vertical_videos: "draft" });
    const [tall, wide] = [crypto.randomUUID(), crypto.randomUUID()];
    const id = idOf(await post("/me/videos", { file_url: sandbox.media("reel.mp4"), description: tall }));
    await post("/me/videos", { file_url: sandbox.media("clip.mp4"), description: wide });
    expect((await get(`/${id}`, { fields: "status,published" })).json).toMatchObject({
      published: false,
      status: { video_status: "ready", publishing_phase: { status: "not_started", publish_status: "draft" } },
    });
    expect(await sandbox.postsWith(tall)).toEqual([]);
    expect(await sandbox.postsWith(wide)).toHaveLength(1);
  });
});

describe("batch calls and paths without a version", () => {
  const Parts = z.array(
    z
      .object({
        code: z.number(),
        body: z.string(),
        headers: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
      })
      .nullable(),
  );
  const batch = async (path: string, parts: object[], more: Record<string, string> = {}) =>
    graph("POST", path, token, { batch: JSON.stringify(parts), ...more });

  test.for(["/", "/v27.0/", "/v24.0"])(
    "POST %s answers each part as if it had come alone",
    async (path, { expect }) => {
      const message = uniquely("batched");
      const parts = [
        { method: "POST", relative_url: "me/feed", body: new URLSearchParams({ message }).toString() },
        { method: "GET", relative_url: "v27.0/me?fields=name" },
        { method: "GET", relative_url: "999" },
      ];
      const answers = Parts.parse((await batch(path, parts, { include_headers: "false" })).json);
      expect(answers.map((one) => one?.code)).toEqual([200, 200, 400]);
      expect(JSON.parse(answers[1]?.body ?? "")).toEqual({ id: FERN, name: "Fern & Oak" });
      expect(answers[0]).not.toHaveProperty("headers");
      expect(await sandbox.postsWith(message)).toHaveLength(1);
    },
  );

  test("headers come unless declined; a part that broke off is null; each part is a call", async ({ expect }) => {
    await sandbox.fault("facebook", "publish", "accept_then_drop");
    const message = uniquely("half batched");
    const body = new URLSearchParams({ message }).toString();
    const parts = [
      { method: "POST", relative_url: "me/feed", body },
      { method: "GET", relative_url: "me" },
    ];
    const answers = Parts.parse((await batch("/v27.0/", parts)).json);
    expect(answers[0]).toBeNull();
    expect(answers[1]?.headers?.map((one) => one.name)).toContain("content-type");
    expect(await sandbox.postsWith(message)).toHaveLength(1);
    const Calls = z.array(z.object({ path: z.string(), fault: z.string().nullable() }));
    const calls = Calls.parse(await sandbox.control("GET", "calls?platform=facebook"));
    expect(calls.at(-2)).toMatchObject({ fault: "accept_then_drop" });
  });

  test("more than fifty parts are refused", async ({ expect }) => {
    const parts = Array.from({ length: 51 }, () => ({ method: "GET", relative_url: "me" }));
    expect(await batch("/", parts)).toMatchObject({ status: 400, json: { error: { code: 100 } } });
  });

  test("a path without a version is the oldest one; a retired version is refused", async ({ expect }) => {
    const bare = await graph("GET", "/me", token, { fields: "name" });
    expect(bare).toMatchObject({ status: 200, json: { name: "Fern & Oak" } });
    expect(bare.headers.get("facebook-api-version")).toBe("v21.0");
    expect(await graph("GET", "/v19.0/me", token)).toMatchObject({ status: 400, json: { error: { code: 2635 } } });
  });
});

test("a private reply is on the page of messages, as it was written, with the comment that it answers", async ({
  expect,
}) => {
  const added = await sandbox.control("POST", "posts", {
    platform: "facebook",
    account_id: FERN,
    text: "Open on Sunday",
  });
  const comment = await sandbox.comment("facebook", Id.parse(added).id, "Until <when>?", "Cleo Moreau");
  const text = uniquely("Until six & no later");
  const recipient = JSON.stringify({ comment_id: comment });
  expect((await post("/me/messages", { recipient, message: JSON.stringify({ text }) })).status).toBe(200);
  const page = await (await env.SANDBOX.fetch(`${SANDBOX}/messages`)).text();
  expect(page).toContain(text.replace("&", "&amp;"));
  expect(page).toMatch(/Fern &amp; Oak.*Cleo Moreau.*Until &lt;when&gt;\?/s);
  expect(await (await env.SANDBOX.fetch(`${SANDBOX}/messages?platform=twitter`)).text()).toContain("No messages yet");
});

test.for([
  ["html_error", 502, "text/html"],
  ["empty_error", 503, null],
  ["gateway_refusal", 403, "text/html"],
] as const)("%s comes from a machine in front, on every operation", async ([kind, status, type], { expect }) => {
  const client = { client_id: "100000000000001", client_secret: "sandbox-facebook-secret" };
  const calls = {
    token: () => graph("GET", "/v27.0/oauth/access_token", "", { ...client, grant_type: "client_credentials" }),
    publish: () => post("/me/feed", { message: "never" }),
    status: () => get("/me/published_posts"),
    delete: () => graph("DELETE", "/v27.0/1_2", token),
  };
  for (const [operation, call] of Object.entries(calls)) {
    await sandbox.fault("facebook", operation, kind);
    const answer = await call();
    expect({ operation, status: answer.status, json: answer.json }).toEqual({ operation, status, json: null });
    expect(answer.headers.get("content-type")).toBe(type);
  }
  await expect(sandbox.fault("facebook", "publish", "credits_depleted")).rejects.toThrow(/422/);
});
