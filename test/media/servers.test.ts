import { test } from "vitest";
import { Budget } from "../../src/media/budget.ts";
import { createGuardedFetch } from "../../src/media/guarded-fetch.ts";
import { probe } from "../../src/media/probe.ts";
import { createReader } from "../../src/media/reader.ts";
import type { FilePart } from "../../src/platforms/multipart.ts";
import type { MediaFile } from "../../src/platforms/rules.ts";
import {
  box,
  bytes,
  ftyp,
  jpeg,
  type Manner,
  movieBox,
  PNG,
  padding,
  serve,
  sparse,
  URL_OF_FILE,
  zeros,
} from "../support/media-files.ts";

/**
 * Servers that do not do as they should, and what they may cost: at most twice the file, or a refusal that
 * says so.
 */
const MB = 1024 * 1024;
const movie = (length: number) => sparse(bytes(ftyp("isom"), movieBox, box("mdat", zeros(8)).slice(0, 4)), length);
/** Its header is at the end. */
const lateMovie = (length: number) => {
  const start = ftyp("isom");
  const size = length - start.length - movieBox.length;
  const mdat = new Uint8Array([size >>> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255, 109, 100, 97, 116]);
  return sparse(bytes(start, mdat), length, movieBox);
};
const mediaOf = (bytes: number): MediaFile => ({
  url: URL_OF_FILE,
  kind: "video",
  mime: "video/mp4",
  bytes,
  width: null,
  height: null,
  durationSeconds: null,
});

/** Probes a file and uploads it in chunks, as an adapter does. */
async function post(file: Parameters<typeof serve>[0], manner: Manner, chunk = 4 * MB) {
  const { read, seen } = serve(file, manner);
  const probed = await probe(read, URL_OF_FILE);
  if (probed.kind !== "media") return { outcome: probed, seen };
  const reader = createReader(read, { isCareful: true });
  for (let start = 0; start < probed.media.bytes; start += chunk) {
    const end = Math.min(start + chunk, probed.media.bytes);
    const part = await reader.read(probed.media, start, end);
    if (part.kind === "failed") return { outcome: part, seen };
    if (!isSame(await bytesOf(part), file.slice(start, end))) return { outcome: { kind: "wrong bytes" }, seen };
  }
  return { outcome: probed, seen };
}

