import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { joinLine, type Line, mayAct, spacing, takeOrJoin, takeTurn } from "../../src/acting/pace.ts";
import { writeTogether } from "../../src/db/client.ts";
import { insertWhere } from "../../src/db/insert-where.ts";
import { sweepNotesTable } from "../../src/jobs/table.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { db } from "../support/engine.ts";
import { SECOND } from "../support/times.ts";

/**
 * Lines at a bucket, by a clock of their own: several workers, whose calls to the database come in any order.
 */
beforeEach(async () => {
  for (const table of ["rate_buckets", "rate_waits"]) await env.DB.prepare(`DELETE FROM ${table}`).run();
});

interface Rate {
  readonly apartMs: number;
  readonly atOnce: number;
}

/** One who acts once. */
interface Waiter {
  readonly name: string;
  readonly party: string;
  readonly comesAt: number;
  /** As polls do: its act stores no intent. */
  readonly isPoll: boolean;
}

interface Admitted extends Waiter {
  readonly at: number;
  readonly attempts: number;
}

/** Between 0 and 1, drawn by the test. */
type Draw = () => number;

/**
 * Runs until all have acted. Each wakes at its time, up to `latencyMs` late. A job's attempt is two
 * calls (the intent, then the line), between which others have theirs.
 */
async function run(rate: Rate, waiters: readonly Waiter[], draw: Draw, latencyMs = 2 * SECOND): Promise<Admitted[]> {
  const admitted: Admitted[] = [];
  const attempts = new Map<string, number>();
  const agenda = waiters.map((waiter) => ({ waiter, at: waiter.comesAt, isRefused: false }));
  const wakeAt = (now: number, at: number) => now + Math.ceil((at - now) / SECOND) * SECOND + draw() * latencyMs;
  for (let steps = 0; agenda.length > 0; steps++) {
    if (steps > waiters.length * 12) throw new Error(`${agenda.length} still wait after ${steps} steps.`);
    agenda.sort((a, b) => a.at - b.at);
    const next = agenda.shift();
    if (!next) break;
    const { waiter } = next;
    const now = Math.ceil(next.at);
    const line: Line = { key: "bucket", ...rate, waiter: waiter.name, party: waiter.party };
    const tried = (attempts.get(waiter.name) ?? 0) + (next.isRefused ? 0 : 1);
    attempts.set(waiter.name, tried);
    if (waiter.isPoll) {
      const standing = await takeOrJoin(db, line, now);
      if (standing.kind === "taken") admitted.push({ ...waiter, at: now, attempts: tried });
      else agenda.push({ waiter, at: wakeAt(now, standing.kind === "free" ? now : standing.at), isRefused: false });
    } else if (next.isRefused) {
      const standing = await joinLine(db, line, now);
      agenda.push({ waiter, at: wakeAt(now, standing.kind === "free" ? now : standing.at), isRefused: false });
    } else if (await intend(line, now)) admitted.push({ ...waiter, at: now, attempts: tried });
    else agenda.push({ waiter, at: now + draw() * 50, isRefused: true });
  }
  return admitted;
}

/** The intent of a job's act, in the batch with its turn. */
async function intend(line: Line, now: number): Promise<boolean> {
  const name = `${crypto.randomUUID()} ${line.waiter}`;
  const intended = sql`EXISTS (SELECT 1 FROM sweep_notes WHERE name = ${name})`;
  const { taken } = await writeTogether(db, {
    taken: insertWhere(db, sweepNotesTable, { name, value: "" }, mayAct(line, now)).returning(),
    turn: takeTurn(db, line, now, intended),
    note: db.delete(sweepNotesTable).where(sql`name = ${name}`),
  });
  return taken.length > 0;
}

/** The most acts that any window holds, less what its bucket allows: never more than nothing. */
function excess(admitted: readonly Admitted[], { apartMs, atOnce }: Rate): number {
  const times = admitted.map(({ at }) => at).toSorted((a, b) => a - b);
  let most = Number.NEGATIVE_INFINITY;
  for (const [first, from] of times.entries()) {
    for (const [last, until] of times.entries()) {
      if (last < first) continue;
      most = Math.max(most, last - first + 1 - atOnce - Math.floor((until - from) / apartMs));
    }
  }
  return most;
}

