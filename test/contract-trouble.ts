import { afterEach, beforeAll, expect, vi } from "vitest";
import { arm, disarm, type Fate, makeMortal } from "./contract-mortal.ts";
import {
  calm,
  flaws,
  Homes,
  isHonestDoubt,
  NAMES,
  type Name,
  outcomeOf,
  type Sent,
  type Shape,
  send,
  settings,
} from "./contract-world.ts";
import { advance } from "./support/clock.ts";
import { cron, queuesIdle } from "./support/queue.ts";

/** What the tests of troubled deliveries share. Call `troubled` at the top of a file. */
export function troubled(): Homes {
  const homes = new Homes();
  beforeAll(async () => {
    await homes.connect();
    await settings({ facebook_reels_per_day: 10_000 });
    makeMortal();
    // What a dying delivery says is no news here.
    vi.spyOn(console, "error").mockImplementation(() => {});
  });
  afterEach(async () => {
    disarm();
    await calm();
  });
  return homes;
}

const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Longer than a lease, and than a message may be late. */
export async function minutePasses(): Promise<void> {
  await advance(LEASE_MS + 1_000);
  await cron();
  await queuesIdle();
}

/** Publishes with these fates; answers how many acts it took until the queue was idle. */
export async function run(homes: Homes, name: Name, shape: Shape, fates: Readonly<Record<number, Fate>>) {
  const sent = await send(homes.on(name), shape);
  arm(fates);
  await queuesIdle();
  const acts = disarm();
  await minutePasses();
  return { sent, acts };
}

export async function expectLive(sent: Sent, where = ""): Promise<void> {
  let outcome = await outcomeOf(sent);
  for (let hour = 0; hour < 8 && outcome.state === "processing" && sent.shape.endsInDoubt; hour++) {
    await queuesIdle();
    await advance(HOUR_MS);
    await cron();
    outcome = await outcomeOf(sent);
  }
  expect(flaws(sent, outcome), where).toEqual([]);
  if (sent.shape.endsInDoubt && isHonestDoubt(outcome)) return;
  expect(outcome.state, `${where}: ${outcome.error}`).toBe("published");
}

/** A troubled delivery at each of its acts, one after the other. */
export async function expectLiveAfter(fate: Fate, homes: Homes, name: Name, shape: Shape): Promise<void> {
  const { acts } = await run(homes, name, shape, {});
  expect(acts).toBeGreaterThan(5);
  for (let at = 1; at <= acts; at++) {
    const { sent } = await run(homes, name, shape, { [at]: fate });
    await expectLive(sent, `${fate} at ${at} of ${acts}`);
  }
}

export const TROUBLED: readonly (readonly [Name, string])[] = NAMES.flatMap((name) =>
  ["a text", "an image", "a video", ...(name === "twitter" ? ["a thread"] : ["a reel", "a video story"])].map(
    (shape) => [name, shape] as const,
  ),
);
