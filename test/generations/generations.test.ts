import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createBanners } from "../../src/banners/client.ts";
import { BANNER_SIZES, type BannerCopy } from "../../src/banners/copy.ts";
import { TEMPLATE_NAMES } from "../../src/banners/designs.ts";
import { PALETTE_NAMES } from "../../src/banners/palettes.ts";
import { UploadPool } from "../../src/media/upload-pool.ts";
import { createDeps, UPLOAD_BYTES } from "../../src/service/deps.ts";
import { settings } from "../contract/world.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { costOf } from "../support/costs.ts";
import { markOf } from "../support/file-marks.ts";
import {
  begin,
  fetchMedia,
  find,
  generate,
  INPUT,
  type Kind,
  lastModelCall,
  list,
  paidCalls,
} from "../support/generations.ts";
import { bindings, cron, queue, queuesIdle } from "../support/queue.ts";
import { addHook, receiver, verified } from "../support/receiver.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE, wallClock } from "../support/times.ts";
import { call, createPost, door, findPost, ORIGIN, Project, projectWith } from "../support/world.ts";

/** Posts that models make: the operations of spec 4.12 to 4.14, end to end with the sandbox's models. */

// A test begins empty: what those before it left would run on during it.
beforeEach(startClean);
afterEach(async () => {
  queue.loseAll();
  await settings({ models_video_ms: 4_000 });
  await sandbox.noFaults();
});

