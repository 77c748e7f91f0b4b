import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, test } from "vitest";
import { type Copy, copyStep, newCopy } from "../../src/files/copy.ts";
import type { FilePart } from "../../src/platforms/multipart.ts";
import type { MediaFile } from "../../src/platforms/rules.ts";

/** A copy in the bucket, a step at a time, however its steps are repeated and broken off. */
const MB = 1024 * 1024;
const deps = { files: env.FILES };

const fileOf = (bytes: number): MediaFile => ({
  url: "https://files.example.com/photo.jpg",
  kind: "image",
  mime: "image/jpeg",
  bytes,
  width: 10,
  height: 10,
  durationSeconds: null,
});

/** Bytes that show where they belong: every tile begins with its number. */
const TILE = 65_536;
const tile = (start: number, length: number) => {
  const bytes = new Uint8Array(length).fill(7);
  bytes[0] = start / TILE;
  return bytes;
};

/** The part as it comes, in pieces; cut short by `missing` bytes. */
function streamed(start: number, end: number, missing = 0): FilePart {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = start; at < end - missing; at += TILE) {
        controller.enqueue(tile(at, Math.min(TILE, end - missing - at)));
      }
      controller.close();
    },
  });
  return { kind: "stream", length: end - start, stream };
}

async function stepOrThrow(
  copy: Copy,
  media: MediaFile,
  read: (start: number, end: number) => FilePart,
): Promise<Copy> {
  const next = await copyStep(deps, copy, media, async (_, start, end) => read(start, end));
  if ("kind" in next) throw new Error(next.message);
  return next;
}

async function isCopied(copy: Copy, media: MediaFile): Promise<boolean> {
  const object = await env.FILES.get(copy.name);
  if (object === null || object.size !== media.bytes) return false;
  const found = new Uint8Array(await object.arrayBuffer());
  for (let at = 0; at < found.length; at++) {
    if (found[at] !== (at % TILE === 0 ? (at / TILE) & 255 : 7)) return false;
  }
  return true;
}

describe("a copy", () => {
  test("of any size is whole, in parts of at most 8 MiB, each as it comes; a step that is done again changes nothing", async ({
    expect,
  }) => {
    const sizes = fc.oneof(fc.integer({ min: 1, max: 3 * MB }), fc.constantFrom(8 * MB, 8 * MB + 1, 17 * MB));
    await fc.assert(
      fc.asyncProperty(sizes, fc.infiniteStream(fc.boolean()), async (size, again) => {
        const media = fileOf(size);
        let copy = newCopy(media);
        const read = (start: number, end: number): FilePart => {
          expect(end - start).toBeLessThanOrEqual(8 * MB);
          return streamed(start, end);
        };
        for (let steps = 0; !copy.isWhole; steps++) {
          expect(steps).toBeLessThan(6);
          const next = await stepOrThrow(copy, media, read);
          // Its delivery died before it could say so: the next one does the same.
          const isRepeated = again.next().value && copy.uploadId === next.uploadId;
          copy = isRepeated ? await stepOrThrow(copy, media, read) : next;
        }
        expect(await isCopied(copy, media)).toBe(true);
      }),
      { numRuns: 4 },
    );
  }, 60_000);

  test("whose server breaks off is tried again, and says which file it was", async ({ expect }) => {
    for (const size of [2 * MB, 9 * MB]) {
      const media = fileOf(size);
      let copy = newCopy(media);
      if (size > 8 * MB) copy = await stepOrThrow(copy, media, streamed);
      const broken = await copyStep(deps, copy, media, async (_, start, end) => streamed(start, end, 1000));
      expect(broken).toEqual({
        kind: "failed",
        reason: "down",
        code: "media_unreachable",
        message: "photo.jpg could not be copied: the transfer was interrupted.",
      });
      expect(await env.FILES.head(copy.name)).toBeNull();
      while (!copy.isWhole) copy = await stepOrThrow(copy, media, streamed);
      expect(await isCopied(copy, media)).toBe(true);
    }
  });

  test("that cannot be read is what the reader says", async ({ expect }) => {
    const failure = { kind: "failed", reason: "rejected", message: "photo.jpg has changed." } as const;
    const media = fileOf(100);
    expect(await copyStep(deps, newCopy(media), media, async () => failure)).toBe(failure);
  });
});
