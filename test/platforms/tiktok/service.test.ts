import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { crossed } from "../../contract/sample.ts";
import { callsTo, calm, type Home, healthOf } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { startClean } from "../../support/clean-start.ts";
import { advance } from "../../support/clock.ts";
import { begun, choose, decide, expectPage } from "../../support/connecting.ts";
import { cron, queuesIdle } from "../../support/queue.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { BIKES, calmTiktok, unique } from "../../support/tiktok.ts";
import { HOUR, MINUTE } from "../../support/times.ts";
import { dataOf, largeVideo, uploadFile } from "../../support/uploads.ts";
import { createPost, findPost, ORIGIN, projectWith } from "../../support/world.ts";

/**
 * TikTok from the front door to the feed: what the contract suite, which posts publicly and by the hundred,
 * does not meet.
 */

beforeEach(async () => {
  await startClean();
  await calmTiktok();
});
afterEach(async () => {
  await calm();
  await calmTiktok();
});

const homeOf = async (account?: string) => projectWith("tiktok", account ?? (await newAccount("tiktok")));

async function post({ project, channel }: Home, text: string, file: string, more: Record<string, unknown> = {}) {
  const id = await createPost(project, channel, { caption_text: text, media_urls: [media(file)], ...more });
  return { id, state: () => findPost(project, id) };
}

const Events = z.object({ events: z.array(z.object({ type: z.string(), message: z.string(), detail: z.unknown() })) });
async function eventsOf({ project }: Home, id: number) {
  return Events.parse((await project.call("GET", `/social/get-post-events/${id}`)).body).events;
}

async function operations(kind: string): Promise<number> {
  return (await callsTo("tiktok")).filter(({ operation }) => operation === kind).length;
}

async function chunkCalls(): Promise<number> {
  return (await callsTo("tiktok")).filter(({ method }) => method === "PUT").length;
}

describe("connecting", () => {
  test("a person who cancels reads that nothing was connected", async () => {
    const { connection, browser } = await begun();
    const page = await decide(browser, await choose(browser, connection, ["tiktok"]), "deny");
    expectPage(expect, page, 403, "Access was not allowed at TikTok");
  });

  test("a scope that was not selected is reported by its name", async () => {
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["tiktok"]);
    const page = await browser.submit(
      consent,
      ({ name, value }) => (name === "scope" && value === "video.list" ? false : undefined),
      { name: "decision", value: "allow" },
    );
    expectPage(expect, page, 400, "video.list");
  });

  test("a token that ends before a post is due is renewed, and it is published", async () => {
    const home = await homeOf();
    await advance(20 * HOUR);
    await cron();
    await queuesIdle();
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
    const { state } = await post(home, unique("A day later"), "reel.mp4");
    await advance(5 * HOUR);
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
  });
});

describe("who may see it", () => {
  test("a private account's posts are for its followers; TikTok reports no address of them, ever", async () => {
    const home = await homeOf(BIKES);
    const text = unique("For followers");
    const { id, state } = await post(home, text, "reel.mp4");
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    for (let hour = 0; hour < 80; hour += 8) {
      await advance(8 * HOUR);
      await cron();
      await queuesIdle();
    }
    expect(await state()).not.toHaveProperty("permalink");
    const last = await operations("status");
    await advance(24 * HOUR);
    await cron();
    await queuesIdle();
    expect(await operations("status")).toBe(last);
    expect((await eventsOf(home, id)).map(({ type }) => type)).not.toContain("post.permalink");
  });

  test("post_extra.privacyStatus makes it private, without a warning of it; unlisted is refused at once", async () => {
    const { project, channel } = await homeOf();
    const body = {
      ...channel,
      post_type: "reel",
      publish_mode: "now",
      caption_text: unique("For me"),
      media_urls: [media("reel.mp4")],
    };
    const create = (privacyStatus: string) =>
      project.call("POST", "/social/create-post", { body: { ...body, post_extra: { privacyStatus } } });
    const { status, body: answer } = await create("private");
    expect([status, answer]).toEqual([
      200,
      expect.objectContaining({ warnings: [expect.stringContaining("consent_given")] }),
    ]);
    await queuesIdle();
    const { data } = z.object({ data: z.object({ post_id: z.number() }) }).parse(answer);
    const found = await findPost(project, data.post_id);
    expect(found).toMatchObject({ STATUS: "published" });
    expect(found).not.toHaveProperty("permalink");
    expect(await create("unlisted")).toMatchObject({
      status: 422,
      body: { errors: { "post_extra.privacyStatus": [expect.stringContaining("public or private")] } },
    });
  });

  test("an app that was not audited is the operator's matter: posts wait for it", async () => {
    await sandbox.settings({ tiktok_audited: false });
    const home = await homeOf();
    const { id, state } = await post(home, unique("Not yet"), "reel.mp4");
    await queuesIdle(MINUTE);
    expect(await state()).toMatchObject({ STATUS: "processing" });
    await sandbox.settings({ tiktok_audited: true });
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    const waits = (await eventsOf(home, id)).filter(({ type }) => type === "post.waiting");
    expect(waits.map(({ message }) => message).join()).toContain("not audited");
  });
});