async function bytesOf(part: FilePart): Promise<Uint8Array> {
  return part.kind === "bytes" ? part.bytes : new Uint8Array(await new Response(part.stream).arrayBuffer());
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

test.for([true, false])(
  "a video of 100 MB is refused where ranges are ignored (length reported: %s)",
  async (length, { expect }) => {
    const { outcome, seen } = await post(movie(100 * MB), { ranges: false, length });
    const size = length ? " of 100 MB" : "";
    expect(outcome).toEqual({
      kind: "refused",
      code: "media_unreachable",
      message: `my file.bin${size} cannot be used: files over 5 MB require a server that supports range requests.`,
      check: { kind: "needs_ranges", parts: ["my file.bin", 5] },
    });
    expect(seen.bytes).toBeLessThan(6 * MB);
  },
);

test.for([
  ["ignores ranges", { ranges: false }],
  ["ignores ranges and reports no length", { ranges: false, length: false }],
  ["honours ranges", {}],
  ["honours ranges and reports no length", { length: false }],
] as const)("a small file costs at most twice its size where a server %s", async ([, manner], { expect }) => {
  const files = [PNG, jpeg(padding(60_000), padding(60_000)), movie(3 * MB), lateMovie(4.5 * MB)];
  for (const file of files) {
    const { outcome, seen } = await post(file, manner, MB);
    expect(outcome).toMatchObject({ kind: "media", media: { bytes: file.length } });
    // Opening may take the first 64 KB once more where the server reports no length.
    expect(seen.bytes).toBeLessThanOrEqual(2 * file.length + 64 * 1024);
  }
});

test("a large file costs little more than its size where ranges are honoured", async ({ expect }) => {
  const file = lateMovie(30 * MB);
  const { outcome, seen } = await post(file, {});
  expect(outcome).toMatchObject({ kind: "media", media: { durationSeconds: 12 } });
  expect(seen.bytes).toBeLessThan(file.length + MB);
});

test("the whole file is requested of a server that reports its length only with it", async ({ expect }) => {
  const file = movie(20 * MB);
  const headers = { "content-length": String(file.length) };
  const { outcome, seen } = await post(file, {
    length: false,
    instead: ({ range, stream }) => (range ? undefined : new Response(stream(0, file.length), { headers })),
  });
  expect(outcome).toMatchObject({ kind: "media", media: { bytes: file.length } });
  expect(seen.bytes).toBeLessThan(file.length + MB);
});

test("a large file of a length that no header reports is refused", async ({ expect }) => {
  const { outcome, seen } = await post(movie(20 * MB), { length: false });
  expect(outcome).toMatchObject({
    kind: "refused",
    message: "my file.bin cannot be used: its server does not report its size.",
  });
  expect(seen.bytes).toBeLessThan(6 * MB);
});

const LIES: readonly (readonly [name: string, contentRange: (start: number, end: number, total: number) => string])[] =
  [
    ["another range", (_start, end, total) => `bytes 0-${end - 1}/${total}`],
    ["a range that is too long", (start, end, total) => `bytes ${start}-${end + 5}/${total + 100}`],
    ["a range beyond the total", (start, end) => `bytes ${start}-${end - 1}/${end - 10}`],
    ["a range that ends before it begins", (start, _end, total) => `bytes ${start}-${start - 1}/${total}`],
    ["a part of the part", (start, end, total) => `bytes ${start}-${Math.floor((start + end) / 2)}/${total}`],
    ["no range", () => "of course"],
    ["less than it sends", (start, end, total) => `bytes ${start}-${Math.min(end, total) - 1}/${Math.min(end, total)}`],
  ];
test.for(LIES)("a 206 that reports %s is no part, and a small file is read whole", async ([, lie], { expect }) => {
  const small = movie(3 * MB);
  // Sends more than any of them requests.
  const instead: Manner["instead"] = ({ range, stream }) =>
    range
      ? new Response(stream(range[0], small.length), {
          status: 206,
          headers: { "content-range": lie(range[0], range[1], small.length) },
        })
      : undefined;
  expect((await post(small, { instead }, MB)).outcome).toMatchObject({ kind: "media", media: { bytes: small.length } });
  const large = movie(50 * MB);
  const { outcome, seen } = await post(large, { instead });
  expect(outcome).toMatchObject({ kind: "refused", message: expect.stringContaining("range requests") });
  expect(seen.bytes).toBeLessThan(MB);
});

test("a body that is longer or shorter than announced is not taken for the file", async ({ expect }) => {
  const announced = (length: number, sent: number): Manner => ({
    instead: ({ stream }) => new Response(stream(0, sent), { headers: { "content-length": String(length) } }),
  });
  const longer = await post(movie(3 * MB), announced(MB, 3 * MB));
  expect(longer.outcome).toMatchObject({
    kind: "unreachable",
    code: "media_unreachable",
    message: expect.stringContaining("more bytes than it announces"),
  });
  const shorter = await post(movie(3 * MB), announced(3 * MB, MB));
  expect(shorter.outcome).toMatchObject({ kind: "unreachable", message: expect.stringContaining("cut off") });
});

test("a file whose length changes while it is probed may be requested later", async ({ expect }) => {
  const file = lateMovie(9 * MB);
  const { outcome, seen } = await post(file, {
    instead({ range, count, stream }) {
      if (!range || count === 1) return undefined;
      const headers = { "content-range": `bytes ${range[0]}-${range[1] - 1}/${file.length + 1}` };
      return new Response(stream(range[0], range[1]), { status: 206, headers });
    },
  });
  expect(outcome).toEqual({
    kind: "unreachable",
    code: "media_unreachable",
    message: "my file.bin changed while it was being read.",
    check: { kind: "unread", parts: ["my file.bin"] },
  });
  expect(seen.requests).toBe(2);
});

test("an endless body ends", async ({ expect }) => {
  for (const status of [200, 206]) {
    const headers = { "content-range": "bytes 0-65535/200000" };
    const manner: Manner = {
      instead: ({ stream }) => new Response(stream(0, Number.POSITIVE_INFINITY), { status, headers }),
    };
    const { outcome, seen } = await post(sparse(PNG, Number.MAX_SAFE_INTEGER), manner);
    expect(outcome).toMatchObject({ kind: "refused", message: expect.stringContaining("range requests") });
    expect(seen.bytes).toBeLessThan(6 * MB);
  }
});

test("a body that trickles is cut off at the time limit of the file", async ({ expect }) => {
  const trickle: Manner = {
    instead: () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            await new Promise((resolve) => setTimeout(resolve, 5));
            controller.enqueue(new Uint8Array(1));
          },
        }),
        { status: 206, headers: { "content-range": "bytes 0-65535/70000" } },
      ),
  };
  const { read } = serve(PNG, trickle);
  const outcome = await probe(read, URL_OF_FILE, new Budget({ bytes: MB, ms: 100 }));
  expect(outcome).toEqual({
    kind: "unreachable",
    code: "media_unreachable",
    message: "my file.bin could not be read within 0.1 s: its server is too slow.",
    check: { kind: "slow", parts: ["my file.bin", 0.1] },
  });
});

