import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Line, lineOf, mayAct, sharedSpacing, spacing, takeTurn } from "../../src/acting/pace.ts";
import { renewLease, settleLeases, takeOrWait } from "../../src/acting/rate-leases.ts";
import { createMeter } from "../../src/core/meter.ts";
import { connectDb, writeTogether } from "../../src/db/client.ts";
import { insertWhere } from "../../src/db/insert-where.ts";
import { sweepNotesTable } from "../../src/jobs/table.ts";
import { ACCOUNTS, commentableOn, factsOf, send, settings } from "../contract/world.ts";
import { entryOf, makeBot, minutes, settled } from "../support/automations.ts";
import { databases, projectIn, useDatabases } from "../support/databases.ts";
import { queuesIdle } from "../support/queue.ts";
import { uniquely } from "../support/random.ts";
import { sandbox } from "../support/sandbox.ts";
import { MINUTE, SECOND } from "../support/times.ts";

/** The pace of an app that three databases share, by a clock of the test. */
useDatabases();

const TABLES = ["rate_buckets", "rate_waits", "rate_leases", "sweep_notes"];
async function clear(): Promise<void> {
  for (const one of databases()) await one.batch(TABLES.map((table) => one.prepare(`DELETE FROM ${table}`)));
}
beforeEach(clear);
afterEach(clear);

const DEATH = "It dies";

/** What happens to the next calls: each may die before it runs, or lose its answer. */
type Fate = "runs" | "dies" | "loses";

/** A database whose calls have these fates, in turn. */
function mortal(binding: D1Database, fates: Fate[]): D1Database {
  const meet = async <T>(run: () => Promise<T>): Promise<T> => {
    const fate = fates.shift() ?? "runs";
    if (fate === "dies") throw new Error(`${DEATH} before the call.`);
    const answer = await run();
    if (fate === "loses") throw new Error(`${DEATH} before the answer.`);
    return answer;
  };
  return new Proxy(binding, {
    get: (target, name) =>
      name === "batch"
        ? (statements: D1PreparedStatement[]) => meet(() => target.batch(statements))
        : Reflect.get(target, name).bind(target),
  });
}

function holder(database: number, fates: Fate[] = []) {
  const connected = databases().map((binding) => connectDb(mortal(binding, fates), createMeter()));
  const [directory = connectDb(env.DB, createMeter())] = connected;
  return { db: connected[database] ?? directory, directory, database, databases: databases().length };
}

const PACE = { most: 12, perSeconds: 60 };
const lineFor = (database: number, waiter: string, pace = PACE): Line => ({
  key: "platform::live:act",
  waiter,
  party: waiter,
  ...sharedSpacing(pace, database),
});

/** The intent of a job's act, in the batch with its turn. */
async function act(database: number, waiter: string, now: number, pace = PACE): Promise<boolean> {
  const { db } = holder(database);
  const line = lineFor(database, waiter, pace);
  const name = `${crypto.randomUUID()} ${waiter}`;
  const intended = sql`EXISTS (SELECT 1 FROM sweep_notes WHERE name = ${name})`;
  const { noted } = await writeTogether(db, {
    noted: insertWhere(db, sweepNotesTable, { name, value: "" }, mayAct(line, now)).returning(),
    turn: takeTurn(db, line, now, intended),
  });
  return noted.length > 0;
}

/** The most acts in any window of the pace's length. */
function mostIn(times: readonly number[], perSeconds: number): number {
  return Math.max(
    0,
    ...times.map((from) => times.filter((at) => at >= from && at < from + perSeconds * SECOND).length),
  );
}

const STEPS = fc.array(
  fc.record({
    kind: fc.constantFrom("job", "job", "poll", "poll", "renew", "sweep"),
    database: fc.nat({ max: 2 }),
    waitMs: fc.oneof(fc.nat({ max: 900 }), fc.nat({ max: 20_000 })),
    fates: fc.array(fc.constantFrom<Fate>("runs", "runs", "runs", "dies", "loses"), { maxLength: 3 }),
    isKilled: fc.boolean(),
  }),
  { minLength: 20, maxLength: 60 },
);

