import { describe, test } from "vitest";
import { z } from "zod";
import { createGuardedFetch } from "../../src/media/guarded-fetch.ts";
import { createImages } from "../../src/models/image.ts";
import { createModels } from "../../src/models/models.ts";
import type { ModelFailure } from "../../src/models/outcome.ts";
import { createSpeech } from "../../src/models/speech.ts";
import { createVideos } from "../../src/models/video.ts";
import { readChunks } from "../support/chunks.ts";

/** The clients of image, speech and video models against scripted servers. */

const MODEL = { baseUrl: "https://models.example/v1", apiKey: "sk-very-secret-key", model: "maker" };
const PICTURE = { prompt: "A fox", width: 1024, height: 1536 };
const FILM = { prompt: "A fox runs", seconds: 8, width: 720, height: 1280, idempotencyKey: "generation-1" };
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);
const MP4 = new Uint8Array([
  0,
  0,
  0,
  16,
  ...new TextEncoder().encode("ftypisom"),
  0,
  0,
  2,
  0,
  ...new Array(200).fill(7),
]);
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

type Answer = Response | Error | ((init: RequestInit) => Promise<Response>);

/** Servers that give these answers in turn: the models' and those that store their files. */
function scripted(answers: readonly Answer[], limits: { timeLimitMs?: number; fetchLimitMs?: number } = {}) {
  const left = [...answers];
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    calls.push({ url: String(input), init });
    const answer = left.shift();
    if (answer === undefined) throw new Error("Nobody expected another call.");
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer : answer(init);
  };
  const options = { fetch, guardedFetch: createGuardedFetch({ allowLoopback: false, fetch }), ...limits };
  return {
    calls,
    images: createImages(MODEL, options),
    speech: createSpeech(MODEL, "alloy", options),
    videos: createVideos(MODEL, options),
  };
}
type Scripted = ReturnType<typeof scripted>;

const status = (code: number, headers: HeadersInit = {}) =>
  new Response('{"error":{"message":"Incorrect API key: sk-very-secret-key. A fox"}}', { status: code, headers });
const image = (data: unknown) => Response.json({ created: 1, data });

/** Each verb, with the same kind of outcome. */
const VERBS: readonly (readonly [string, (server: Scripted, signal?: AbortSignal) => Promise<unknown>])[] = [
  ["an image", ({ images }, signal) => images.make({ ...PICTURE, ...(signal ? { signal } : {}) })],
  ["speech", ({ speech }, signal) => speech.speak({ text: "Hello", formats: ["mp3"], ...(signal ? { signal } : {}) })],
  ["a video begun", ({ videos }, signal) => videos.begin({ ...FILM, ...(signal ? { signal } : {}) })],
  ["a check of a video", ({ videos }, signal) => videos.getState("video_1", signal)],
  ["a video", ({ videos }, signal) => videos.fetch("video_1", signal)],
];

describe.for(VERBS)("%s", ([, request]) => {
  test.for([
    ["refused", 400],
    ["refused", 413],
    ["not_configured", 301],
    ["not_configured", 401],
    ["not_configured", 402],
    ["not_configured", 403],
    ["throttled", 429],
    ["down", 408],
    ["down", 500],
    ["down", 503],
  ] as const)("is %s by status %i, without another question", async ([reason, code], { expect }) => {
    const server = scripted([status(code, { "retry-after": "7" })]);
    const outcome = await request(server);
    expect(outcome).toMatchObject({ kind: "failed", reason });
    expect(server.calls).toHaveLength(1);
    // Neither the key nor what the server says, which quotes what was sent.
    expect(JSON.stringify(outcome)).not.toMatch(/secret|sk-|Incorrect|fox/);
    if (code === 429) expect(outcome).toMatchObject({ retryAfterSeconds: 7 });
  });

  test("is down where nothing answers, or not in time", async ({ expect }) => {
    const down = { kind: "failed", reason: "down" };
    expect(await request(scripted([new TypeError("no route")]))).toMatchObject(down);
    const never: Answer = ({ signal }) =>
      new Promise((_, reject) => {
        if (signal?.aborted) reject(signal.reason);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    expect(await request(scripted([never], { timeLimitMs: 20, fetchLimitMs: 20 }))).toMatchObject(down);
    expect(await request(scripted([never]), AbortSignal.abort())).toMatchObject(down);
  });

  test("is down when the answer begins and never goes on", async ({ expect }) => {
    const silent = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(PNG.subarray(0, 4)) });
    const server = scripted([new Response(silent)], { timeLimitMs: 20, fetchLimitMs: 20 });
    expect(await request(server)).toMatchObject({ kind: "failed", reason: "down" });
  });

  test("is invalid when the answer is nothing, or a page", async ({ expect }) => {
    const invalid = { kind: "failed", reason: "invalid" };
    expect(await request(scripted([new Response(null)]))).toMatchObject(invalid);
    const page = new Response("<html>Welcome</html>", { headers: { "content-type": "video/mp4" } });
    expect(await request(scripted([page]))).toMatchObject(invalid);
  });

  test("does not read an answer without an end", async ({ expect }) => {
    let sent = 0;
    const piece = new Uint8Array(1024 * 1024).fill(0x20);
    const endless = new ReadableStream<Uint8Array>({
      pull(stream) {
        sent += 1;
        stream.enqueue(piece);
      },
    });
    expect(await request(scripted([new Response(endless)]))).toMatchObject({ kind: "failed", reason: "invalid" });
    expect(sent).toBeLessThan(30);
  });
});

