import { afterEach, expect, test } from "vitest";
import { callsTo, calm, freshHome, outcomeOf, send, settings, shapeOf } from "../../contract/world.ts";
import { queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";

/** Through the front door: a simulated Page whose lists are too large for more than two items at once. */

afterEach(async () => {
  await settings({ graph_list_most: 0 });
  await calm();
});

test("a post whose answer was lost is found in pages of two, and is live once", { timeout: 240_000 }, async () => {
  const home = await freshHome("facebook");
  for (let count = 0; count < 3; count += 1) await send(home, shapeOf("facebook", "a text"));
  await queuesIdle();
  await settings({ graph_list_most: 2 });
  await sandbox.fault("facebook", "publish", "accept_then_drop", 1);
  const sent = await send(home, shapeOf("facebook", "a text"));
  await queuesIdle();
  const { state, live } = await outcomeOf(sent);
  expect({ state, count: live.length }).toEqual({ state: "published", count: 1 });
  const lists = (await callsTo("facebook")).filter(({ path }) => String(path).includes("published_posts"));
  expect(lists.some(({ status }) => status === 500)).toBe(true);
});
