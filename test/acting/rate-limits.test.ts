import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { resumeAt, toActiveLimit } from "../../src/channels/rate-limits.ts";
import type { Settings } from "../contract/facts.ts";
import {
  callsTo,
  freshHome,
  type Home,
  homeOn,
  type Name,
  outcomeOf,
  plainestOn,
  type Sent,
  send,
  settings,
  settingsNow,
} from "../contract/world.ts";
import { answering } from "../support/between.ts";
import { startClean } from "../support/clean-start.ts";
import { advance, advanceTo } from "../support/clock.ts";
import { cron, passSwept, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE, wallClock } from "../support/times.ts";

/** An allowance that is used up delays all that needs it, and nothing else; it fails nothing. */

/** What the moods here change, as it was. */
let usual: Settings;
const NAMES = [
  "twitter_posts_per_day",
  "twitter_app_posts_per_day",
  "facebook_calls_per_hour",
  "linkedin_app_calls_per_day",
  "linkedin_member_calls_per_day",
  "youtube_uploads_per_day",
  "youtube_channel_uploads_per_day",
];
beforeAll(async () => {
  usual = await settingsNow(NAMES);
});
// A test has projects of its own, and all allowances.
beforeEach(startClean);

const Detail = z.looseObject({
  until: z.string().nullable().optional(),
  error_code: z.string().nullable().optional(),
  limit: z.string().optional(),
  answer: z.looseObject({ status: z.number().nullable() }).optional(),
});
const Events = z.object({
  events: z.array(z.object({ type: z.string(), message: z.string(), detail: Detail.nullable() })),
});

async function timeline({ home, id }: Pick<Sent, "home" | "id">) {
  const answer = await home.project.call("GET", `/social/get-post-events/${id}`);
  return Events.parse(answer.body).events;
}

async function waitOf(sent: Sent) {
  const wait = (await timeline(sent)).findLast(({ type }) => type === "post.waiting");
  if (!wait?.detail?.until) throw new Error(`Post ${sent.id} does not wait.`);
  return { message: wait.message, detail: wait.detail, until: Date.parse(wait.detail.until) };
}

const SUBSCRIBING = /\/webhooks|\/subscriptions|\/subscribed_apps|\/activity/;

/** The calls of the platform while `run` lasted. */
async function requested(name: Name, run: () => Promise<void>): Promise<number> {
  const last = (await callsTo(name)).at(-1)?.id ?? 0;
  await run();
  // Subscribing to webhooks takes from no allowance of posts.
  return (await callsTo(name)).filter(({ id, path }) => id > last && !SUBSCRIBING.test(String(path))).length;
}

const nextMidnight = (zone: string, at: number): number => {
  const hours = new Intl.DateTimeFormat("en", { timeZone: zone, hour: "numeric", minute: "numeric", hourCycle: "h23" });
  for (let minute = Math.ceil(at / MINUTE) * MINUTE; ; minute += MINUTE) {
    if (hours.format(minute) === "00:00") return minute;
  }
};

interface Case {
  readonly name: Name;
  /** Nothing is left of it. */
  readonly mood: Settings;
  readonly limit: "channel" | "service";
  /** When the platform allows calls again, from the time of its refusal. */
  readonly until: (at: number) => number;
}
const CASES: Readonly<Record<string, Case>> = {
  "X's posts of an account in a day": {
    name: "twitter",
    mood: { twitter_posts_per_day: 0 },
    limit: "channel",
    until: (at) => at + DAY,
  },
  "X's posts of an app in a day": {
    name: "twitter",
    mood: { twitter_app_posts_per_day: 0 },
    limit: "service",
    until: (at) => at + DAY,
  },
  "Facebook's calls of a Page in an hour": {
    name: "facebook",
    mood: { facebook_calls_per_hour: 1 },
    limit: "channel",
    until: (at) => at + HOUR,
  },
  "LinkedIn's calls of a member in a day": {
    name: "linkedin",
    mood: { linkedin_member_calls_per_day: 1 },
    limit: "channel",
    until: (at) => nextMidnight("UTC", at),
  },
  "LinkedIn's calls of an app in a day": {
    name: "linkedin",
    mood: { linkedin_app_calls_per_day: 1 },
    limit: "service",
    until: (at) => nextMidnight("UTC", at),
  },
  "YouTube's uploads of an app in a day": {
    name: "youtube",
    mood: { youtube_uploads_per_day: 0 },
    limit: "service",
    until: (at) => nextMidnight("America/Los_Angeles", at),
  },
  "YouTube's uploads of a channel": {
    name: "youtube",
    mood: { youtube_channel_uploads_per_day: 0 },
    limit: "channel",
    until: (at) => at + HOUR,
  },
};

