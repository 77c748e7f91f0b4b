import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arm, disarm, type Fate } from "./contract-mortal.ts";
import { expectLive, minutePasses, TROUBLED, troubled } from "./contract-trouble.ts";
import {
  calm,
  type FaultKind,
  flaws,
  keepConnected,
  NAMES,
  type Operation,
  outcomeOf,
  send,
  shapeOf,
} from "./contract-world.ts";
import { advance } from "./support/clock.ts";
import { cron, queue, queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";

/** Messages that come twice, early or never; and all of it at once, in any order. */
const homes = troubled();
const MINUTE = 60_000;

describe.for(NAMES)("%s", (name) => {
  test("the same message several times at once, and again when all is over", async () => {
    const sent = await send(homes.on(name), shapeOf(name, "an image"));
    const [message] = queue.messages;
    if (!message) throw new Error("No message was sent.");
    await Promise.all([queue.deliver(message), queue.deliver(message), queue.deliver(message)]);
    await queuesIdle();
    await queue.deliver(message);
    await queuesIdle();
    await expectLive(sent);
  });

  test("every message is lost once: the sweep sends it again", async () => {
    const sent = await send(homes.on(name), shapeOf(name, "a video"));
    for (let minute = 0; minute < 16; minute++) {
      const [message] = queue.messages;
      queue.loseAll();
      if (message && minute % 2 === 1) await queue.deliver(message);
      if (minute % 2 === 1) queue.loseAll();
      await advance(MINUTE);
      await cron();
    }
    await minutePasses();
    await expectLive(sent);
  });
});

type Step = "deliver" | "repeat" | "together" | "lose" | "minute" | "hour";

const step = fc.constantFrom<Step[]>("deliver", "deliver", "repeat", "together", "lose", "minute", "minute", "hour");
const fate = fc.constantFrom<Fate[]>("dies", "fails", "loses the answer");
const fault = fc.constantFrom<(readonly [Operation, FaultKind])[]>(
  ["publish", "error"],
  ["publish", "accept_then_drop"],
  ["publish", "accept_then_error"],
  ["publish", "rate_limit"],
  ["upload", "error"],
  ["upload", "accept_then_drop"],
  ["status", "error"],
);
const history = fc.record({
  post: fc.constantFrom(...TROUBLED),
  steps: fc.array(step, { maxLength: 12 }),
  fates: fc.dictionary(fc.integer({ min: 1, max: 40 }).map(String), fate, { maxKeys: 5 }),
  faults: fc.array(fault, { maxLength: 3 }),
});

async function take(step: Step): Promise<void> {
  const [message] = queue.messages;
  switch (step) {
    case "deliver":
      return queuesIdle(MINUTE);
    case "repeat":
      return message && queue.deliver(message);
    case "together":
      if (message) await Promise.all([queue.deliver(message), queue.deliver(message)]);
      return;
    case "lose":
      return queue.loseAll();
    case "minute":
      await advance(MINUTE);
      return cron();
    case "hour":
      await advance(60 * MINUTE);
      return cron();
  }
}

test("any order of retries, repeats, losses, crashes and faults: live at most once, and always an end", {
  timeout: 60_000,
}, async () => {
  const holds = fc.asyncProperty(history, async ({ post: [name, shape], steps, fates, faults }) => {
    // A refresh whose answer died with its process has used up X's refresh token.
    await keepConnected(homes.on(name));
    for (const [operation, kind] of faults) await sandbox.fault(name, operation, kind);
    const sent = await send(homes.on(name), shapeOf(name, shape));
    arm(fates);
    for (const one of steps) await take(one);
    await queuesIdle();
    disarm();
    await calm();
    // Past every lease and wait, and at last past the deadline.
    for (const minutes of [1, 1, 10, 60, 7 * 60, 1]) {
      await advance(minutes * MINUTE);
      await minutePasses();
    }
    const outcome = await outcomeOf(sent);
    expect(flaws(sent, outcome)).toEqual([]);
  });
  await fc.assert(holds, { numRuns: 30, seed: 20_261_120 });
});
