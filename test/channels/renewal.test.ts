import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { QueueMessage } from "../../src/jobs/messages.ts";
import type { Bindings } from "../../src/service/deps.ts";
import worker from "../../src/worker.ts";
import { ACCOUNTS, calm, healthOf, homeOn, outcomeOf, send, settings, shapeOf } from "../contract/world.ts";
import { answering, failStatements, quiet } from "../support/between.ts";
import { advance } from "../support/clock.ts";
import { bindings, cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";

/** Channels stop by the platform's word only; what it gave is not lost; keys can be dropped. */
afterEach(async () => {
  quiet();
  vi.restoreAllMocks();
  await calm();
});

const silent = () => vi.spyOn(console, "error").mockImplementation(() => {});
const home = () => homeOn("twitter", ACCOUNTS.twitter[1]);

const GATEWAY = { status: 403, headers: { "content-type": "text/html" } };

describe("a gateway's page is trouble, not the platform's word", () => {
  test("at X's token endpoint: the channel stays, and the post is published later", async () => {
    const own = await home();
    await advance(2.5 * HOUR);
    let pages = 0;
    answering((request) => {
      if (!request.url.endsWith("/oauth2/token") || pages >= 3) return null;
      pages += 1;
      return new Response("<html><body>Request blocked</body></html>", GATEWAY);
    });
    const sent = await send(own, shapeOf("twitter", "a text"));
    await queuesIdle();
    expect(pages).toBe(3);
    expect((await healthOf(own)).health).toBe("connected");
    expect((await outcomeOf(sent)).state).toBe("published");
  });

  test("at Facebook's Graph", async () => {
    const own = await homeOn("facebook", ACCOUNTS.facebook[1]);
    let pages = 0;
    answering((request) => {
      if (request.method !== "POST" || !request.url.includes("/photos") || pages >= 2) return null;
      pages += 1;
      return new Response("<html>Forbidden</html>", { ...GATEWAY, status: pages === 1 ? 401 : 403 });
    });
    const sent = await send(own, shapeOf("facebook", "an image"));
    await queuesIdle();
    expect(pages).toBe(2);
    expect((await healthOf(own)).health).toBe("connected");
    expect((await outcomeOf(sent)).state).toBe("published");
  });
});

describe("a rotated pair that D1 does not take", () => {
  test("is written again", async () => {
    silent();
    const own = await home();
    await advance(2.5 * HOUR);
    failStatements(/update "grants" set "credentials"/, 1);
    const sent = await send(own, shapeOf("twitter", "a text"));
    await queuesIdle();
    expect((await outcomeOf(sent)).state).toBe("published");
    expect((await healthOf(own)).health).toBe("connected");
  });

  test("is kept until D1 takes it, and never renewed with the dead token", async () => {
    silent();
    const own = await home();
    await advance(2.5 * HOUR);
    failStatements(/update "grants" set "credentials"/, 6);
    const sent = await send(own, shapeOf("twitter", "a text"));
    await queuesIdle();
    expect((await outcomeOf(sent)).state).toBe("published");
    expect((await healthOf(own)).health).toBe("connected");
  });
});

test("a token that is refused again hours after the job renewed it is renewed again", async () => {
  const own = await home();
  await sandbox.fault("twitter", "publish", "expire_token");
  const sent = await send(own, shapeOf("twitter", "a text"));
  await queuesIdle(0);
  // Meanwhile the platform refuses posts for an hour.
  await settings({ rate_limit_reset_ms: HOUR });
  await sandbox.fault("twitter", "publish", "rate_limit");
  await queuesIdle(MINUTE);
  await sandbox.fault("twitter", "publish", "expire_token");
  await queuesIdle(3 * HOUR);
  await settings({ rate_limit_reset_ms: 2_000 });
  expect((await outcomeOf(sent)).state).toBe("published");
  expect((await healthOf(own)).health).toBe("connected");
});

describe("keys", () => {
  const OTHER = `next:${btoa("fedcba9876543210fedcba9876543210")}`;
  const keysOf = async (id: number) =>
    env.DB.prepare("SELECT credentials_key AS key, substr(credentials, 1, 4) AS start FROM grants WHERE channel_id = ?")
      .bind(id)
      .first();
  const withKeys = (keys: string): Bindings => {
    const changed = { ...bindings, CREDENTIAL_KEYS: keys };
    return changed;
  };
  const current = (): string => `test:${btoa("0123456789abcdef0123456789abcdef")}`;

  test("the sweep seals old rows again, so that the old key can be dropped", async () => {
    const own = await homeOn("facebook", ACCOUNTS.facebook[1]);
    const id = own.channel.channel_id;
    expect(await keysOf(id)).toEqual({ key: "test", start: "test" });
    const both = withKeys(`${OTHER},${current()}`);
    await worker.scheduled({ scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} }, both);
    expect(await keysOf(id)).toEqual({ key: "next", start: "next" });
    const sent = await send(own, shapeOf("facebook", "a text"));
    await deliver(sent.id, withKeys(OTHER));
    expect((await outcomeOf(sent)).state).toBe("published");
  });

  test("an unknown key is the operator's trouble: the post waits, and is published when the key is back", async () => {
    const own = await home();
    const sent = await send(own, shapeOf("twitter", "a text"));
    await deliver(sent.id, withKeys(OTHER));
    expect((await outcomeOf(sent)).state).toBe("processing");
    expect((await healthOf(own)).health).toBe("connected");
    await cron();
    await queuesIdle();
    expect((await outcomeOf(sent)).state).toBe("published");
  });

  async function deliver(id: number, env: Bindings): Promise<void> {
    const body = { type: "job", key: `publish:${id}` } as const;
    const message = { id: crypto.randomUUID(), timestamp: new Date(Date.now()), body, attempts: 1 };
    await worker.queue(createMessageBatch<QueueMessage>("belfry-jobs", [message]), env);
  }
});
