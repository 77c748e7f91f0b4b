import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test, vi } from "vitest";
import { type AnswerUntil, SharedAnswer } from "../../src/core/shared-answer.ts";
import type { Bindings } from "../../src/service/deps.ts";
import worker from "../../src/worker.ts";
import { advance } from "../support/clock.ts";
import { bindings } from "../support/queue.ts";
import { ORIGIN } from "../support/world.ts";

async function health(through: Bindings) {
  const context = createExecutionContext();
  const answer = await worker.fetch(new Request(`${ORIGIN}/healthz`), through, context);
  await waitOnExecutionContext(context);
  const calls = Number(/calls=(\d+)/.exec(answer.headers.get("Server-Timing") ?? "")?.[1]);
  return { status: answer.status, calls, body: await answer.json() };
}
const total = (answers: readonly { readonly calls: number }[]) => answers.reduce((sum, { calls }) => sum + calls, 0);

describe("/healthz", () => {
  test("reads D1 once in some seconds, however many requests it gets, also at once", async ({ expect }) => {
    const isolate = { ...bindings };
    const burst = await Promise.all(Array.from({ length: 50 }, () => health(isolate)));
    expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]));
    expect(total([...burst, await health(isolate), await health(isolate)])).toBe(1);
    await advance(6_000);
    expect((await health(isolate)).calls).toBe(1);
  });

  test("reports trouble for two seconds, and sees that it has passed", async ({ expect }) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    let isAway = true;
    const DB = new Proxy(env.DB, {
      get(target, name) {
        if (isAway) throw new Error("D1 is away.");
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const isolate = { ...bindings, DB };
    expect(await health(isolate)).toMatchObject({ status: 503, body: { status: false, code: "not_ready" } });
    isAway = false;
    expect(await health(isolate)).toMatchObject({ status: 503, calls: 0 });
    await advance(2_100);
    expect(await health(isolate)).toMatchObject({ status: 200, calls: 1 });
    vi.restoreAllMocks();
  });
});

describe("a shared answer", () => {
  test("does not wait for ever for a request that was aborted", async ({ expect }) => {
    const shared = new SharedAnswer<string>();
    void shared.get(() => new Promise<AnswerUntil<string>>(() => {}));
    const waiting = shared.get(async () => ({ value: "own", keepMs: 1000 }));
    await advance(2_100);
    expect(await waiting).toBe("own");
    expect(await shared.get(async () => ({ value: "again", keepMs: 1000 }))).toBe("own");
  });

  test("keeps no failure, and none for others", async ({ expect }) => {
    const shared = new SharedAnswer<string>();
    const failing = shared.get(async () => {
      throw new Error("lost");
    });
    const waiting = shared.get(async () => ({ value: "there", keepMs: 1000 }));
    await expect(failing).rejects.toThrow("lost");
    expect(await waiting).toBe("there");
  });
});
