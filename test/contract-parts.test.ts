import { env } from "cloudflare:workers";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import {
  calm,
  contentOf,
  type FaultKind,
  flaws,
  Homes,
  hashOf,
  media,
  NAMES,
  outcomeOf,
  type Shape,
  send,
} from "./contract-world.ts";
import { queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";

/** A video of several parts: read by ranges, never whole, sent part by part, and whole again at the platform. */
const BIG = "https://files.example.com/big.mp4";
const BYTES = 9 * 1024 * 1024;
const homes = new Homes();
const reach = globalThis.fetch;
let largestRead = 0;

/** The sandbox's clip, made large by a box that players skip. */
async function bigVideo(): Promise<Uint8Array<ArrayBuffer>> {
  const clip = new Uint8Array(await (await env.SANDBOX.fetch(media("clip.mp4"))).arrayBuffer());
  const video = new Uint8Array(BYTES);
  video.set(clip);
  const rest = new DataView(video.buffer, clip.byteLength);
  rest.setUint32(0, rest.byteLength);
  video.set(new TextEncoder().encode("free"), clip.byteLength + 4);
  for (let at = clip.byteLength + 8; at < BYTES; at += 997) video[at] = at % 251;
  return video;
}

let video = new Uint8Array();
beforeAll(async () => {
  await homes.connect();
  video = await bigVideo();
  globalThis.fetch = async (input, init) => {
    if (input !== BIG) return reach(input, init);
    const [, start = "0", end = "0"] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get("range") ?? "") ?? [];
    const part = video.slice(Number(start), Number(end) + 1);
    largestRead = Math.max(largestRead, part.byteLength);
    const headers = { "content-range": `bytes ${start}-${Number(start) + part.byteLength - 1}/${BYTES}` };
    return new Response(part, { status: 206, headers });
  };
});
afterEach(calm);
afterAll(() => {
  globalThis.fetch = reach;
});

const SHAPE: Shape = { name: "a large video", type: "post", items: [[]] };
const TROUBLE: readonly (FaultKind | "no trouble")[] = [
  "no trouble",
  "error",
  "rate_limit",
  "accept_then_drop",
  "accept_then_error",
];

describe.for(NAMES)("%s", (name) => {
  test.for(TROUBLE)("a large video arrives whole with %s in the middle of it", async (trouble, { expect }) => {
    const sent = await send(homes.on(name), SHAPE, { media_urls: [BIG] });
    // Two calls of the upload go well, and then not.
    if (trouble !== "no trouble") {
      const fetchUntil = globalThis.fetch;
      let reads = 0;
      globalThis.fetch = async (input, init) => {
        if (input === BIG && ++reads === 4) await sandbox.fault(name, "upload", trouble, 2);
        return fetchUntil(input, init);
      };
      await queuesIdle();
      globalThis.fetch = fetchUntil;
      expect(reads).toBeGreaterThan(3);
    } else await queuesIdle();
    const outcome = await outcomeOf(sent);
    expect(outcome.error).toBeUndefined();
    expect(flaws(sent, outcome)).toEqual([]);
    const [file = ""] = outcome.live[0]?.media ?? [];
    expect(await contentOf(file)).toBe(await hashOf(video.buffer));
    expect(largestRead).toBeLessThanOrEqual(8 * 1024 * 1024);
  });
});
