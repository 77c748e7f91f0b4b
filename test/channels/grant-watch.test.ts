import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { calm, freshHome, type Home, type Name, plainestOn, publish } from "../contract/world.ts";
import { answering, quiet } from "../support/between.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { facebookCode, facebookLogin, graph } from "../support/platform.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";

/** The end of a channel's login is shown, and found before a post needs the login. */

const USUAL = {
  linkedin_gives_refresh_tokens: true,
  youtube_grant_seconds: 0,
  linkedin_refresh_token_seconds: 31_536_000,
};
// A test begins empty: what those before it left would be kept up through its days.
beforeEach(startClean);
afterEach(async () => {
  quiet();
  await calm();
  await sandbox.settings(USUAL);
});

const Channel = z.looseObject({
  channel_id: z.number(),
  health: z.string(),
  health_reason: z.string().nullable(),
  expires_at: z.string().nullable(),
  expires_reason: z.string(),
});
const Channels = z.object({ channels: z.object({ data: z.array(Channel) }) });

async function viewOf({ project, channel }: Home) {
  const { body } = await project.call("GET", "/social/get-channels");
  const found = Channels.parse(body).channels.data.find((one) => one.channel_id === channel.channel_id);
  if (!found) throw new Error(`Channel ${channel.channel_id} is not listed.`);
  return found;
}

async function eventsOf({ channel }: Home) {
  const { results } = await env.DB.prepare(
    "SELECT type, message, detail FROM events WHERE subject = 'channel' AND subject_id = ? AND type <> 'channel.connected' ORDER BY id",
  )
    .bind(channel.channel_id)
    .all<{ type: string; message: string; detail: string }>();
  return results;
}

/** Some days, with the recurring work that becomes due in them. */
async function pass(days: number): Promise<void> {
  for (let hours = 0; hours < 24 * days; hours += 12) {
    await advance(12 * HOUR);
    await cron();
    await queuesIdle(MINUTE);
  }
}

/** The same without any task until its last hour. */
async function sleep(days: number): Promise<void> {
  await advance(days * DAY - HOUR);
  await pass(0.5);
}

interface Case {
  readonly name: Name;
  readonly settings: Partial<typeof USUAL>;
  /** Days until the end; null for none. */
  readonly lasts: number | null;
  readonly reason: RegExp;
}
const CASES: Readonly<Record<string, Case>> = {
  "X, whose refresh tokens follow each other": {
    name: "twitter",
    settings: {},
    lasts: null,
    reason: /Renewed automatically/,
  },
  "a Page, whose data access ends after 90 days": {
    name: "facebook",
    settings: {},
    lasts: 90,
    reason: /cannot be renewed automatically/,
  },
  "LinkedIn with a refresh token of a year": {
    name: "linkedin",
    settings: {},
    lasts: 365,
    reason: /cannot be renewed automatically/,
  },
  "LinkedIn without one": {
    name: "linkedin",
    settings: { linkedin_gives_refresh_tokens: false },
    lasts: 60,
    reason: /cannot be renewed automatically/,
  },
  "YouTube without an end": { name: "youtube", settings: {}, lasts: null, reason: /Renewed automatically/ },
  "YouTube, allowed for thirty days": {
    name: "youtube",
    settings: { youtube_grant_seconds: (30 * DAY) / 1000 },
    lasts: 30,
    reason: /cannot be renewed automatically/,
  },
};

test.for(Object.entries(CASES))("get-channels says until when it lasts, and why: %s", async ([, row]) => {
  const { name, settings, lasts, reason } = row;
  await sandbox.settings(settings);
  const connectedAt = Date.now();
  const view = await viewOf(await freshHome(name));
  expect(view).toMatchObject({ health: "connected", expires_reason: expect.stringMatching(reason) });
  if (lasts === null) {
    expect(view.expires_at).toBeNull();
    return;
  }
  const end = Date.parse(view.expires_at ?? "");
  expect(Math.abs(end - connectedAt - lasts * DAY)).toBeLessThan(5 * MINUTE);
});

