import * as fc from "fast-check";
import { test } from "vitest";
import { UploadPool } from "../../src/media/upload-pool.ts";

const SOON = 20;

test("what does not fit waits, in the order of the requests, and fails after its time", async ({ expect }) => {
  const pool = new UploadPool(10);
  const [first, second, third] = [pool.slot(), pool.slot(), pool.slot()];
  expect(await first.take(6, SOON)).toBe(true);
  expect(await second.take(6, SOON)).toBe(false);
  const waiting = [second.take(6, 5_000).then(() => "second"), third.take(4, 5_000).then(() => "third")];
  // It would fit, but others wait before it.
  expect(await Promise.race([...waiting, new Promise((resolve) => setTimeout(() => resolve("nobody"), SOON))])).toBe(
    "nobody",
  );
  first.release();
  expect(await Promise.all(waiting)).toEqual(["second", "third"]);
});

test("a caller that stops waiting lets the next ones continue", async ({ expect }) => {
  const pool = new UploadPool(10);
  const [first, second, third] = [pool.slot(), pool.slot(), pool.slot()];
  await first.take(6, SOON);
  const tired = second.take(10, SOON);
  const patient = third.take(4, 5_000);
  expect(await tired).toBe(false);
  expect(await patient).toBe(true);
});

test("more than the pool is all of it, and holding already is no wait", async ({ expect }) => {
  const pool = new UploadPool(10);
  const slot = pool.slot();
  expect(await slot.take(1_000, SOON)).toBe(true);
  expect(await slot.take(8, SOON)).toBe(true);
  slot.release();
  slot.release();
  expect(await pool.slot().take(10, SOON)).toBe(true);
});

test("with takers that take and releases in any order, never more than the pool is held", async ({ expect }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 30 }), async (sizes) => {
      const pool = new UploadPool(10);
      let held = 0;
      let most = 0;
      const deliver = async (bytes: number): Promise<void> => {
        const slot = pool.slot();
        if (!(await slot.take(bytes, 5_000))) return;
        held += Math.min(bytes, 10);
        most = Math.max(most, held);
        await Promise.resolve();
        held -= Math.min(bytes, 10);
        slot.release();
      };
      await Promise.all(sizes.map(deliver));
      expect(most).toBeLessThanOrEqual(10);
      expect(held).toBe(0);
    }),
    { numRuns: 50 },
  );
});
