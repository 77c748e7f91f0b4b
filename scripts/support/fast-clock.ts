import { z } from "zod";
import { callJson } from "./http.ts";
import type { World } from "./world.ts";

/** The service whose clock moves on request (test/support/fast-worker.ts). */
export const ENTRY = "test/support/fast-worker.ts";

/**
 * The most requests between two times. A token takes 100 a second, which the limiter gives to isolates in
 * parts, and the clock stands still meanwhile. A limiter that is unloaded after some idle seconds gives no
 * more until the clock moves.
 */
export const WAVE = 50;
export const WAVE_MS = 3_000;

const Meter = z.object({ d1Calls: z.int(), d1RowsRead: z.int(), d1RowsWritten: z.int() });
export type Meter = z.output<typeof Meter>;
const Home = z.object({
  meters: z.object({ requests: Meter, jobs: Meter, tasks: Meter, sweeps: Meter }),
  sweeps: z.int(),
  skipped: z.int(),
  sweepMs: z.number(),
  longestSweepMs: z.number(),
  mostBehindMs: z.number(),
  bytes: z.int(),
});
export type Home = z.output<typeof Home>;
const Stats = z.object({
  now: z.number(),
  waiting: z.int(),
  requests: z.int(),
  messages: z.object({ jobs: z.int(), tasks: z.int() }),
  databases: z.array(Home),
});
export type Stats = z.output<typeof Stats>;

interface Pass {
  /** Where a service goes on that was killed. */
  readonly from?: number;
  /** The sandbox's clock stands still between the instants of the service's. */
  readonly isStill?: boolean;
  /** How often the cron fires; by default each minute. */
  readonly sweepEveryMs?: number;
}

/** Lets time pass until this instant; without one, only reads the counts. */
export async function advance(
  { service }: Pick<World, "service">,
  until: number | null,
  how: Pass = {},
): Promise<Stats> {
  for (;;) {
    const answer = await callJson("POST", `${service.origin}/_fast`, { body: { until, ...how }, timeoutMs: 280_000 });
    if (answer.status !== 200) throw new Error(`The clock answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    const stats = Stats.parse(answer.body);
    if (until === null || stats.now >= until) return stats;
  }
}
