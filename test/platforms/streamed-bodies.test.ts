import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FilePart, type FileSeries, Multipart } from "../../src/platforms/multipart.ts";
import { createSend } from "../../src/platforms/request.ts";
import { YOUTUBE_CHANNELS } from "../support/person.ts";
import { queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { createPost, findPost, HANDLES, PAGES, projectWith } from "../support/world.ts";

/** Parts of files go from their server to the platform as they come. */
const streamOf = (...pieces: readonly number[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const size of pieces) controller.enqueue(new Uint8Array(size).fill(7));
      controller.close();
    },
  });

function bodyWith(part: FilePart) {
  const form = new Multipart();
  form.set("segment_index", "3");
  form.set("media", { filename: "chunk", mime: "application/octet-stream", part });
  const end = new AbortController();
  const { contentType, body } = form.encode(end.signal);
  return { end, read: () => new Response(body, { headers: { "content-type": contentType } }).formData() };
}

describe("a multipart body", () => {
  test.for([
    ["as it comes", { kind: "stream", length: 300, stream: streamOf(100, 200) }],
    ["from memory", { kind: "bytes", length: 300, bytes: new Uint8Array(300).fill(7) }],
  ] as const)("carries a file %s, and the fields beside it", async ([, part]) => {
    const form = await bodyWith(part).read();
    expect(form.get("segment_index")).toBe("3");
    const file = form.get("media");
    if (!(file instanceof File)) throw new Error("There is no file.");
    expect([file.name, file.type, file.size]).toEqual(["chunk", "application/octet-stream", 300]);
    expect(new Set(new Uint8Array(await file.arrayBuffer()))).toEqual(new Set([7]));
  });

  test.for([
    ["fewer", [100, 199]],
    ["more", [100, 201]],
  ] as const)("is no body when %s bytes come than were announced", async ([, pieces]) => {
    const part: FilePart = { kind: "stream", length: 300, stream: streamOf(...pieces) };
    await expect(bodyWith(part).read()).rejects.toThrow();
  });

  test("ends when its request does", async () => {
    const endless = new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(new Uint8Array(10)) });
    const { end, read } = bodyWith({ kind: "stream", length: 1_000_000_000, stream: endless });
    const reading = read();
    end.abort();
    await expect(reading).rejects.toThrow();
  });
});

describe("a part that is a whole body", () => {
  const partOf = (...pieces: readonly number[]): FilePart => ({
    kind: "stream",
    length: 300,
    stream: streamOf(...pieces),
  });
  const BYTES_PART = { kind: "bytes", length: 100, bytes: new Uint8Array(100) } as const;
  const put = (part: FilePart | FileSeries, answer: Response) => {
    const seen: { type: string | null; bytes: number | null } = { type: null, bytes: null };
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      seen.type = request.headers.get("content-type");
      seen.bytes = (await request.arrayBuffer()).byteLength;
      return answer;
    };
    const send = createSend({ sandboxUrl: null, fetch });
    const headers = { "content-type": "video/mp4", "content-range": "bytes 0-299/600" };
    return { seen, answer: send({ method: "PUT", url: "https://up.example.com/x", headers, part }) };
  };

  test.for([
    ["as it comes", partOf(100, 200)],
    ["from memory", { kind: "bytes", length: 300, bytes: new Uint8Array(300) }],
  ] as const)("is sent %s, under the type that the caller names", async ([, part]) => {
    const { seen, answer } = put(part, new Response(null, { status: 308, headers: { range: "bytes=0-299" } }));
    expect(await answer).toMatchObject({ kind: "answered", status: 308 });
    expect(seen).toEqual({ type: "video/mp4", bytes: 300 });
  });

  test("a refusal of what was streamed may be about its transport: it counts as lost, what was in memory does not", async () => {
    const refused = () => new Response("{}", { status: 400 });
    expect(await put(partOf(300), refused()).answer).toMatchObject({ kind: "lost" });
    const bytes = new Uint8Array(300);
    expect(await put({ kind: "bytes", length: 300, bytes }, refused()).answer).toMatchObject({ status: 400 });
  });

  test("what breaks off is lost; where its end was never read it is surely not whole at the platform", async () => {
    expect(await put(partOf(100), new Response()).answer).toMatchObject({ kind: "lost" });
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(100)),
      pull: (controller) => controller.error(new Error("Its server is away.")),
    });
    const broken = await put({ kind: "stream", length: 300, stream }, new Response()).answer;
    expect(broken).toMatchObject({ kind: "lost", isCutOff: true });
  });

  test("a refusal of what was streamed is handed on beside, and an answer lost after the last byte is not cut off", async () => {
    const refusal = await put(partOf(300), new Response("{}", { status: 400 })).answer;
    expect(refusal).toMatchObject({ kind: "lost", refusal: { status: 400 } });
    const fetch: typeof globalThis.fetch = async (input, init) => {
      await new Request(input, init).arrayBuffer();
      throw new Error("The answer is lost.");
    };
    const lost = await createSend({ sandboxUrl: null, fetch })({
      method: "PUT",
      url: "https://up.example.com/x",
      part: partOf(300),
    });
    expect(lost).toEqual({ kind: "lost", message: expect.any(String) });
  });

  test("parts in series are one body, each read when the one before it was sent; one that fails ends it", async () => {
    const series = (count: number): FileSeries => ({
      kind: "series",
      length: 300,
      async *parts() {
        for (let at = 0; at < count; at++) yield at % 2 ? { ...partOf(50, 50), length: 100 } : BYTES_PART;
        if (count < 3) throw new Error("The rest could not be read.");
      },
    });
    const whole = put(series(3), new Response(null, { status: 201 }));
    expect(await whole.answer).toMatchObject({ status: 201 });
    expect(whole.seen.bytes).toBe(300);
    expect(await put(series(2), new Response()).answer).toMatchObject({ kind: "lost", isCutOff: true });
  });
});

