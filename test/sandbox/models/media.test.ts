import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { createGuardedFetch } from "../../../src/media/guarded-fetch.ts";
import { readMovieFile } from "../../../src/media/movie.ts";
import { Scan } from "../../../src/media/scan.ts";
import { createModels } from "../../../src/models/models.ts";
import { soundOf } from "../../../src/video/sound-track.ts";
import { readVoice, secondsOf } from "../../../src/video/voice.ts";
import { withVoice } from "../../../src/video/voice-over.ts";
import { readChunks } from "../../support/chunks.ts";
import { resetSandbox, setSandboxClock } from "../../support/clock.ts";
import { SANDBOX, sandbox } from "../../support/sandbox.ts";
import { wholeOf } from "../../support/video-samples.ts";

/** The simulated image, speech and video models, through plain requests and our own clients. */

const KEY = "sandbox-model-key";

beforeEach(resetSandbox);

/** A request of any kind, and its answer as it came. */
function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const sent = body instanceof FormData || body === undefined ? (body ?? null) : JSON.stringify(body);
  const json = body === undefined || body instanceof FormData ? {} : { "Content-Type": "application/json" };
  return env.SANDBOX.fetch(`${SANDBOX}/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${KEY}`, ...json, ...headers },
    body: sent,
  });
}

const read = async (response: Promise<Response>) => new Uint8Array(await (await response).arrayBuffer());

describe("an image", () => {
  const Image = z.object({ data: z.array(z.object({ b64_json: z.string().optional(), url: z.string().optional() })) });
  const paint = (prompt: string, more: object = {}) =>
    send("POST", "images/generations", { model: "sandbox-image", prompt, size: "256x256", ...more });
  const painted = async (prompt: string) => {
    const [first] = Image.parse(await (await paint(prompt)).json()).data;
    return Uint8Array.from(atob(first?.b64_json ?? ""), (char) => char.charCodeAt(0));
  };

  test("is a PNG of the size, with the prompt on it", async ({ expect }) => {
    const fox = await painted("A fox on a bicycle");
    const view = new DataView(fox.buffer);
    expect([...fox.subarray(0, 4)]).toEqual([0x89, 0x50, 0x4e, 0x47]);
    expect([view.getUint32(16), view.getUint32(20)]).toEqual([256, 256]);
    expect(await painted("A fox on a bicycle")).toEqual(fox);
    expect(await painted("A cat on a bicycle")).not.toEqual(fox);
    await sandbox.settings({ models_image_answers: "url" });
    const [kept] = Image.parse(await (await paint("A fox on a bicycle")).json()).data;
    const response = await env.SANDBOX.fetch(kept?.url ?? "");
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(fox);
  });

  test.for<[string, object, number, string]>([
    ["of an unknown size", { size: "300x300" }, 400, "invalid_value"],
    ["of another model", { model: "sandbox-chat" }, 404, "model_not_found"],
    ["with a misspelt parameter", { sise: "256x256" }, 400, "unknown_parameter"],
    ["without a prompt", { prompt: "" }, 400, "invalid_value"],
    ["that is not decent", { prompt: "A fox [model:refuse]" }, 400, "moderation_blocked"],
  ])("%s is refused", async ([, more, status, code], { expect }) => {
    const answer = await paint("A fox", more);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ error: { code } });
  });
});

describe("speech", () => {
  const say = (input: string, more: object = {}) =>
    send("POST", "audio/speech", { model: "sandbox-speech", input, voice: "alloy", ...more });

  test("is as long as its words take, as WAV, MP3 or AAC", async ({ expect }) => {
    const wav = await read(say("Saffron buns for everybody", { response_format: "wav" }));
    const view = new DataView(wav.buffer);
    expect(new TextDecoder().decode(wav.subarray(0, 4))).toBe("RIFF");
    expect([view.getUint32(4, true) + 8, view.getUint32(40, true) + 44]).toEqual([wav.length, wav.length]);
    const seconds = (bytes: Uint8Array) => (bytes.length - 44) / 48_000;
    expect(seconds(wav)).toBeGreaterThan(1);
    expect(seconds(await read(say("Saffron", { response_format: "wav" })))).toBeLessThan(seconds(wav) / 2);
    const mp3 = await read(say("Saffron buns"));
    expect(new TextDecoder().decode(mp3.subarray(0, 40))).toContain("Saffron buns");
    const aac = readVoice(await read(say("Saffron buns for everybody", { response_format: "aac" })));
    expect(aac.kind === "voice" && secondsOf(aac)).toBeCloseTo(seconds(wav), 1);
    await sandbox.settings({ models_speech_formats: ["mp3"] });
    expect((await say("Saffron", { response_format: "aac" })).status).toBe(400);
    expect((await say("x".repeat(4097))).status).toBe(400);
    expect((await say("x", { voice: "heron" })).status).toBe(400);
  });
});