describe.for(Object.entries(CASES))("%s", ([, { name, mood, limit, until }]) => {
  test("delays the posts that need it until it resets, without a call for each, and fails none", {
    timeout: 60_000,
  }, async () => {
    const home = await freshHome(name);
    const other = await freshHome(name);
    const shape = plainestOn(name);
    await settings(mood);
    const first = await send(home, shape);
    const refusedAt = Date.now();
    await queuesIdle(MINUTE);
    const wait = await waitOf(first);
    expect(wait.detail).toMatchObject({ limit, answer: { status: expect.any(Number) } });
    expect(["rate_limited", "account_restricted"]).toContain(wait.detail.error_code);
    expect(wait.message).toMatch(limit === "channel" ? /Posts of this channel wait/ : /every channel of this service/);
    expect(wait.until - until(refusedAt)).toBeGreaterThanOrEqual(-MINUTE);
    expect(wait.until - until(refusedAt)).toBeLessThanOrEqual(10 * MINUTE);

    const calls = await requested(name, async () => {
      const later = await send(home, shape);
      await queuesIdle(MINUTE);
      expect((await waitOf(later)).detail).toMatchObject({ limit });
      expect((await outcomeOf(later)).state).toBe("pending");
    });
    expect(calls).toBe(0);
    const elsewhere = await requested(name, async () => {
      await send(other, shape);
      await queuesIdle(MINUTE);
    });
    // Of an account's the others know nothing.
    if (limit === "service") expect(elsewhere).toBe(0);
    else expect(elsewhere).toBeGreaterThan(0);

    await settings(usual);
    await advanceTo(until(refusedAt) - 5 * MINUTE);
    await cron();
    await queuesIdle(MINUTE);
    expect((await outcomeOf(first)).state).toBe("processing");
    await passSwept(16 * MINUTE);
    expect(await outcomeOf(first)).toMatchObject({ state: "published", live: [expect.anything()] });
  });
});

