import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { homeOn, outcomeOf, plainestOn, planFor, send, settings } from "../contract/world.ts";
import { startClean } from "../support/clean-start.ts";
import { advanceTo } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../support/times.ts";

/**
 * Insights where platforms refuse parts of what is requested: what was read stays, a refusal counts for its
 * own kind of object only, and a read that fails is repeated ever later.
 */
beforeEach(async () => {
  await startClean();
  await settings({ realism: "calm" });
});

type Home = Awaited<ReturnType<typeof homeOn>>;

const Post = z.object({
  insights: z.object({
    state: z.string(),
    reason: z.string().nullable(),
    metrics: z.record(z.string(), z.number().nullable()),
    missing: z.record(z.string(), z.string()),
  }),
});
const Account = z.object({
  insights: z.object({
    followers: z.number().nullable(),
    days: z.array(z.object({ day: z.string(), metrics: z.record(z.string(), z.number().nullable()) })),
  }),
});

async function runTo(instant: number): Promise<void> {
  await advanceTo(instant);
  for (let round = 0; round < 2; round++) {
    await cron();
    await queuesIdle();
  }
}

async function published(home: Home, shape = plainestOn(home.channel.channel_type)) {
  const sent = await send(home, shape);
  await queuesIdle();
  expect((await outcomeOf(sent)).state).toBe("published");
  return sent;
}

/** From now on the platform answers such calls with 503; the calls are counted. Restored after the test. */
function refuseCalls(matches: (url: string) => boolean): { count: number } {
  const refused = { count: 0 };
  const send = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!matches(request.url)) return send(request);
    refused.count += 1;
    return new Response("busy", { status: 503 });
  };
  return refused;
}

async function ofPost({ home, id }: { readonly home: Home; readonly id: number }) {
  return Post.parse((await home.project.call("GET", `/social/get-post-insights/${id}`)).body).insights;
}

async function ofAccount({ project, channel }: Home) {
  return Account.parse((await project.call("GET", `/social/get-channel-insights/${channel.channel_id}`)).body).insights;
}

/** Calls to a platform whose path contains these words, by the sandbox's log. */
async function callsTo(platform: string, words: string): Promise<number> {
  const Calls = z.array(z.looseObject({ path: z.string() }));
  const calls = Calls.parse(await sandbox.control("GET", `calls?platform=${platform}`));
  return calls.filter(({ path }) => path.includes(words)).length;
}

describe("an Instagram account", () => {
  test.for(["100", "1"])("has its days although a breakdown fits only one metric (code %s)", async (code) => {
    await sandbox.settings({ instagram_unfit_breakdown: code });
    const home = await homeOn("instagram");
    await runTo(Date.now() + 2 * HOUR);
    const { followers, days } = await ofAccount(home);
    expect(followers).toBeGreaterThan(0);
    const yesterday = new Date(Date.now() - DAY).toISOString().slice(0, 10);
    const known = days.find(({ day }) => day === yesterday)?.metrics;
    for (const metric of ["views", "reach", "interactions", "follows", "unfollows"])
      expect([metric, typeof known?.[metric]]).toEqual([metric, "number"]);
    expect(known?.profile_visits ?? null).toBeNull();
  });

  test("keeps the days that were read before a call failed", async () => {
    const home = await homeOn("instagram");
    // The totals of the first day are answered, then Instagram is down.
    refuseCalls((url) => url.includes("breakdown=follow_type"));
    await runTo(Date.now() + 2 * HOUR);
    const { followers, days } = await ofAccount(home);
    expect(followers).toBeGreaterThan(0);
    expect(days.some(({ metrics }) => metrics.views !== null && metrics.follows === null)).toBe(true);
  });
});

describe("YouTube's reports", () => {
  test("may be refused: the statistics stay, and the reason names the API to enable", async () => {
    await sandbox.settings({ youtube_analytics_api: "disabled" });
    const home = await homeOn("youtube");
    const sent = await published(home);
    const publishedAt = Date.now();
    await runTo(publishedAt + 2 * HOUR);
    const { state, reason, metrics, missing } = await ofPost(sent);
    expect(state).toBe("current");
    expect(reason).toContain("YouTube Analytics API");
    expect(metrics).toMatchObject({ views: expect.any(Number), likes: expect.any(Number), watch_time_ms: null });
    expect(missing).toMatchObject({ watch_time_ms: "no_permission", shares: "no_permission" });
    expect((await ofAccount(home)).followers).toBeGreaterThan(0);
    // Nothing about the channel's connection is wrong.
    const { body } = await home.project.call("GET", "/social/get-channels");
    expect(JSON.stringify(body)).not.toContain("permission_missing");
  });

  test("are not read every five minutes while they are refused", async () => {
    await sandbox.settings({ youtube_analytics_api: "disabled" });
    const home = await homeOn("youtube");
    await runTo(Date.now() + 2 * HOUR);
    const before = await reportCalls();
    for (let hour = 0; hour < 12; hour++) await runTo(Date.now() + HOUR);
    expect((await reportCalls()) - before).toBeLessThan(4);
    expect((await ofAccount(home)).followers).toBeGreaterThan(0);
  });
  const reportCalls = () => callsTo("youtube", "/v2/reports");
});

