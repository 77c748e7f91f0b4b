import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { markStopped } from "../../src/channels/grant-store.ts";
import { listChannelsOfAccount } from "../../src/channels/store.ts";
import { type ChannelId, idOf, type ProjectId } from "../../src/core/ids.ts";
import { createDeps } from "../../src/service/deps.ts";
import worker from "../../src/worker.ts";
import {
  ACCOUNTS,
  calm,
  type Home,
  homeOn,
  liveNow,
  outcomeOf,
  type Sent,
  send,
  settings,
  shapeOf,
} from "../contract/world.ts";
import { alterJson, answering, databaseCalls, failStatements, quiet, requests } from "../support/between.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { bindings, cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { HOUR, MINUTE } from "../support/times.ts";
import { createPost, findPost, HANDLES, PAGES, type Project } from "../support/world.ts";

/** Credentials by purpose and version; what a platform refuses stops exactly that. */
// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
afterEach(async () => {
  quiet();
  vi.restoreAllMocks();
  await calm();
  await settings({ processing_ms: 1_500 });
});

const Row = z.object({
  purpose: z.string(),
  credentials: z.string().nullable(),
  scopes: z.string().nullable(),
  expires_at: z.number().nullable(),
  refresh_due_at: z.number().nullable(),
  version: z.number(),
  stored_by: z.string(),
  health: z.string(),
  health_reason: z.string().nullable(),
  stopped: z.string(),
});

async function grantsOf({ channel }: Home) {
  const { results } = await env.DB.prepare("SELECT * FROM grants WHERE channel_id = ? ORDER BY purpose")
    .bind(channel.channel_id)
    .all();
  return z.array(Row).parse(results);
}

async function publishGrant(home: Home) {
  const grant = (await grantsOf(home)).find(({ purpose }) => purpose === "publish");
  if (!grant) throw new Error("The channel has no grant for publishing.");
  return grant;
}

const View = z.looseObject({
  channel_id: z.number(),
  health: z.string(),
  health_reason: z.string().nullable(),
  capabilities: z.array(z.object({ name: z.string(), health: z.string(), reason: z.string().nullable() })),
});

async function viewOf({ project, channel }: Home) {
  const { body } = await project.call("GET", "/social/get-channels");
  const { channels } = z.object({ channels: z.object({ data: z.array(View) }) }).parse(body);
  return channels.data.find((one) => one.channel_id === channel.channel_id);
}

const text = (home: Home) => send(home, shapeOf(home.channel.channel_type, "a text"));
const stateOf = async (sent: Sent) => (await outcomeOf(sent)).state;
const reconnect = (home: Home, account: string) => home.project.connect(home.channel.channel_type, [account]);
/** Calls of X's token endpoint since the last login. */
const renewals = () => requests("/2/oauth2/token").length;

async function xHome(): Promise<Home> {
  const home = await homeOn("twitter", HANDLES.harbour);
  quiet();
  return home;
}

/** X's word that a token lacks a scope, in place of its answer to the next calls like this. */
function lackScope(method: string, path: string, times: number): void {
  let left = times;
  answering((request) => {
    if (left === 0 || request.method !== method || !request.url.includes(path)) return null;
    left -= 1;
    const detail = "Your token lacks the scope tweet.write that this endpoint needs.";
    return Response.json({ title: "Forbidden", type: "about:blank", status: 403, detail }, { status: 403 });
  });
}

