import fc from "fast-check";
import { test } from "vitest";
import type { Failure } from "../../../src/platforms/context.ts";
import type { Content } from "../../../src/platforms/publishing.ts";
import { type Chunk, readChunk } from "../../../src/platforms/read-chunk.ts";
import { chunksOf, endOf, firstForm, isStart, lastStart, otherForm } from "../../../src/platforms/tiktok/chunks.ts";
import { content, video } from "../../scripted-send.ts";

/** How a video is cut for TikTok, and how its chunks are read. */

const MIB = 1024 * 1024;

test("chunks keep TikTok's rules, whatever a megabyte is there, and cover the file", ({ expect }) => {
  const bytes = fc.oneof(fc.integer({ min: 1, max: 40 * MIB }), fc.integer({ min: 1, max: 4 * 1024 * MIB }));
  fc.assert(
    fc.property(bytes, fc.constantFrom("one" as const, "several" as const), (total, form) => {
      fc.pre(form === "several" || total <= 64 * MIB);
      const { size, count } = chunksOf(total, form);
      expect(count).toBe(Math.floor(total / size));
      expect(count).toBeLessThanOrEqual(1_000);
      if (total < 5 * MIB || form === "one") expect([size, count]).toEqual([total, 1]);
      else expect(size).toBeGreaterThanOrEqual(5 * MIB);
      const ends: number[] = [];
      for (let at = 0; at < total; at = endOf(total, form, at)) {
        expect(isStart(total, form, at)).toBe(true);
        ends.push(endOf(total, form, at) - at);
      }
      expect(ends).toHaveLength(count);
      // What is read at once is 8 MiB; only a file that must go as one may have more.
      if (form === "several") expect(Math.max(...ends)).toBeLessThanOrEqual(count === 1 ? 10 * MIB : 8 * MIB);
      expect(lastStart(total, form) + (ends.at(-1) ?? 0)).toBe(total);
      expect(isStart(total, form, total)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test("each size has a first form, and another one where the chunks differ and it fits", ({ expect }) => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200_000_000 }), (total) => {
      const form = firstForm(total);
      expect(form).toBe(total <= 64_000_000 ? "one" : "several");
      const other = otherForm(total, form);
      expect(other !== null).toBe(total >= 10 * MIB && total <= 64 * MIB);
      if (other) expect([other === form, chunksOf(total, other).count > 1]).toEqual([false, form === "one"]);
    }),
  );
});

function opened(chunk: Chunk | Failure): Chunk {
  if (chunk.kind === "failed") throw new Error(chunk.message);
  return chunk;
}

/** As it is sent: each part is drained before the next one is read. */
async function bytesOf({ part }: Chunk, onPart: (length: number) => void = () => undefined): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  const parts = part.kind === "series" ? part.parts() : [part];
  for await (const one of parts) {
    onPart(one.length);
    all.push(one.kind === "bytes" ? one.bytes : new Uint8Array(await new Response(one.stream).arrayBuffer()));
  }
  return Buffer.concat(all);
}

const file = Uint8Array.from({ length: 19 * MIB }, (_, at) => at % 251);
const reading = (read: Content["read"]) => ({ ...content("reel", ["x", video("a.mp4", file.length)]), read });

test("a chunk that cannot be read at once is read part by part, each while it is sent", async ({ expect }) => {
  const reads: (readonly [number, number])[] = [];
  const read: Content["read"] = async (_media, start, end) => {
    reads.push([start, end]);
    const bytes = file.slice(start, end);
    return start === 8 * MIB
      ? { kind: "stream", length: end - start, stream: new Response(bytes).body ?? new ReadableStream() }
      : { kind: "bytes", length: end - start, bytes };
  };
  const chunk = opened(await readChunk(reading(read), video("a.mp4", file.length), 0, file.length));
  expect(reads).toEqual([[0, 8 * MIB]]);
  expect(chunk.part).toMatchObject({ kind: "series", length: file.length });
  const inTurn: number[] = [];
  expect(Buffer.compare(await bytesOf(chunk, () => inTurn.push(reads.length)), file)).toBe(0);
  expect(inTurn).toEqual([1, 2, 3]);
  expect(reads).toEqual([
    [0, 8 * MIB],
    [8 * MIB, 16 * MIB],
    [16 * MIB, 19 * MIB],
  ]);
  expect(chunk.failure()).toBeNull();
});

test("when a later part cannot be read, the call breaks off and says why; when the first cannot, nothing is sent", async ({
  expect,
}) => {
  const broken: Failure = { kind: "failed", reason: "down", message: "The server is away." };
  const second: Content["read"] = async (_media, start, end) =>
    start === 0 ? { kind: "bytes", length: end, bytes: file.slice(0, end) } : broken;
  const chunk = opened(await readChunk(reading(second), video("a.mp4", file.length), 0, file.length));
  await expect(bytesOf(chunk)).rejects.toThrow("The server is away.");
  expect(chunk.failure()).toBe(broken);
  expect(
    await readChunk(
      reading(async () => broken),
      video("a.mp4", file.length),
      0,
      file.length,
    ),
  ).toBe(broken);
});
