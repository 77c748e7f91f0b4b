import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { APPS } from "../../../src/platforms/apps.ts";
import { callsTo, calm, type Home, healthOf } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { formsOf } from "../../support/browser.ts";
import { advance } from "../../support/clock.ts";
import { begun, choose, decide, expectPage, statusOf } from "../../support/connecting.ts";
import { cron, passSwept, queuesIdle } from "../../support/queue.ts";
import { uniquely } from "../../support/random.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { DAY, HOUR, MINUTE } from "../../support/times.ts";
import { createPost, findPost, projectWith } from "../../support/world.ts";

/** Instagram from the front door to the feed: what the contract suite does not meet. */

const FERN = "17841400000000001";
const HARBOUR = "17841400000000002";
const GAZETTE = "17841400000000004";
const CALM = {
  instagram_quota_total: 100,
  instagram_containers_per_day: 400,
  instagram_second_publish: "refused",
  instagram_late_publish_ms: 0,
  instagram_unreadable: false,
  instagram_outage: "2",
  instagram_prolongs: true,
  instagram_exchange: "flat",
  processing_ms: 1500,
};
const META_APP = APPS.instagram.sandbox;

let account = "";
beforeAll(async () => {
  account = await newAccount("instagram");
});
afterEach(async () => {
  Reflect.set(APPS.instagram, "sandbox", META_APP);
  await calm();
  await sandbox.settings(CALM);
});

async function post({ project, channel }: Home, text: string, files: readonly string[], more: object = {}) {
  const id = await createPost(project, channel, { caption_text: text, media_urls: files.map(media), ...more });
  return { id, text, state: () => findPost(project, id) };
}

async function callsOf(operation: string): Promise<number> {
  return (await callsTo("instagram")).filter((call) => call.operation === operation).length;
}
const publishCalls = () => callsOf("publish");

/** Lets so much time pass, with all that falls due in it. */
async function pass(ms: number): Promise<void> {
  const end = Date.now() + ms;
  await queuesIdle(ms);
  await advance(Math.max(0, end - Date.now()));
}

/** Ticks everything of the consent page but this permission. */
const without = (scope: string, account: string) => (field: { readonly name: string; readonly value: string }) => {
  if (field.name === "account") return field.value === account;
  return field.name === "scope" ? field.value !== scope : undefined;
};

const Events = z.object({ events: z.array(z.looseObject({ type: z.string(), message: z.string() })) });
async function shown({ project }: Home, id: number): Promise<readonly string[]> {
  const { body } = await project.call("GET", `/social/get-post-events/${id}`);
  return Events.parse(body).events.map(({ message }) => message);
}