describe("credentials that end", () => {
  test("are renewed by their task when they are due, and only then", async () => {
    const home = await xHome();
    const { channel_id: id } = home.channel;
    await advance(24.1 * HOUR);
    await cron();
    await queuesIdle();
    expect(await publishGrant(home)).toMatchObject({ version: 2, stored_by: "renewal" });
    // The task sleeps until the new ones are due.
    const task = await env.DB.prepare("SELECT due_at FROM recurring WHERE key = ?")
      .bind(`refresh:${id}:publish`)
      .first();
    const grant = await env.DB.prepare("SELECT refresh_due_at FROM grants WHERE channel_id = ?").bind(id).first();
    expect(Math.abs(Number(task?.due_at) - Number(grant?.refresh_due_at))).toBeLessThan(1_000);
    // One that comes too soon changes nothing; one of a purpose of a later version ends.
    await env.DB.prepare("UPDATE recurring SET due_at = 1 WHERE key = ?").bind(`refresh:${id}:publish`).run();
    await env.DB.prepare(
      "INSERT INTO recurring (key, kind, due_at, interval_ms, failures, created_at) VALUES (?, 'refresh', 1, 1, 0, 1)",
    )
      .bind(`refresh:${id}:unheard-of`)
      .run();
    await cron();
    await queuesIdle();
    expect([renewals(), (await publishGrant(home)).version]).toEqual([1, 2]);
    expect(
      await env.DB.prepare("SELECT key FROM recurring WHERE key LIKE ?").bind(`refresh:${id}:%`).all(),
    ).toMatchObject({ results: [{ key: `refresh:${id}:publish` }] });
  });
});

describe("what was refused is reported by its version", () => {
  test("posts that meet one dead token renew it once, and all are published", async () => {
    const home = await xHome();
    await sandbox.fault("twitter", "publish", "expire_token");
    const posts = [];
    for (let index = 0; index < 6; index++) posts.push(await text(home));
    const messages = queue.messages;
    queue.loseAll();
    await Promise.all(messages.map((message) => queue.deliver(message)));
    await queuesIdle();
    expect(await Promise.all(posts.map(stateOf))).toEqual(posts.map(() => "published"));
    expect([renewals(), (await publishGrant(home)).version]).toEqual([1, 2]);
  });

  test("a long upload that sees its credentials end twice goes on", async () => {
    const home = await xHome();
    await settings({ processing_ms: 25 * MINUTE });
    await sandbox.fault("twitter", "upload", "expire_token");
    const sent = await send(home, shapeOf("twitter", "a video"));
    await queuesIdle(12 * MINUTE);
    expect(await publishGrant(home)).toMatchObject({ version: 2, stored_by: "renewal" });
    await sandbox.fault("twitter", "status", "expire_token");
    await queuesIdle(2 * HOUR);
    expect(await outcomeOf(sent)).toMatchObject({ state: "published" });
    expect(await publishGrant(home)).toMatchObject({ version: 3, health: "connected" });
  });

  test("a platform that refuses what it gave minutes ago is believed, no matter who renewed it", async () => {
    const home = await xHome();
    await advance(24.1 * HOUR);
    await cron();
    await queuesIdle(MINUTE);
    expect(await publishGrant(home)).toMatchObject({ version: 2, stored_by: "renewal" });
    await advance(5 * MINUTE);
    await sandbox.fault("twitter", "publish", "expire_token");
    const sent = await text(home);
    await queuesIdle();
    expect(await outcomeOf(sent)).toMatchObject({ state: "failed", error: expect.stringMatching(/again to publish/) });
    expect(await publishGrant(home)).toMatchObject({ version: 2, health: "reconnect_needed" });
  });

  test.for([
    ["dead", () => sandbox.fault("twitter", "publish", "expire_token")],
    ["too weak", async () => lackScope("POST", "/2/tweets", 1)],
  ] as const)("a person who reconnects while old credentials are found %s is not undone", async ([, spoil]) => {
    const home = await xHome();
    await spoil();
    let isReconnected = false;
    const reach = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const request = new Request(input, init);
      const answer = await reach(request);
      if (answer.ok || isReconnected || !request.url.endsWith("/2/tweets")) return answer;
      isReconnected = true;
      await reconnect(home, HANDLES.harbour);
      return answer;
    };
    const sent = await text(home);
    await queuesIdle();
    globalThis.fetch = reach;
    expect(isReconnected).toBe(true);
    expect(await stateOf(sent)).toBe("published");
    expect(await publishGrant(home)).toMatchObject({
      version: 2,
      stored_by: "login",
      health: "connected",
      stopped: "{}",
    });
  });

  test("a renewed pair that D1 did not take yet survives that the old one is sealed again", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const home = await xHome();
    await advance(2.5 * HOUR);
    failStatements(/update "grants" set "credentials" = \?, "credentials_key" = \?, "scopes" = \?, "expires_at"/, 4);
    const sent = await text(home);
    await queuesIdle(0);
    const { credentials, version } = await publishGrant(home);
    expect(version).toBe(1);
    const test = `test:${btoa("0123456789abcdef0123456789abcdef")}`;
    const next = `next:${btoa("fedcba9876543210fedcba9876543210")}`;
    for (const CREDENTIAL_KEYS of [`${next},${test}`, `${test},${next}`]) {
      const cron = { scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} };
      const changed = { ...bindings, CREDENTIAL_KEYS };
      await worker.scheduled(cron, changed);
    }
    expect((await publishGrant(home)).credentials).not.toBe(credentials);
    await queuesIdle();
    expect(await stateOf(sent)).toBe("published");
    // A second renewal with the used-up token would have ended the login.
    expect(await publishGrant(home)).toMatchObject({ version: 2, health: "connected" });
  });
});

