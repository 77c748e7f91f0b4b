import { afterEach, beforeAll, describe, test } from "vitest";
import {
  ACCOUNTS,
  calm,
  createAnswer,
  type FaultKind,
  flaws,
  type Home,
  healthOf,
  homeOn,
  type Name,
  type Operation,
  outcomeOf,
  send,
  settings,
  shapeOf,
} from "./contract-world.ts";
import { advance } from "./support/clock.ts";
import { cron, queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";

/**
 * Tokens that end. X's are renewed and the post goes on; Facebook's cannot be renewed without the person. Where only the
 * person can help, the post fails with that sentence and the channel says so. A network that failed ends nothing.
 */
beforeAll(() => settings({ slow_ms: 30 }));
afterEach(calm);

async function underFault(home: Home, shape: string, operation: Operation, kind: FaultKind, times = 1) {
  await sandbox.fault(home.channel.channel_type, operation, kind, times);
  const sent = await send(home, shapeOf(home.channel.channel_type, shape));
  await queuesIdle(24 * 3_600_000);
  const outcome = await outcomeOf(sent);
  return { outcome, flaws: flaws(sent, outcome) };
}

const SPOTS: readonly (readonly [shape: string, Operation])[] = [
  ["a text", "publish"],
  ["an image", "upload"],
  ["a video", "upload"],
  ["a video", "publish"],
  ["a video", "status"],
];

describe("twitter", () => {
  test.for(SPOTS)(
    "%s: a token that expires at %s is renewed, and the post goes on",
    async ([shape, operation], { expect }) => {
      const home = await homeOn("twitter");
      const { outcome, flaws } = await underFault(home, shape, operation, "expire_token");
      expect(flaws).toEqual([]);
      expect(outcome.state).toBe("published");
      expect(await healthOf(home)).toMatchObject({ health: "connected" });
    },
  );

  test.for(["error", "rate_limit", "slow"] as const)(
    "renewing meets %s: it is tried again",
    async (kind, { expect }) => {
      const home = await homeOn("twitter");
      // Two hours: the token is over.
      await advance(2 * 3_600_000);
      const { outcome, flaws } = await underFault(home, "a text", "token", kind, 2);
      expect(flaws).toEqual([]);
      expect(outcome.state).toBe("published");
      expect(await healthOf(home)).toMatchObject({ health: "connected" });
    },
  );

  test.for(["accept_then_drop", "accept_then_error"] as const)(
    "renewing meets %s: the refresh token is used up, only the person can help",
    async (kind, { expect }) => {
      const home = await homeOn("twitter");
      await advance(2 * 3_600_000);
      const { outcome, flaws } = await underFault(home, "a text", "token", kind);
      expect(flaws).toEqual([]);
      expect(outcome).toMatchObject({ state: "failed", live: [] });
      expect(outcome.error).toMatch(/again to publish with it/);
      expect(await healthOf(home)).toMatchObject({ health: "reconnect_needed" });
    },
  );

  test("the sweep renews ahead of the end", async ({ expect }) => {
    const home = await homeOn("twitter");
    await advance(1.9 * 3_600_000);
    await cron();
    await queuesIdle();
    await sandbox.fault("twitter", "token", "error", 100);
    await advance(1.5 * 3_600_000);
    const sent = await send(home, shapeOf("twitter", "a text"));
    await queuesIdle(60_000);
    expect((await outcomeOf(sent)).state).toBe("published");
  });
});

describe("facebook", () => {
  test.for(SPOTS)("%s: a token that expires at %s needs the person", async ([shape, operation], { expect }) => {
    const home = await homeOn("facebook");
    const { outcome, flaws } = await underFault(home, shape, operation, "expire_token");
    expect(flaws).toEqual([]);
    expect(outcome.state).toBe("failed");
    expect(outcome.error).toMatch(/again to publish with it/);
    expect(await healthOf(home)).toMatchObject({ health: "reconnect_needed" });
  });
});

describe.for(["facebook", "twitter"] as const)("%s", (name: Name) => {
  test.for(SPOTS)(
    "%s: access that is taken away at %s needs the person; connecting again helps",
    async ([shape, operation], { expect }) => {
      const home = await homeOn(name, ACCOUNTS[name][1]);
      const { outcome, flaws } = await underFault(home, shape, operation, "revoke_token");
      expect(flaws).toEqual([]);
      expect(outcome.state).toBe("failed");
      expect(outcome.error).toMatch(/again to publish with it/);
      const { health, reason } = await healthOf(home);
      expect(health).toBe("reconnect_needed");
      expect(reason).toMatch(/again/);

      const refused = await createAnswer(home, { caption_text: "not now" });
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toMatch(/again to publish with it/);

      expect(await home.project.connect(name, [ACCOUNTS[name][1]])).toEqual([home.channel.channel_id]);
      const after = await send(home, shapeOf(name, "a text"));
      await queuesIdle();
      expect((await outcomeOf(after)).state).toBe("published");
    },
  );
});