describe("a week before its end", () => {
  test.for([
    ["linkedin", { linkedin_gives_refresh_tokens: false }, 60],
    ["youtube", { youtube_grant_seconds: (12 * DAY) / 1000 }, 12],
  ] as const)("%s with %j: the channel is `expiring`, and an event reports it once", async ([name, settings, days]) => {
    await sandbox.settings(settings);
    const home = await freshHome(name);
    await sleep(days - 9);
    expect((await viewOf(home)).health).toBe("connected");
    expect(await eventsOf(home)).toEqual([]);
    await pass(3);
    const view = await viewOf(home);
    expect(view.health).toBe("expiring");
    expect(view.health_reason).toContain("again to publish with it");
    const events = await eventsOf(home);
    expect(events.map(({ type }) => type)).toEqual(["channel.expiring"]);
    expect(JSON.parse(events[0]?.detail ?? "")).toEqual({ grant: "publish", ends_at: view.expires_at });
    await pass(1);
    expect(await eventsOf(home)).toHaveLength(1);
    expect(await publish(home, plainestOn(name))).toMatchObject({ state: "published" });
  });

  test("connecting again starts over: it lasts, and will be reported again", async () => {
    await sandbox.settings({ linkedin_gives_refresh_tokens: false });
    const home = await freshHome("linkedin");
    await sleep(54);
    expect((await viewOf(home)).health).toBe("expiring");
    await home.project.connect("linkedin", [home.accountId ?? ""]);
    expect((await viewOf(home)).health).toBe("connected");
    await sleep(54);
    expect((await eventsOf(home)).map(({ type }) => type)).toEqual(["channel.expiring", "channel.expiring"]);
  });
});

describe("a grant that is not renewed is checked once a day", () => {
  /** As a person who removes the app in their settings. */
  async function removeApp(): Promise<void> {
    const user = await facebookLogin(await facebookCode());
    const { access_token: token } = z.object({ access_token: z.string() }).parse(user.json);
    const proof = await proofOf(token);
    const answer = await graph("DELETE", "/v27.0/me/permissions", token, { appsecret_proof: proof });
    expect(answer.status).toBe(200);
  }
  async function proofOf(token: string): Promise<string> {
    const text = new TextEncoder();
    const algorithm = { name: "HMAC", hash: "SHA-256" };
    const secret = text.encode("sandbox-facebook-secret");
    const key = await crypto.subtle.importKey("raw", secret, algorithm, false, ["sign"]);
    const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, text.encode(token)));
    return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  test("a dead token is found before a post needs it, and reported", async () => {
    const home = await freshHome("facebook");
    await pass(2);
    expect(await viewOf(home)).toMatchObject({ health: "connected" });
    await removeApp();
    await pass(1.5);
    expect(await viewOf(home)).toMatchObject({
      health: "reconnect_needed",
      health_reason: expect.stringContaining("again to publish with it"),
      expires_at: null,
    });
    // One for each of its grants: to publish, and to advertise.
    const events = await eventsOf(home);
    expect(events.map(({ type }) => type)).toEqual(["channel.reconnect_needed", "channel.reconnect_needed"]);
  });

  test.for([
    ["facebook", "/debug_token"],
    ["linkedin", "/introspectToken"],
  ] as const)("%s: a network error never disconnects, and the check is repeated", async ([name, address]) => {
    const home = await freshHome(name);
    const gateways = [
      () => new Response("<html>Forbidden</html>", { status: 403, headers: { "content-type": "text/html" } }),
      () => new Response("", { status: 503 }),
      () => Response.json({ error: { code: 4, type: "OAuthException", message: "limit" } }, { status: 400 }),
      () => Response.json({ error: { code: 190, type: "OAuthException", message: "app" } }, { status: 400 }),
    ];
    let requested = 0;
    answering((request) =>
      request.url.includes(address) ? (gateways[requested++ % gateways.length]?.() ?? null) : null,
    );
    await pass(2);
    expect(requested).toBeGreaterThan(3);
    expect(await viewOf(home)).toMatchObject({ health: "connected" });
    expect(await eventsOf(home)).toEqual([]);
  });
});