describe("the operations", () => {
  test("have the keys of the specification: created, listed, found, deleted", async () => {
    const project = await Project.create();
    const { id, request_body } = await begin(project, "text_only");
    expect(request_body).toEqual({ post_type: "text_only", input: INPUT, web_hook: null, brand_id: null });
    expect(await list(project)).toEqual([{ id, status: "queued", caption_text: "", media_urls: [] }]);
    await queuesIdle();
    const [done] = await list(project);
    expect(done).toMatchObject({ id, status: "done", media_urls: [] });
    expect(done?.caption_text).toContain("saffron");
    expect(done?.caption_text).toMatch(/\n\n#\S+ #\S+$/);
    const detail = await find(project, id);
    expect(detail).toMatchObject({ ...done, post_type: "text_only", input: INPUT, error: null, error_code: null });
    expect(detail.events.map(({ type }) => type)).toEqual([
      "generation.created",
      "generation.progressed",
      "generation.done",
    ]);
    expect(await project.call("DELETE", `/social/delete-post-generation/${id.toUpperCase()}`)).toMatchObject({
      status: 200,
      body: { message: "The generated post was deleted.", status: true },
    });
    expect(await list(project)).toEqual([]);
    const meant = await begin(project, "text_only", { platforms: ["linkedin", "facebook"] });
    expect(meant.request_body.platforms).toEqual(["linkedin", "facebook"]);
    expect((await find(project, meant.id)).platforms).toEqual(["linkedin", "facebook"]);
    for (const [method, path] of [
      ["GET", "post-generation"],
      ["DELETE", "delete-post-generation"],
    ] as const)
      expect((await project.call(method, `/social/${path}/${id}`)).status).toBe(404);
  });

  test.for([
    [{ input: "x" }, "post_type"],
    [{ post_type: "poem", input: "x" }, "post_type"],
    [{ post_type: "text_only" }, "input"],
    [{ post_type: "text_only", input: "  \n" }, "input"],
    [{ post_type: "text_only", input: "x".repeat(4_001) }, "input"],
    [{ post_type: "text_only", input: 7 }, "input"],
    [{ post_type: "text_only", input: "x", web_hook: "ftp://shop.example/" }, "web_hook"],
    [{ post_type: "text_only", input: "x", web_hook: "https://10.0.0.1/" }, "web_hook"],
    [{ post_type: "text_only", input: "x", web_hook: "" }, "web_hook"],
  ] as const)("refuse what is not of the form, by its field: $1", async ([body, field]) => {
    const project = await Project.create();
    const answer = await project.call("POST", "/social/create-post-generation", { body });
    expect(answer.status).toBe(422);
    expect(Object.keys(z.object({ errors: z.record(z.string(), z.unknown()) }).parse(answer.body).errors)).toEqual([
      field,
    ]);
    expect(await list(project)).toEqual([]);
  });

  test("need the permission, but the list needs none; another project's, and what is no id, is a 404", async () => {
    const project = await Project.create();
    const { id } = await begin(project, "text_only");
    const poor = await Project.create({ permissions: ["social-read-posts"] });
    const body = { post_type: "text_only", input: "x" };
    expect((await poor.call("POST", "/social/create-post-generation", { body })).status).toBe(403);
    expect((await poor.call("DELETE", `/social/delete-post-generation/${id}`)).status).toBe(403);
    expect(await list(poor)).toEqual([]);
    const other = await Project.create();
    for (const uuid of [id, "42", "not-a-uuid", `${id}0`, "%00"]) {
      expect((await other.call("DELETE", `/social/delete-post-generation/${uuid}`)).status).toBe(404);
      expect((await other.call("GET", `/social/get-post-generation/${uuid}`)).status).toBe(404);
    }
    expect((await list(project)).map((one) => one.id)).toEqual([id]);
  });

  test("begin one for one Idempotency-Key, however often it is sent", async () => {
    const project = await Project.create();
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const body = { post_type: "text_only", input: INPUT };
    const send = () => project.call("POST", "/social/create-post-generation", { body, headers });
    const answers = await Promise.all([send(), send(), send()]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
    expect(await list(project)).toHaveLength(1);
  });

  test("list the latest hundred, or pages with a link to the next, at a cost that does not grow", async () => {
    const project = await Project.create();
    const ids = [];
    for (let count = 0; count < 5; count++) ids.unshift((await begin(project, "text_only")).id);
    queue.loseAll();
    const page = await project.call("GET", "/social/get-post-generations?limit=2&page=2");
    expect((page.body as { post_generations: { id: string }[] }).post_generations.map(({ id }) => id)).toEqual(
      ids.slice(2, 4),
    );
    expect(page.headers.get("Link")).toBe(`<${ORIGIN}/api/v1/social/get-post-generations?limit=2&page=3>; rel="next"`);
    expect((await project.call("GET", "/social/get-post-generations?limit=5")).headers.get("Link")).toBeNull();
    const shown = await project.call("GET", "/social/get-post-generations?limit=1&include=content");
    expect(shown.body).toMatchObject({ post_generations: [{ id: ids[0], input: INPUT, error: null }] });
    expect((await project.call("GET", "/social/get-post-generations?limit=101")).status).toBe(422);
    const { calls, rowsRead } = costOf(page);
    expect(calls).toBe(1);
    expect(rowsRead).toBeLessThanOrEqual(5);
  });

  test("cost one D1 call to create", async () => {
    const project = await Project.create();
    await begin(project, "text_only");
    const body = { post_type: "text_only", input: INPUT };
    const { calls, rowsRead, queueSends } = costOf(
      await project.call("POST", "/social/create-post-generation", { body }),
    );
    expect({ calls, queueSends }).toEqual({ calls: 1, queueSends: 1 });
    expect(rowsRead).toBeLessThanOrEqual(40);
  });
});

/** What each kind has, and where it may go out as it is. */
const OUTCOMES: readonly {
  readonly kind: Kind;
  readonly media: readonly string[];
  readonly paid: Readonly<Record<string, number>>;
  /** The IPTC Digital Source Type of each medium, and the models that it names. */
  readonly mark: readonly [type: string, ...models: string[]] | null;
}[] = [
  {
    kind: "text_only",
    media: [],
    paid: { chat: 1 },
    mark: null,
  },
  {
    kind: "ai_image_post",
    media: ["image/jpeg"],
    paid: { chat: 1, image: 1 },
    mark: ["trainedAlgorithmicMedia", "sandbox-image"],
  },
  {
    kind: "ai_banner_post",
    media: ["image/png", "image/png"],
    paid: { chat: 1 },
    mark: ["algorithmicMedia"],
  },
  {
    kind: "breel",
    media: ["video/mp4"],
    paid: { chat: 1, video: 1 },
    mark: ["trainedAlgorithmicMedia", "sandbox-video"],
  },
  {
    kind: "talking_reel",
    media: ["video/mp4"],
    paid: { chat: 1, video: 1 },
    mark: ["trainedAlgorithmicMedia", "sandbox-video"],
  },
  {
    kind: "faceless_reel",
    media: ["video/mp4"],
    paid: { chat: 1, speech: 1, video: 1 },
    mark: ["trainedAlgorithmicMedia", "sandbox-video, sandbox-speech"],
  },
];

describe("each kind is made and marked", () => {
  test.for(OUTCOMES)("$kind", async ({ kind, media, paid, mark }) => {
    const before = await lastModelCall();
    const project = await Project.create();
    const made = await generate(project, kind, { input: `${INPUT}, ${kind}` });
    expect(made).toMatchObject({ status: "done", error: null });
    expect(await paidCalls(before)).toEqual(paid);
    const types = [];
    for (const url of made.media_urls) {
      const answer = await call("GET", url, { headers: { Range: "bytes=0-99" } });
      expect(answer.status).toBe(206);
      types.push(answer.headers.get("Content-Type"));
      expect(answer.headers.get("Cache-Control")).toContain("immutable");
      expect(answer.headers.get("Content-Security-Policy")).toContain("sandbox");
      expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    }
    expect(types).toEqual(media);
    const [sourceType, ...systems] = mark ?? [];
    for (const url of made.media_urls) {
      const { types, ...found } = markOf(await bytesAt(url));
      expect({ types, systems: found.systems }).toEqual({ types: [sourceType], systems });
      expect(found.packets).toHaveLength(1);
      expect(found.packets[0]).not.toContain("saffron");
    }
  });

  test("an image that a server makes as PNG has the mark, and its JPEG too", async () => {
    await sandbox.settings({ models_image_formats: ["png"] });
    const { project, channel } = await projectWith("tiktok");
    const made = await generate(project, "ai_image_post");
    const [url = ""] = made.media_urls;
    expect(url).toMatch(/\.png$/);
    expect(markOf(await bytesAt(url))).toMatchObject({
      types: ["trainedAlgorithmicMedia"],
      systems: ["sandbox-image"],
    });
    const post = await createPost(project, channel, { caption_text: "Buns", media_urls: made.media_urls });
    await queuesIdle();
    expect(await findPost(project, post)).toMatchObject({ STATUS: "published" });
    await sandbox.settings({ models_image_formats: ["png", "jpeg"] });
    const [newest] = await sandbox.posts("tiktok");
    expect(newest?.source_types).toEqual(["trainedAlgorithmicMedia"]);
  });
});

describe("a banner in another script", () => {
  test.for([
    ["Japanese", "焼きたてのパンを毎朝七時から、駅前の店でお待ちしています"],
    ["Arabic", "خبز طازج كل صباح من الساعة السابعة في متجرنا قرب المحطة"],
  ] as const)("has the letters of %s", async ([, input]) => {
    const project = await Project.create();
    const made = await generate(project, "ai_banner_post", { input });
    expect(made).toMatchObject({ status: "done", error: null });
    const copy = await copyOf(made.id);
    expect(copy.headline).toContain(input.slice(0, 8));
    const banners = createBanners(env.BANNERS, () => {});
    const small = (picture: Uint8Array<ArrayBuffer>) => banners.toJpeg(picture, { width: 270, height: 270 });
    const drawn = await small(await bytesAt(made.media_urls[0] ?? ""));
    expect(drawn).toEqual(await small(await banners.draw(copy, BANNER_SIZES.square, "png")));
  });
});

/** The words of a banner, as its alternative text has them, in the first design and palette. */
async function copyOf(id: string): Promise<BannerCopy> {
  const row = await env.DB.prepare("SELECT files ->> '$[0].altText' AS text FROM generations WHERE uuid = ?")
    .bind(id)
    .first<{ text: string }>();
  const [label = null, headline = "", text = null, action = null] = row?.text.split(" · ") ?? [];
  return { label, headline, text, call_to_action: action, template: TEMPLATE_NAMES[0], palette: PALETTE_NAMES[0] };
}

async function bytesAt(url: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await (await door(new Request(url))).arrayBuffer());
}

describe("what a generation keeps", () => {
  test("is gone with it, and its rows too", async () => {
    const project = await Project.create();
    const { id, media_urls } = await generate(project, "ai_banner_post");
    expect(await Promise.all(media_urls.map(fetchMedia))).toEqual([200, 200]);
    await advance(30 * 24 * HOUR);
    await cron();
    expect(await Promise.all(media_urls.map(fetchMedia))).toEqual([200, 200]);
    await project.call("DELETE", `/social/delete-post-generation/${id}`);
    expect(await Promise.all(media_urls.map(fetchMedia))).toEqual([404, 404]);
    expect(await filesOf(project)).toBe(0);
  });

  test("stays while a post uses it, its other form too", async () => {
    const { project, channel } = await projectWith("instagram");
    const { id, media_urls } = await generate(project, "ai_banner_post");
    const body = {
      publish_mode: "scheduled",
      schedule_time: wallClock(Date.now() + 3 * HOUR),
      time_zone: "UTC",
    };
    const post = await createPost(project, channel, {
      ...body,
      caption_text: "Buns",
      media_urls: media_urls.slice(0, 1),
    });
    await project.call("DELETE", `/social/delete-post-generation/${id}`);
    expect(await Promise.all(media_urls.map(fetchMedia))).toEqual([200, 404]);
    for (let count = 0; count < 5; count++) {
      await advance(HOUR);
      await cron();
      await queuesIdle(MINUTE);
    }
    expect(await findPost(project, post)).toMatchObject({ STATUS: "published" });
  });

  test("is not an intermediate file: a voice and a video without it", async () => {
    const project = await Project.create();
    const { media_urls } = await generate(project, "faceless_reel");
    await advance(2 * MINUTE);
    await cron();
    expect(await filesOf(project)).toBe(1);
    expect(await Promise.all(media_urls.map(fetchMedia))).toEqual([200]);
  });
});

async function filesOf({ name }: Project): Promise<number> {
  const query = "SELECT count(*) AS files FROM files JOIN projects ON projects.id = project_id WHERE projects.name = ?";
  return z.object({ files: z.number() }).parse(await env.DB.prepare(query).bind(name).first()).files;
}

test("a speaker whose video has no sound gets a voice of the speech model", async () => {
  const before = await lastModelCall();
  await settings({ models_video_sound: false });
  const made = await generate(await Project.create(), "talking_reel");
  await settings({ models_video_sound: true });
  expect(made.status).toBe("done");
  expect(await paidCalls(before)).toEqual({ chat: 1, speech: 1, video: 1 });
});

test("reels that are made at once hold no more than the isolate has room for, and all are made", async () => {
  const project = await Project.create();
  const pool = createDeps(bindings, { test: true }).uploads;
  const holds: number[] = [];
  let held = 0;
  let most = 0;
  const { take, give } = UploadPool.prototype;
  vi.spyOn(UploadPool.prototype, "take").mockImplementation(async function (this: UploadPool, bytes, waitMs) {
    const isThere = await take.call(this, bytes, waitMs);
    if (isThere) {
      holds.push(bytes);
      held += bytes;
      most = Math.max(most, held);
    }
    return isThere;
  });
  vi.spyOn(UploadPool.prototype, "give").mockImplementation(function (this: UploadPool, bytes) {
    held -= bytes;
    give.call(this, bytes);
  });
  await generate(project, "faceless_reel");
  // Room for the largest of what one reel holds, and for nothing beside it.
  const room = Math.max(...holds);
  const rest = UPLOAD_BYTES - room;
  expect(await take.call(pool, rest, 0)).toBe(true);
  const alone = holds.length;
  most = 0;
  const begun = await Promise.all(Array.from({ length: 4 }, () => begin(project, "faceless_reel")));
  for (let round = 0; round < 40 && queue.length > 0; round++) {
    const { messages } = queue;
    queue.loseAll();
    await Promise.all(messages.map((message) => queue.deliver(message)));
    await advance(1_000);
  }
  await queuesIdle();
  give.call(pool, rest);
  vi.restoreAllMocks();
  for (const { id } of begun) expect(await find(project, id)).toMatchObject({ status: "done", error: null });
  expect(holds.length).toBeGreaterThanOrEqual(5 * alone);
  expect(held).toBe(0);
  expect(most).toBeLessThanOrEqual(room);
});

describe("the end is reported", () => {
  const Secret = z.looseObject({ secret: z.string() });
  const secretOf = async (project: Project) =>
    Secret.parse((await project.call("POST", "/social/rotate-generation-secret")).body).secret;

  test("to web_hook, once, signed: the record with its post_type", async () => {
    const project = await Project.create();
    const secret = await secretOf(project);
    const path = `/${crypto.randomUUID()}`;
    receiver.answer(path, 500);
    const { id } = await begin(project, "ai_image_post", { web_hook: `https://hooks.test${path}` });
    await queuesIdle(1_000);
    receiver.answer(path, 200);
    await queuesIdle();
    const [first, second] = receiver.at(path);
    expect(receiver.idsAt(path)).toEqual([`gen_${id}`, `gen_${id}`]);
    expect(second?.text).toBe(first?.text);
    const detail = await find(project, id);
    const { status, caption_text, media_urls, post_type } = detail;
    expect(second && verified(secret, second)).toEqual({ id, status, caption_text, media_urls, post_type });
    expect(status).toBe("done");
    expect(detail.web_hook_delivery).toMatchObject({
      message_id: `gen_${id}`,
      status: "delivered",
      attempts: [{ status_code: 500 }, { status_code: 200 }],
    });
  });

  test("but not to web_hook once it was deleted: what has not arrived is not sent again", async () => {
    const project = await Project.create();
    const path = `/${crypto.randomUUID()}`;
    receiver.answer(path, 503);
    const { id } = await begin(project, "text_only", { web_hook: `https://hooks.test${path}` });
    await queuesIdle(30_000);
    expect(receiver.at(path).length).toBeGreaterThan(0);
    expect((await project.call("DELETE", `/social/delete-post-generation/${id}`)).status).toBe(200);
    const before = receiver.at(path).length;
    receiver.answer(path, 204);
    for (let hour = 0; hour < 30; hour++) {
      await advance(3_600_000);
      await cron();
      await queuesIdle(1_000);
    }
    expect(receiver.at(path)).toHaveLength(before);
    const { results } = await env.DB.prepare("SELECT key FROM jobs WHERE kind = 'hook' AND state = 'open'").all();
    expect(results).toEqual([]);
  });

  test("to the project's webhooks, as generation.done and generation.failed", async () => {
    const project = await Project.create();
    const { path, secret } = await addHook(project, { events: ["generation.done", "generation.failed"] });
    const done = await generate(project, "text_only");
    const failed = await generate(project, "text_only", { input: "Buns [model:refuse]" });
    await cron();
    await queuesIdle(5_000);
    const shown = receiver.at(path).map((one) => verified(secret, one));
    expect(shown).toMatchObject([
      {
        type: "generation.done",
        data: { generation_id: done.id, post_type: "text_only", caption_text: done.caption_text, media_urls: [] },
      },
      { type: "generation.failed", data: { generation_id: failed.id, error_code: "model_refused" } },
    ]);
  });

  test("of one that failed too, with the reason", async () => {
    const project = await Project.create();
    const path = `/${crypto.randomUUID()}`;
    const web_hook = `https://hooks.test${path}`;
    const { id, error } = await generate(project, "text_only", { input: "Buns [model:refuse]", web_hook });
    expect(receiver.at(path).map(({ text }) => JSON.parse(text))).toEqual([
      {
        id,
        status: "failed",
        caption_text: "",
        media_urls: [],
        post_type: "text_only",
        error,
        error_code: "model_refused",
      },
    ]);
  });
});

describe("a failure has its reason", () => {
  test.for([
    ["chat", "error", "text_only", "model_failed"],
    ["image", "error", "ai_image_post", "model_failed"],
    ["image", "accept_then_error", "ai_image_post", "model_failed"],
    ["image", "accept_then_drop", "ai_image_post", "model_failed"],
    ["speech", "accept_then_drop", "faceless_reel", "model_failed"],
    ["video", "processing_failed", "breel", "model_failed"],
  ] as const)("%s: %s", async ([operation, fault, kind, code]) => {
    const project = await Project.create();
    const before = await lastModelCall();
    await sandbox.fault("models", operation, fault, 1);
    const detail = await generate(project, kind);
    expect(detail).toMatchObject({ status: "failed", error_code: code, caption_text: "", media_urls: [] });
    expect(detail.error).toMatch(/\.$/);
    expect((await paidCalls(before))[operation] ?? 0).toBeLessThanOrEqual(1);
    await advance(2 * MINUTE);
    await cron();
    expect(await filesOf(project)).toBe(0);
  });

  test.for([
    ["refuse", "model_refused", /declined/],
    ["error", "model_failed", /charged twice/],
    ["garbage", "model_unusable", /twice/],
  ] as const)("words: %s", async ([mark, code, why]) => {
    const detail = await generate(await Project.create(), "ai_image_post", { input: `Buns [model:${mark}]` });
    expect(detail).toMatchObject({ status: "failed", error_code: code, error: expect.stringMatching(why) });
  });

  test("a server without room is called again, until it has had none for long", async () => {
    const project = await Project.create();
    await sandbox.fault("models", "chat", "rate_limit", 2);
    const patient = await generate(project, "text_only");
    expect(patient.status).toBe("done");
    expect(patient.events.map(({ detail }) => detail?.error_code)).toContain("model_over_quota");
    await sandbox.fault("models", "chat", "rate_limit", 50);
    expect(await generate(project, "text_only")).toMatchObject({ status: "failed", error_code: "model_over_quota" });
  });

  test("a video that never comes fails at its deadline", async () => {
    await settings({ models_video_ms: 10 * HOUR });
    const project = await Project.create();
    const { id } = await begin(project, "breel");
    await queuesIdle(61 * MINUTE);
    await cron();
    await queuesIdle(MINUTE);
    expect(await find(project, id)).toMatchObject({ status: "failed", error_code: "deadline_passed" });
  });

  test("without a model that is set up it says which setting is missing", async () => {
    const headers = { "X-Operator-Key": env.OPERATOR_KEY };
    const issued = await call("POST", "/internal/tokens", {
      headers,
      body: { project: `Live ${crypto.randomUUID()}`, live: true },
    });
    const { token } = z.looseObject({ token: z.string() }).parse(issued.body);
    const body = { post_type: "text_only", input: INPUT };
    const made = await call("POST", "/social/create-post-generation", { token, body });
    const { id } = z.looseObject({ id: z.string() }).parse(made.body);
    await queuesIdle();
    const found = await call("GET", `/social/get-post-generation/${id}`, { token });
    expect(found.body).toMatchObject({
      post_generation: {
        status: "failed",
        error_code: "model_not_configured",
        error: expect.stringContaining("AI_CHAT_MODEL"),
      },
    });
  });
});

test("one that is deleted on the way is made no further, and leaves nothing", async () => {
  const project = await Project.create();
  const before = await lastModelCall();
  const { id } = await begin(project, "faceless_reel");
  await queuesIdle(1_000);
  expect(await paidCalls(before)).toMatchObject({ chat: 1, speech: 1, video: 1 });
  await project.call("DELETE", `/social/delete-post-generation/${id}`);
  await queuesIdle();
  await advance(2 * HOUR);
  await cron();
  expect(await filesOf(project)).toBe(0);
  expect(await list(project)).toEqual([]);
});