test("a read that keeps failing is repeated ever later, up to hours", async () => {
  await homeOn("youtube");
  const failed = refuseCalls((url) => url.includes("/channels?part=statistics"));
  for (let round = 0; round < 96; round++) await runTo(Date.now() + 15 * MINUTE);
  expect([failed.count > 3, failed.count < 14]).toEqual([true, true]);
});

describe("a Threads profile", () => {
  test.for(["100", "1"])("has followers and views, each by a call of its own (code %s)", async (code) => {
    await sandbox.settings({ threads_unknown_metric: code });
    const home = await homeOn("threads");
    await runTo(Date.now() + 2 * HOUR);
    const { followers, days } = await ofAccount(home);
    expect(followers).toBeGreaterThan(0);
    expect(days.some(({ metrics }) => metrics.views !== null)).toBe(true);
  });
});

describe("a Facebook Page", () => {
  test("a reel has its watch times by the names of reels, a video by those of videos", async () => {
    const home = await homeOn("facebook");
    const { shapes } = planFor("facebook");
    const reel = shapes.find(({ type }) => type === "reel");
    const video = shapes.find(
      ({ type, items }) => type === "post" && items.flat().some((file) => file.endsWith(".mp4")),
    );
    if (!reel || !video) throw new Error("No such shapes.");
    const sent = [await published(home, reel), await published(home, video)];
    await runTo(Date.now() + 2 * HOUR);
    for (const one of sent) {
      const { metrics } = await ofPost(one);
      const watched = [typeof metrics.watch_time_ms, typeof metrics.avg_watch_ms];
      expect([one.shape.name, ...watched]).toEqual([one.shape.name, "number", "number"]);
    }
  });

  test("a name that one kind of object refuses is still read of the other kinds, and of the next posts", async () => {
    const home = await homeOn("facebook");
    await sandbox.settings({ facebook_dead_metrics: "post_clicks" });
    const first = await published(home);
    await runTo(Date.now() + 2 * HOUR);
    expect(await ofPost(first)).toMatchObject({
      metrics: { views: expect.any(Number), clicks: null },
      missing: { clicks: "not_offered" },
    });
    // A post that is refused every name blinds no other post.
    await sandbox.settings({
      facebook_dead_metrics: "post_media_view,post_total_media_view_unique,post_clicks,post_clicks_by_type",
    });
    const refused = await published(home);
    await runTo(Date.now() + 2 * HOUR);
    expect(await ofPost(refused)).toMatchObject({ metrics: { views: null, likes: expect.any(Number) } });
    await sandbox.settings({ facebook_dead_metrics: "" });
    const later = await published(home);
    await runTo(Date.now() + 2 * HOUR);
    expect((await ofPost(later)).metrics).toMatchObject({ views: expect.any(Number), reach: expect.any(Number) });
  });

  test("with fewer than 100 likes has no insights, and its posts keep the counts of their fields", async () => {
    await sandbox.settings({ facebook_page_likes: 99 });
    const home = await homeOn("facebook");
    const sent = await published(home);
    await runTo(Date.now() + 2 * HOUR);
    expect((await ofPost(sent)).metrics).toMatchObject({ views: null, reach: null, likes: expect.any(Number) });
    expect((await ofAccount(home)).followers).toBeGreaterThan(0);
  });
});

test("a TikTok login asks for the scope of followers, and the number arrives", async () => {
  const home = await homeOn("tiktok");
  await runTo(Date.now() + 2 * HOUR);
  expect((await ofAccount(home)).followers).toBeGreaterThan(0);
});

test("X is asked for post.fields first", async () => {
  const home = await homeOn("twitter");
  await home.project.call("PUT", `/social/update-channel/${home.channel.channel_id}`, {
    body: { collect_insights: true },
  });
  const sent = await published(home);
  await runTo(Date.now() + DAY + HOUR);
  expect((await ofPost(sent)).state).toBe("current");
  expect(await callsTo("twitter", "post.fields=public_metrics")).toBeGreaterThan(0);
  expect(await callsTo("twitter", "tweet.fields=public_metrics")).toBe(0);
});
