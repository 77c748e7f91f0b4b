import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, test } from "vitest";
import { sha256Hex } from "../../src/core/tokens.ts";
import { advance } from "../support/clock.ts";
import { begun, choose } from "../support/connecting.ts";
import { cron } from "../support/queue.ts";
import { call, issueToken, Project } from "../support/world.ts";

const DAY = 86_400_000;

async function count(sql: string, ...values: unknown[]): Promise<number> {
  return (
    (await env.DB.prepare(`SELECT count(*) AS n FROM ${sql}`)
      .bind(...values)
      .first<number>("n")) ?? Number.NaN
  );
}

describe("the sweep forgets", () => {
  test("connect sessions and their logins soon after their end", async ({ expect }) => {
    const { connection, browser } = await begun();
    await choose(browser, connection, ["twitter"]);
    const hash = await sha256Hex(connection.connect_token);
    const rows = async () => [
      await count("connect_sessions WHERE token_hash = ?", hash),
      await count("oauth_states WHERE token_hash = ?", hash),
    ];
    await cron();
    expect(await rows()).toEqual([1, 1]);
    await advance(16 * 60_000);
    await cron();
    expect(await rows()).toEqual([1, 0]);
    await advance(15 * 60_000);
    await cron();
    expect(await rows()).toEqual([0, 0]);
  });

  test("idempotency keys after a day, the oldest first, so many in a sweep", async ({ expect }) => {
    const project = await Project.create();
    const ask = () =>
      project.call("POST", "/social/connect-channel", {
        body: { userId: "a" },
        headers: { "Idempotency-Key": "mine" },
      });
    await ask();
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 45000)
       INSERT INTO idempotency_keys (project_id, key, request_hash, answer, created_at)
       SELECT -1, 'key ' || i, '', '', ? + i FROM n`,
    )
      .bind(Date.now() - 3 * DAY)
      .run();
    await cron();
    expect(await count("idempotency_keys WHERE project_id = -1")).toBe(25_000);
    expect(await count("idempotency_keys WHERE project_id = -1 AND key = 'key 20000'")).toBe(0);
    await cron();
    await cron();
    expect(await count("idempotency_keys WHERE project_id = -1")).toBe(0);
    expect((await ask()).headers.get("Idempotency-Replayed")).toBe("true");
    await advance(DAY + 60_000);
    await cron();
    expect((await ask()).headers.get("Idempotency-Replayed")).toBeNull();
  });

  test("tokens a year after they were revoked or expired, and all that was stored for them", async ({ expect }) => {
    const name = `forgotten ${crypto.randomUUID()}`;
    const operator = { "X-Operator-Key": env.OPERATOR_KEY };
    const expiring = await issueToken(name, { expiresAt: new Date(Date.now() + 2 * DAY).toISOString() });
    const revoked = await issueToken(name);
    const lasting = await issueToken(name);
    const ask = (token: string) => call("GET", "/social/upcoming-posts", { token });
    for (const { token } of [expiring, revoked, lasting]) await ask(token);
    await call("POST", "/internal/tokens/revoke", { headers: operator, body: { id: revoked.id } });
    const left = async () => count("tokens WHERE id IN (?, ?, ?)", expiring.id, revoked.id, lasting.id);
    const stored = async (token: string) => {
      const limiter = env.LIMITER.get(env.LIMITER.idFromName(await sha256Hex(token)));
      return runInDurableObject(limiter, async (_, { storage }) => (await storage.list()).size);
    };
    await advance(364 * DAY);
    await cron();
    expect(await left()).toBe(3);
    expect(await stored(revoked.token)).toBeGreaterThan(0);
    await advance(2 * DAY);
    await cron();
    expect(await left()).toBe(2);
    expect(await stored(revoked.token)).toBe(0);
    expect(await ask(revoked.token)).toMatchObject({ status: 401, body: { code: "unauthenticated" } });
    await advance(2 * DAY);
    await cron();
    expect(await left()).toBe(1);
    expect(await stored(expiring.token)).toBe(0);
    expect((await ask(lasting.token)).status).toBe(200);
  });

  test.for([
    "DELETE FROM idempotency_keys WHERE rowid IN (SELECT rowid FROM idempotency_keys WHERE created_at < 9 ORDER BY created_at LIMIT 5)",
    "SELECT id, hash FROM tokens WHERE (revoked_at < 9 OR expires_at < 9) LIMIT 5",
  ])("by an index: %s", async (statement, { expect }) => {
    const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${statement}`).all<{ detail: string }>();
    expect(results.map(({ detail }) => detail).filter((detail) => detail.startsWith("SCAN"))).toEqual([]);
  });
});
