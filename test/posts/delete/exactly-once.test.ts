import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { crossed, drawn } from "../../contract/sample.ts";
import {
  ACCOUNTS,
  calm,
  type Home,
  homeOn,
  liveOf,
  NAMES,
  plainestOn,
  planFor,
  type Sent,
  send,
} from "../../contract/world.ts";
import { answering, quiet } from "../../support/between.ts";
import { startClean } from "../../support/clean-start.ts";
import { advance } from "../../support/clock.ts";
import { cron, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { HOUR } from "../../support/times.ts";

/**
 * What was deleted does not stay live silently: it is deleted at the platform if possible, and reported if it
 * cannot.
 */
const REMOVERS = NAMES.filter((name) => planFor(name).isRemovable);
/** Those that go through whole days are tried on one platform in a run. */
const drawnRemovers = (label: string) => drawn(label, REMOVERS, 1);
// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
afterEach(async () => {
  quiet();
  await calm();
});

const Events = z.object({ events: z.array(z.object({ type: z.string(), message: z.string() })) });

async function eventsOf({ home, id }: Sent) {
  const answer = await home.project.call("GET", `/social/get-post-events/${id}`);
  expect(answer.status).toBe(200);
  return Events.parse(answer.body).events;
}

async function deletePost({ home, id }: Sent): Promise<string> {
  const answer = await home.project.call("DELETE", `/social/delete-post/${id}`);
  expect(answer.status).toBe(200);
  expect((await home.project.call("GET", `/social/post/${id}`)).status).toBe(404);
  return z.object({ message: z.string() }).parse(answer.body).message;
}

async function reconnect(home: Home): Promise<void> {
  const name = home.channel.channel_type;
  await home.project.connect(name, [ACCOUNTS[name][1]]);
}

async function hours(count: number, step = 1): Promise<void> {
  for (let hour = 0; hour < count; hour += step) {
    await queuesIdle(step * HOUR);
    await advance(step * HOUR);
    await cron();
    await queuesIdle(60_000);
  }
}

async function published(home: Home): Promise<Sent> {
  const sent = await send(home, plainestOn(home.channel.channel_type));
  await queuesIdle();
  expect(await liveOf(sent)).toHaveLength(1);
  return sent;
}

const RECONNECTED = crossed("deleted once reconnected", REMOVERS, 2);
test.for(RECONNECTED)("%s: a post whose channel needs reconnecting is deleted once it is reconnected", async (name) => {
  const home = await homeOn(name, ACCOUNTS[name][1]);
  const sent = await published(home);
  await sandbox.fault(name, "delete", "revoke_token");
  await deletePost(sent);
  await hours(3);
  expect(await liveOf(sent)).toHaveLength(1);
  await reconnect(home);
  await queuesIdle(60_000);
  expect(await liveOf(sent)).toEqual([]);
  expect((await eventsOf(sent)).at(-1)).toMatchObject({ type: "post.removed" });
});

test.for(drawnRemovers("a day"))(
  "%s: after a day it is said that it may still be live, and a reconnection tries again",
  async (name) => {
    const home = await homeOn(name, ACCOUNTS[name][1]);
    const [first, sent] = [await published(home), await published(home)];
    await sandbox.fault(name, "delete", "revoke_token");
    await deletePost(first);
    // One refusal may pass: some platforms refuse a token for a moment.
    await hours(1);
    // The channel is known to need its person by now, and the answer says so.
    expect(await deletePost(sent)).toContain("is reconnected");
    await hours(26, 2);
    expect((await eventsOf(sent)).at(-1)).toMatchObject({
      type: "post.removal_failed",
      message: expect.stringContaining("may still be live"),
    });
    expect(await liveOf(sent)).toHaveLength(1);
    await reconnect(home);
    await queuesIdle(60_000);
    expect([...(await liveOf(sent)), ...(await liveOf(first))]).toEqual([]);
  },
);

/** A post whose answer was lost, and that no look-up can settle. */
async function unsettled(home: Home): Promise<Sent> {
  const name = home.channel.channel_type;
  await sandbox.fault(name, "publish", "accept_then_drop");
  const sent = await send(home, plainestOn(name));
  // Some are called for the state of what was prepared, before it is published.
  for (let second = 0; second < 60 && (await liveOf(sent)).length === 0; second++) {
    await advance(1_000);
    await queuesIdle(0);
  }
  await sandbox.fault(name, "status", "error", 10_000);
  await queuesIdle(HOUR);
  expect(await liveOf(sent)).toHaveLength(1);
  return sent;
}

const FOUND = crossed("found and deleted", REMOVERS, 3);
test.for(FOUND)("%s: a post deleted while its answer is lost is found and deleted", async (name) => {
  const sent = await unsettled(await homeOn(name));
  await deletePost(sent);
  await hours(2);
  await calm();
  await hours(8);
  expect(await liveOf(sent)).toEqual([]);
  expect((await eventsOf(sent)).map(({ type }) => type)).toContain("post.removed");
});

test.for(drawnRemovers("not found in a day"))(
  "%s: what cannot be found in a day is announced, also when it had failed before",
  async (name) => {
    const home = await homeOn(name, ACCOUNTS[name][1]);
    const sent = await unsettled(home);
    await hours(8);
    const found = await home.project.call("GET", `/social/post/${sent.id}`);
    expect(found.body).toMatchObject({
      post: { STATUS: "failed", error: expect.stringContaining("may have been published") },
    });
    await deletePost(sent);
    await hours(26, 2);
    expect((await eventsOf(sent)).at(-1)).toMatchObject({
      type: "post.removal_failed",
      message: expect.stringContaining("may still be live"),
    });
    await calm();
    await reconnect(home);
    await hours(2);
    expect(await liveOf(sent)).toEqual([]);
  },
);

test("a deletion that the platform refuses says that the post may still be live", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const sent = await published(await homeOn("twitter"));
  answering((request) =>
    request.method === "DELETE" && request.url.includes("/2/tweets/")
      ? Response.json({ title: "Forbidden", status: 403, detail: "You may not.", type: "about:blank" }, { status: 403 })
      : null,
  );
  await deletePost(sent);
  await queuesIdle(HOUR);
  expect((await eventsOf(sent)).at(-1)).toMatchObject({
    type: "post.removal_failed",
    message: expect.stringContaining("may still be live"),
  });
});
