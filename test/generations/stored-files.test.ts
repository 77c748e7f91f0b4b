import { env } from "cloudflare:workers";
import fc from "fast-check";
import { test } from "vitest";
import { putWritten, readFile } from "../../src/generations/media.ts";

/** Files that are stored while they are written, and read into one buffer, are whole. */

const BYTES = 900_000;
const source = Uint8Array.from({ length: BYTES }, (_, at) => (at * 7919 + (at >> 8)) & 255);
const making = { deps: { files: env.FILES } };

test("a file in pieces of any sizes is stored and read as it is", async ({ expect }) => {
  const sizes = fc.array(fc.integer({ min: 1, max: 400_000 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, async (cuts) => {
      const parts = cuts.map((size, at) => source.subarray(at * 1_000, at * 1_000 + size));
      const whole = Buffer.concat(parts);
      const file = { byteLength: whole.byteLength, pieces: () => parts };
      await putWritten(making, "written", file, "video/mp4");
      expect(whole.equals(await readFile(making, "written"))).toBe(true);
    }),
    { numRuns: 20 },
  );
});
