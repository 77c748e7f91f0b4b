import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { REFUSALS, type Refused } from "./contract-refusals.ts";
import { DRAWN, drawn } from "./contract-sample.ts";
import type { Shape } from "./contract-shapes.ts";
import { spoiling } from "./contract-spoilt.ts";
import {
  calm,
  flaws,
  Homes,
  healthOf,
  isHonestDoubt,
  keepConnected,
  mayEndInDoubt,
  NAMES,
  type Name,
  outcomeOf,
  planFor,
  send,
} from "./contract-world.ts";
import { queuesIdle } from "./support/queue.ts";

/**
 * An answer is evidence: a publishing call that was carried out and answered by any refusal, with the status that the platform
 * documents or with a 5xx. Nothing is live twice, nothing live is called failed, and no channel is stopped for it.
 */
const homes = new Homes();
beforeAll(async () => {
  await homes.connect();
});
afterEach(calm);

async function actedThenRefused(name: Name, shape: Shape, { status, body, headers }: Refused) {
  const sent = await send(homes.on(name), shape);
  let isSpoilt = false;
  const spoil = ({ operation, answer }: { operation: string | null; answer: Response }) => {
    if (isSpoilt || operation !== "publish" || answer.status >= 300) return null;
    isSpoilt = true;
    return Response.json(body, { status, headers: { ...headers } });
  };
  await spoiling(name, spoil, () => queuesIdle(24 * 3_600_000));
  expect(isSpoilt).toBe(true);
  return { sent, outcome: await outcomeOf(sent) };
}

/** So many of a platform's refusals are tried in one run, of one shape each. */
const DRAWN_REFUSALS = 6;

describe.for(NAMES)("%s", (name) => {
  const { typical, richest } = planFor(name);
  const shapes = [...new Set([...typical, richest])];
  const refusals = REFUSALS[name].flatMap((refused) => [refused, { ...refused, status: 500 }]);
  const cases = shapes.flatMap((shape) => refusals.map((refused) => [shape, refused] as const));
  const titled = drawn(`${name} refusals`, cases, DRAWN_REFUSALS).map(
    ([shape, refused]) => [shape.name, `${refused.status} ${refused.name}`, shape, refused] as const,
  );

  test.for(titled)(
    `%s: carried out, then answered by %s: live once, and not called failed (${DRAWN})`,
    async ([, , shape, refused]) => {
      await keepConnected(homes.on(name));
      const { sent, outcome } = await actedThenRefused(name, shape, refused);
      expect(flaws(sent, outcome)).toEqual([]);
      if (outcome.state !== "published" && mayEndInDoubt(sent))
        expect(isHonestDoubt({ ...outcome, live: [] })).toBe(true);
      else expect(outcome.error).toBeUndefined();
      expect(await healthOf(homes.on(name))).toMatchObject({ health: "connected" });
    },
  );
});
