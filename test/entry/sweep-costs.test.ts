import { test } from "vitest";
import { sweep } from "../../src/entry/dispatch.ts";
import { costsOf } from "../support/costs.ts";
import { queuesIdle } from "../support/queue.ts";
import { createPost, projectWith } from "../support/world.ts";

test("an idle sweep takes at most 3 D1 calls, whatever was published and is scheduled", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook");
  await createPost(project, channel, { caption_text: "Live" });
  const later = {
    publish_mode: "scheduled",
    schedule_time: `${new Date().getUTCFullYear() + 3}-03-05 10:00`,
    time_zone: "UTC",
  };
  await createPost(project, channel, { caption_text: "Much later", ...later });
  await queuesIdle();
  // Sends what the publication has left.
  await costsOf(sweep);
  await queuesIdle();
  const idle = await costsOf(sweep);
  expect(idle.d1Calls).toBeLessThanOrEqual(3);
  expect(idle.queueSends).toBe(0);
  expect(idle.d1RowsWritten).toBe(0);
});
