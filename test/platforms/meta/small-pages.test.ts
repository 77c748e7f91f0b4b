import { env } from "cloudflare:workers";
import { afterEach, expect, test } from "vitest";
import { accountContext, openGrant } from "../../../src/channels/credentials.ts";
import { findActor } from "../../../src/channels/store.ts";
import type { ChannelId } from "../../../src/core/ids.ts";
import { facebook } from "../../../src/platforms/facebook/index.ts";
import { createDeps } from "../../../src/service/deps.ts";
import { callsTo, calm, freshHome, type Home, outcomeOf, send, settings, shapeOf } from "../../contract/world.ts";
import { collect, writeTo } from "../../support/conversations.ts";
import { bindings, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY, HOUR } from "../../support/times.ts";

/** Through the front door: a simulated Page whose lists are too large for more than two items at once. */

afterEach(async () => {
  await settings({ graph_list_most: 0 });
  await calm();
});

test("a post whose answer was lost is found in pages of two, and is live once", { timeout: 240_000 }, async () => {
  const home = await freshHome("facebook");
  for (let count = 0; count < 3; count += 1) await send(home, shapeOf("facebook", "a text"));
  await queuesIdle();
  await settings({ graph_list_most: 2 });
  await sandbox.fault("facebook", "publish", "accept_then_drop", 1);
  const sent = await send(home, shapeOf("facebook", "a text"));
  await queuesIdle();
  const { state, live } = await outcomeOf(sent);
  expect({ state, count: live.length }).toEqual({ state: "published", count: 1 });
  const lists = (await callsTo("facebook")).filter(({ path }) => String(path).includes("published_posts"));
  expect(lists.some(({ status }) => status === 500)).toBe(true);
});

/** The sizes with which an invocation that has only the row of the channel requests its inbox. */
async function sizesElsewhere({ channel }: Home, later = 0): Promise<readonly number[]> {
  const deps = createDeps(bindings, { test: true });
  const actor = await findActor(deps.db, channel.channel_id as ChannelId);
  const grant = actor?.grants.find(({ purpose }) => purpose === "publish");
  const rules = facebook.grants.publish;
  if (!actor || !grant || !rules) throw new Error("The channel has no grant.");
  const opened = await openGrant(deps, actor.channel, grant);
  if (opened.kind !== "open") throw new Error(opened.reason);
  const made = accountContext(deps, actor, rules, opened.credentials);
  if (made.kind !== "ready") throw new Error(made.reason);
  const sizes: number[] = [];
  const { context } = made;
  const now = context.now + later;
  const counted: typeof context.send = (call) => {
    sizes.push(Number(call.query?.limit));
    return context.send(call);
  };
  const read = await facebook.conversations.read({ ...context, now, send: counted }, now - DAY);
  expect(read).toMatchObject({ kind: "read" });
  return sizes;
}

const storedSizes = (channel: number) =>
  env.DB.prepare("SELECT page_sizes FROM channels WHERE id = ?").bind(channel).first<string | null>("page_sizes");

/** A Page whose inbox was read in small pages. */
async function busyHome(): Promise<Home> {
  const home = await freshHome("facebook");
  for (const name of ["Ada", "Ben", "Cleo"]) await writeTo("facebook", home.accountId ?? "", "Do you ship?", name);
  await settings({ graph_list_most: 2 });
  await collect(home.project, home.channel);
  return home;
}

test("a channel forgets its sizes as it is disconnected", async () => {
  const { project, channel } = await busyHome();
  expect(JSON.parse((await storedSizes(channel.channel_id)) ?? "")).toMatchObject({
    "graph.facebook.com/conversations": { size: 1 },
  });
  expect((await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`)).status).toBe(200);
  expect(await storedSizes(channel.channel_id)).toBeNull();
});

test("the size that worked is stored: another invocation begins with it, and grows it by the hour", async () => {
  const home = await busyHome();
  const sizes = await sizesElsewhere(home);
  expect(sizes[0]).toBe(1);
  expect(new Set(sizes)).toEqual(new Set([1]));
  await settings({ graph_list_most: 0 });
  expect((await sizesElsewhere(home, HOUR))[0]).toBe(2);
  expect((await sizesElsewhere(home, DAY))[0]).toBeGreaterThan(20);
});
