import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { FailureCode } from "../../src/core/failures.ts";
import { calm, freshHome, type Name, outcomeOf, type Sent, send, settings, shapeOf } from "../contract/world.ts";
import { answering, quiet } from "../support/between.ts";
import { advance } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR } from "../support/times.ts";

/** What waits too long fails with the code of what it waited for. */
const FOREVER = 1_000;

beforeAll(() => settings({ slow_ms: 30 }));
afterEach(async () => {
  quiet();
  vi.restoreAllMocks();
  await calm();
});

/** It meets the fault for a minute; then nothing comes, until its deadline has passed. */
async function pass(hours: number): Promise<void> {
  await queuesIdle(60_000);
  queue.loseAll();
  await advance(hours * HOUR);
  await cron();
  await queuesIdle(60_000);
}

const Events = z.object({ events: z.array(z.object({ type: z.string(), detail: z.unknown() })) });

async function lastEventOf({ home, id }: Sent) {
  const answer = await home.project.call("GET", `/social/get-post-events/${id}`);
  return Events.parse(answer.body).events.at(-1);
}

describe("a post that waits past its deadline", () => {
  const cases: readonly (readonly [Name, string, string, string, FailureCode])[] = [
    ["facebook", "a text", "publish", "rate_limit", "rate_limited"],
    ["twitter", "a text", "publish", "rate_limit", "rate_limited"],
    ["facebook", "an image", "upload", "error", "platform_down"],
    ["twitter", "an image", "upload", "error", "platform_down"],
    ["twitter", "a text", "publish", "credits_depleted", "operator_action"],
    ["twitter", "a text", "publish", "account_locked", "account_restricted"],
  ];
  test.for(cases)("%s, %s: %s meets %s for ever, and the post fails with %s", async ([name, shape, at, kind, code]) => {
    const home = await freshHome(name);
    await sandbox.fault(name, at, kind, FOREVER);
    const sent = await send(home, shapeOf(name, shape));
    await pass(7);
    expect(await outcomeOf(sent)).toMatchObject({
      state: "failed",
      code,
      error: expect.stringContaining("The deadline passed."),
    });
    const row = await env.DB.prepare("SELECT error_code AS code FROM posts WHERE id = ?").bind(sent.id).first();
    expect(row).toEqual({ code });
  });

  test("an unconfirmed act stays unconfirmed, and what it waited for is the cause", async () => {
    const home = await freshHome("facebook");
    await sandbox.fault("facebook", "publish", "accept_then_drop", 1);
    await sandbox.fault("facebook", "status", "rate_limit", FOREVER);
    const sent = await send(home, shapeOf("facebook", "a text"));
    await pass(7);
    expect(await lastEventOf(sent)).toEqual({
      type: "post.failed",
      detail: { error_code: "may_be_published", cause: "rate_limited", items: 1, live_items: 0 },
    });
  });
});

describe("a removal that waits past its deadline", () => {
  /** Published, deleted here, and not deleted at the platform. */
  async function stuck(spoil: (sent: Sent) => Promise<unknown>): Promise<Sent> {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const sent = await send(await freshHome("twitter"), shapeOf("twitter", "a text"));
    await queuesIdle();
    await spoil(sent);
    await sent.home.project.call("DELETE", `/social/delete-post/${sent.id}`);
    await pass(25);
    return sent;
  }

  test.for([
    ["the platform is down", () => sandbox.fault("twitter", "delete", "error", FOREVER), "platform_down"],
    ["the connection is over", () => sandbox.fault("twitter", "delete", "revoke_token", 1), "reconnect_needed"],
    [
      "the channel was disconnected",
      ({ home }: Sent) => home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`),
      "channel_disconnected",
    ],
    [
      "a permission is missing",
      async () =>
        answering((request) => {
          const detail = "Your token lacks the scope tweet.write.";
          return request.method === "DELETE"
            ? Response.json({ title: "Forbidden", type: "about:blank", status: 403, detail }, { status: 403 })
            : null;
        }),
      "permission_missing",
    ],
  ] as const)("because %s", async ([, spoil, error_code]) => {
    const sent = await stuck(spoil);
    expect(await lastEventOf(sent)).toEqual({ type: "post.removal_failed", detail: { error_code } });
  });
});
