import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, test } from "vitest";
import { type LimiterAnswer, RateLimitLeases } from "../../src/accounts/rate-limit-lease.ts";
import { type PermitRequest, SlidingWindow } from "../../src/accounts/sliding-window.ts";
import { sha256Hex } from "../../src/core/tokens.ts";
import { advance, atOnce } from "../support/clock.ts";
import { restart } from "../support/objects.ts";
import { call, issueToken, Project } from "../support/world.ts";

/**
 * Several isolates with clocks that differ, and a network that takes its time, before one window that may
 * restart.
 */
class World {
  now = 0;
  writes = 0;
  #grantsUntil: number | null = null;
  #lives = 0;
  window = this.#start();
  readonly granted: number[] = [];
  calls = 0;
  readonly #pending: { at: number; run: () => void }[] = [];

  later(delay: number): Promise<void> {
    return new Promise((resolve) => this.#pending.push({ at: this.now + delay, run: resolve }));
  }

  /** The object dies and starts again: nothing is left but what was stored. */
  restart(): void {
    this.window = this.#start();
  }

  #start(): SlidingWindow {
    const keep = (until: number) => {
      this.writes++;
      this.#grantsUntil = until;
    };
    return new SlidingWindow(100, 1000, { now: this.now, grantsUntil: this.#grantsUntil, keep }, ++this.#lives * 1e6);
  }

  /** Runs what falls due up to `until`, in order of time. */
  async runTo(until: number): Promise<void> {
    for (;;) {
      // Whatever the last step woke may register more.
      for (let i = 0; i < 20; i++) await Promise.resolve();
      this.#pending.sort((a, b) => a.at - b.at);
      const [next] = this.#pending;
      if (!next || next.at > until) break;
      this.#pending.shift();
      this.now = Math.max(this.now, next.at);
      next.run();
    }
    this.now = Math.max(this.now, until);
  }
}

interface Isolate {
  readonly pool: RateLimitLeases;
  readonly skew: number;
  readonly delayTo: number;
  readonly delayBack: number;
}

async function request(world: World, isolate: Isolate): Promise<void> {
  const send = async (permits: PermitRequest): Promise<LimiterAnswer> => {
    world.calls++;
    await world.later(isolate.delayTo);
    const answer = world.window.acquire(permits, world.now);
    await world.later(isolate.delayBack);
    return { ...answer, revoked: false, home: null };
  };
  const permit = await isolate.pool.take(
    () => world.now + isolate.skew,
    send,
    (ms) => world.later(ms),
  );
  if (permit.kind === "granted") world.granted.push(world.now);
}

function mostInOneSecond(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b);
  let most = 0;
  let start = 0;
  sorted.forEach((time, index) => {
    while ((sorted[start] ?? 0) <= time - 1000) start++;
    most = Math.max(most, index - start + 1);
  });
  return most;
}

describe("the rate limit over isolates", () => {
  test("never more than 100 in any sliding second, whatever the clocks, delays, loads and restarts", async ({
    expect,
  }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            skew: fc.integer({ min: -5000, max: 5000 }),
            delayTo: fc.integer({ min: 0, max: 300 }),
            delayBack: fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 900, max: 1500 })),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        fc.array(
          fc.record({
            gap: fc.oneof({ weight: 15, arbitrary: fc.nat(60) }, { weight: 1, arbitrary: fc.nat(9000) }),
            isolate: fc.nat(),
            count: fc.integer({ min: 1, max: 30 }),
            restarts: fc.oneof(
              { weight: 15, arbitrary: fc.constant(false) },
              { weight: 1, arbitrary: fc.constant(true) },
            ),
          }),
          {
            minLength: 20,
            maxLength: 120,
          },
        ),
        async (settings, arrivals) => {
          const world = new World();
          const isolates = settings.map((setting): Isolate => ({ ...setting, pool: new RateLimitLeases() }));
          const running: Promise<void>[] = [];
          for (const { gap, isolate, count, restarts } of arrivals) {
            await world.runTo(world.now + gap);
            if (restarts) world.restart();
            const chosen = isolates[isolate % isolates.length];
            for (let i = 0; chosen && i < count; i++) running.push(request(world, chosen));
          }
          await world.runTo(world.now + 10_000);
          await Promise.all(running);
          expect(mostInOneSecond(world.granted)).toBeLessThanOrEqual(100);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("a request requests permits again if the answer takes longer than its permits are valid", async ({ expect }) => {
    const world = new World();
    const isolate = { pool: new RateLimitLeases(), skew: 0, delayTo: 5, delayBack: 3_000 };
    const slow = request(world, isolate);
    await world.runTo(1_000);
    isolate.delayBack = 5;
    await world.runTo(10_000);
    await slow;
    expect([world.granted.length, world.calls]).toEqual([1, 2]);
  });

  test("a start after ten quiet seconds refuses no request, however often; a write covers six busy ones", async ({
    expect,
  }) => {
    const world = new World();
    const isolate: Isolate = { pool: new RateLimitLeases(), skew: 0, delayTo: 5, delayBack: 5 };
    const running: Promise<void>[] = [];
    for (let start = 0; start < 10; start++) {
      world.restart();
      for (let i = 0; i < 20; i++) running.push(request(world, isolate));
      await world.runTo(world.now + 10_000);
    }
    expect(world.granted).toHaveLength(200);
    expect(world.writes).toBe(10);
    const before = world.writes;
    for (let ms = 0; ms < 60_000; ms += 50) {
      running.push(request(world, isolate));
      await world.runTo(world.now + 50);
    }
    await world.runTo(world.now + 3000);
    await Promise.all(running);
    expect(world.granted).toHaveLength(200 + 1200);
    expect(world.writes - before).toBeLessThanOrEqual(10);
  });

  test("leases of before a restart, used at their last moment, count against what comes after it", async ({
    expect,
  }) => {
    const world = new World();
    const isolates = Array.from(
      { length: 6 },
      (): Isolate => ({ pool: new RateLimitLeases(), skew: 0, delayTo: 1, delayBack: 1 }),
    );
    const running: Promise<void>[] = [];
    const burst = (isolate: Isolate, count: number) => {
      for (let i = 0; i < count; i++) running.push(request(world, isolate));
    };
    for (const isolate of isolates) burst(isolate, 1);
    await world.runTo(10);
    world.restart();
    await world.runTo(980);
    for (const isolate of isolates) burst(isolate, 15);
    for (let ms = 1000; ms < 1900; ms += 10) {
      await world.runTo(ms);
      for (const isolate of isolates) burst(isolate, 5);
    }
    await world.runTo(5000);
    await Promise.all(running);
    expect(world.granted.filter((at) => at >= 980 && at < 1000).length).toBeGreaterThan(40);
    expect(mostInOneSecond(world.granted)).toBeLessThanOrEqual(100);
  });

  test("after a restart in the middle of a load, requests wait for its permits, and none fails", async ({ expect }) => {
    const world = new World();
    const isolate: Isolate = { pool: new RateLimitLeases(), skew: 0, delayTo: 2, delayBack: 2 };
    const running: Promise<void>[] = [];
    for (let ms = 0; ms < 6000; ms += 50) {
      if (ms === 3000) world.restart();
      running.push(request(world, isolate));
      await world.runTo(ms + 50);
    }
    await world.runTo(8000);
    await Promise.all(running);
    expect(world.granted).toHaveLength(120);
    const gaps = world.granted.map((at, index) => at - (world.granted[index - 1] ?? 0));
    expect(Math.max(...gaps)).toBeGreaterThan(900);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2100);
  });

  test("one isolate gets all 100 of a second, and 100 of every second after it", async ({ expect }) => {
    const world = new World();
    const isolate: Isolate = { pool: new RateLimitLeases(), skew: 0, delayTo: 2, delayBack: 2 };
    const running: Promise<void>[] = [];
    for (let ms = 0; ms < 3000; ms += 5) {
      await world.runTo(ms);
      running.push(request(world, isolate));
    }
    await world.runTo(5000);
    await Promise.all(running);
    expect(world.granted.length).toBeGreaterThanOrEqual(290);
    expect(mostInOneSecond(world.granted)).toBeLessThanOrEqual(100);
  });

  test("a steady 50 requests a second call the object at most 10 times a second", async ({ expect }) => {
    const world = new World();
    const isolate: Isolate = { pool: new RateLimitLeases(), skew: 0, delayTo: 5, delayBack: 5 };
    const running: Promise<void>[] = [];
    for (let ms = 0; ms < 10_000; ms += 20) {
      await world.runTo(ms);
      running.push(request(world, isolate));
    }
    await world.runTo(12_000);
    await Promise.all(running);
    expect(world.granted).toHaveLength(500);
    expect(world.calls).toBeLessThanOrEqual(100);
  });
});

