import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { platforms } from "../../src/platforms/registry.ts";
import { newAccount } from "../support/accounts.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { without } from "./absent.ts";
import { type FaultKind, type Operation, operationsOf } from "./faults.ts";
import { crossed, DRAWN, drawn } from "./sample.ts";
import type { Shape } from "./shapes.ts";
import {
  bodyOf,
  callsTo,
  calm,
  createAnswer,
  factsOf,
  flaws,
  type Home,
  healthOf,
  homeOn,
  NAMES,
  type Name,
  type Outcome,
  outcomeOf,
  planFor,
  send,
  settings,
  waitingFaults,
} from "./world.ts";

/**
 * Tokens that end. Where the adapter can renew them, the post is published; where only the person can help,
 * the post fails with that sentence and the channel says so. A network that failed ends nothing.
 */
beforeEach(async () => {
  // What the tests before left would be kept up through the days of the next one.
  await startClean();
  await settings({ slow_ms: 30 });
  for (const name of NAMES) await settings(factsOf(name).renewing ?? {});
});
afterEach(calm);

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const ANEW = /again to publish with it/;

interface TokenFault {
  readonly operation: Operation;
  readonly kind: FaultKind;
  readonly times?: number;
}

async function underFault(home: Home, shape: Shape, { operation, kind, times = 1 }: TokenFault) {
  await sandbox.fault(home.channel.channel_type, operation, kind, times);
  const sent = await send(home, shape);
  await queuesIdle(DAY_MS);
  const outcome = await outcomeOf(sent);
  expect(flaws(sent, outcome)).toEqual([]);
  return outcome;
}

async function expectGoesOn(home: Home, { state }: Outcome): Promise<void> {
  expect(state).toBe("published");
  expect(await healthOf(home)).toMatchObject({ health: "connected" });
}

async function expectNeedsPerson(home: Home, { state, error }: Outcome): Promise<void> {
  expect(state).toBe("failed");
  expect(error).toMatch(ANEW);
  expect(await healthOf(home)).toMatchObject({ health: "reconnect_needed", reason: expect.stringContaining("again") });
}

/** At how many places the richest shape, and the others, lose their token in one run. */
const DRAWN_SPOTS = 1;

/** Where a token may end: at operations of the richest shape, and of the others. */
function spotsOn(name: Name, end: string): (readonly [shape: string, Operation, Shape])[] {
  const { richest, typical } = planFor(name);
  const { isProcessingHidden } = factsOf(name);
  const handling = { isProcessingHidden };
  const spots = (shape: Shape) =>
    operationsOf(shape, handling).map((operation) => [shape.name, operation, shape] as const);
  const others = typical.filter((shape) => shape !== richest).flatMap(spots);
  return [...crossed(`${name} ${end}`, spots(richest), DRAWN_SPOTS), ...drawn(`${name} spots`, others, DRAWN_SPOTS)];
}