describe("images", () => {
  test("are requested in the OpenAI form, and recognized by their bytes", async ({ expect }) => {
    const server = scripted([image([{ b64_json: base64(PNG) }])]);
    expect(await server.images.make(PICTURE)).toEqual({ kind: "ok", bytes: PNG, mime: "image/png" });
    const [call] = server.calls;
    expect(call?.url).toBe("https://models.example/v1/images/generations");
    expect(new Headers(call?.init.headers).get("authorization")).toBe("Bearer sk-very-secret-key");
    expect(call?.init.redirect).toBe("manual");
    expect(JSON.parse(String(call?.init.body))).toEqual({ model: "maker", prompt: "A fox", n: 1, size: "1024x1536" });
  });

  test("are requested as JPEG, and without that of servers that refuse the question", async ({ expect }) => {
    const sent = ({ calls }: Scripted) =>
      calls.map(({ init }) => z.looseObject({}).parse(JSON.parse(String(init.body))).output_format);
    const plain = scripted([status(400), image([{ b64_json: base64(PNG) }])]);
    expect(await plain.images.make({ ...PICTURE, format: "jpeg" })).toMatchObject({ kind: "ok", mime: "image/png" });
    expect(sent(plain)).toEqual(["jpeg", undefined]);
    const strict = scripted([status(400), status(400)]);
    expect(await strict.images.make({ ...PICTURE, format: "jpeg" })).toMatchObject({ reason: "refused" });
    const down = scripted([status(500)]);
    expect(await down.images.make({ ...PICTURE, format: "jpeg" })).toMatchObject({ reason: "down" });
    expect(sent(down)).toEqual(["jpeg"]);
  });

  test("at an address are fetched without the key, and again when that fails: they are paid for", async ({
    expect,
  }) => {
    const url = "https://files.example/a.png";
    const server = scripted([image([{ url }]), status(503), new TypeError("reset"), new Response(PNG)]);
    expect(await server.images.make(PICTURE)).toMatchObject({ kind: "ok", mime: "image/png" });
    expect(server.calls.slice(1).map((call) => call.url)).toEqual([url, url, url]);
    for (const { init } of server.calls.slice(1)) expect(new Headers(init.headers).has("authorization")).toBe(false);
    const gone = scripted([image([{ url }]), status(404), status(404), status(404)]);
    expect(await gone.images.make(PICTURE)).toMatchObject({ kind: "failed", reason: "down" });
    expect(gone.calls).toHaveLength(4);
  });

  test.for([
    ["an address in our own network", [{ url: "http://127.0.0.1/a.png" }]],
    ["no data", []],
    ["neither bytes nor address", [{ b64_json: null }]],
    ["no base64", [{ b64_json: "***" }]],
    ["a page in base64", [{ b64_json: btoa("<html></html>") }]],
    ["a video", [{ b64_json: base64(MP4) }]],
    ["something else", "a fox"],
  ] as const)("are invalid: %s", async ([, data], { expect }) => {
    const server = scripted([image(data)]);
    expect(await server.images.make(PICTURE)).toMatchObject({ kind: "failed", reason: "invalid" });
    expect(server.calls).toHaveLength(1);
  });
});