const BIG = "https://files.example.com/streamed.mp4";
const BYTES = 6 * 1024 * 1024;
const reach = globalThis.fetch;
let video = new Uint8Array();
/** How many of the next large parts break off in the middle. */
let broken = 0;
let large = 0;

beforeAll(async () => {
  const clip = new Uint8Array(await (await env.SANDBOX.fetch(sandbox.media("clip.mp4"))).arrayBuffer());
  video = new Uint8Array(BYTES);
  video.set(clip);
  new DataView(video.buffer, clip.byteLength).setUint32(0, BYTES - clip.byteLength);
  video.set(new TextEncoder().encode("free"), clip.byteLength + 4);
  globalThis.fetch = async (input, init) => {
    if (input !== BIG) return reach(input, init);
    const [, start = "0", end = "0"] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get("range") ?? "") ?? [];
    const part = video.slice(Number(start), Number(end) + 1);
    const headers = { "content-range": `bytes ${start}-${Number(start) + part.byteLength - 1}/${BYTES}` };
    if (part.byteLength < 512 * 1024) return new Response(part, { status: 206, headers });
    large += 1;
    const isBroken = broken > 0;
    if (isBroken) broken -= 1;
    const sent = isBroken ? part.slice(0, part.byteLength / 2) : part;
    return new Response(streamed(sent), { status: 206, headers });
  };
});
beforeEach(() => {
  large = 0;
});
afterAll(() => {
  globalThis.fetch = reach;
});

function streamed(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.byteLength; at += 65_536) controller.enqueue(bytes.slice(at, at + 65_536));
      controller.close();
    },
  });
}

describe.for([
  ["facebook", PAGES.bikes, {}],
  ["twitter", HANDLES.fern, {}],
  ["youtube", YOUTUBE_CHANNELS.fern, { post_extra: { title: "A large one" } }],
] as const)("%s", ([platform, account, extra]) => {
  const post = async () => {
    const { project, channel } = await projectWith(platform, account);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { ...extra, caption_text: mark, media_urls: [BIG] });
    await queuesIdle(8 * 3_600_000);
    const live = (await sandbox.posts(platform)).filter(({ text }) => text.includes(mark));
    return { ...(await findPost(project, id)), live: live.length };
  };

  test("a video whose server breaks off once is published all the same, whole and once", async () => {
    broken = 1;
    expect(await post()).toMatchObject({ STATUS: "published", live: 1 });
    expect(large).toBeGreaterThan(1);
  });

  test("a video whose server always breaks off fails, and the sentence names the file", async () => {
    broken = Number.POSITIVE_INFINITY;
    const outcome = await post();
    broken = 0;
    expect(outcome).toMatchObject({ STATUS: "failed", live: 0, error: expect.stringContaining("streamed.mp4") });
    expect(large).toBeGreaterThan(1);
  });
});
