import { env } from "cloudflare:workers";
import { afterEach, test } from "vitest";
import { createMeter, type Meter } from "../../../src/core/meter.ts";
import { meteredD1 } from "../../../src/db/metered.ts";
import { media } from "../../contract/world.ts";
import { bindings, queuesIdle } from "../../support/queue.ts";
import { sample } from "../../support/uploads.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** What a post with many bytes or files costs from the request to the published post. */
const VIDEO = "https://files.example.com/large.mp4";
const VIDEO_BYTES = 100_000_000;
const reach = globalThis.fetch;
const unmetered = bindings.DB;
afterEach(() => {
  globalThis.fetch = reach;
  Object.defineProperty(bindings, "DB", { configurable: true, value: unmetered });
});

/** Serves the clip with an empty box behind it that makes it this large; the box is made as it is read. */
async function serveVideo(): Promise<void> {
  const clip = await sample("clip.mp4");
  const head = new Uint8Array(clip.byteLength + 8);
  head.set(clip);
  new DataView(head.buffer).setUint32(clip.byteLength, VIDEO_BYTES - clip.byteLength);
  head.set(new TextEncoder().encode("free"), clip.byteLength + 4);
  globalThis.fetch = async (input, init) => {
    if (input !== VIDEO) return reach(input, init);
    const [, from = "0", to = "0"] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get("range") ?? "") ?? [];
    const [start, end] = [Number(from), Math.min(Number(to) + 1, VIDEO_BYTES)];
    const part = new Uint8Array(end - start);
    if (start < head.byteLength) part.set(head.subarray(start, end));
    return new Response(part, {
      status: 206,
      headers: { "content-range": `bytes ${start}-${end - 1}/${VIDEO_BYTES}` },
    });
  };
}

async function meterOf(publish: () => Promise<void>): Promise<Meter> {
  const meter = createMeter();
  Object.defineProperty(bindings, "DB", { configurable: true, value: meteredD1(env.DB, meter) });
  await publish();
  return meter;
}

test("a 100 MB Facebook video takes at most 25 D1 calls and 54 rows written", { timeout: 120_000 }, async ({
  expect,
}) => {
  const { project, channel } = await projectWith("facebook");
  await serveVideo();
  const meter = await meterOf(async () => {
    const id = await createPost(project, channel, { caption_text: "A long film", media_urls: [VIDEO] });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });
  // find-post is one of the calls that are counted.
  expect(meter.d1Calls - 1).toBeLessThanOrEqual(25);
  expect(meter.d1RowsWritten).toBeLessThanOrEqual(54);
});

test("a thread of 25 × 4 pictures takes at most 60 D1 calls and 225 rows written", { timeout: 120_000 }, async ({
  expect,
}) => {
  const { project, channel } = await projectWith("twitter");
  const twitter_threads = Array.from({ length: 25 }, (_, item) => ({
    message: `Part ${item} of a story`,
    media_urls: Array.from({ length: 4 }, (_file, file) => `${media("square.jpg")}?story-${item}-${file}`),
  }));
  const meter = await meterOf(async () => {
    const id = await createPost(project, channel, { post_type: "thread", twitter_threads });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });
  expect(meter.d1Calls - 1).toBeLessThanOrEqual(60);
  expect(meter.d1RowsWritten).toBeLessThanOrEqual(225);
});