describe("a missing permission stops what needs it", () => {
  test("posts fail with the reason, the channel shows it, and connecting again clears it", async () => {
    const home = await xHome();
    lackScope("POST", "/2/tweets", 1);
    const sent = await text(home);
    await queuesIdle();
    const reason = expect.stringMatching(/lacks a permission.*again to publish with it/);
    expect(await outcomeOf(sent)).toMatchObject({ state: "failed", error: reason, live: [] });
    expect(await viewOf(home)).toMatchObject({
      health: "reconnect_needed",
      health_reason: reason,
      capabilities: [
        { name: "publish", health: "reconnect_needed", reason },
        { name: "comments", health: "connected", reason: null },
        { name: "replies", health: "connected", reason: null },
        { name: "messages", health: "connected", reason: null },
        { name: "insights", health: "connected", reason: null },
      ],
    });
    // The credentials themselves are good, for whatever else they allow.
    expect(await publishGrant(home)).toMatchObject({ health: "connected", health_reason: null });
    const create = (body: object) =>
      home.project.call("POST", "/social/create-post", {
        body: { ...home.channel, post_type: "post", publish_mode: "now", caption_text: "x", media_urls: [], ...body },
      });
    expect(await create({})).toMatchObject({ status: 422, body: { errors: { channel_id: [reason] } } });
    expect(await create({ publish_mode: "queued" })).toMatchObject({ status: 200 });
    const { results } = await env.DB.prepare(
      "SELECT type, detail FROM events WHERE subject = 'channel' AND subject_id = ? ORDER BY id DESC LIMIT 1",
    )
      .bind(home.channel.channel_id)
      .all();
    expect(results).toEqual([
      {
        type: "channel.reconnect_needed",
        detail: JSON.stringify({ grant: "publish", capability: "publish", error_code: "permission_missing" }),
      },
    ]);
    await reconnect(home, HANDLES.harbour);
    expect(await viewOf(home)).toMatchObject({ health: "connected", health_reason: null });
    const again = await text(home);
    await queuesIdle();
    expect(await stateOf(again)).toBe("published");
  });

  test("facebook: Graph's codes for it do the same", async () => {
    const home = await homeOn("facebook", PAGES.harbour);
    let left = 1;
    answering((request) => {
      if (left === 0 || request.method !== "POST" || !request.url.includes("/feed")) return null;
      left -= 1;
      const error = {
        message: "(#200) Requires pages_manage_posts",
        type: "OAuthException",
        code: 200,
        fbtrace_id: "A",
      };
      return Response.json({ error }, { status: 403 });
    });
    const sent = await text(home);
    await queuesIdle();
    expect(await outcomeOf(sent)).toMatchObject({ state: "failed", error: expect.stringMatching(/again to publish/) });
    expect(await publishGrant(home)).toMatchObject({ health: "connected", stopped: expect.stringContaining("(#200)") });
    expect((await viewOf(home))?.health).toBe("reconnect_needed");
  });

  test("one that only answering comments needs leaves publishing alone, through renewals, until a login", async () => {
    const home = await xHome();
    const { db } = createDeps(bindings, {});
    const channelId = idOf<ChannelId>(home.channel.channel_id);
    const project = await env.DB.prepare("SELECT project_id AS id FROM channels WHERE id = ?")
      .bind(channelId)
      .first<number>("id");
    const grant = { channelId, purpose: "publish", version: 1 } as const;
    const stop = (capability: "comments" | "messages") =>
      markStopped(db, idOf<ProjectId>(project ?? 0), grant, {
        capability,
        reason: `No ${capability}.`,
        now: Date.now(),
      });
    expect(await Promise.all([stop("comments"), stop("messages"), stop("comments")])).toEqual([true, true, true]);
    const stopped = JSON.stringify({ comments: "No comments.", messages: "No messages." });
    expect(JSON.parse((await publishGrant(home)).stopped)).toEqual(JSON.parse(stopped));
    const shown = await env.DB.prepare(
      "SELECT count(*) AS n FROM events WHERE subject = 'channel' AND subject_id = ? AND type = 'channel.reconnect_needed'",
    )
      .bind(channelId)
      .first("n");
    expect(shown).toBe(2);

    expect(await viewOf(home)).toMatchObject({
      health: "connected",
      capabilities: [
        { name: "publish", health: "connected" },
        { name: "comments", health: "reconnect_needed", reason: "No comments." },
        { name: "replies", health: "connected" },
        { name: "messages", health: "reconnect_needed", reason: "No messages." },
        { name: "insights", health: "connected" },
      ],
    });
    await advance(2.5 * HOUR);
    const sent = await text(home);
    await queuesIdle();
    expect(await stateOf(sent)).toBe("published");
    const renewed = await publishGrant(home);
    expect([renewed.version, JSON.parse(renewed.stopped)]).toEqual([2, JSON.parse(stopped)]);
    // Nothing is shown of credentials that were deleted.
    expect(await stop("comments")).toBe(false);
    await reconnect(home, HANDLES.harbour);
    expect((await publishGrant(home)).stopped).toBe("{}");
  });

  test("a post to be deleted waits for the permission", async () => {
    const home = await xHome();
    const sent = await text(home);
    await queuesIdle();
    lackScope("DELETE", "/2/tweets", 1);
    await home.project.call("DELETE", `/social/delete-post/${sent.id}`);
    await queuesIdle(30 * MINUTE);
    const isLive = async () => (await liveNow(home)).some((post) => post.text.includes(sent.mark));
    expect([await isLive(), (await viewOf(home))?.health]).toEqual([true, "reconnect_needed"]);
    await reconnect(home, HANDLES.harbour);
    await queuesIdle(MINUTE);
    expect(await isLive()).toBe(false);
  });

  test("scopes that the login did not give are missing before the platform is called", async () => {
    const home = await xHome();
    await env.DB.prepare('UPDATE grants SET scopes = \'["tweet.read","users.read"]\' WHERE channel_id = ?')
      .bind(home.channel.channel_id)
      .run();
    expect((await viewOf(home))?.health_reason).toContain("without tweet.write");
  });
});

