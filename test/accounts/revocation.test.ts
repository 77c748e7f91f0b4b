import { createExecutionContext, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { z } from "zod";
import { sha256Hex } from "../../src/core/tokens.ts";
import type { Bindings } from "../../src/service/deps.ts";
import worker from "../../src/worker.ts";
import { advance } from "../support/clock.ts";
import { restart } from "../support/objects.ts";
import { bindings } from "../support/queue.ts";
import { call, issueToken, ORIGIN } from "../support/world.ts";

/** Bindings of a process that dies as it is about to reach its storage for the nth time. */
function mortalBindings(diesAt: number): Bindings {
  let reached = 0;
  const reach = (): void => {
    if (++reached >= diesAt) throw new Error("This process is dead.");
  };
  const mortal = <T extends object>(target: T, deadly: string): T =>
    new Proxy(target, {
      get(_, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) => {
          if (name === deadly) reach();
          return Reflect.apply(member, target, args);
        };
      },
    });
  const limiter = new Proxy(bindings.LIMITER, {
    get(target, name) {
      if (name === "get") return (id: DurableObjectId) => mortal(target.get(id), "revoke");
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { ...bindings, DB: mortal(bindings.DB, "prepare"), KV: mortal(bindings.KV, "delete"), LIMITER: limiter };
}

const operator = { "X-Operator-Key": env.OPERATOR_KEY };

async function revoke(id: number, through: Bindings = bindings): Promise<number> {
  const body = JSON.stringify({ id });
  const headers = { ...operator, "Content-Type": "application/json" };
  const request = new Request(`${ORIGIN}/internal/tokens/revoke`, { method: "POST", headers, body });
  return (await worker.fetch(request, through, createExecutionContext())).status;
}

async function revokedAt(id: number): Promise<unknown> {
  const { body } = await call("GET", "/internal/tokens", { headers: operator });
  const { tokens } = z
    .object({ tokens: z.array(z.object({ id: z.number(), revokedAt: z.number().nullable() })) })
    .parse(body);
  return tokens.find((token) => token.id === id)?.revokedAt;
}

async function known() {
  const { id, token } = await issueToken(`revoke ${crypto.randomUUID()}`);
  const hash = await sha256Hex(token);
  const send = () => call("GET", "/social/upcoming-posts", { token });
  // A handle ends with the object that it was for.
  const limiter = () => env.LIMITER.get(env.LIMITER.idFromName(hash));
  return { id, ask: send, limiter, record: () => env.KV.get(`token:${hash}`) };
}

describe("revoking a token", () => {
  // Its storage is reached eight times: the project is found, the entry of the audit log begun by two
  // statements, the hash read, the limiter notified, D1 marked, KV cleared, and the entry ended.
  test.for([6, 7, 8])("holds when the process dies at its storage call %i", async (diesAt, { expect }) => {
    const { id, ask, limiter, record } = await known();
    expect((await ask()).status).toBe(200);
    await revoke(id, mortalBindings(diesAt));
    await advance(2000);
    await restart(limiter());
    expect(await ask()).toMatchObject({ status: 401, body: { code: "token_revoked" } });

    await runDurableObjectAlarm(limiter());
    expect(await revokedAt(id)).toEqual(expect.any(Number));
    expect(await record()).toBeNull();
    // Nothing is left to do, and a repeat changes nothing.
    const first = await revokedAt(id);
    expect(await runDurableObjectAlarm(limiter())).toBe(false);
    await advance(60_000);
    expect(await revoke(id)).toBe(200);
    expect(await revokedAt(id)).toBe(first);
    expect((await ask()).status).toBe(401);
  });

  test.for([1, 2, 3, 4, 5])(
    "has done nothing when the process dies at call %i, and can be repeated",
    async (diesAt, { expect }) => {
      const { id, ask } = await known();
      expect(await revoke(id, mortalBindings(diesAt))).toBe(500);
      await advance(2000);
      expect((await ask()).status).toBe(200);
      expect(await revoke(id)).toBe(200);
      await advance(2000);
      expect((await ask()).status).toBe(401);
    },
  );

  test("goes on trying to finish while D1 is away", async ({ expect }) => {
    const { id, limiter, record } = await known();
    await revoke(id, mortalBindings(6));
    await runInDurableObject(limiter(), async (object, { storage }) => {
      await storage.deleteAlarm();
      Reflect.set(object, "env", mortalBindings(1));
      await object.alarm?.();
      expect(await storage.getAlarm()).not.toBeNull();
      Reflect.set(object, "env", env);
    });
    expect(await revokedAt(id)).toBeNull();
    expect(await runDurableObjectAlarm(limiter())).toBe(true);
    expect(await revokedAt(id)).toEqual(expect.any(Number));
    expect(await record()).toBeNull();
  });

  test("answers 404 for a token that there is not", async ({ expect }) => {
    expect(await revoke(999_999_999)).toBe(404);
  });
});