describe("connecting", () => {
  test("one login offers every account of its Pages; one that the person may only look at cannot be selected", async () => {
    const { connection, browser } = await begun();
    const offer = await decide(browser, await choose(browser, connection, ["instagram"]), "allow");
    for (const name of ["Fern &amp; Oak", "Harbour Coffee", "Read Only Gazette"]) expect(offer.html).toContain(name);
    expect(offer.html).toContain("You may not publish for Read Only Gazette");
    const fields = formsOf(offer).flatMap((form) => [...form.fields]);
    const offered = fields.filter(({ name, disabled }) => name === "account" && !disabled).map(({ value }) => value);
    expect(offered).toEqual(expect.arrayContaining([FERN, HARBOUR]));
    expect(offered).not.toContain(GAZETTE);

    await browser.submit(offer, ({ name, value }) =>
      name === "account" ? [FERN, HARBOUR].includes(value) : undefined,
    );
    const { body } = await statusOf(connection);
    const status = z.object({ connect_status: z.string(), channel_ids: z.array(z.number()) }).parse(body);
    expect(status).toMatchObject({ connect_status: "success", channel_ids: [expect.any(Number), expect.any(Number)] });
  });

  test("a login whose Pages have no professional account learns what to link", async () => {
    const { connection, browser } = await begun();
    const page = await decide(browser, await choose(browser, connection, ["instagram"]), "allow", []);
    expectPage(expect, page, 400, "linked to an Instagram business or creator account");
  });

  test("a permission that is declined ends the login with its name", async () => {
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["instagram"]);
    const page = await browser.submit(consent, without("instagram_content_publish", FERN), {
      name: "decision",
      value: "allow",
    });
    expectPage(expect, page, 403, "instagram_content_publish");
  });

  test("a token is exchanged while it works, a week and more ahead of its end", async () => {
    const home = await projectWith("instagram", await newAccount("instagram"));
    for (let days = 0; days < 80; days += 10) {
      await advance(10 * DAY);
      await cron();
      await queuesIdle();
    }
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
    const { state } = await post(home, uniquely("Eighty days later"), ["square.jpg"]);
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
  });

  test("where an exchange prolongs nothing, the channel is shown as expiring, works on, and ends", async () => {
    const home = await projectWith("instagram", await newAccount("instagram"));
    await sandbox.settings({ instagram_prolongs: false });
    await advance(50 * DAY);
    await cron();
    await queuesIdle();
    expect(await healthOf(home)).toMatchObject({
      health: "expiring",
      reason: expect.stringContaining("Reconnect the account before it expires"),
    });
    const before = await post(home, uniquely("Still there"), ["square.jpg"]);
    await queuesIdle();
    expect(await before.state()).toMatchObject({ STATUS: "published" });
    await advance(11 * DAY);
    const after = await post(home, uniquely("Too late"), ["square.jpg"]).catch(() => null);
    await queuesIdle();
    if (after) expect(await after.state()).toMatchObject({ STATUS: "failed" });
    expect(await healthOf(home)).toMatchObject({ health: "reconnect_needed" });
  });
});

describe("containers", () => {
  test("a slow video is waited for, and is published once", async () => {
    await sandbox.settings({ processing_ms: 6 * MINUTE });
    const home = await projectWith("instagram", account);
    const { id, text, state } = await post(home, uniquely("Slow"), ["clip.mp4"]);
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect(await shown(home, id)).toContainEqual(expect.stringContaining("processing the media"));
  });

  test("one that ended while the post waited for its quota is created again", async () => {
    const home = await projectWith("instagram", await newAccount("instagram"));
    const { text, state } = await post(home, uniquely("Waited too long"), ["square.jpg", "landscape.jpg"]);
    // Refused when its containers are ready, and for longer than these live.
    const before = await callsOf("upload");
    await sandbox.settings({ rate_limit_reset_ms: 24 * HOUR });
    await sandbox.fault("instagram", "publish", "rate_limit");
    await pass(25 * HOUR);
    await cron();
    await queuesIdle();
    await sandbox.settings({ rate_limit_reset_ms: 2000 });
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toMatchObject([{ media: [expect.any(String), expect.any(String)] }]);
    // Two files and the whole, twice.
    expect((await callsOf("upload")) - before).toBe(6);
  });

  test("those of a day are reached: the post waits, and is published when there are more", async () => {
    await sandbox.settings({ instagram_containers_per_day: 0 });
    const home = await projectWith("instagram", await newAccount("instagram"));
    const { state } = await post(home, uniquely("Too many"), ["square.jpg"]);
    await queuesIdle(12 * HOUR);
    expect(await state()).toMatchObject({ STATUS: "processing" });
    await sandbox.settings({ instagram_containers_per_day: 400 });
    for (let hour = 0; hour < 25; hour++) {
      await advance(HOUR);
      await cron();
      await queuesIdle();
    }
    expect(await state()).toMatchObject({ STATUS: "published" });
  });

  test("400 a day are never exceeded: a post waits for its account's turn before Instagram refuses one", async () => {
    const own = await newAccount("instagram");
    const home = await projectWith("instagram", own);
    // Two hundred at once, and the others over the day: the first half is used.
    const apartMs = Math.ceil(DAY / 201);
    await env.DB.prepare("INSERT INTO rate_buckets (key, full_at, apart_ms, at_once) VALUES (?, ?, ?, 200)")
      .bind(`instagram:${own}:test:publish`, Date.now() + 200 * apartMs, apartMs)
      .run();
    const before = await callsOf("upload");
    const { id, text, state } = await post(home, uniquely("Too many"), ["square.jpg", "landscape.jpg"]);
    await queuesIdle(MINUTE);
    expect(await callsOf("upload")).toBe(before);
    expect(await shown(home, id)).toContainEqual(expect.stringContaining("waits for its turn"));
    // Its two files and the carousel take three turns.
    await passSwept(2 * apartMs);
    expect(await state()).toMatchObject({ STATUS: "processing" });
    await passSwept(2 * apartMs);
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect((await callsOf("upload")) - before).toBe(3);
    expect(await sandbox.postsWith(text)).toHaveLength(1);
  });
});

