import fc from "fast-check";
import { test } from "vitest";
import type { Failure } from "../../src/platforms/context.ts";
import type { FilePart } from "../../src/platforms/multipart.ts";
import type { Content } from "../../src/platforms/publishing.ts";
import { chunksOf, endOf, isStart, lastStart, readChunk } from "../../src/platforms/tiktok/chunks.ts";
import { content, video } from "../scripted-send.ts";

/** How a video is cut for TikTok, and how its chunks are read. */

const MIB = 1024 * 1024;

test("chunks hold to TikTok's rules, whatever a megabyte is there, and cover the file", ({ expect }) => {
  const bytes = fc.oneof(fc.integer({ min: 1, max: 40 * MIB }), fc.integer({ min: 1, max: 4 * 1024 * MIB }));
  fc.assert(
    fc.property(bytes, (total) => {
      const { size, count } = chunksOf(total);
      expect(count).toBe(Math.floor(total / size));
      expect(count).toBeLessThanOrEqual(1_000);
      if (total < 5 * MIB) expect([size, count]).toEqual([total, 1]);
      else expect(size).toBeGreaterThanOrEqual(5 * MIB);
      const ends: number[] = [];
      for (let at = 0; at < total; at = endOf(total, at)) {
        expect(isStart(total, at)).toBe(true);
        ends.push(endOf(total, at) - at);
      }
      expect(ends).toHaveLength(count);
      // What is read at once is 8 MiB; only a file that must go as one may have more.
      expect(Math.max(...ends)).toBeLessThanOrEqual(count === 1 ? 10 * MIB : 8 * MIB);
      expect(lastStart(total) + (ends.at(-1) ?? 0)).toBe(total);
      expect(isStart(total, total)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

async function bytesOf(part: FilePart | Failure): Promise<Uint8Array> {
  if (part.kind === "failed") throw new Error(part.message);
  return part.kind === "bytes" ? part.bytes : new Uint8Array(await new Response(part.stream).arrayBuffer());
}

const file = Uint8Array.from({ length: 9 * MIB }, (_, at) => at % 251);
const reading = (read: Content["read"]) => ({ ...content("reel", ["x", video("a.mp4", file.length)]), read });

test("a chunk that cannot be read at once is read in two, the second while it is sent", async ({ expect }) => {
  const reads: (readonly [number, number])[] = [];
  const read: Content["read"] = async (_media, start, end) => {
    reads.push([start, end]);
    const bytes = file.slice(start, end);
    return start === 0
      ? { kind: "stream", length: end - start, stream: new Response(bytes).body ?? new ReadableStream() }
      : { kind: "bytes", length: end - start, bytes };
  };
  const part = await readChunk(reading(read), video("a.mp4", file.length), 0, file.length);
  expect(reads).toEqual([[0, 8 * MIB]]);
  expect(part).toMatchObject({ kind: "stream", length: file.length });
  expect(Buffer.compare(await bytesOf(part), file)).toBe(0);
  expect(reads).toEqual([
    [0, 8 * MIB],
    [8 * MIB, 9 * MIB],
  ]);
});

test("when its second half cannot be read, the call breaks off; when its first cannot, nothing is sent", async ({
  expect,
}) => {
  const broken: Failure = { kind: "failed", reason: "down", message: "The server is away." };
  const second: Content["read"] = async (_media, start, end) =>
    start === 0 ? { kind: "bytes", length: end, bytes: file.slice(0, end) } : broken;
  const part = await readChunk(reading(second), video("a.mp4", file.length), 0, file.length);
  await expect(bytesOf(part)).rejects.toThrow("The server is away.");
  expect(
    await readChunk(
      reading(async () => broken),
      video("a.mp4", file.length),
      0,
      file.length,
    ),
  ).toBe(broken);
});
