import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { nextMidnight } from "../../src/core/time.ts";
import type { Settings } from "../contract/facts.ts";
import {
  callsTo,
  calm,
  freshHome,
  healthOf,
  outcomeOf,
  plainestOn,
  type Sent,
  send,
  settings,
  settingsNow,
  shapeOf,
} from "../contract/world.ts";
import { answering, quiet } from "../support/between.ts";
import { startClean } from "../support/clean-start.ts";
import { advanceTo } from "../support/clock.ts";
import { passSwept, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";

/** No wait for a platform's limit counts against the six hours of a post, for a day in all. */

const FOREVER = 100_000;
let usual: Settings;
beforeAll(async () => {
  usual = await settingsNow(["youtube_uploads_per_day", "youtube_uploads_refusal", "twitter_posts_per_day"]);
});
beforeEach(startClean);
afterEach(async () => {
  quiet();
  await settings(usual);
  await calm();
});

const Events = z.object({
  events: z.array(
    z.object({
      type: z.string(),
      message: z.string(),
      detail: z.looseObject({ limit: z.string().optional() }).nullable(),
    }),
  ),
});
async function waitsOf({ home, id }: Sent) {
  const { body } = await home.project.call("GET", `/social/get-post-events/${id}`);
  return Events.parse(body).events.filter(({ type }) => type === "post.waiting");
}

const FREE = "This wait does not count against the deadline.";

test("YouTube's 429 of a daily quota waits for midnight Pacific time, with every channel of the app, however long", async () => {
  const [home, other] = [await freshHome("youtube"), await freshHome("youtube")];
  const zone = "America/Los_Angeles";
  // Twenty hours before midnight there.
  await advanceTo(nextMidnight(nextMidnight(Date.now(), zone) + HOUR, zone) - 20 * HOUR);
  await settings({ youtube_uploads_per_day: 0, youtube_uploads_refusal: "rate_limit" });
  const until = nextMidnight(Date.now(), zone);
  const first = await send(home, plainestOn("youtube"));
  await queuesIdle(MINUTE);
  const [wait, ...more] = await waitsOf(first);
  expect(more).toEqual([]);
  expect(wait).toMatchObject({ detail: { limit: "service", error_code: "rate_limited" } });
  expect(wait?.message).toMatch(/midnight Pacific time\..*every channel of this service/);
  expect(wait?.message).toContain(FREE);
  expect(Math.abs(Date.parse(String(wait?.detail?.until)) - until)).toBeLessThan(5_000);
  // Another channel learns it without a call.
  const calls = (await callsTo("youtube")).length;
  const second = await send(other, plainestOn("youtube"));
  await queuesIdle(MINUTE);
  expect((await callsTo("youtube")).length).toBe(calls);
  expect((await waitsOf(second)).at(-1)?.detail).toMatchObject({ limit: "service" });
  await settings(usual);
  await advanceTo(until - 2 * MINUTE);
  await passSwept(MINUTE);
  expect(await outcomeOf(first)).toMatchObject({ state: "processing", live: [] });
  await passSwept(14 * MINUTE);
  for (const sent of [first, second]) {
    expect(await outcomeOf(sent)).toMatchObject({ state: "published", live: [expect.anything()] });
  }
});

describe("a limit of one call, which the platform repeats for hours", () => {
  test("does not fail the post, and it is live once when the limit ends", { timeout: 240_000 }, async () => {
    const home = await freshHome("linkedin");
    await sandbox.fault("linkedin", "publish", "rate_limit", FOREVER);
    const sent = await send(home, plainestOn("linkedin"));
    await queuesIdle(8 * HOUR);
    expect(await outcomeOf(sent)).toMatchObject({ state: "processing", live: [] });
    const waits = await waitsOf(sent);
    expect(waits.at(-1)?.message.endsWith(FREE)).toBe(true);
    // References for the platform's support differ in each answer, and make no news.
    expect(waits.length).toBeLessThanOrEqual(2);
    await calm();
    await queuesIdle(HOUR);
    expect(await outcomeOf(sent)).toMatchObject({ state: "published", live: [expect.anything()] });
  });
});

describe("without credits at X", () => {
  test.for(["credits_depleted", "credits_depleted_old"])(
    "a post waits a day for the operator, and is live once when there are some (%s)",
    async (fault) => {
      const home = await freshHome("twitter");
      await sandbox.fault("twitter", "publish", fault, FOREVER);
      const sent = await send(home, shapeOf("twitter", "a text"));
      await queuesIdle(20 * HOUR);
      expect(await outcomeOf(sent)).toMatchObject({ state: "processing", live: [] });
      const [wait] = await waitsOf(sent);
      expect(wait).toMatchObject({ detail: { error_code: "operator_action" } });
      expect(wait?.message).toMatch(/no credits left at X/);
      expect((await waitsOf(sent)).at(-1)?.message).toContain(FREE);
      await calm();
      await queuesIdle(HOUR);
      expect(await outcomeOf(sent)).toMatchObject({ state: "published", live: [expect.anything()] });
    },
  );

  test("a post fails after a day and six hours", { timeout: 240_000 }, async () => {
    const home = await freshHome("twitter");
    await sandbox.fault("twitter", "publish", "credits_depleted", FOREVER);
    const sent = await send(home, shapeOf("twitter", "a text"));
    await queuesIdle(DAY + 5 * HOUR);
    expect((await outcomeOf(sent)).state).toBe("processing");
    await queuesIdle(2 * HOUR);
    expect(await outcomeOf(sent)).toMatchObject({ state: "failed", code: "operator_action", live: [] });
    const messages = (await waitsOf(sent)).map(({ message }) => message);
    expect(messages.at(-1)).toContain("After a day in limits of the platform, waiting counts against the deadline.");
    // One event for each cause, not for each attempt.
    expect(messages.length).toBeLessThanOrEqual(3);
  });
});

test("a look-up that a limit refuses waits within the day, and finds the post", async () => {
  const home = await freshHome("linkedin");
  await sandbox.fault("linkedin", "publish", "accept_then_drop", 1);
  await sandbox.fault("linkedin", "status", "rate_limit", FOREVER);
  const sent = await send(home, plainestOn("linkedin"));
  await queuesIdle(10 * HOUR);
  expect((await outcomeOf(sent)).state).toBe("processing");
  await calm();
  await queuesIdle(HOUR);
  const outcome = await outcomeOf(sent);
  expect(outcome.state).toBe("published");
  expect(outcome.live).toHaveLength(1);
});

test("an account that its owner has to unlock is no limit: that wait counts", async () => {
  const home = await freshHome("twitter");
  await sandbox.fault("twitter", "publish", "account_locked", FOREVER);
  const sent = await send(home, shapeOf("twitter", "a text"));
  await queuesIdle(7 * HOUR);
  expect(await outcomeOf(sent)).toMatchObject({ state: "failed", code: "account_restricted" });
  expect((await waitsOf(sent))[0]?.message).not.toContain("deadline");
});

describe("a refusal that is no lost login", () => {
  test("a missing role on a Facebook Page fails the post with that reason, and the channel stays connected", async () => {
    const home = await freshHome("facebook");
    await sandbox.fault("facebook", "publish", "page_role_missing", 2);
    const sent = await send(home, shapeOf("facebook", "a text"));
    await queuesIdle();
    const { state, code, error, live } = await outcomeOf(sent);
    expect({ state, code, live }).toEqual({ state: "failed", code: "account_restricted", live: [] });
    expect(error).toMatch(/lacks a role on the Page/);
    expect(error).toMatch(/words: “Any of the pages_read_engagement.*before impersonating a user's page/);
    expect(error).not.toMatch(/reconnect|connect .* again/i);
    expect((await healthOf(home)).health).toBe("connected");
    await calm();
    const again = await send(home, shapeOf("facebook", "a text"));
    await queuesIdle();
    expect(await outcomeOf(again)).toMatchObject({ state: "published" });
  });

  test("LinkedIn's missing permission of organizations is shown at the channel", async () => {
    const home = await freshHome("linkedin");
    await sandbox.fault("linkedin", "publish", "organization_permission_missing", 2);
    const sent = await send(home, shapeOf("linkedin", "a text"));
    await queuesIdle();
    expect(await outcomeOf(sent)).toMatchObject({ state: "failed", code: "permission_missing", live: [] });
    const { health, reason } = await healthOf(home);
    expect(health).toBe("reconnect_needed");
    expect(reason).toMatch(/w_organization_social/);
    expect(reason).toMatch(/Organization Or Events permissions must be used/);
  });

  test.for([1, 3])("Bluesky's refusal of %i proofs delays a post, which is live once", async (times) => {
    const home = await freshHome("bluesky");
    await sandbox.fault("bluesky", "publish", "proof_refused", times);
    const sent = await send(home, shapeOf("bluesky", "a text"));
    await queuesIdle(HOUR);
    const { state, live } = await outcomeOf(sent);
    expect({ state, count: live.length }).toEqual({ state: "published", count: 1 });
    expect((await healthOf(home)).health).toBe("connected");
  });

  test("a token that a platform quotes stands neither in the post's error nor in its timeline", async () => {
    const home = await freshHome("facebook");
    const tokens: string[] = [];
    answering((request) => {
      if (request.method !== "POST" || !request.url.includes("/feed")) return null;
      const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
      tokens.push(token);
      const message = `(#100) The token ${token} may not set the parameter link`;
      return Response.json({ error: { message, type: "OAuthException", code: 100 } }, { status: 400 });
    });
    const sent = await send(home, shapeOf("facebook", "a text"));
    await queuesIdle();
    const { error } = await outcomeOf(sent);
    expect(error).toMatch(/words: “\(#100\) The token ••• may not set the parameter link”/);
    const { body } = await home.project.call("GET", `/social/get-post-events/${sent.id}`);
    expect(tokens.length).toBeGreaterThan(0);
    for (const token of tokens) expect(JSON.stringify(body)).not.toContain(token);
  });
});