describe("several grants of one account", () => {
  const ADS = ["ads_management", "ads_read", "pages_manage_ads"];

  async function withAds(project?: Project): Promise<Home> {
    if (!project) return homeOn("facebook", ACCOUNTS.facebook[1]);
    const [id] = await project.connect("facebook", [ACCOUNTS.facebook[1]]);
    return { project, channel: { channel_type: "facebook", channel_id: id ?? 0 } };
  }

  test("facebook: the person's own token is kept for ads beside the Page's, where it was allowed", async () => {
    const home = await withAds();
    const [ads, publish] = await grantsOf(home);
    expect(ads).toMatchObject({ purpose: "ads", health: "connected", refresh_due_at: null, version: 1 });
    expect(ads?.expires_at).toBeGreaterThan(Date.now() + 59 * 24 * HOUR);
    expect(publish).toMatchObject({ purpose: "publish", expires_at: null });
    const sent = await text(home);
    await queuesIdle();
    expect(await stateOf(sent)).toBe("published");

    // One ends, the other does not; a login gives what it gives and leaves the rest.
    await sandbox.fault("facebook", "publish", "revoke_token");
    await text(home);
    await queuesIdle();
    expect((await grantsOf(home)).map(({ health }) => health)).toEqual(["connected", "reconnect_needed"]);
    quiet();
    const Permissions = z.object({ data: z.array(z.object({ permission: z.string() }).loose()) });
    alterJson("/me/permissions", (body) => ({
      data: Permissions.parse(body).data.filter(({ permission }) => !ADS.includes(permission)),
    }));
    await reconnect(home, ACCOUNTS.facebook[1]);
    quiet();
    expect((await grantsOf(home)).map(({ health, version }) => [health, version])).toEqual([
      ["connected", 1],
      ["connected", 2],
    ]);

    await home.project.call("DELETE", `/social/delete-channel/${home.channel.channel_id}`);
    const forgotten = (await grantsOf(home)).map(({ credentials, expires_at }) => [credentials, expires_at]);
    expect(forgotten).toEqual([
      [null, null],
      [null, null],
    ]);
    // Versions increase: earlier work that still runs must not affect the new ones.
    await withAds(home.project);
    expect((await grantsOf(home)).map(({ version, health }) => [version, health])).toEqual([
      [2, "connected"],
      [3, "connected"],
    ]);
  });
});