async function limiterOf({ token }: Project) {
  return env.LIMITER.get(env.LIMITER.idFromName(await sha256Hex(token)));
}

describe("the rate limit at the front door", () => {
  test("100 requests in one second pass, the 101st is refused until the next second", async ({ expect }) => {
    const project = await Project.create();
    const send = () => project.callOnce("GET", "/social/upcoming-posts");
    const answers = await atOnce(() => Promise.all(Array.from({ length: 101 }, send)));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(100);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers.get("Retry-After")).toBe("1");
    expect(refused[0]?.body).toMatchObject({ status: false, code: "rate_limited", up_coming: [] });
    await advance(1100);
    expect((await send()).status).toBe(200);
  });

  test("a restarted limiter gives no permit of the second again", async ({ expect }) => {
    const project = await Project.create();
    const send = () => project.callOnce("GET", "/social/upcoming-posts");
    await atOnce(async () => {
      expect((await Promise.all(Array.from({ length: 100 }, send))).map(({ status }) => status)).not.toContain(429);
      await restart(await limiterOf(project));
      expect((await send()).status).toBe(429);
    });
    await advance(2000);
    expect((await send()).status).toBe(200);
    await advance(10_000);
    await restart(await limiterOf(project));
    expect((await send()).status).toBe(200);
  });

  test("every answer says how much is left", async ({ expect }) => {
    const project = await Project.create();
    const { headers } = await project.callOnce("GET", "/social/upcoming-posts");
    expect(headers.get("RateLimit-Policy")).toBe('"token";q=100;w=1');
    expect(headers.get("RateLimit")).toBe('"token";r=99;t=1');
  });

  test("invalid tokens do not take permits of anyone", async ({ expect }) => {
    const { token } = await issueToken(`limit ${crypto.randomUUID()}`);
    const wrong = `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`;
    const refused = await call("GET", "/social/upcoming-posts", { token: wrong });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("Server-Timing")).toContain('do;desc="calls=0"');
    expect(refused.headers.get("Server-Timing")).toContain('kv;desc="reads=0"');
  });
});