test("bytes are counted over all files of a budget", async ({ expect }) => {
  const budget = new Budget({ bytes: 3 * MB, ms: 60_000 });
  const outcomes: string[] = [];
  const { read, seen } = serve(movie(1.25 * MB), { ranges: false });
  for (let file = 0; file < 5; file++) outcomes.push((await probe(read, URL_OF_FILE, budget)).kind);
  expect(outcomes).toEqual(["media", "media", "unreachable", "unreachable", "unreachable"]);
  expect(seen.bytes).toBeLessThan(3.1 * MB);
});

test.for([
  ["has another length", movie(7 * MB), {}],
  ["is shorter than the part", movie(MB), {}],
  ["has another length and comes whole", movie(4 * MB), { ranges: false }],
  ["has become large and comes whole", movie(9 * MB), { ranges: false }],
] as const)("a file that %s while it is uploaded is reported", async ([, file, manner], { expect }) => {
  const { read } = serve(file, manner);
  const size = file.length === 7 * MB ? 6 * MB : 3 * MB;
  expect(await createReader(read, { isCareful: true }).read(mediaOf(size), 2 * MB, 3 * MB)).toEqual({
    kind: "failed",
    reason: "rejected",
    code: "media_unreachable",
    message: "my file.bin has changed or was cut off while it was uploaded. Post it again.",
  });
});

test("a large file is not skipped through when its server honours ranges no more", async ({ expect }) => {
  const { read, seen } = serve(movie(100 * MB), { ranges: false });
  const outcome = await createReader(read, { isCareful: true }).read(mediaOf(100 * MB), 80 * MB, 84 * MB);
  expect(outcome).toMatchObject({ kind: "failed", reason: "down", message: expect.stringContaining("range requests") });
  expect(seen.bytes).toBeLessThan(100_000);
});

test("a small file of a server without ranges is read once, however many parts are requested", async ({ expect }) => {
  const { read, seen } = serve(movie(4 * MB), { ranges: false });
  const reader = createReader(read, { isCareful: true });
  for (let part = 0; part < 16; part++) {
    const found = await reader.read(mediaOf(4 * MB), (part * MB) / 4, ((part + 1) * MB) / 4);
    expect(found).toMatchObject({ kind: "bytes", length: MB / 4 });
  }
  expect(seen.requests).toBe(1);
});

test("no more than 8 MB are read at a time", async ({ expect }) => {
  const { read } = serve(movie(20 * MB));
  await expect(createReader(read, { isCareful: true }).read(mediaOf(20 * MB), 0, 9 * MB)).rejects.toThrow(RangeError);
});

test.for([404, 500])("a file that answers %i while it is uploaded may come back", async (status, { expect }) => {
  const read = createGuardedFetch({ allowLoopback: false, fetch: async () => new Response("no", { status }) });
  expect(await createReader(read, { isCareful: true }).read(mediaOf(MB), 0, 100)).toEqual({
    kind: "failed",
    reason: "down",
    code: "media_unreachable",
    message: `my file.bin could not be read: its server answered with status ${status}.`,
  });
});