describe.for(NAMES)(`%s (places ${DRAWN})`, (name) => {
  const { renewedBy, shapes, richest } = planFor(name);
  // An ended login cannot renew itself.
  const isRenewed = renewedBy === "refresh_token";
  const [plainest = richest] = shapes;

  test.for(spotsOn(name, "expires"))(
    `%s: a token that expires at %s ${isRenewed ? "is renewed, and the post goes on" : "needs the person"}`,
    async ([, operation, shape]) => {
      const home = await homeOn(name, await newAccount(name));
      const outcome = await underFault(home, shape, { operation, kind: "expire_token" });
      await (isRenewed ? expectGoesOn(home, outcome) : expectNeedsPerson(home, outcome));
    },
  );

  test.for(spotsOn(name, "taken away"))(
    "%s: access that is taken away at %s needs the person; connecting again helps",
    async ([, operation, shape]) => {
      const account = await newAccount(name);
      const home = await homeOn(name, account);
      await expectNeedsPerson(home, await underFault(home, shape, { operation, kind: "revoke_token" }));

      const refused = await createAnswer(home, bodyOf(plainest, "not now"));
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toMatch(ANEW);

      expect(await home.project.connect(name, [account])).toEqual([home.channel.channel_id]);
      const after = await send(home, plainest);
      await queuesIdle();
      expect((await outcomeOf(after)).state).toBe("published");
    },
  );

  test.for(crossed("nothing renews", NAMES, 3).filter((one) => one === name))(
    "%s: a token that cannot be renewed is not renewed, and only the account owner can reconnect",
    async () => {
      const home = await homeOn(name, await newAccount(name));
      const ofToken = async () => (await callsTo(name)).filter(({ operation }) => operation === "token").at(-1)?.id;
      const grant = platforms[name]?.grants.publish;
      // The other credentials are not checked either.
      await without(grant, "inspect", () =>
        without(grant, "renewal", async () => {
          const last = await ofToken();
          await expectNeedsPerson(
            home,
            await underFault(home, plainest, { operation: "publish", kind: "expire_token" }),
          );
          await advance(DAY_MS);
          await cron();
          await queuesIdle();
          expect(await ofToken()).toBe(last);
        }),
      );
    },
  );
});

/** A channel and its plainest post there; `passes` moves the clock by that share of a token's life. */
async function tokenOn(name: Name) {
  const { shapes, richest } = planFor(name);
  const { tokenSeconds } = factsOf(name);
  if (tokenSeconds === null) throw new Error(`facts.ts must say how long a token of ${name} lives.`);
  const home = await homeOn(name, await newAccount(name));
  return { home, plainest: shapes[0] ?? richest, passes: (share: number) => advance(share * tokenSeconds * 1000) };
}

const RENEWABLE = NAMES.filter((name) => planFor(name).renewedBy !== null);

/** Where a renewal is a risk, nothing is renewed before it is needed. */
const AHEAD = RENEWABLE.filter((name) => planFor(name).isRenewedAhead);

describe.for(AHEAD)("%s, by the sweep", (name) => {
  test.for(crossed(`${name} failed tries`, [0, 2], 1))(
    "a token is renewed ahead of its end, though %i tries fail",
    async (times) => {
      const { home, plainest, passes } = await tokenOn(name);
      await passes(0.85);
      if (times > 0) await sandbox.fault(name, "token", "error", times);
      for (let minute = 0; minute < 5; minute++) {
        await cron();
        await queuesIdle();
        await advance(MINUTE_MS);
      }
      expect(await waitingFaults()).toEqual([]);
      await passes(0.2);
      await expectGoesOn(home, await underFault(home, plainest, { operation: "token", kind: "error", times: 100 }));
    },
  );
});

describe.for(RENEWABLE.filter((name) => planFor(name).renewedBy === "refresh_token"))("%s, on demand", (name) => {
  const { renewsOnce } = factsOf(name);

  async function renewingMeets(kind: FaultKind, times: number): Promise<readonly [Home, Outcome]> {
    const { home, plainest, passes } = await tokenOn(name);
    await passes(1);
    const outcome = await underFault(home, plainest, { operation: "token", kind, times });
    expect(await waitingFaults()).not.toContainEqual(expect.objectContaining({ kind, times }));
    return [home, outcome];
  }

  const PASSING = ["error", "rate_limit", "slow"] as const;
  test.for(crossed(`${name} renewing`, PASSING, 1))("renewing meets %s: it is tried again", async (kind) => {
    await expectGoesOn(...(await renewingMeets(kind, 2)));
  });

  test.for(["accept_then_drop", "accept_then_error"] as const)(
    `renewing meets %s: ${renewsOnce ? "the refresh token is lost, only the account owner can reconnect" : "it is tried again"}`,
    async (kind) => {
      const [home, outcome] = await renewingMeets(kind, 1);
      await (renewsOnce ? expectNeedsPerson(home, outcome) : expectGoesOn(home, outcome));
      if (renewsOnce) expect(outcome.live).toEqual([]);
    },
  );
});