describe("speech", () => {
  test.for([
    ["audio/mpeg", [0x49, 0x44, 0x33, 4]],
    ["audio/mpeg", [0xff, 0xfb, 0x90, 0x64]],
    ["audio/mpeg", [0xff, 0xf3, 0x44, 0xc4]],
    ["audio/aac", [0xff, 0xf1, 0x50, 0x80]],
    ["audio/flac", [0x66, 0x4c, 0x61, 0x43]],
    ["audio/wav", [...new TextEncoder().encode("RIFF\0\0\0\0WAVE")]],
  ] as const)("is recognized by its bytes: %s", async ([mime, head], { expect }) => {
    const bytes = new Uint8Array([...head, 1, 2, 3, 4]);
    const server = scripted([new Response(bytes, { headers: { "content-type": "text/html" } })]);
    expect(await server.speech.speak({ text: "Hello", formats: ["wav", "mp3"] })).toEqual({ kind: "ok", bytes, mime });
    expect(server.calls[0]?.url).toBe("https://models.example/v1/audio/speech");
    const sent: unknown = JSON.parse(String(server.calls[0]?.init.body));
    expect(sent).toEqual({ model: "maker", input: "Hello", voice: "alloy", response_format: "wav" });
  });

  test("is requested in the next form where a server refuses one, and then no more", async ({ expect }) => {
    const sent = ({ calls }: Scripted) =>
      calls.map(({ init }) => z.looseObject({}).parse(JSON.parse(String(init.body))).response_format);
    const request = { text: "Hello", formats: ["aac", "mp3"] } as const;
    const mp3 = new Response(new Uint8Array([0xff, 0xfb, 0x90, 0x64]));
    const plain = scripted([status(400), mp3]);
    expect(await plain.speech.speak(request)).toMatchObject({ kind: "ok", mime: "audio/mpeg" });
    const strict = scripted([status(422), status(400)]);
    expect(await strict.speech.speak(request)).toMatchObject({ reason: "refused" });
    const down = scripted([status(500)]);
    expect(await down.speech.speak(request)).toMatchObject({ reason: "down" });
    expect([plain, strict, down].map(sent)).toEqual([["aac", "mp3"], ["aac", "mp3"], ["aac"]]);
  });

  test("is not what only resembles the beginning of it", async ({ expect }) => {
    for (const head of [PNG, new Uint8Array([0xff, 0xff, 0xff, 0xff]), new Uint8Array([0xff, 0xd8, 0xff, 0xe0])]) {
      const outcome = await scripted([new Response(head)]).speech.speak({ text: "Hello", formats: ["mp3"] });
      expect(outcome).toMatchObject({ kind: "failed", reason: "invalid" });
    }
  });
});