describe("while an account has reached its posts of a day", () => {
  /** The limit becomes known by a post that is still published: the headers say that it was the last. */
  async function paced(): Promise<Home> {
    const home = await freshHome("twitter");
    await settings({ twitter_posts_per_day: 1 });
    const last = await send(home, plainestOn("twitter"));
    await queuesIdle(MINUTE);
    expect((await outcomeOf(last)).state).toBe("published");
    await settings(usual);
    return home;
  }

  test("a header is enough: no call has to be refused first", async () => {
    const home = await paced();
    const calls = await requested("twitter", async () => {
      const next = await send(home, plainestOn("twitter"));
      await queuesIdle(MINUTE);
      expect(await waitOf(next)).toMatchObject({ detail: { limit: "channel", error_code: "rate_limited" } });
      expect((await waitOf(next)).detail.answer).toBeUndefined();
    });
    expect(calls).toBe(0);
  });

  test("a scheduled post stays scheduled: it can be changed, and is published as it was changed", async () => {
    const home = await paced();
    const at = Date.now() + 2 * MINUTE;
    const when = { publish_mode: "scheduled", schedule_time: wallClock(at), time_zone: "UTC" };
    const sent = await send(home, plainestOn("twitter"), when);
    await advanceTo(at + MINUTE);
    await cron();
    await queuesIdle(MINUTE);
    await waitOf(sent);
    expect((await outcomeOf(sent)).state).toBe("scheduled");
    const words = crypto.randomUUID();
    const changed = await home.project.call("PUT", `/social/update-post/${sent.id}`, { body: { caption_text: words } });
    expect([changed.status, changed.body]).toEqual([200, expect.anything()]);
    await advance(DAY);
    await passSwept(6 * MINUTE);
    expect((await outcomeOf(sent)).state).toBe("published");
    expect(await sandbox.postsWith(words)).toHaveLength(1);
    expect(await sandbox.postsWith(sent.mark)).toHaveLength(0);
  });

  test("a post that waits can be deleted, and is never published", async () => {
    const home = await paced();
    const sent = await send(home, plainestOn("twitter"));
    await queuesIdle(MINUTE);
    await waitOf(sent);
    const deleted = await home.project.call("DELETE", `/social/delete-post/${sent.id}`);
    expect(deleted.status).toBe(200);
    await advance(DAY);
    await passSwept(6 * MINUTE);
    expect(await sandbox.postsWith(sent.mark)).toHaveLength(0);
  });

  test("a first comment that needs the same allowance waits for it without a call, and is then published once", async () => {
    const home = await freshHome("twitter");
    await settings({ twitter_posts_per_day: 1 });
    const first_comment = crypto.randomUUID();
    const sent = await send(home, plainestOn("twitter"), { first_comment });
    await queuesIdle(MINUTE);
    expect((await outcomeOf(sent)).state).toBe("published");
    expect(await waitOf(sent)).toMatchObject({
      message: expect.stringMatching(/^The first comment waits: X's rate limit for this account/),
      detail: { limit: "channel", error_code: "rate_limited" },
    });
    await settings(usual);
    expect(await requested("twitter", () => passSwept(10 * MINUTE))).toBe(0);
    await advance(DAY);
    await passSwept(6 * MINUTE);
    expect(await sandbox.postsWith(first_comment)).toHaveLength(1);
  });

  test("it can still be deleted what is live there: removals have an allowance of their own", async () => {
    const home = await freshHome("twitter");
    await settings({ twitter_posts_per_day: 1 });
    const live = await send(home, plainestOn("twitter"));
    await queuesIdle(MINUTE);
    await home.project.call("DELETE", `/social/delete-post/${live.id}`);
    await queuesIdle(MINUTE);
    expect(await sandbox.postsWith(live.mark)).toHaveLength(0);
  });

  test("another project with the same account waits as well, for it is one allowance", async () => {
    const home = await paced();
    const twin = await homeOn("twitter", home.accountId);
    const calls = await requested("twitter", async () => {
      const sent = await send(twin, plainestOn("twitter"));
      await queuesIdle(MINUTE);
      expect((await waitOf(sent)).detail.limit).toBe("channel");
    });
    expect(calls).toBe(0);
  });

  test("a thread stops where the allowance ends, and goes on after it, each item once", async () => {
    const home = await freshHome("twitter");
    await settings({ twitter_posts_per_day: 2 });
    const mark = crypto.randomUUID();
    const body = {
      ...home.channel,
      post_type: "thread",
      publish_mode: "now",
      twitter_threads: [1, 2, 3].map((item) => ({ message: `Item ${item} of ${mark}`, media_urls: [] })),
    };
    const created = await home.project.call("POST", "/social/create-post", { body });
    const { post_id: id } = z.object({ data: z.object({ post_id: z.number() }) }).parse(created.body).data;
    const calls = await requested("twitter", () => queuesIdle(MINUTE));
    expect(calls).toBe(2);
    expect(await sandbox.postsWith(mark)).toHaveLength(2);
    await settings(usual);
    await advance(DAY);
    await passSwept(6 * MINUTE);
    expect(await sandbox.postsWith(mark)).toHaveLength(3);
    const last = (await timeline({ home, id })).at(-1);
    expect(last?.type).toBe("post.published");
  });
});

test("waiting jobs continue at different times, and none before its time", async () => {
  const home = await freshHome("twitter");
  await settings({ twitter_posts_per_day: 0 });
  const first = await send(home, plainestOn("twitter"));
  await queuesIdle(MINUTE);
  const until = (await waitOf(first)).until;
  const others: Sent[] = [];
  for (let count = 0; count < 12; count += 1) others.push(await send(home, plainestOn("twitter")));
  await queuesIdle(MINUTE);
  const times = await Promise.all(others.map(async (sent) => (await waitOf(sent)).until));
  expect(new Set(times).size).toBeGreaterThan(6);
  const row = await env.DB.prepare(
    "SELECT max(until) AS until FROM rate_limits WHERE platform = 'twitter' AND account_id = ?",
  )
    .bind(home.accountId)
    .first<{ until: number }>();
  expect(Math.min(until, ...times)).toBeGreaterThanOrEqual(row?.until ?? Number.POSITIVE_INFINITY);
});

test("a limit that a real account or app has reached delays no test project", async () => {
  const home = await freshHome("twitter");
  const until = Date.now() + DAY;
  for (const account of ["", home.accountId]) {
    await env.DB.prepare("INSERT INTO rate_limits VALUES ('twitter', ?, 0, 'publish', 0, ?, 'The real one.')")
      .bind(account, until)
      .run();
  }
  const sent = await send(home, plainestOn("twitter"));
  await queuesIdle(MINUTE);
  expect((await outcomeOf(sent)).state).toBe("published");
});

test("an allowance that never comes back is waited for a day and six hours, then the post fails with what it waited for", async () => {
  const home = await freshHome("twitter");
  await settings({ twitter_posts_per_day: 0 });
  const sent = await send(home, plainestOn("twitter"));
  await passSwept(4 * MINUTE);
  for (const hours of [20, 9]) {
    await advance(hours * HOUR);
    await passSwept(4 * MINUTE);
    expect((await outcomeOf(sent)).state).toBe("processing");
  }
  await advance(2 * HOUR);
  await passSwept(4 * MINUTE);
  expect(await outcomeOf(sent)).toMatchObject({ state: "failed", code: "rate_limited", live: [] });
});

describe("the platform's own answer", () => {
  test("stands in the timeline with a wait and with a failure, without secrets and bounded", async () => {
    const home = await freshHome("facebook");
    const token = `EAAP${"x1".repeat(80)}`;
    answering((request) => {
      if (request.method !== "POST" || !request.url.includes("/feed")) return null;
      const message = `(#100) ${"Invalid parameter. ".repeat(200)} ${token}`;
      const error = { message: `${token} ${message}`, type: "OAuthException", code: 100, fbtrace_id: "AbC1dEf" };
      return Response.json(
        { error, access_token: "short-secret-1" },
        { status: 400, headers: { "x-fb-trace-id": "T7" } },
      );
    });
    const sent = await send(home, plainestOn("facebook"));
    await queuesIdle();
    const failed = (await timeline(sent)).find(({ type }) => type === "post.failed");
    expect(failed).toMatchObject({
      detail: {
        answer: {
          method: "POST",
          url: expect.stringMatching(/^https:\/\/graph\.facebook\.com\/v[\d.]+\/\d+\/feed$/),
          status: 400,
          headers: { "x-fb-trace-id": "T7" },
          body: expect.stringContaining("Invalid parameter"),
        },
      },
    });
    const { body } = z.object({ body: z.string() }).parse(failed?.detail?.answer);
    expect(body.length).toBeLessThanOrEqual(2_048);
    expect(body).not.toContain("x1x1");
    expect(body).not.toContain("short-secret-1");
  });

  test("that never came is reported as such", async () => {
    const home = await freshHome("twitter");
    await sandbox.fault("twitter", "publish", "accept_then_drop");
    const sent = await send(home, plainestOn("twitter"));
    await queuesIdle();
    expect((await outcomeOf(sent)).state).toBe("published");
    const wait = (await timeline(sent)).find(({ type }) => type === "post.waiting");
    expect(wait?.detail?.answer).toMatchObject({
      method: "POST",
      url: "https://api.x.com/2/tweets",
      status: null,
      body: null,
    });
  });
});

test("a wait ends at its time or soon after, the job that came first goes on first, and none lasts longer than a day", () => {
  const times = fc.record({
    since: fc.integer({ min: 0, max: 1e12 }),
    length: fc.integer({ min: 1_000, max: 25 * HOUR }),
  });
  const scopes = fc.constantFrom("account" as const, "app" as const);
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(times, scopes, fc.tuple(share, share), share, ({ since, length }, scope, [a, b], random) => {
      const until = since + length;
      const limit = { scope, since, until };
      const [early, late] = [Math.min(a, b), Math.max(a, b)].map((part) =>
        resumeAt(limit, since + part * length, random),
      );
      expect(early).toBeGreaterThanOrEqual(until);
      expect(late).toBeLessThanOrEqual(until + Math.min(0.1 * length, 10 * MINUTE) + 1);
      expect(early ?? 0).toBeLessThanOrEqual(late ?? 0);
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e15 }), (until) => {
      const standing = toActiveLimit({ scope: "app", until, message: "" }, "publish", 0);
      if (standing) expect(standing.until).toBeLessThanOrEqual(25 * HOUR);
      else expect(until).toBeLessThan(1_000);
    }),
  );
});
