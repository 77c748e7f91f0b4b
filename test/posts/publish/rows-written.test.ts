import { env } from "cloudflare:workers";
import { test } from "vitest";
import { createMeter } from "../../../src/core/meter.ts";
import { meteredD1 } from "../../../src/db/metered.ts";
import { bindings, queuesIdle } from "../../support/queue.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** What a text costs from the request to the published post, requests and deliveries together. */
test.for([
  // The row of its numbers, with the places in three indexes: the first read of them wrote these before.
  ["facebook", 30],
  // Where reads cost money, only for a channel that asked for them.
  ["twitter", 26],
] as const)(
  "%s: a text takes at most 7 D1 calls and %i rows written from request to published",
  async ([platform, rows], { expect }) => {
    const { project, channel } = await projectWith(platform);
    // The first request of a token, and the first post of a project, write what the later ones find.
    await createPost(project, channel, { caption_text: "the first" });
    await queuesIdle();
    const meter = createMeter();
    const unmetered = bindings.DB;
    Object.defineProperty(bindings, "DB", { configurable: true, value: meteredD1(env.DB, meter) });
    try {
      const id = await createPost(project, channel, { caption_text: "the second" });
      await queuesIdle();
      expect(await findPost(project, id)).toMatchObject({ STATUS: "published", permalink: expect.any(String) });
    } finally {
      Object.defineProperty(bindings, "DB", { configurable: true, value: unmetered });
    }
    // find-post is one of the calls that are counted.
    expect(meter.d1Calls - 1).toBeLessThanOrEqual(7);
    expect(meter.d1RowsWritten).toBeLessThanOrEqual(rows);
  },
);
