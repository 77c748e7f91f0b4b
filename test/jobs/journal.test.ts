import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { z } from "zod";
import { runBatch } from "../../src/db/client.ts";
import { storeWait } from "../../src/jobs/claim-store.ts";
import { JobFailed, LeaseLost, type OncePlan, RetryLater } from "../../src/jobs/outcomes.ts";
import { claim, db, newJob, rowOf } from "../support/engine.ts";

/** The journal by itself: branches that fail alone, long acts, counters, and the share of an invocation. */
async function claimed(key: string, options: Parameters<typeof claim>[1] = {}) {
  const found = await claim(key, options);
  if (!found) throw new Error(`${key} cannot be claimed.`);
  return found;
}

/** What the runner does with a wait, without the wait. */
async function pause(key: string, owner: string, wait: unknown): Promise<void> {
  if (!(wait instanceof RetryLater)) throw wait;
  const now = Date.now();
  const paused = storeWait(db, key, owner, {
    runAt: now,
    deadlineAt: now + 3_600_000,
    attempts: 0,
    waitingFor: wait.message,
    waitingCode: wait.wait.code,
    lastShownWait: null,
    resumeKey: null,
    messageAt: now,
  });
  await runBatch(db, [...wait.also, paused]);
}

const stepOf = (key: string, name: string) =>
  env.DB.prepare("SELECT * FROM job_steps WHERE job_key = ? AND name = ?").bind(key, name).first();

const PLAN: Omit<OncePlan<string, string>, "act" | "find"> = {
  schema: z.string(),
  codes: { unknown: "may_be_published", duplicate: "duplicate" },
  lagMs: 0,
  refusesRepeat: false,
  checksUntilDeadline: false,
  refused: async (failure) => failure,
};

describe("branches", () => {
  test("one branch that fails is a value, the next still runs, and neither runs again", async ({ expect }) => {
    const key = await newJob();
    const { journal, owner } = await claimed(key);
    const ran: string[] = [];
    const branches = async (mine: typeof journal) => [
      await mine.runBranch("public reply", async () => {
        ran.push("public");
        throw new JobFailed("platform_rejected", "The comment is gone.");
      }),
      await mine.runBranch("message", async () => void ran.push("message")),
    ];
    const outcomes = await branches(journal);
    const cause = { code: "platform_rejected", message: "The comment is gone." };
    expect(outcomes).toEqual([{ kind: "unresolved", cause }, { kind: "done" }]);
    await pause(key, owner, new RetryLater(0, { code: null, message: "again" }));
    expect(await branches((await claimed(key)).journal)).toEqual(outcomes);
    expect(ran).toEqual(["public", "message"]);
  });

  test("a wait inside a branch ends the delivery, and the next delivery continues the branch", async ({ expect }) => {
    const key = await newJob();
    const { journal, owner } = await claimed(key);
    const waiting = journal.runBranch("reply", async () => journal.retryLater(5, "busy", null));
    await expect(waiting).rejects.toBeInstanceOf(RetryLater);
    await pause(key, owner, new RetryLater(0, { code: null, message: "busy" }));
    expect(await (await claimed(key)).journal.runBranch("reply", async () => {})).toEqual({ kind: "done" });
  });

  test("parallel branches are stored with the next write, and a delivery that dies before it repeats no act of theirs", async ({
    expect,
  }) => {
    const key = await newJob();
    const acts: string[] = [];
    const runs: string[] = [];
    const branches = (mine: Awaited<ReturnType<typeof claimed>>["journal"]) => {
      const act = (name: string) => async () => {
        runs.push(name);
        await mine.once(`act of ${name}`, {
          ...PLAN,
          act: async () => ({ kind: "done", value: String(acts.push(name)) }),
          find: async () => ({ kind: "absent" }),
        });
      };
      return mine.runBranches({ first: act("first"), second: act("second"), none: null });
    };
    const done = { first: { kind: "done" }, second: { kind: "done" }, none: null };
    expect(await branches((await claimed(key)).journal)).toEqual(done);
    // The intent of the second act stored the end of the first.
    expect([await stepOf(key, "first"), await stepOf(key, "second")]).toEqual([expect.anything(), null]);
    await env.DB.prepare("UPDATE jobs SET lease_until = ?2 WHERE key = ?1")
      .bind(key, Date.now() - 1)
      .run();
    expect(await branches((await claimed(key)).journal)).toEqual(done);
    expect([acts, runs]).toEqual([
      ["first", "second"],
      ["first", "second", "second"],
    ]);
  });

  test("an act that no look-up can find fails with its reason, stays unconfirmed, and is not looked up again", async ({
    expect,
  }) => {
    const key = await newJob();
    let looks = 0;
    let acts = 0;
    const plan: OncePlan<string, string> = {
      ...PLAN,
      act: async () => {
        acts += 1;
        return { kind: "duplicate", message: "The platform has it already." };
      },
      find: async () => {
        looks += 1;
        return { kind: "absent" };
      },
    };
    let end: unknown = null;
    for (let delivery = 0; !(end instanceof JobFailed) && delivery < 10; delivery++) {
      const { journal, owner } = await claimed(key);
      end = await journal.once("act", plan).catch((thrown: unknown) => thrown);
      if (!(end instanceof JobFailed)) {
        await pause(key, owner, end);
        continue;
      }
      // No act of the job was done before that refusal.
      const cause = { code: "duplicate", message: "The platform has it already." };
      expect(end).toMatchObject(cause);
      const seen = looks;
      await expect(journal.once("act", plan)).rejects.toMatchObject(cause);
      expect([looks, acts, journal.hasUnconfirmed()]).toEqual([seen, 1, true]);
    }
    expect(end).toBeInstanceOf(JobFailed);
  });
});