const WAITERS = fc.array(
  fc.record({
    party: fc.constantFrom("a", "b", "c"),
    comesAt: fc.integer({ min: 0, max: 20_000 }),
    isPoll: fc.boolean(),
  }),
  { minLength: 1, maxLength: 24 },
);
const RATE = fc.record({ apartMs: fc.integer({ min: 700, max: 8_000 }), atOnce: fc.integer({ min: 1, max: 6 }) });

describe("several workers at one bucket, in any order of their calls", () => {
  test("admit no more than its rate, use what is released, and let no caller starve", {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        RATE,
        WAITERS,
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        async (rate, some, draws) => {
          await env.DB.prepare("DELETE FROM rate_buckets").run();
          const draw: Draw = () => draws.next().value ?? 0;
          const waiters = some.map((one, index) => ({ ...one, name: `reply:${index}` }));
          const admitted = await run(rate, waiters, draw);
          expect(admitted).toHaveLength(waiters.length);
          expect(excess(admitted, rate)).toBeLessThanOrEqual(0);
          const left = await env.DB.prepare("SELECT count(*) AS n FROM rate_waits").first<{ n: number }>();
          expect(left).toEqual({ n: 0 });
          // The returned rate, and for each wait its second and its message.
          const last = Math.max(...admitted.map(({ at }) => at));
          const begun = Math.max(...waiters.map(({ comesAt }) => comesAt));
          const most = Math.max(...admitted.map(({ attempts }) => attempts));
          expect(last).toBeLessThanOrEqual(begun + waiters.length * rate.apartMs + most * 3.1 * SECOND);
        },
      ),
      { numRuns: 25, seed: 19 },
    );
  });

  test("give each party its turn: the flood of two delays a third by one act of each", {
    timeout: 60_000,
  }, async () => {
    const rate = { apartMs: 4_000, atOnce: 3 };
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60_000 }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        async (comesAt, draws) => {
          await env.DB.prepare("DELETE FROM rate_buckets").run();
          const draw: Draw = () => draws.next().value ?? 0;
          const flood = Array.from({ length: 40 }, (_, index) => ({
            name: `reply:${index}`,
            party: index % 2 === 0 ? "a" : "b",
            comesAt: index,
            isPoll: false,
          }));
          const newcomer = { name: "reply:new", party: "c", comesAt, isPoll: false };
          const admitted = await run(rate, [...flood, newcomer], draw);
          const at = admitted.find(({ name }) => name === newcomer.name)?.at ?? Number.POSITIVE_INFINITY;
          // One of each before it, its own, and what one of them was late.
          expect(at - comesAt).toBeLessThanOrEqual(3 * rate.apartMs + 4 * SECOND);
        },
      ),
      { numRuns: 8, seed: 19 },
    );
  });
});

test("five hundred of one project are through as fast as the bucket fills, in a few attempts each", {
  timeout: 120_000,
}, async () => {
  // YouTube's pace, a thousand times as fast.
  const rate = spacing({ most: 80, perSeconds: 86.4 });
  const waiters = Array.from({ length: 500 }, (_, index) => ({
    name: `reply:${index}`,
    party: "project:1",
    comesAt: index,
    isPoll: true,
  }));
  let turn = 0;
  const admitted = await run(rate, waiters, () => (turn++ % 7) / 7);
  expect(excess(admitted, rate)).toBeLessThanOrEqual(0);
  const last = Math.max(...admitted.map(({ at }) => at));
  expect(last).toBeLessThanOrEqual((500 - rate.atOnce) * rate.apartMs + 10 * SECOND);
  const attempts = admitted.reduce((sum, one) => sum + one.attempts, 0);
  expect(attempts).toBeLessThanOrEqual(500 * 4);
});

test("no window of a platform's pace holds more than that, and hastened ones keep what comes back while messages are late", () => {
  const paces = Object.values(platforms).flatMap((platform) =>
    [platform?.comments?.pace, platform?.messages?.pace, platform?.comments?.reading?.budget].filter(
      (pace) => pace !== undefined,
    ),
  );
  expect(paces.length).toBeGreaterThan(7);
  for (const pace of paces) {
    const { apartMs, atOnce } = spacing(pace);
    expect(atOnce + Math.floor((pace.perSeconds * SECOND) / apartMs)).toBeLessThanOrEqual(pace.most + 1);
    const hastened = spacing({ ...pace, perSeconds: pace.perSeconds / 1_000 });
    expect(hastened.atOnce * hastened.apartMs).toBeGreaterThanOrEqual(4 * SECOND);
  }
});
