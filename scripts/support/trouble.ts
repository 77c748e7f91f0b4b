import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../../test/support/control.ts";
import type { Random } from "../../test/support/random.ts";
import { dim, elapsed, say } from "./terminal.ts";
import { fireCron } from "./workers.ts";
import type { World } from "./world.ts";

/** The disturbances of `npm run soak` while the service works. */

export interface Spell {
  readonly since: number;
  isOver: boolean;
}

const CRON_EVERY_MS = 4000;

interface Kills {
  readonly most: number;
  /** The last time at which the service is killed, in milliseconds after the start. */
  readonly untilMs: number;
}

/**
 * Kills the service's whole process group (SIGKILL) at times derived from the seed, and restarts it each
 * time. Returns the number of kills.
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

/** Injects faults into calls, one kind after the other; all start within `withinMs`. */
export async function spoilCalls(world: World, run: Spell, faults: readonly Fault[], withinMs: number): Promise<void> {
  for (const fault of faults) {
    await sleep(withinMs / faults.length);
    if (run.isOver) return;
    const { platform, operation, kind, times } = fault;
    await world.control.fault(platform, operation, kind, times);
    say(dim(`${elapsed(run.since)}  ${platform}: ${kind} on the next ${times} ${operation} calls`));
  }
}

/** Fires the cron more often than in production until the run is over. */
export async function fireOften(world: World, run: Spell): Promise<void> {
  while (!run.isOver) {
    // A killed service has no cron either.
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