describe("three databases at the pace of an app", () => {
  test("never pass it in any window, whatever order, deaths and lost answers", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        STEPS,
        fc.record({ most: fc.integer({ min: 1, max: 14 }), perSeconds: fc.constant(60) }),
        async (steps, pace) => {
          await clear();
          let now = 1_000_000;
          let count = 0;
          const ran: number[] = [];
          for (const { kind, database, waitMs, fates, isKilled } of steps) {
            now += waitMs;
            const deps = holder(database, isKilled ? [...fates] : []);
            const waiter = `job:${++count}`;
            const line = lineFor(database, waiter, pace);
            try {
              if (kind === "job" && (await act(database, waiter, now, pace))) ran.push(now);
              if (kind === "renew" && database > 0) await renewLease(deps, line, now);
              if (kind === "sweep") await settleLeases(deps, now);
              if (kind === "poll" && (await takeOrWait(deps, line, now)).kind === "taken") ran.push(now);
            } catch (error) {
              // A poll whose answer was lost may have acted: it is not counted, and takes its room.
              if (!String(error).includes(DEATH)) throw error;
            }
            // Nobody waits for longer than this: the lines of other tests are theirs.
            for (const one of databases()) await one.prepare("DELETE FROM rate_waits WHERE waiter LIKE 'job:%'").run();
          }
          expect(mostIn(ran, pace.perSeconds)).toBeLessThanOrEqual(pace.most);
        },
      ),
      { numRuns: 6 },
    );
  });

  const leases = async (database: number) =>
    (await databases()[database]?.prepare("SELECT database, acts, used, until FROM rate_leases").all())?.results;
  const fullAt = () => env.DB.prepare("SELECT full_at FROM rate_buckets").first<number>("full_at");
  const { apartMs, atOnce } = lineFor(1, "job");
  const START = 1_000_000;

  test("return what they do not use, once", async () => {
    const deps = holder(1);
    const { acts } = await renewLease(deps, lineFor(1, "job"), START);
    expect(acts).toBe(Math.ceil(atOnce / 6));
    // The rest is for the directory, and no more.
    const ran: boolean[] = [];
    for (let count = 0; count <= atOnce - acts; count++) ran.push(await act(0, `job:${count}`, START));
    expect(ran).toEqual([...Array.from({ length: atOnce - acts }, () => true), false]);
    const [lease] = (await leases(0)) ?? [];
    const until = Number(lease?.until);
    const before = (await fullAt()) ?? 0;
    for (const fates of [["runs", "dies"], ["runs", "loses"], [], []] as Fate[][]) {
      await settleLeases(holder(1, fates), until).catch(() => {});
    }
    expect([await leases(0), await leases(1)]).toEqual([
      [expect.objectContaining({ database: 1, acts: 0 })],
      [expect.objectContaining({ database: 1, acts: 0 })],
    ]);
    expect(await fullAt()).toBe(before);
  });

  test("count what a dead holder had as used, two minutes after its lease", async () => {
    const { acts } = await renewLease(holder(2), lineFor(2, "job"), START);
    const until = Number((await leases(0))?.[0]?.until);
    await settleLeases(holder(0), until + 2 * MINUTE - 1);
    expect(await leases(0)).toEqual([expect.objectContaining({ acts })]);
    await settleLeases(holder(0), until + 2 * MINUTE);
    expect([await leases(0), await fullAt()]).toEqual([[expect.objectContaining({ acts: 0 })], until + acts * apartMs]);
    // Its holder comes back: what it reports then changes nothing.
    await settleLeases(holder(2), until + 3 * MINUTE);
    expect(await fullAt()).toBe(until + acts * apartMs);
  });

  test("leave all of it to the one that needs it, and give the others their turn", async () => {
    const ran = [0, 0, 0];
    for (let now = START; now < START + 60_000; now += SECOND) {
      const standing = await takeOrWait(holder(2), lineFor(2, "poll"), now);
      if (standing.kind === "taken") ran[2] = (ran[2] ?? 0) + 1;
    }
    // Divided, it would be four.
    expect(ran[2]).toBeGreaterThanOrEqual(PACE.most - 3);
    for (let now = START + 60_000; now < START + 240_000; now += SECOND) {
      for (const database of [0, 1, 2]) {
        const standing = await takeOrWait(holder(database), lineFor(database, `poll:${database}`), now);
        if (standing.kind === "taken") ran[database] = (ran[database] ?? 0) + 1;
      }
    }
    expect(Math.min(...ran)).toBeGreaterThanOrEqual(4);
  });

  test("act on the projects of two of them through the same pace", { timeout: 60_000 }, async () => {
    await settings(factsOf("youtube").roomy);
    for (const database of [1, 2]) {
      const project = await projectIn(database);
      const [channel_id = 0] = await project.connect("youtube", [ACCOUNTS.youtube[0]]);
      const channel = { channel_type: "youtube", channel_id } as const;
      const home = { project, channel, accountId: ACCOUNTS.youtube[0] };
      const { id } = await send(home, commentableOn("youtube"));
      await queuesIdle(MINUTE);
      const bot = await makeBot(project, [channel], { comment_reply: uniquely("Thanks") });
      const row = databases()[database]?.prepare("SELECT platform_posts ->> '$[0].id' AS live FROM posts WHERE id = ?");
      const text = uniquely("Told");
      await sandbox.comment("youtube", (await row?.bind(id).first<string>("live")) ?? "", text, "Ada Reader");
      await minutes(4);
      await settled();
      expect(await entryOf(project, bot.id, text)).toMatchObject({ outcome: "replied" });
    }
    const held = await env.DB.prepare("SELECT DISTINCT bucket, database FROM rate_leases ORDER BY 1, 2").all();
    const [read, write] = ["youtube::test:replies", "youtube::test:comments"];
    const both = (bucket: string | undefined) => [1, 2].map((database) => ({ bucket, database }));
    expect(held.results).toEqual([...both(write), ...both(read)]);
  });
});

test("one database takes its turn in one call, without a lease", async () => {
  const meter = createMeter();
  const db = connectDb(env.DB, meter);
  const deps = { db, directory: db, database: 0, databases: 1, config: { paceFactor: 1 } };
  const of = { platform: "youtube", accountId: "a", isTest: true, act: "replies", databases: 1 } as const;
  const line = lineOf(deps, of, { ...PACE, scope: "app" }, { waiter: "poll", projectId: 1, party: "poll" });
  const { shared, ...plain } = lineFor(0, "poll");
  expect([shared?.database, line]).toEqual([0, { ...plain, ...spacing(PACE), key: line.key, party: "project:1" }]);
  expect(await takeOrWait(deps, line, 1_000)).toEqual({ kind: "taken" });
  expect(meter.d1Calls).toBe(1);
});
