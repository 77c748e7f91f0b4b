import fc from "fast-check";
import { describe, test } from "vitest";
import { type LimiterAnswer, PermitPool } from "../src/accounts/permits.ts";
import { type PermitRequest, SlidingWindow } from "../src/accounts/window.ts";
import { advance } from "./support/clock.ts";
import { call, issueToken, Project } from "./support/world.ts";

/** Several isolates with clocks that differ, and a network that takes its time, before one window. */
class World {
  now = 0;
  readonly window = new SlidingWindow(100, 1000);
  readonly granted: number[] = [];
  calls = 0;
  readonly #pending: { at: number; run: () => void }[] = [];

  later(delay: number): Promise<void> {
    return new Promise((resolve) => this.#pending.push({ at: this.now + delay, run: resolve }));
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
  readonly pool: PermitPool;
  readonly skew: number;
  readonly delayTo: number;
  readonly delayBack: number;
}

async function request(world: World, isolate: Isolate): Promise<void> {
  const ask = async (permits: PermitRequest): Promise<LimiterAnswer> => {
    world.calls++;
    await world.later(isolate.delayTo);
    const answer = world.window.acquire(permits, world.now);
    await world.later(isolate.delayBack);
    return { ...answer, revoked: false };
  };
  const permit = await isolate.pool.take(
    () => world.now + isolate.skew,
    ask,
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
  test("never more than 100 in any sliding second, whatever the clocks, delays and loads", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            skew: fc.integer({ min: -5000, max: 5000 }),
            delayTo: fc.integer({ min: 0, max: 300 }),
            delayBack: fc.integer({ min: 0, max: 300 }),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        fc.array(
          fc.record({
            gap: fc.integer({ min: 0, max: 60 }),
            isolate: fc.nat(),
            count: fc.integer({ min: 1, max: 30 }),
          }),
          {
            minLength: 20,
            maxLength: 120,
          },
        ),
        async (settings, arrivals) => {
          const world = new World();
          const isolates = settings.map((setting): Isolate => ({ ...setting, pool: new PermitPool() }));
          const running: Promise<void>[] = [];
          for (const { gap, isolate, count } of arrivals) {
            await world.runTo(world.now + gap);
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

  test("one isolate gets all 100 of a second, and 100 of every second after it", async ({ expect }) => {
    const world = new World();
    const isolate: Isolate = { pool: new PermitPool(), skew: 0, delayTo: 2, delayBack: 2 };
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

  test("a steady 50 requests a second ask the object at most 10 times a second", async ({ expect }) => {
    const world = new World();
    const isolate: Isolate = { pool: new PermitPool(), skew: 0, delayTo: 5, delayBack: 5 };
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

describe("the rate limit at the front door", () => {
  test("100 requests in one second pass, the 101st is refused until the second is over", async ({ expect }) => {
    const project = await Project.create();
    const answers = await Promise.all(Array.from({ length: 101 }, () => project.call("GET", "/social/upcoming-posts")));
    const refused = answers.filter((answer) => answer.status === 429);
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(100);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers.get("Retry-After")).toBe("1");
    expect(refused[0]?.body).toMatchObject({ status: false, code: "rate_limited", up_coming: [] });
    await advance(1100);
    expect((await project.call("GET", "/social/upcoming-posts")).status).toBe(200);
  });

  test("every answer says how much is left", async ({ expect }) => {
    const project = await Project.create();
    const { headers } = await project.call("GET", "/social/upcoming-posts");
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