describe("what an account may do", () => {
  const Made = z.object({ id: z.string() });
  const accountThat = async (...tasks: string[]) =>
    Made.parse(await sandbox.control("POST", "accounts", { platform: "tiktok", name: "Somebody", tasks })).id;

  test("a video that is too long for it fails before anything goes up", async () => {
    const home = await homeOf(await accountThat("max:5"));
    const { state } = await post(home, unique("Too long"), "reel.mp4");
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "failed", error: expect.stringContaining("lasts 6 s") });
  });

  test("what it has disabled is disabled in its posts", async () => {
    const home = await homeOf(await accountThat("no_comments", "no_duets", "no_stitches"));
    const { state } = await post(home, unique("Quiet"), "reel.mp4");
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
  });

  test("an account that TikTok lets post no more fails with that sentence", async () => {
    const home = await homeOf(await accountThat("banned"));
    const { id, state } = await post(home, unique("Banned"), "square.jpg");
    await queuesIdle();
    expect(await state()).toMatchObject({
      STATUS: "failed",
      error: expect.stringContaining("does not let this account"),
    });
    const failed = (await eventsOf(home, id)).find(({ type }) => type === "post.failed");
    expect(failed?.detail).toMatchObject({ error_code: "account_restricted" });
  });

  test("the cap of a day delays every post of the account after one call, and then they are published", async () => {
    const home = await homeOf();
    await sandbox.settings({ tiktok_posts_per_day: 1 });
    const first = await post(home, unique("First"), "reel.mp4");
    await queuesIdle();
    expect(await first.state()).toMatchObject({ STATUS: "published" });
    const others = [await post(home, unique("Second"), "reel.mp4"), await post(home, unique("Third"), "square.jpg")];
    const before = await operations("upload");
    await queuesIdle(MINUTE);
    expect(await operations("upload")).toBe(before + 1);
    for (const { id, state } of others) {
      expect((await state()).STATUS).toMatch(/^(pending|processing)$/);
      const waits = (await eventsOf(home, id)).filter(({ type }) => type === "post.waiting");
      expect(waits.map(({ message }) => message).join()).toContain("24 hours");
    }
    await sandbox.settings({ tiktok_posts_per_day: 15 });
    await queuesIdle(3 * HOUR);
    for (const { state } of others) expect(await state()).toMatchObject({ STATUS: "published" });
  });
});

