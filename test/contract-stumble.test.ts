import { expect, test, vi } from "vitest";
import { arm, disarm, isStalled, resume } from "./contract-mortal.ts";
import { expectLive, expectLiveAfter, minutePasses, run, TROUBLED, troubled } from "./contract-trouble.ts";
import { NAMES, send, shapeOf } from "./contract-world.ts";
import { queuesIdle } from "./support/queue.ts";

/** Deliveries that lose an answer or stall, and go on: the post is live once in the end. */
const homes = troubled();

/** What a text or a story meets, these meet too. */
const SHAPES = TROUBLED.filter(([, shape]) => !/text|story/.test(shape));

test.for(SHAPES)(
  "%s: %s is live once when a delivery loses the answer to any one of its acts",
  async ([name, shape]) => {
    await expectLiveAfter("loses the answer", homes, name, shapeOf(name, shape));
  },
);

test.for(NAMES)(
  "%s: a delivery that stalls at any one of its acts and comes back later changes nothing",
  async (name) => {
    const shape = shapeOf(name, "an image");
    const { acts } = await run(homes, name, shape, {});
    for (let at = 1; at <= acts; at++) {
      const sent = await send(homes.on(name), shape);
      arm({ [at]: "stalls" });
      const stalling = queuesIdle();
      await vi.waitUntil(isStalled, { interval: 1 });
      // Others take over, and are through, before it comes back.
      await minutePasses();
      await minutePasses();
      resume();
      await stalling;
      disarm();
      await minutePasses();
      await expectLive(sent, `stalls at ${at} of ${acts}`);
    }
    expect(acts).toBeGreaterThan(5);
  },
);
