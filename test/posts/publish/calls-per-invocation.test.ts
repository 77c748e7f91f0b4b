import { createExecutionContext, createMessageBatch, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { createMeter } from "../../../src/core/meter.ts";
import { meteredD1 } from "../../../src/db/metered.ts";
import type { QueueMessage } from "../../../src/jobs/messages.ts";
import worker from "../../../src/worker.ts";
import { media } from "../../contract/world.ts";
import { advance } from "../../support/clock.ts";
import { bindings, queue } from "../../support/queue.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/**
 * What one invocation spends, over all the deliveries of its batch: the runtime allows a thousand
 * subrequests.
 */
const reach = globalThis.fetch;
let fetches = 0;
globalThis.fetch = (input, init) => {
  fetches += 1;
  return reach(input, init);
};
afterEach(() => vi.restoreAllMocks());

/** Delivers everything that is due in one batch, and returns what that took. */
async function deliverAll(): Promise<{ readonly deliveries: number; readonly subrequests: number }> {
  const bodies: QueueMessage[] = [];
  for (let next = queue.takeDue(); next && bodies.length < 10; next = queue.takeDue()) bodies.push(next);
  const messages = bodies.map((body) => ({ id: crypto.randomUUID(), timestamp: new Date(), body, attempts: 1 }));
  const batch = createMessageBatch<QueueMessage>("belfry-media", messages);
  const context = createExecutionContext();
  const meter = createMeter();
  fetches = 0;
  await worker.queue(batch, { ...bindings, DB: meteredD1(env.DB, meter) }, context);
  await waitOnExecutionContext(context);
  return { deliveries: bodies.length, subrequests: meter.d1Calls + fetches };
}

const thread = (items: number, mark: string) =>
  Array.from({ length: items }, (_, item) => ({
    message: `${mark} ${item}`,
    media_urls: Array.from({ length: 4 }, (_file, file) => `${media("square.jpg")}?${mark}-${item}-${file}`),
  }));

test("four threads of 25 × 4 pictures in one batch stay below the limit, go on in other invocations, and are published", {
  timeout: 240_000,
}, async () => {
  const { project, channel } = await projectWith("twitter");
  const ids: number[] = [];
  for (let n = 0; n < 4; n++) {
    const body = { post_type: "thread", twitter_threads: thread(25, crypto.randomUUID().slice(0, 8)) };
    ids.push(await createPost(project, channel, body));
  }
  const invocations: number[] = [];
  const isOver = async () => {
    const states = await Promise.all(ids.map(async (id) => (await findPost(project, id)).STATUS));
    return states.every((state) => state === "published" || state === "failed");
  };
  for (let batch = 0; batch < 60 && !(await isOver()); batch++) {
    const { deliveries, subrequests } = await deliverAll();
    if (deliveries > 0) invocations.push(subrequests);
    await advance(2_000);
  }
  for (const id of ids) expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  // It took more than one, so the limit was met, and none of them came near the runtime's.
  expect(invocations.length).toBeGreaterThan(1);
  expect(Math.max(...invocations)).toBeGreaterThan(700);
  expect(Math.max(...invocations)).toBeLessThan(950);
});