describe("a post's address", () => {
  test("comes after moderation, with the post's own id", async () => {
    await sandbox.settings({ tiktok_moderation_ms: 2 * HOUR });
    const home = await homeOf();
    const text = unique("In moderation");
    const { id, state } = await post(home, text, "square.jpg");
    await queuesIdle(MINUTE);
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await state()).not.toHaveProperty("permalink");
    for (let hour = 0; hour < 10; hour++) {
      await advance(HOUR);
      await cron();
      await queuesIdle();
    }
    const [live] = await sandbox.postsWith(text);
    expect(await state()).toMatchObject({ permalink: live?.permalink });
    expect((await eventsOf(home, id)).map(({ type }) => type)).toContain("post.permalink");
  });

  test("of pictures that were lost is found, though an earlier post says the same and has no address yet", async () => {
    await sandbox.settings({ tiktok_moderation_ms: HOUR, tiktok_listing_lag_ms: 0 });
    const home = await homeOf();
    const text = unique("Twice");
    const first = await post(home, text, "square.jpg");
    await queuesIdle(MINUTE);
    await sandbox.fault("tiktok", "publish", "accept_then_drop");
    const second = await post(home, text, "landscape.jpg");
    await queuesIdle(3 * HOUR);
    for (let hour = 0; hour < 3; hour++) {
      await advance(HOUR);
      await cron();
      await queuesIdle();
    }
    const found = [await first.state(), await second.state()];
    const live = await sandbox.postsWith(text);
    expect(live).toHaveLength(2);
    expect(found.map(({ permalink }) => permalink).sort()).toEqual(live.map(({ permalink }) => permalink).sort());
  });
});

test("a video whose upload address ends before its last chunk goes up again, and is live once", async () => {
  const home = await homeOf();
  const text = unique("Anew");
  await sandbox.fault("tiktok", "publish", "error");
  const { state } = await post(home, text, "reel.mp4");
  await sandbox.settings({ tiktok_upload_seconds: 1 });
  await queuesIdle(MINUTE);
  await sandbox.settings({ tiktok_upload_seconds: 3_600 });
  await queuesIdle();
  expect(await state()).toMatchObject({ STATUS: "published" });
  expect(await sandbox.postsWith(text)).toHaveLength(1);
});

describe("one chunk or several", () => {
  const BYTES = 20_000_000;
  const posted = async (text: string) => {
    const home = await homeOf();
    const { url } = dataOf(await uploadFile(home.project, await largeVideo(BYTES)));
    const id = await createPost(home.project, home.channel, { caption_text: text, media_urls: [url] });
    return { id, home, state: () => findPost(home.project, id) };
  };

  test.for([
    ["documented", 0],
    ["one", 0],
    ["several", 2],
  ] as const)(
    "an app that may upload as %s publishes a video of 20 MB, with %i chunks before the last",
    async ([counts, chunks]) => {
      await sandbox.settings({ tiktok_chunk_counts: counts });
      const text = unique("Large");
      const before = await chunkCalls();
      const { state } = await posted(text);
      await queuesIdle();
      expect(await state()).toMatchObject({ STATUS: "published" });
      expect(await sandbox.postsWith(text)).toHaveLength(1);
      expect((await chunkCalls()) - before).toBe(chunks + 1);
    },
  );

  const FAULTS = ["accept_then_drop", "accept_then_error", "error", "html_error"];
  test.for(crossed("one chunk", FAULTS, 2))("one chunk that meets %s is live once", async (kind) => {
    const text = unique("Large");
    await sandbox.fault("tiktok", "publish", kind);
    const { state } = await posted(text);
    await queuesIdle(10 * MINUTE);
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
  });
});

describe("pictures", () => {
  test("come from the one address that our app has proven, wherever the files are", async () => {
    await sandbox.settings({ tiktok_verified_urls: `${ORIGIN}/media/` });
    const home = await homeOf();
    const { state } = await post(home, unique("Proven"), "square.jpg");
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
  });

  test("wait for the operator where it is not proven", async () => {
    await sandbox.settings({ tiktok_verified_urls: "elsewhere.example" });
    const home = await homeOf();
    const { id, state } = await post(home, unique("Unproven"), "square.jpg");
    await queuesIdle(MINUTE);
    expect(await state()).toMatchObject({ STATUS: "processing" });
    const waits = (await eventsOf(home, id)).filter(({ type }) => type === "post.waiting");
    expect(waits.map(({ message }) => message).join()).toContain("must verify it");
  });
});

test("a deleted post stays up at TikTok, and the answer says so", async () => {
  const home = await homeOf();
  const text = unique("Deleted here");
  const { id } = await post(home, text, "reel.mp4");
  await queuesIdle();
  const answer = await home.project.call("DELETE", `/social/delete-post/${id}`);
  expect(JSON.stringify(answer.body)).toContain("Delete it in the platform's app");
  await queuesIdle();
  expect(await sandbox.postsWith(text)).toHaveLength(1);
});