describe("videos", () => {
  test("are begun by a form, with the key of the attempt", async ({ expect }) => {
    const server = scripted([Response.json({ id: "video_1", status: "queued" })]);
    expect(await server.videos.begin(FILM)).toEqual({ kind: "ok", id: "video_1" });
    const [call] = server.calls;
    expect([call?.url, call?.init.method]).toEqual(["https://models.example/v1/videos", "POST"]);
    expect(new Headers(call?.init.headers).get("idempotency-key")).toBe("generation-1");
    const form = call?.init.body;
    const fields = form instanceof FormData ? Object.fromEntries(form.entries()) : null;
    expect(fields).toEqual({ model: "maker", prompt: "A fox runs", seconds: "8", size: "720x1280" });
  });

  test("have ids that lead nowhere else", async ({ expect }) => {
    for (const id of ["", "..", "a/b", "a?b", "a b", 7]) {
      const outcome = await scripted([Response.json({ id })]).videos.begin(FILM);
      expect(outcome).toMatchObject({ kind: "failed", reason: "invalid" });
    }
  });

  test("that the server no longer knows have ended", async ({ expect }) => {
    for (const code of [404, 410]) {
      expect(await scripted([status(code)]).videos.getState("v")).toMatchObject({ kind: "ended", reason: "down" });
    }
  });

  test.for([
    [{ status: "queued" }, { kind: "pending", progress: null }],
    [
      { status: "in_progress", progress: 40 },
      { kind: "pending", progress: 40 },
    ],
    [
      { status: "in_progress", progress: "most" },
      { kind: "pending", progress: null },
    ],
    [{ status: "completed", progress: 100 }, { kind: "done" }],
    [
      { status: "failed", error: { code: "moderation_blocked" } },
      { kind: "ended", reason: "refused" },
    ],
    [
      { status: "failed", error: { code: "video_generation_failed" } },
      { kind: "ended", reason: "down" },
    ],
    [
      { status: "failed", error: "sk-very-secret-key" },
      { kind: "ended", reason: "down" },
    ],
    [{ status: "dreaming" }, { kind: "failed", reason: "invalid" }],
    [{ status: "constructor" }, { kind: "failed", reason: "invalid" }],
  ] as const)("are checked: %j", async ([job, state], { expect }) => {
    const server = scripted([Response.json(job)]);
    expect(await server.videos.getState("video_1")).toMatchObject(state);
    expect(server.calls[0]?.url).toBe("https://models.example/v1/videos/video_1");
  });

  describe("whose beginning is not known", () => {
    const begunAt = 1_780_000_000_000;
    const job = (id: string, more: object = {}) => ({ id, created_at: begunAt / 1000 + 1, prompt: "Another", ...more });
    const old = job("old", { created_at: begunAt / 1000 - 4000, prompt: FILM.prompt });
    test.for<[string, unknown, object]>([
      ["the one of that prompt", [job("b"), job("a", { prompt: FILM.prompt }), old], { kind: "found", id: "a" }],
      ["none, or only one of before", [job("b"), old], { kind: "absent" }],
      ["none where prompts are not reported", [job("b", { prompt: null }), old], { kind: "unknown" }],
      ["none in a list that goes on", Array.from({ length: 100 }, (_, n) => job(`v${n}`)), { kind: "unknown" }],
    ])("are %s", async ([, data, found], { expect }) => {
      const server = scripted([Response.json({ object: "list", data, has_more: false })]);
      expect(await server.videos.find({ prompt: FILM.prompt, begunAt })).toEqual(found);
    });

    test("are found where their prompts are shown cut off or folded", async ({ expect }) => {
      const prompt = "A fox runs over a hill\nbehind the bakery, while the sun comes up and the snow melts.";
      const find = (shown: string) =>
        scripted([Response.json({ data: [job("a", { prompt: shown }), old] })]).videos.find({ prompt, begunAt });
      const found = { kind: "found", id: "a" };
      expect(await find(prompt.replace("\n", " "))).toEqual(found);
      expect(await find("A fox runs over a hill behind the bakery, while…")).toEqual(found);
      expect(await find("A fox runs...")).toEqual({ kind: "absent" });
      expect(await find(`${prompt} Twice.`)).toEqual({ kind: "absent" });
    });

    test("are not known where there are no lists, and may be requested again when the server is down", async ({
      expect,
    }) => {
      const find = (answer: Answer) => scripted([answer]).videos.find({ prompt: FILM.prompt, begunAt });
      expect(await find(status(404))).toEqual({ kind: "unknown" });
      expect(await find(Response.json({ videos: [] }))).toEqual({ kind: "unknown" });
      expect(await find(status(502))).toMatchObject({ kind: "failed", reason: "down" });
      expect(await find(status(429))).toMatchObject({ kind: "failed", reason: "throttled" });
    });
  });

  const pieces = (...list: Uint8Array[]) =>
    new ReadableStream<Uint8Array>({
      start(stream) {
        for (const piece of list) stream.enqueue(piece);
        stream.close();
      },
    });

  test("are fetched as a stream, recognized by their bytes", async ({ expect }) => {
    const body = pieces(MP4.subarray(0, 3), MP4.subarray(3, 90), MP4.subarray(90));
    const headers = { "content-length": String(MP4.length), "content-type": "text/plain" };
    const clip = await scripted([new Response(body, { headers })]).videos.fetch("video_1");
    expect(clip).toMatchObject({ kind: "ok", length: MP4.length, mime: "video/mp4" });
    expect(clip.kind === "ok" && (await readChunks(clip.chunks))).toEqual(MP4);
    // A stream of bytes is read into one buffer.
    const ofBytes = await scripted([new Response(MP4)]).videos.fetch("video_1");
    expect(ofBytes.kind === "ok" && (await readChunks(ofBytes.chunks))).toEqual(MP4);
    const unsized = await scripted([new Response(pieces(MP4))]).videos.fetch("video_1");
    expect(unsized).toMatchObject({ kind: "ok", length: null });
  });

  test("that are cut off, or longer than they say, fail while they come", async ({ expect }) => {
    for (const reported of [MP4.length + 1, MP4.length - 1]) {
      const body = pieces(MP4.subarray(0, 100), MP4.subarray(100));
      const clip = await scripted([
        new Response(body, { headers: { "content-length": String(reported) } }),
      ]).videos.fetch("v");
      if (clip.kind !== "ok") throw new Error("It begins like a video.");
      await expect(readChunks(clip.chunks)).rejects.toThrow(/video/);
    }
  });

  test("that stop coming fail at their time limit", async ({ expect }) => {
    const stuck = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(MP4) });
    const clip = await scripted([new Response(stuck)], { fetchLimitMs: 20 }).videos.fetch("v");
    if (clip.kind !== "ok") throw new Error("It begins like a video.");
    await expect(readChunks(clip.chunks)).rejects.toThrow(/./);
  });

  test("elsewhere are fetched without the key, and not from our own network", async ({ expect }) => {
    const moved = (location: string) => new Response(null, { status: 302, headers: { location } });
    const range = { "content-range": `bytes 0-${MP4.length - 1}/${MP4.length}` };
    const part = scripted([moved("https://cdn.example/f.mp4"), new Response(MP4, { status: 206, headers: range })]);
    expect(await part.videos.fetch("v")).toMatchObject({ kind: "ok", length: MP4.length, mime: "video/mp4" });
    expect(new Headers(part.calls[1]?.init.headers).has("authorization")).toBe(false);
    const whole = scripted([moved("https://cdn.example/f.mp4"), new Response(MP4)]);
    expect(await whole.videos.fetch("v")).toMatchObject({ kind: "ok", length: MP4.length });
    const inward = scripted([moved("http://169.254.169.254/f.mp4")]);
    expect(await inward.videos.fetch("v")).toMatchObject({ kind: "failed", reason: "invalid" });
    expect(inward.calls).toHaveLength(1);
    const nowhere = await scripted([moved("https://")]).videos.fetch("v");
    expect(nowhere).toMatchObject({ kind: "failed", reason: "invalid" });
  });

  test("that are kept no longer are lost for good; too large ones are not begun", async ({ expect }) => {
    expect(await scripted([status(404)]).videos.fetch("v")).toMatchObject({ kind: "failed", reason: "refused" });
    const huge = new Response(pieces(MP4), { headers: { "content-length": "9000000000" } });
    expect(await scripted([huge]).videos.fetch("v")).toMatchObject({ kind: "failed", reason: "invalid" });
  });
});

