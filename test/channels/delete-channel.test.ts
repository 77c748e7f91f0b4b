import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { GrantRules } from "../../src/platforms/login.ts";
import { platforms } from "../../src/platforms/registry.ts";
import { without } from "../contract/absent.ts";
import { crossed } from "../contract/sample.ts";
import { calm, freshHome, type Home, homeOn, NAMES, type Name, plainestOn, publish } from "../contract/world.ts";
import { quiet, requests } from "../support/between.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { HANDLES, PAGES, YOUTUBE_CHANNELS } from "../support/person.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import { type ChannelRef, Project } from "../support/world.ts";

/** Disconnecting ends a login at the platform if no other channel uses it, and nothing else. */

// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
afterEach(async () => {
  quiet();
  await calm();
  await sandbox.settings({ youtube_one_google_account: false, linkedin_gives_refresh_tokens: true });
  await advance(2 * HOUR);
});

const ENDS = /^DELETE \S+\/permissions|\/revoke\/?(?:\?|$)/;
/** Requests that end a login, or a token. */
const revocations = () => requests().filter((request) => ENDS.test(request)).length;
const REVOCABLE = NAMES.filter((name) => platforms[name]?.grants.publish?.revoke);

const LEFT = crossed("disconnecting without a call", NAMES, 3);
test.for(LEFT)("%s: disconnecting works whether or not the platform has a call to end a login", async (name) => {
  const home = await freshHome(name);
  await withoutCalls(Object.values(platforms[name]?.grants ?? {}), async () => {
    await disconnect(home);
  });
  expect(revocations()).toBe(0);
  expect((await typesOf(home)).at(-1)).toBe("channel.disconnected");
  expect(await keptOf(home)).toBe(0);
});

/** As if nothing could end what these grants gave. */
async function withoutCalls([first, ...others]: readonly GrantRules[], run: () => Promise<void>): Promise<void> {
  return first ? without(first, "revoke", () => withoutCalls(others, run)) : run();
}

async function disconnect({ project, channel }: Pick<Home, "project" | "channel">): Promise<string> {
  const answer = await project.call("DELETE", `/social/delete-channel/${channel.channel_id}`);
  expect(answer.status).toBe(200);
  await queuesIdle(MINUTE);
  return JSON.stringify(answer.body);
}

async function eventsOf({ channel }: Pick<Home, "channel">) {
  const { results } = await env.DB.prepare(
    "SELECT type, message, detail ->> 'error_code' AS code FROM events WHERE subject = 'channel' AND subject_id = ? ORDER BY id",
  )
    .bind(channel.channel_id)
    .all<{ type: string; message: string; code: string | null }>();
  return results;
}
const typesOf = async (home: Pick<Home, "channel">) => (await eventsOf(home)).map(({ type }) => type);

/** Nothing of the credentials stays. */
async function keptOf({ channel }: Pick<Home, "channel">): Promise<number> {
  const row = await env.DB.prepare(
    `SELECT (SELECT count(*) FROM grants WHERE channel_id = ?1 AND credentials IS NOT NULL)
       + (SELECT count(*) FROM job_steps WHERE job_key = 'revoke:' || ?1 AND name LIKE 'grant:%') AS kept`,
  )
    .bind(String(channel.channel_id))
    .first<{ kept: number }>();
  return row?.kept ?? Number.NaN;
}

/** How many of the channel's grants can be revoked at the platform. */
async function revocableOf(name: Name, { channel }: Pick<Home, "channel">): Promise<number> {
  const purposes = Object.entries(platforms[name]?.grants ?? {}).flatMap(([purpose, { revoke }]) =>
    revoke ? [purpose] : [],
  );
  const row = await env.DB.prepare(
    `SELECT count(*) AS count FROM grants WHERE channel_id = ?1 AND credentials IS NOT NULL
       AND purpose IN (SELECT value FROM json_each(?2))`,
  )
    .bind(channel.channel_id, JSON.stringify(purposes))
    .first<{ count: number }>();
  return row?.count ?? Number.NaN;
}

test.for(REVOCABLE)(
  "%s: the last channel of a login takes it along, and its credentials are forgotten",
  async (name) => {
    const home = await freshHome(name);
    const count = await revocableOf(name, home);
    await disconnect(home);
    expect(revocations()).toBeGreaterThanOrEqual(1);
    expect(revocations()).toBeLessThanOrEqual(count);
    const ended = Array.from({ length: count }, () => "channel.revoked");
    expect((await typesOf(home)).slice(-1 - count)).toEqual(["channel.disconnected", ...ended]);
    expect(await keptOf(home)).toBe(0);
  },
);