describe("a video", () => {
  const Video = z.object({ id: z.string(), status: z.string(), progress: z.number(), error: z.unknown() });
  const form = (prompt: string, more: Record<string, string> = {}) => {
    const body = new FormData();
    const fields = { model: "sandbox-video", prompt, seconds: "4", size: "720x1280", ...more };
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    return body;
  };
  const begin = (body: unknown, headers: Record<string, string> = {}) => send("POST", "videos", body, headers);
  const begun = async (...requested: Parameters<typeof begin>) => Video.parse(await (await begin(...requested)).json());
  const check = async (id: string) => Video.parse(await (await send("GET", `videos/${id}`)).json());
  const clock = setSandboxClock;

  test("takes its time by the clock, and becomes a video of the size and length", async ({ expect }) => {
    const job = await begun(form("A fox runs"));
    expect(job).toMatchObject({ status: "queued", progress: 0, error: null });
    expect((await send("GET", `videos/${job.id}/content`)).status).toBe(400);
    await clock(2500);
    expect(await check(job.id)).toMatchObject({ status: "in_progress" });
    await clock(5000);
    expect(await check(job.id)).toMatchObject({ status: "completed", progress: 100 });
    const video = await read(send("GET", `videos/${job.id}/content`));
    const text = new TextDecoder("latin1").decode(video);
    expect(text.slice(4, 12)).toBe("ftypisom");
    const view = new DataView(video.buffer);
    const header = text.indexOf("mvhd");
    expect(view.getUint32(header + 20) / view.getUint32(header + 16)).toBe(4);
    const track = text.indexOf("tkhd");
    expect([view.getUint16(track + 80), view.getUint16(track + 84)]).toEqual([720, 1280]);
    expect(video.length).toBeLessThan(200_000);
    const json = { model: "sandbox-video", prompt: "A cat runs", seconds: "4", size: "720x1280" };
    const other = await begun(json);
    await clock(10_000);
    expect(await read(send("GET", `videos/${other.id}/content`))).not.toEqual(video);
    await clock(3_700_000);
    expect((await send("GET", `videos/${job.id}/content`)).status).toBe(404);
  });

  test("is begun once by one key, and found in the list", async ({ expect }) => {
    const key = { "Idempotency-Key": "generation-1" };
    const first = await begun(form("A fox runs"), key);
    expect((await begun(form("A fox runs"), key)).id).toBe(first.id);
    expect((await begin(form("A cat runs"), key)).status).toBe(400);
    await sandbox.settings({ models_idempotency: false });
    await sandbox.fault("models", "video", "accept_then_error");
    expect((await begin(form("An owl flies"), key)).status).toBe(500);
    const list = await (await send("GET", "videos?limit=100&order=desc")).json();
    expect(list).toMatchObject({
      object: "list",
      data: [{ prompt: "An owl flies" }, { id: first.id }],
      has_more: false,
    });
    const calls = z
      .array(z.object({ operation: z.string(), paid: z.boolean(), request: z.unknown() }))
      .parse(await sandbox.control("GET", "model-calls"));
    expect(calls.map(({ operation, paid }) => [operation, paid])).toEqual([
      ["video", true],
      ["video", false],
      ["video", false],
      ["video", true],
      ["video_status", false],
    ]);
    expect(calls[0]?.request).toMatchObject({ prompt: "A fox runs", seconds: "4" });
  });

  test("fails by its prompt or a fault, and refuses wrong requests", async ({ expect }) => {
    const refused = await begun(form("A fox [model:refuse]"));
    await sandbox.fault("models", "video", "processing_failed");
    const failed = await begun(form("A fox runs"));
    await clock(5000);
    expect(await check(refused.id)).toMatchObject({ status: "failed", error: { code: "moderation_blocked" } });
    expect(await check(failed.id)).toMatchObject({ status: "failed", error: { code: "video_generation_failed" } });
    for (const more of [{ seconds: "5" }, { size: "100x100" }, { colour: "red" }]) {
      expect((await begin(form("A fox", more))).status).toBe(400);
    }
    expect((await send("GET", "videos/video_none")).status).toBe(404);
    await expect(sandbox.fault("models", "image", "processing_failed")).rejects.toThrow(/422/);
  });
});