test("a kind without a model names the setting; test projects have the sandbox's", async ({ expect }) => {
  const models = { chat: "small", image: null, speech: null, video: null };
  const own = { baseUrl: MODEL.baseUrl, apiKey: MODEL.apiKey, models, voice: "alloy" };
  const guarded = createGuardedFetch({ allowLoopback: false });
  const nobody: typeof fetch = () => Promise.reject(new Error("No server is called."));
  const servers = { own, sandboxUrl: null, noSandbox: "No sandbox (SANDBOX_URL)." };
  const all = createModels(servers, nobody, guarded);
  const real = { isTest: false };
  const say = (failure: unknown) => expect(failure).toMatchObject<Partial<ModelFailure>>({ reason: "not_configured" });
  const outcomes = [
    ["AI_IMAGE_MODEL", await all.imagesFor(real).make(PICTURE)],
    ["AI_SPEECH_MODEL", await all.speechFor(real).speak({ text: "Hello", formats: ["mp3", "wav"] })],
    ["AI_VIDEO_MODEL", await all.videosFor(real).begin(FILM)],
    ["SANDBOX_URL", await all.imagesFor({ isTest: true }).make(PICTURE)],
    [
      "AI_BASE_URL, AI_API_KEY and AI_VIDEO_MODEL",
      await createModels({ ...servers, own: null }, nobody, guarded)
        .videosFor(real)
        .getState("v"),
    ],
  ] as const;
  for (const [setting, outcome] of outcomes) {
    say(outcome);
    expect(JSON.stringify(outcome)).toContain(setting);
  }
  let requested = "";
  const sandboxed: typeof fetch = async (input) => {
    requested = String(input);
    return image([{ b64_json: base64(PNG) }]);
  };
  const test = createModels({ ...servers, sandboxUrl: "http://sandbox.test" }, sandboxed, guarded);
  expect(await test.imagesFor({ isTest: true }).make(PICTURE)).toMatchObject({ kind: "ok" });
  expect(requested).toBe("http://sandbox.test/v1/images/generations");
});