const SHARED = crossed("a shared login", REVOCABLE, 2);
test.for(SHARED)("%s: a login that another project's channel lives by is not ended", async (name) => {
  const home = await freshHome(name);
  const twin = await homeOn(name, home.accountId);
  await disconnect(home);
  expect(revocations()).toBe(0);
  expect(await typesOf(home)).not.toContain("channel.revoked");
  expect(await keptOf(home)).toBe(0);
  expect(await publish(twin, plainestOn(name))).toMatchObject({ state: "published" });
  await disconnect(twin);
  expect(revocations()).toBeGreaterThanOrEqual(1);
});

/** Two accounts of one login. */
async function pairOn(name: Name, accounts: readonly string[]): Promise<readonly [Home, Home]> {
  const project = await Project.create();
  const ids: number[] = [];
  if (name === "youtube") for (const account of accounts) ids.push(...(await project.connect(name, [account])));
  else ids.push(...(await project.connect(name, accounts)));
  const [one, other] = ids.map((channel_id): Home => {
    const channel: ChannelRef<Name> = { channel_type: name, channel_id };
    return { project, channel };
  });
  if (!one || !other) throw new Error(`${name}: ${ids.length} channels`);
  return [one, other];
}

test.for([
  ["facebook", [PAGES.fern, PAGES.harbour]],
  ["youtube", [YOUTUBE_CHANNELS.bakery, YOUTUBE_CHANNELS.fern]],
] as const)(
  "%s: of two channels of one person the first to go leaves the login to the other",
  async ([name, accounts]) => {
    await sandbox.settings({ youtube_one_google_account: true });
    const [one, other] = await pairOn(name, accounts);
    await disconnect(one);
    expect(revocations()).toBe(0);
    expect(await publish(other, plainestOn(name))).toMatchObject({ state: "published" });
    await disconnect(other);
    expect(revocations()).toBe(1);
    expect(await typesOf(other)).toContain("channel.revoked");
  },
);

test("a user who connects again before the login is ended keeps it", async () => {
  const home = await freshHome("twitter");
  await sandbox.fault("twitter", "token", "error", 1);
  await disconnect({ ...home });
  await calm();
  const [id] = await home.project.connect("twitter", [home.accountId ?? ""]);
  expect(id).toBe(home.channel.channel_id);
  await advance(HOUR);
  await cron();
  await queuesIdle(HOUR);
  expect(await publish(home, plainestOn("twitter"))).toMatchObject({ state: "published" });
  expect(await keptOf(home)).toBe(1);
});

test("a platform that is away is called again, and the disconnection does not wait for it", async () => {
  const home = await freshHome("linkedin");
  await sandbox.fault("linkedin", "token", "error", 8);
  expect(await disconnect(home)).toContain("is disconnected");
  expect(await typesOf(home)).not.toContain("channel.revoked");
  for (let hours = 0; hours < 3; hours += 1) {
    await cron();
    await queuesIdle(HOUR);
  }
  expect(await typesOf(home)).toContain("channel.revoked");
  expect(await keptOf(home)).toBe(0);
});

test("what cannot be ended in a day is reported, and its credentials are forgotten all the same", async () => {
  const home = await freshHome("twitter");
  await sandbox.fault("twitter", "token", "error", 1_000);
  await disconnect(home);
  for (let hours = 0; hours < 26; hours += 1) {
    await cron();
    await queuesIdle(HOUR);
    await advance(HOUR);
  }
  const last = (await eventsOf(home)).at(-1);
  expect(last).toMatchObject({ type: "channel.revocation_failed", code: "platform_down" });
  expect(last?.message).toContain("The account owner can revoke it");
  expect(await keptOf(home)).toBe(0);
});

test("what the platform has ended by itself counts as ended", async () => {
  const home = await homeOn("twitter", HANDLES.harbour);
  await sandbox.fault("twitter", "publish", "revoke_token");
  await publish(home, plainestOn("twitter"));
  await disconnect(home);
  expect((await typesOf(home)).at(-1)).toBe("channel.revoked");
});

test("a grant whose login is not known is not ended, and neither is what may be the same login", async () => {
  const old = await homeOn("facebook", PAGES.bikes);
  await env.DB.prepare("UPDATE grants SET login = NULL WHERE channel_id = ?").bind(old.channel.channel_id).run();
  const home = await freshHome("facebook");
  await disconnect(home);
  expect(revocations()).toBe(0);
  await disconnect(old);
  expect(revocations()).toBe(0);
  expect(await keptOf(old)).toBe(0);
});
