import { afterEach, beforeAll, expect, vi } from "vitest";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { arm, disarm, type Fate, makeMortal, resume, untilStalled } from "./mortal.ts";
import type { Shape } from "./shapes.ts";
import {
  calm,
  flaws,
  type Home,
  Homes,
  isHonestDoubt,
  liveNow,
  mayEndInDoubt,
  type Outcome,
  outcomeOf,
  type Sent,
  send,
} from "./world.ts";

/** What the tests of troubled deliveries share. Call `troubled` at the top of a file. */
export function troubled(kind: Parameters<Homes["connect"]>[0] = {}): Homes {
  const homes = new Homes();
  beforeAll(async () => {
    await homes.connect(kind);
    makeMortal();
    // The errors that a dying delivery logs are expected.
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

export async function expectLive(sent: Sent, where = "", known?: Outcome): Promise<void> {
  const isDoubtful = mayEndInDoubt(sent);
  let outcome = known ?? (await outcomeOf(sent));
  for (let hour = 0; hour < 8 && outcome.state === "processing" && isDoubtful; hour++) {
    await queuesIdle();
    await advance(HOUR_MS);
    await cron();
    outcome = await outcomeOf(sent);
  }
  expect(flaws(sent, outcome), where).toEqual([]);
  if (isDoubtful && isHonestDoubt(outcome)) return;
  expect(outcome.state, `${where}: ${outcome.error}`).toBe("published");
}

/** The acts of a delivery that nothing happens to, from 1. */
export async function actsOf(home: Home, shape: Shape): Promise<readonly number[]> {
  const sent = await send(home, shape);
  arm();
  await queuesIdle();
  const acts = disarm();
  await minutePasses();
  await expectLive(sent, "undisturbed");
  expect(acts).toBeGreaterThan(5);
  return Array.from({ length: acts }, (_, index) => index + 1);
}

/**
 * Delivers what is on its way; the delivery meets this fate at this act. `passes` is the time that one
 * stalls, once or twice.
 */
export async function meet(
  fate: Fate,
  at: number,
  hasEnded: () => Promise<boolean>,
  passes = minutePasses,
): Promise<void> {
  arm({ [at]: fate });
  const delivered = queuesIdle();
  if (fate === "stalls" || fate === "hears late") {
    // It may end in fewer acts than the undisturbed one; then no other delivery is to meet this fate.
    if (!(await untilStalled(delivered))) disarm();
    // Other deliveries take over, and complete if they can, before this one resumes.
    await passes();
    if (!(await hasEnded())) await passes();
    resume();
  }
  await delivered;
  disarm();
}

/** A post whose delivery meets this fate at this act. */
export async function expectLiveDespite(fate: Fate, at: number, home: Home, shape: Shape): Promise<void> {
  const sent = await send(home, shape);
  await meet(fate, at, async () => isOver(await outcomeOf(sent)));
  const outcome = await outcomeOf(sent);
  const where = `${fate} at act ${at}`;
  if (isOver(outcome)) return expectLive(sent, where, outcome);
  await minutePasses();
  await expectLive(sent, where);
}

export function isOver({ state }: Outcome): boolean {
  return state === "published" || state === "failed";
}

/** Further minutes neither add to what is live nor take from it; checked for many posts at once. */
export async function expectNoMore(home: Home): Promise<void> {
  const ids = async () => (await liveNow(home)).map(({ id }) => id).sort();
  const before = await ids();
  await minutePasses();
  await minutePasses();
  expect(await ids()).toEqual(before);
}