describe("our own clients", () => {
  const reach: typeof fetch = (input, init) => env.SANDBOX.fetch(String(input), init);
  const servers = { own: null, sandboxUrl: SANDBOX, noSandbox: "" };
  const models = createModels(servers, reach, createGuardedFetch({ allowLoopback: true, fetch: reach }));
  const asker = { isTest: true };
  const video = { prompt: "A fox runs", seconds: 8, width: 1080, height: 1920, idempotencyKey: "generation-1" };
  const later = setSandboxClock;

  test("get a picture and all kinds of sound", async ({ expect }) => {
    const picture = await models.imagesFor(asker).make({ prompt: "A fox", width: 1024, height: 1536 });
    expect(picture).toMatchObject({ kind: "ok", mime: "image/png" });
    const jpeg = await models.imagesFor(asker).make({ prompt: "A fox", width: 1024, height: 1536, format: "jpeg" });
    expect(jpeg).toMatchObject({ kind: "ok", mime: "image/jpeg" });
    const forms = [
      ["mp3", "audio/mpeg"],
      ["wav", "audio/wav"],
      ["aac", "audio/aac"],
    ] as const;
    for (const [format, mime] of forms) {
      const spoken = await models.speechFor(asker).speak({ text: "A fox", formats: [format] });
      expect(spoken).toMatchObject({ kind: "ok", mime });
    }
  });

  test("begin a video, check it until it is done, and download it", async ({ expect }) => {
    const videos = models.videosFor(asker);
    const begun = await videos.begin(video);
    if (begun.kind !== "ok") throw new Error(begun.message);
    expect(await videos.getState(begun.id)).toEqual({ kind: "pending", progress: 0 });
    await later(5000);
    expect(await videos.getState(begun.id)).toEqual({ kind: "done" });
    const fetched = await videos.fetch(begun.id);
    expect(fetched).toMatchObject({ kind: "ok", mime: "video/mp4" });
    if (fetched.kind !== "ok") return;
    const bytes = await readChunks(fetched.chunks);
    const part = async (start: number, end: number) => ({ kind: "part", body: bytes.slice(start, end) }) as const;
    const scan = new Scan({ kind: "open", bytes: bytes.length, head: bytes.slice(0, 65_536), part });
    expect(await readMovieFile(scan)).toMatchObject({ size: { width: 1080, height: 1920 }, durationSeconds: 8 });
    expect(await videos.getState("video_none")).toMatchObject({ kind: "ended", reason: "down" });
  });

  test("put a voice over a video, which is then as long as the longer of the two", async ({ expect }) => {
    const videos = models.videosFor(asker);
    const begun = await videos.begin(video);
    await later(5000);
    const filmed = async () => {
      const fetched = await videos.fetch(begun.kind === "ok" ? begun.id : "");
      return fetched.kind === "ok" ? readChunks(fetched.chunks) : new Uint8Array();
    };
    const spoken = async (text: string) => {
      const outcome = await models.speechFor(asker).speak({ text, formats: ["aac", "mp3"] });
      return outcome.kind === "ok" ? outcome.bytes : new Uint8Array();
    };
    const [withSound, story] = [await filmed(), "Saffron buns for everybody in the harbour. ".repeat(6)];
    expect(soundOf(withSound)).toBe("aac");
    await sandbox.settings({ models_video_sound: false });
    const silent = await filmed();
    expect(soundOf(silent)).toBe("none");
    expect(await withVoice(withSound, await spoken("Saffron buns"))).toMatchObject({ kind: "ok", seconds: 8 });
    const long = await withVoice(silent, await spoken(story));
    if (long.kind === "failed") throw new Error(long.message);
    expect(soundOf(wholeOf(long.file))).toBe("aac");
    expect(long.seconds).toBeGreaterThan(12);
    await sandbox.settings({ models_speech_formats: ["mp3"] });
    const mp3 = await withVoice(silent, await spoken(story));
    expect(mp3.kind === "ok" && [soundOf(wholeOf(mp3.file)), mp3.seconds - long.seconds]).toEqual([
      "other",
      expect.closeTo(0, 0),
    ]);
  });

  test("find a video whose beginning was lost, and get the reason of one that is refused", async ({ expect }) => {
    const videos = models.videosFor(asker);
    const begunAt = Date.now();
    const sought = { prompt: video.prompt, begunAt };
    expect(await videos.find(sought)).toEqual({ kind: "absent" });
    await sandbox.fault("models", "video", "accept_then_drop");
    expect(await videos.begin(video)).toMatchObject({ kind: "failed", reason: "down" });
    const found = await videos.find(sought);
    expect(found).toMatchObject({ kind: "found" });
    expect(await videos.begin(video)).toEqual({ ...found, kind: "ok" });
    await sandbox.settings({ models_video_prompts: false });
    expect(await videos.find(sought)).toEqual({ kind: "unknown" });
    const refused = await videos.begin({ ...video, prompt: "A fox [model:refuse]", idempotencyKey: "generation-2" });
    await later(5000);
    expect(await videos.getState(refused.kind === "ok" ? refused.id : "")).toMatchObject({
      kind: "ended",
      reason: "refused",
    });
  });
});
