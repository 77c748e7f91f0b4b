import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { startClean } from "../support/clean-start.ts";
import { advanceTo } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import { createPost, projectWith } from "../support/world.ts";

/** The task that reads numbers sleeps for most of a day: a publication ends its sleep. */
beforeEach(startClean);

const Shown = z.object({ insights: z.object({ state: z.string() }) });

const dueAt = async () =>
  z
    .object({ due_at: z.int() })
    .parse(await env.DB.prepare("SELECT due_at FROM recurring WHERE kind = 'insights'").first()).due_at;

async function runTo(instant: number): Promise<void> {
  await advanceTo(instant);
  for (let round = 0; round < 2; round++) {
    await cron();
    await queuesIdle();
  }
}

test("numbers of a post are read an hour after its publication, however quiet its channel was", async () => {
  const { project, channel } = await projectWith("facebook");
  await runTo(Date.now() + 2 * HOUR);
  expect(await dueAt()).toBeGreaterThan(Date.now() + 20 * HOUR);
  const id = await createPost(project, channel, { caption_text: "After a quiet time" });
  await queuesIdle();
  const publishedAt = Date.now();
  const first = await dueAt();
  expect(Math.abs(first - publishedAt - HOUR)).toBeLessThan(MINUTE);
  await createPost(project, channel, { caption_text: "And another one" });
  await queuesIdle();
  expect(await dueAt()).toBe(first);
  await runTo(publishedAt + HOUR + 2 * MINUTE);
  const { body } = await project.call("GET", `/social/get-post-insights/${id}`);
  expect(Shown.parse(body).insights.state).toBe("current");
  // The next age at which a post is read.
  expect(Math.abs((await dueAt()) - publishedAt - 6 * HOUR)).toBeLessThan(10 * MINUTE);
});