describe("long acts", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());
  const long = (ms: number): OncePlan<string, string> => ({
    ...PLAN,
    limitMs: 120_000,
    act: (signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve({ kind: "done", value: "made" }), ms);
        signal.addEventListener("abort", () => {
          clearTimeout(timer);
          resolve({ kind: "unknown", message: "stopped" });
        });
      }),
    find: async () => ({ kind: "absent" }),
  });

  const PATIENT = { timeout: 20_000 };
  /** Its own timer, its limit and the renewal of the lease. */
  const underWay = () => vi.waitUntil(() => vi.getTimerCount() === 3, PATIENT);

  test("keep their lease alive for as long as they last", async ({ expect }) => {
    const key = await newJob();
    // The lease is renewed every third of it.
    const { journal } = await claimed(key, { leaseMs: 36_000 });
    await env.DB.prepare("UPDATE jobs SET lease_until = ?2 WHERE key = ?1")
      .bind(key, Date.now() - 1)
      .run();
    const act = journal.once("model", long(20_000));
    await underWay();
    await vi.advanceTimersByTimeAsync(12_100);
    await vi.waitFor(async () => expect(Number((await rowOf(key))?.lease_until)).toBeGreaterThan(Date.now()), PATIENT);
    expect(await claim(key)).toBeNull();
    await vi.advanceTimersByTimeAsync(8_000);
    expect(await act).toBe("made");
  });

  test("stop when another delivery has the job, and store nothing", async ({ expect }) => {
    const key = await newJob();
    const { journal } = await claimed(key, { leaseMs: 36_000 });
    const act = journal.once("model", long(60_000));
    await underWay();
    await env.DB.prepare("UPDATE jobs SET lease_owner = 'another' WHERE key = ?").bind(key).run();
    const ended = expect(act).rejects.toBeInstanceOf(LeaseLost);
    await vi.advanceTimersByTimeAsync(12_000);
    await ended;
    expect(await stepOf(key, "model")).toMatchObject({ state: "begun" });
  });
});

describe("tries", () => {
  test("have a column of their own, are counted over deliveries, and end with the reason", async ({ expect }) => {
    const key = await newJob();
    const reasons: unknown[] = [];
    const busy = { code: "platform_down", message: "The platform is busy." } as const;
    for (let tries = 1; tries <= 3; tries++) {
      const { journal, owner } = await claimed(key);
      try {
        journal.retryWithBackoff("upload", busy, { maxRetries: 3 });
      } catch (end) {
        reasons.push(
          end instanceof JobFailed ? ["gave up", end.code] : end instanceof RetryLater && ["waits", end.wait.code],
        );
        if (end instanceof RetryLater) await pause(key, owner, end);
      }
    }
    expect(reasons).toEqual([
      ["waits", "platform_down"],
      ["waits", "platform_down"],
      ["gave up", "platform_down"],
    ]);
    expect(await stepOf(key, "upload")).toMatchObject({ state: "waiting", retries: 2 });
  });

  test("start again once the step has gone on", async ({ expect }) => {
    const key = await newJob();
    const { journal, owner } = await claimed(key);
    const wait = () => journal.retryWithBackoff("upload", { code: "platform_down", message: "busy" }, {});
    await pause(
      key,
      owner,
      await Promise.resolve()
        .then(wait)
        .catch((end: unknown) => end),
    );
    const second = await claimed(key);
    await second.journal.write("upload", { at: 1 });
    expect(await stepOf(key, "upload")).toMatchObject({ state: "done", retries: 0 });
  });
});

test("a delivery whose invocation has spent its share goes on in another one before it acts", async ({ expect }) => {
  const key = await newJob();
  const { journal } = await claimed(key, { isSpent: () => true });
  let acts = 0;
  const plan: OncePlan<string, string> = {
    ...PLAN,
    act: async () => {
      acts += 1;
      return { kind: "done", value: "x" };
    },
    find: async () => ({ kind: "absent" }),
  };
  await expect(journal.once("act", plan)).rejects.toMatchObject({ seconds: 0 });
  expect(acts).toBe(0);
  expect(await stepOf(key, "act")).toBeNull();
});