test("the channels of an account are found over all projects by an index, the connected ones only", async () => {
  const [first, second, third] = [
    await homeOn("twitter", HANDLES.fern),
    await homeOn("twitter", HANDLES.fern),
    await homeOn("twitter", HANDLES.fern),
  ];
  await homeOn("twitter", HANDLES.bikes);
  await third.project.call("DELETE", `/social/delete-channel/${third.channel.channel_id}`);
  const project = await env.DB.prepare("SELECT project_id AS id FROM channels WHERE id = ?")
    .bind(first.channel.channel_id)
    .first<number>("id");
  await env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
     INSERT INTO channels (project_id, user_ref, platform, account_id, name, attributes, marked_health, created_at, updated_at)
     SELECT ?, 'u', 'twitter', 'other ' || i, 'Other', '{}', 'connected', 1, 1 FROM n`,
  )
    .bind(project)
    .run();
  const deps = createDeps(bindings, {});
  const { meter } = deps;
  const found = await listChannelsOfAccount(deps, "twitter", HANDLES.fern);
  expect(found.map(({ id }) => Number(id))).toEqual([first.channel.channel_id, second.channel.channel_id]);
  expect(found[0]?.projectId).toBe(project);
  expect(meter.d1Calls).toBe(1);
  expect(meter.d1RowsRead).toBeLessThanOrEqual(6);
  expect(await listChannelsOfAccount(deps, "facebook", HANDLES.fern)).toEqual([]);
});

test("a plain text post takes seven D1 calls from its request to published", async () => {
  const home = await xHome();
  // The first one reads the token.
  await text(home);
  await queuesIdle();
  const before = databaseCalls();
  const id = await createPost(home.project, home.channel, { caption_text: crypto.randomUUID() });
  await queuesIdle();
  const calls = databaseCalls() - before;
  expect(await findPost(home.project, id)).toMatchObject({ STATUS: "published" });
  expect(calls).toBeLessThanOrEqual(7);
});
