import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { advance } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE } from "../support/times.ts";
import { actsOf, expectLive, expectLiveDespite, expectNoMore, isOver, minutePasses, troubled } from "./deliveries.ts";
import type { FaultKind, Operation } from "./faults.ts";
import { arm, disarm, FATES, type Fate } from "./mortal.ts";
import { crossed, DRAWN, drawn, IS_CALM, runsOf, SEED } from "./sample.ts";
import type { Shape } from "./shapes.ts";
import { calm, flaws, keepConnected, NAMES, outcomeOf, planFor, send } from "./world.ts";

/**
 * Deliveries to which something happens at one of their acts: the process dies, or continues after a failure,
 * a lost answer, a stall before the act or one before its answer. Messages that come twice, early or never.
 * And all of it at once, in any order. Wherever it was, the post is live once in the end.
 */
/** Long enough for every wait of a post whose messages are lost: in production there are more of them. */
const LOSING_MINUTES = IS_CALM ? 16 : 60;

/** So many fates of the richest shape at so many acts; of so many other shapes, one fate at one act. */
const DRAWN_FATES = 3;
const DRAWN_ACTS = 1;
const DRAWN_SHAPES = 1;
const LONG = { timeout: 180_000 };

const homes = troubled();

describe.for(NAMES)("%s", (name) => {
  const { richest, typical } = planFor(name);
  const home = () => homes.on(name);
  const known = new Map<Shape, Promise<readonly number[]>>();
  const acts = (shape: Shape) => {
    const own = known.get(shape) ?? actsOf(home(), shape);
    known.set(shape, own);
    return own;
  };

  const fates = crossed(`${name} fates`, FATES, DRAWN_FATES);
  test.for(fates)(`${richest.name}: a delivery that %s at an act publishes once (${DRAWN})`, LONG, async (fate) => {
    const chosen = drawn(`${name} ${richest.name} ${fate}`, await acts(richest), DRAWN_ACTS);
    for (const at of chosen) await expectLiveDespite(fate, at, home(), richest);
  });

  const others = typical.filter((one) => one !== richest);
  for (const shape of drawn(`${name} deliveries`, others, DRAWN_SHAPES)) {
    const label = `${name} ${shape.name}`;
    test.for(drawn(label, FATES, 1))(
      `${shape.name}: a delivery that %s at an act publishes once (${DRAWN})`,
      LONG,
      async (fate) => {
        const chosen = drawn(`${label} ${fate}`, await acts(shape), 1);
        for (const at of chosen) await expectLiveDespite(fate, at, home(), shape);
      },
    );
  }

  test("minutes later there is neither more nor less live of all these posts", () => expectNoMore(home()));
});

test.for(crossed("the same message", NAMES, 3))(
  "%s: the same message several times at once, and again after the end",
  async (name) => {
    const sent = await send(homes.on(name), planFor(name).richest);
    const [message] = queue.messages;
    if (!message) throw new Error("No message was sent.");
    await Promise.all([queue.deliver(message), queue.deliver(message), queue.deliver(message)]);
    await queuesIdle();
    await queue.deliver(message);
    await queuesIdle();
    await expectLive(sent);
  },
);

test.for(crossed("every message is lost", NAMES, 3))(
  "%s: every message is lost once: the sweep sends it again",
  async (name) => {
    const sent = await send(homes.on(name), planFor(name).richest);
    for (let minute = 0; minute < LOSING_MINUTES; minute++) {
      const [message] = queue.messages;
      queue.loseAll();
      if (message && minute % 2 === 1) await queue.deliver(message);
      if (minute % 2 === 1) queue.loseAll();
      await advance(MINUTE);
      await cron();
    }
    await minutePasses();
    await expectLive(sent);
  },
);

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

/** Orders of events by platform in one run. */
const HISTORIES = runsOf(3);

test.for(NAMES)(
  "%s: any order of retries, repeats, losses, crashes and faults: live at most once, and always an end",
  { timeout: HISTORIES * 12_000 },
  async (name) => {
    const shapes = fc.constantFrom(...planFor(name).typical);
    const holds = fc.asyncProperty(shapes, history, async (shape, { steps, fates, faults }) => {
      // A refresh whose answer died with its process may have used up what renews.
      await keepConnected(homes.on(name));
      for (const [operation, kind] of faults) await sandbox.fault(name, operation, kind);
      const sent = await send(homes.on(name), shape);
      arm(fates);
      for (const one of steps) await take(one);
      await queuesIdle();
      disarm();
      await calm();
      // Past every lease and wait, and the deadline.
      for (const minutes of [1, 1, 10, 60, 7 * 60]) {
        if (queue.length === 0 && isOver(await outcomeOf(sent))) break;
        await advance(minutes * MINUTE);
        await minutePasses();
      }
      await minutePasses();
      const outcome = await outcomeOf(sent);
      expect(flaws(sent, outcome)).toEqual([]);
    });
    await fc.assert(holds, { numRuns: HISTORIES, seed: SEED });
  },
);
