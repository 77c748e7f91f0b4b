import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { queuesIdle } from "../support/queue.ts";
import { type Exchange, refusing, spoiling } from "./changed-answers.ts";
import { FINAL, LACKS, REFUSALS, type Refused } from "./refusals.ts";
import { DRAWN, drawn } from "./sample.ts";
import type { Shape } from "./shapes.ts";
import {
  calm,
  factsOf,
  flaws,
  Homes,
  healthOf,
  keepConnected,
  mayEndInDoubt,
  NAMES,
  type Name,
  outcomeOf,
  planFor,
  send,
  settings,
} from "./world.ts";

/**
 * An answer is evidence: a publishing call that was carried out and answered by any refusal, with the status
 * that the platform documents or with a 5xx. Nothing is live twice, nothing live is called failed, and no
 * channel is stopped for it.
 */
const homes = new Homes();
beforeAll(async () => {
  await homes.connect();
});
beforeEach(async () => {
  for (const name of NAMES) await settings(factsOf(name).answering ?? {});
});
afterEach(calm);

async function actedThenRefused(name: Name, shape: Shape, { status, body, headers }: Refused) {
  const sent = await send(homes.on(name), shape);
  let isSpoilt = false;
  const spoil = ({ operation, answer }: Exchange) => {
    if (isSpoilt || operation !== "publish" || answer.status >= 300) return null;
    isSpoilt = true;
    return Response.json(body, { status, headers: { ...headers } });
  };
  await spoiling(name, spoil, () => queuesIdle(24 * 3_600_000));
  expect(isSpoilt).toBe(true);
  return { sent, outcome: await outcomeOf(sent) };
}

/** So many of a platform's refusals are tried in one run, of one shape each. */
const DRAWN_REFUSALS = 3;

describe.for(NAMES)("%s", (name) => {
  const { typical, richest } = planFor(name);
  const shapes = [...new Set([...typical, richest])];
  const refusals = REFUSALS[name].flatMap((refused) => [refused, { ...refused, status: 500 }]);
  const cases = shapes.flatMap((shape) => refusals.map((refused) => [shape, refused] as const));
  // Seen of carousels at Threads: 500, with the code of a missing permission.
  const seen = [LACKS[name], { ...LACKS[name], status: 500 }].map((refused) => [richest, refused] as const);
  const titled = [...seen, ...drawn(`${name} refusals`, cases, DRAWN_REFUSALS)].map(
    ([shape, refused]) => [shape.name, `${refused.status} ${refused.name}`, shape, refused] as const,
  );

  test.for(titled)(
    `%s: carried out, then answered by %s: live once, and not called failed (${DRAWN})`,
    async ([, , shape, refused]) => {
      await keepConnected(homes.on(name));
      const { sent, outcome } = await actedThenRefused(name, shape, refused);
      expect(flaws(sent, outcome)).toEqual([]);
      // Where nothing shows that it was carried out, the platform's word counts.
      if (mayEndInDoubt(sent)) return;
      expect(outcome.error).toBeUndefined();
      expect(await healthOf(homes.on(name))).toMatchObject({ health: "connected" });
    },
  );

  test(`a refusal of what was not carried out ends soon, with its reason`, async () => {
    const [plain = richest] = typical;
    const kinds = new Set<string>();
    const learn = ({ kind, operation, answer }: Exchange) => {
      if (operation === "publish" && answer.status < 300) kinds.add(kind);
      return null;
    };
    await send(homes.on(name), plain);
    await spoiling(name, learn, () => queuesIdle(24 * 3_600_000));
    expect(kinds.size).toBeGreaterThan(0);

    const [{ status, body }, code] = FINAL[name];
    const sent = await send(homes.on(name), plain);
    const from = Date.now();
    await refusing(
      kinds,
      () => Response.json(body, { status }),
      () => queuesIdle(24 * 3_600_000),
    );
    expect(await outcomeOf(sent)).toMatchObject({ state: "failed", code, live: [] });
    expect(Date.now() - from).toBeLessThan(120_000);
  });
});