describe("the quota", () => {
  test("that is reached delays a post until the oldest one leaves the day, and the timeline says so", async () => {
    await sandbox.settings({ instagram_quota_total: 2 });
    const home = await projectWith("instagram", await newAccount("instagram"));
    const first = await post(home, uniquely("One"), ["square.jpg"]);
    await queuesIdle();
    expect(await first.state()).toMatchObject({ STATUS: "published" });
    const at = Date.now();
    await advance(10 * HOUR);
    await post(home, uniquely("Two"), ["square.jpg"]);
    await queuesIdle();
    const third = await post(home, uniquely("Three"), ["square.jpg"]);
    await pass(13 * HOUR);
    expect(await sandbox.postsWith(third.text)).toEqual([]);
    expect(await shown(home, third.id)).toContainEqual(expect.stringMatching(/limit of 2 posts in 24 hours/));
    await pass(2 * HOUR);
    expect(await third.state()).toMatchObject({ STATUS: "published" });
    const [live] = await sandbox.postsWith(third.text);
    const waited = Date.parse(live?.created_at ?? "") - at;
    expect(waited).toBeGreaterThan(24 * HOUR - MINUTE);
    expect(waited).toBeLessThan(24 * HOUR + 20 * MINUTE);
  });

  test("that is reached between preparing and publishing delays the post too", async () => {
    const home = await projectWith("instagram", await newAccount("instagram"));
    await sandbox.settings({ processing_ms: 30_000 });
    const { text, state } = await post(home, uniquely("Between"), ["clip.mp4"]);
    await pass(10_000);
    await sandbox.settings({ instagram_quota_total: 0 });
    await pass(10 * MINUTE);
    expect(await sandbox.postsWith(text)).toEqual([]);
    expect((await state()).STATUS).not.toBe("failed");
    await sandbox.settings({ instagram_quota_total: 100 });
    await pass(3 * HOUR);
    expect(await state()).toMatchObject({ STATUS: "published" });
  });
});

describe("a lost answer", () => {
  test.for(["2207001", "2207051", "2207085"])("with error %s in its place: live once, and found", async (error) => {
    await sandbox.settings({ instagram_outage: error });
    const home = await projectWith("instagram", account);
    const before = await publishCalls();
    await sandbox.fault("instagram", "publish", "accept_then_error");
    const { text, state } = await post(home, uniquely("Lost"), ["square.jpg"]);
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect((await publishCalls()) - before).toBe(1);
  });

  test("of a post that goes live minutes later is waited for, never sent again", async () => {
    await sandbox.settings({ instagram_late_publish_ms: 8 * MINUTE, instagram_second_publish: "doubled" });
    const home = await projectWith("instagram", account);
    const before = await publishCalls();
    await sandbox.fault("instagram", "publish", "accept_then_drop");
    const { text, state } = await post(home, uniquely("Late"), ["square.jpg"]);
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect((await publishCalls()) - before).toBe(1);
  });

  test("beside a post by hand of the same caption is not that post", async () => {
    const home = await projectWith("instagram", account);
    const text = uniquely("The same by hand");
    await sandbox.fault("instagram", "publish", "error");
    const ours = await post(home, text, ["square.jpg"]);
    await queuesIdle(0);
    await sandbox.control("POST", "posts", { platform: "instagram", account_id: account, text });
    await queuesIdle(DAY);
    expect(await ours.state()).toMatchObject({ STATUS: "failed", error: expect.stringContaining("may have been") });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
  });

  test("of a story is found when it is the one new story", async () => {
    const own = await newAccount("instagram");
    const home = await projectWith("instagram", own);
    await sandbox.fault("instagram", "publish", "accept_then_drop");
    const { state } = await post(home, "A story", ["square.jpg"], { post_type: "story" });
    await queuesIdle();
    expect(await state()).toMatchObject({
      STATUS: "published",
      permalink: expect.stringContaining("instagram.com/stories/"),
    });
    expect((await sandbox.posts("instagram")).filter(({ account_id }) => account_id === own)).toHaveLength(1);
  });
});

