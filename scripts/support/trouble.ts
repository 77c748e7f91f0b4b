import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../test/support/control.ts";
import type { Random } from "../../test/support/random.ts";
import { dim, elapsed, say } from "./terminal.ts";
import { fireCron } from "./workers.ts";
import type { World } from "./world.ts";

/** What the parts of `npm run soak` do to a service while it works. */

export interface Spell {
  readonly since: number;
  isOver: boolean;
}

const CRON_EVERY_MS = 4000;

interface Kills {
  readonly most: number;
  /** The service dies from here on no more: milliseconds after the beginning. */
  readonly untilMs: number;
}

/**
 * SIGKILL to the service's whole process group, at moments of the seed's choosing, and a new start each time.
 * Answers how often.
 */
export async function killOften(world: World, run: Spell, random: Random, { most, untilMs }: Kills): Promise<number> {
  let kills = 0;
  while (kills < most && Date.now() - run.since < untilMs && !run.isOver) {
    await sleep(random.between(1500, 6000));
    if (run.isOver) break;
    await world.service.kill();
    kills++;
    say(dim(`${elapsed(run.since)}  killed (${kills})`));
    await world.restartService();
  }
  return kills;
}

/** Spoils calls, one kind of trouble after the other, all begun within `withinMs`. */
export async function spoilCalls(world: World, run: Spell, faults: readonly Fault[], withinMs: number): Promise<void> {
  for (const fault of faults) {
    await sleep(withinMs / faults.length);
    if (run.isOver) return;
    const { platform, operation, kind, times } = fault;
    await world.control.fault(platform, operation, kind, times);
    say(dim(`${elapsed(run.since)}  ${platform}: ${kind} on the next ${times} ${operation} calls`));
  }
}

/** The cron, faster than in real life, until the run is over. */
export async function fireOften(world: World, run: Spell): Promise<void> {
  while (!run.isOver) {
    // A dead service has no cron either.
    await fireCron(world.service.origin).catch(() => {});
    await sleep(CRON_EVERY_MS);
  }
}

export function shuffled<T>(list: readonly T[], random: Random): readonly T[] {
  return list
    .map((one) => ({ one, rank: random.between(0, 1_000_000) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ one }) => one);
}
