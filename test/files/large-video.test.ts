import { afterAll, beforeAll, inject, test } from "vitest";
import { YOUTUBE_CHANNELS } from "../support/person.ts";
import { queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { sample } from "../support/uploads.ts";
import { createPost, findPost, projectWith } from "../support/world.ts";

/**
 * A large video goes from a server that makes its bytes on request, through the publish job, to
 * the simulated platform. Counted on both sides: what was taken from the server and not yet handed to the
 * platform is what the service holds.
 */
const MB = 1024 * 1024;
/** The whole gigabyte with `CONTRACT=all`: it takes a minute. */
const SIZE = (inject("contract").isWhole ? 1024 : 160) * MB;
const URL_OF_IT = "https://files.example.com/large.mp4";
const PIECE = new Uint8Array(256 * 1024);

const reach = globalThis.fetch;
const held = { now: 0, most: 0, taken: 0, given: 0 };
let head = new Uint8Array();

/** The bytes of the file from `start` on: a small video, and a box after it that every reader skips. */
function bytesAt(start: number, length: number): Uint8Array {
  if (start >= head.length) return PIECE.subarray(0, length);
  const piece = new Uint8Array(length);
  piece.set(head.subarray(start, start + length));
  return piece;
}

function served(start: number, end: number): ReadableStream<Uint8Array> {
  let at = start;
  return new ReadableStream(
    {
      pull(controller) {
        const length = Math.min(PIECE.length, end - at);
        controller.enqueue(bytesAt(at, length));
        at += length;
        held.taken += length;
        held.now += length;
        held.most = Math.max(held.most, held.now);
        if (at >= end) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

function count(bytes: number): void {
  held.given += bytes;
  held.now -= bytes;
}

/** What is sent to the platform, counted as it leaves. */
function counted(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length);
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      count(chunk.byteLength);
      controller.enqueue(chunk);
    },
  });
  void body
    .pipeThrough(counter)
    .pipeTo(writable)
    .catch(() => undefined);
  return readable;
}

beforeAll(async () => {
  const clip = await sample("clip.mp4");
  head = new Uint8Array(clip.byteLength + 8);
  head.set(clip);
  new DataView(head.buffer).setUint32(clip.byteLength, SIZE - clip.byteLength);
  head.set(new TextEncoder().encode("free"), clip.byteLength + 4);
  globalThis.fetch = async (input, init) => {
    if (input === URL_OF_IT) {
      const [, start, last] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get("range") ?? "") ?? [];
      const [from, to] = [Number(start), Math.min(Number(last) + 1, SIZE)];
      const headers = { "content-range": `bytes ${from}-${to - 1}/${SIZE}` };
      return new Response(served(from, to), { status: 206, headers });
    }
    const { body } = init ?? {};
    const [, from, to] = /^bytes (\d+)-(\d+)\//.exec(new Headers(init?.headers).get("content-range") ?? "") ?? [];
    if (to === undefined) return reach(input, init);
    if (body instanceof Uint8Array) count(body.byteLength);
    if (!(body instanceof ReadableStream)) return reach(input, init);
    return reach(input, { ...init, body: counted(body, Number(to) + 1 - Number(from)) });
  };
});
afterAll(() => {
  globalThis.fetch = reach;
});

test("a large video passes in several deliveries, with few of its bytes held at any time", {
  timeout: 240_000,
}, async ({ expect }) => {
  await sandbox.settings({ youtube_uploads_per_day: 100_000, youtube_units_per_day: 1_000_000 });
  const { project, channel } = await projectWith("youtube", YOUTUBE_CHANNELS.fern);
  const mark = crypto.randomUUID();
  const body = { caption_text: mark, media_urls: [URL_OF_IT], post_extra: { title: "A large one" } };
  held.now = 0;
  held.most = 0;
  const id = await createPost(project, channel, body);
  await queuesIdle(8 * 3_600_000);
  expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  expect(await sandbox.postsWith(mark)).toHaveLength(1);
  expect(held.given).toBe(SIZE);
  expect(held.most).toBeLessThan(32 * MB);
  expect(queue.deliveriesOf([`publish:${id}`])).toBeGreaterThan(1);
});