describe("comments and deletion", () => {
  const Comments = z.array(z.looseObject({ post_id: z.string(), text: z.string(), author: z.string() }));
  const commentsOn = async (id: string) =>
    Comments.parse(await sandbox.control("GET", "comments?platform=instagram")).filter(({ post_id }) => post_id === id);

  test.for([[null], ["accept_then_drop"], ["accept_then_error"], ["error"]] as const)(
    "a first comment is under the post once (%s)",
    async ([kind]) => {
      const home = await projectWith("instagram", account);
      if (kind !== null) await sandbox.fault("instagram", "reply", kind);
      const first_comment = uniquely("#first");
      const { text, state } = await post(home, uniquely("With a comment"), ["square.jpg"], { first_comment });
      await queuesIdle();
      expect(await state()).toMatchObject({ STATUS: "published" });
      const [live] = await sandbox.postsWith(text);
      expect(await commentsOn(live?.id ?? "")).toMatchObject([{ text: first_comment }]);
    },
  );

  test("without the permission to delete the post stays up, the timeline says so, and the channel goes on", async () => {
    const own = await newAccount("instagram");
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["instagram"]);
    await browser.submit(consent, without("instagram_manage_contents", own), { name: "decision", value: "allow" });
    const { body } = await statusOf(connection);
    const [channel_id = 0] = z.object({ channel_ids: z.array(z.number()) }).parse(body).channel_ids;
    const home: Home = { project: connection.project, channel: { channel_type: "instagram", channel_id } };
    const { id, text } = await post(home, uniquely("Stays"), ["square.jpg"]);
    await queuesIdle();
    expect((await home.project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(200);
    await queuesIdle();
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
  });
});

describe("Instagram Login", () => {
  /** As if `INSTAGRAM_LOGIN` were `instagram`. */
  const useInstagramLogin = () =>
    Reflect.set(APPS.instagram, "sandbox", {
      id: "200000000000002",
      secret: "sandbox-instagram-login-secret",
      options: { login: "instagram" },
    });

  test.for(["flat", "wrapped"])("connects, publishes, comments and is renewed (%s answer)", async (form) => {
    useInstagramLogin();
    await sandbox.settings({ instagram_exchange: form });
    const own = await newAccount("instagram");
    const home = await projectWith("instagram", own);
    await advance(50 * DAY);
    await cron();
    await queuesIdle();
    await advance(20 * DAY);
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
    const { text, state } = await post(home, uniquely("By Instagram"), ["square.jpg", "clip.mp4"], {
      first_comment: "The first",
    });
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toMatchObject([{ account_id: own }]);
    const hosts = z
      .array(z.looseObject({ host: z.string() }))
      .parse(await sandbox.control("GET", "calls?platform=instagram"));
    expect(hosts.slice(-5).map(({ host }) => host)).toEqual(Array(5).fill("graph.instagram.com"));
  });

  test("finds a lost post, and deletes nothing but says so", async () => {
    useInstagramLogin();
    const home = await projectWith("instagram", await newAccount("instagram"));
    await sandbox.fault("instagram", "publish", "accept_then_drop");
    const { id, text, state } = await post(home, uniquely("Lost by Instagram"), ["reel.mp4"], { post_type: "reel" });
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    await home.project.call("DELETE", `/social/delete-post/${id}`);
    await queuesIdle();
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect(await healthOf(home)).toMatchObject({ health: "connected" });
  });

  test("a code that was used is reported, and nothing is connected", async () => {
    useInstagramLogin();
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["instagram"]);
    await sandbox.fault("instagram", "token", "expire_token");
    expectPage(expect, await decide(browser, consent, "allow"), 400, "The login expired or was already used");
  });
});
