import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { callsTo, calm, type Home, healthOf } from "../../contract/world.ts";
import { newAccount } from "../../support/accounts.ts";
import { formsOf } from "../../support/browser.ts";
import { advance } from "../../support/clock.ts";
import { begun, choose, decide, expectPage, statusOf } from "../../support/connecting.ts";
import { cron, queuesIdle } from "../../support/queue.ts";
import { uniquely } from "../../support/random.ts";
import { media, sandbox } from "../../support/sandbox.ts";
import { DAY, MINUTE } from "../../support/times.ts";
import { type Answer, createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/** Threads from the front door to the feed: what the contract suite does not meet. */

const CALM = {
  threads_posts_per_day: 250,
  threads_replies_per_day: 1000,
  threads_deletes_per_day: 100,
  threads_publish_race: 0,
  threads_outage: "service",
  threads_error_names: "code",
  threads_permalink_host: "www.threads.com",
};
afterEach(async () => {
  await calm();
  await sandbox.settings(CALM);
});

const home = async (): Promise<Home> => projectWith("threads", await newAccount("threads"));

async function post({ project, channel }: Home, text: string, more: Record<string, unknown> = {}) {
  const id = await createPost(project, channel, { caption_text: text, ...more });
  return { id, state: () => findPost(project, id) };
}

async function chain({ project, channel }: Home, ...texts: readonly string[]) {
  const body = { post_type: "thread", twitter_threads: texts.map((message) => ({ message })) };
  const id = await createPost(project, channel, { caption_text: undefined, media_urls: undefined, ...body });
  return { id, state: () => findPost(project, id) };
}

const Events = z.object({ events: z.array(z.looseObject({ message: z.string() })) });
async function shown({ project }: Home, id: number): Promise<readonly string[]> {
  const { body } = await project.call("GET", `/social/get-post-events/${id}`);
  return Events.parse(body).events.map(({ message }) => message);
}

const callsOf = async (operation: string) => (await callsTo("threads")).filter((call) => call.operation === operation);

describe("connecting", () => {
  async function connected(unticked: string): Promise<{ project: Project; status: Answer; html: string }> {
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["threads"]);
    const allow = { name: "decision", value: "allow" };
    const leave = ({ name, value }: { name: string; value: string }) =>
      name === "scope" ? value !== unticked : undefined;
    const page = await browser.submit(consent, leave, allow);
    return { project: connection.project, status: await statusOf(connection), html: page.html };
  }

  test("one login is one profile, by its name", async () => {
    const { status } = await connected("nothing");
    expect(status.body).toMatchObject({
      connect_status: "success",
      account_name: "Fern & Oak",
      channel_id: expect.any(Number),
    });
  });

  test("a person who cancels reads that nothing was connected", async () => {
    const { connection, browser } = await begun();
    const page = await decide(browser, await choose(browser, connection, ["threads"]), "deny");
    expectPage(expect, page, 403, "Access was not allowed at Threads");
  });

  test("without the permission to publish nothing is connected, and the page says which is missing", async () => {
    const { status, html } = await connected("threads_content_publish");
    expect(html).toContain("threads_content_publish");
    expect(status.body).toMatchObject({ connect_status: "failed", channel_id: null });
  });

  test("without the permission to delete, posts stay up, and the timeline says so", async () => {
    const { project, status } = await connected("threads_delete");
    const { channel_id } = z.object({ channel_id: z.number() }).parse(status.body);
    const text = uniquely("Stays");
    const own = { project, channel: { channel_type: "threads" as const, channel_id } };
    const { id } = await post(own, text);
    await queuesIdle();
    await project.call("DELETE", `/social/delete-post/${id}`);
    await queuesIdle();
    expect(await shown(own, id)).toContainEqual(expect.stringContaining("Delete it at threads.com"));
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    expect(await healthOf(own)).toMatchObject({ health: "connected" });
  });

  test("the consent page offers profiles and permissions in a form without script", async () => {
    const { connection, browser } = await begun();
    const consent = await choose(browser, connection, ["threads"]);
    const fields = formsOf(consent).flatMap((form) => [...form.fields]);
    expect(fields.filter(({ name }) => name === "account").length).toBeGreaterThanOrEqual(3);
    expect(fields.filter(({ name }) => name === "scope").map(({ value }) => value)).toContain("threads_manage_replies");
  });
});

describe("credentials", () => {
  test("are renewed before they end, and never on their first day", async () => {
    const own = await home();
    const refreshes = async () =>
      (await callsTo("threads")).filter(({ path }) => String(path).startsWith("/refresh_access_token")).length;
    const before = await refreshes();
    await sandbox.fault("threads", "publish", "expire_token");
    const young = await post(own, uniquely("Young"));
    await queuesIdle();
    expect(await young.state()).toMatchObject({ STATUS: "failed" });
    expect(await refreshes()).toBe(before);

    const other = await home();
    for (let days = 0; days < 130; days += 10) {
      await advance(10 * DAY);
      await cron();
      await queuesIdle();
    }
    expect(await refreshes()).toBeGreaterThan(before + 1);
    const { state } = await post(other, uniquely("Much later"));
    await queuesIdle();
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await healthOf(other)).toMatchObject({ health: "connected" });
  });
});

describe("a day's allowance", () => {
  test("that is reached delays a post, which says so and is published when there is room", async () => {
    const own = await home();
    await sandbox.settings({ threads_posts_per_day: 0 });
    const text = uniquely("Waits");
    const { id, state } = await post(own, text);
    await queuesIdle(20 * MINUTE);
    expect(await shown(own, id)).toContainEqual(
      expect.stringContaining("This profile has reached the limit of 0 posts in 24 hours"),
    );
    await sandbox.settings({ threads_posts_per_day: 250 });
    await queuesIdle(DAY);
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
  });

  test("of replies that has no room for a whole thread delays it before its first item", async () => {
    const own = await home();
    await sandbox.settings({ threads_replies_per_day: 2 });
    const first = await chain(own, uniquely("A"), uniquely("B"));
    await queuesIdle();
    expect(await first.state()).toMatchObject({ STATUS: "published" });
    const mark = crypto.randomUUID();
    const second = await chain(own, `1 ${mark}`, `2 ${mark}`, `3 ${mark}`);
    await queuesIdle(20 * MINUTE);
    expect(await sandbox.postsWith(mark)).toEqual([]);
    const { state } = await post(own, uniquely("Meanwhile"));
    await queuesIdle(5 * MINUTE);
    expect(await state()).toMatchObject({ STATUS: "published" });
    await sandbox.settings({ threads_replies_per_day: 1000 });
    await queuesIdle(DAY);
    expect(await second.state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(mark)).toHaveLength(3);
  });

  test("of deletions delays a removal", async () => {
    const own = await home();
    const text = uniquely("To go");
    const { id } = await post(own, text);
    await queuesIdle();
    await sandbox.settings({ threads_deletes_per_day: 0 });
    await own.project.call("DELETE", `/social/delete-post/${id}`);
    await queuesIdle(20 * MINUTE);
    expect(await sandbox.postsWith(text)).toHaveLength(1);
    await sandbox.settings({ threads_deletes_per_day: 100 });
    await queuesIdle(DAY);
    expect(await sandbox.postsWith(text)).toEqual([]);
  });
});

describe("publishing", () => {
  test.for(["accept_then_error", "error"])(
    "that Threads calls suspicious (%s) is looked up, not repeated",
    async (kind) => {
      const own = await home();
      await sandbox.settings({ threads_outage: "suspicious" });
      await sandbox.fault("threads", "publish", kind);
      const before = (await callsOf("publish")).length;
      const text = uniquely("Suspicious");
      const { state } = await post(own, text);
      await queuesIdle(9 * MINUTE);
      expect((await callsOf("publish")).length - before).toBe(1);
      await queuesIdle(DAY);
      expect(await state()).toMatchObject({ STATUS: "published" });
      expect(await sandbox.postsWith(text)).toHaveLength(1);
    },
  );

  test("that never finds the container makes three of them, fails with the reason, and nothing is live", async () => {
    const own = await home();
    await sandbox.settings({ threads_publish_race: 1000 });
    const before = (await callsOf("upload")).length;
    const text = uniquely("Lost");
    const { state } = await post(own, text);
    await queuesIdle(DAY);
    expect(await state()).toMatchObject({ STATUS: "failed", error: expect.stringContaining("Threads does not find") });
    expect((await callsOf("upload")).length - before).toBe(3);
    expect(await sandbox.postsWith(text)).toEqual([]);
  });

  test("that finds the second container only, after the first was lost, publishes once", async () => {
    const own = await home();
    await sandbox.settings({ threads_publish_race: 6 });
    const text = uniquely("Lost and found");
    const { state } = await post(own, text);
    await queuesIdle(3 * MINUTE);
    await sandbox.settings({ threads_publish_race: 0 });
    await queuesIdle(DAY);
    expect(await state()).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(text)).toHaveLength(1);
  });

  test("reports the older address too", async () => {
    await sandbox.settings({ threads_permalink_host: "www.threads.net" });
    const { state } = await post(await home(), uniquely("Older"));
    await queuesIdle();
    expect(await state()).toMatchObject({
      permalink: expect.stringMatching(/^https:\/\/www\.threads\.net\/@.+\/post\/\w+$/),
    });
  });

  test("shows the topic and the link that Threads makes of a text, and the text as it was written", async () => {
    const text = uniquely("Frames #bikes #new https://example.com/frames");
    await post(await home(), text);
    await queuesIdle();
    expect(await sandbox.postsWith(text)).toMatchObject([{ text }]);
  });

  test("of six links is refused at once", async () => {
    const own = await home();
    const links = Array.from({ length: 6 }, (_, at) => `https://example.com/${at}`).join(" ");
    const body = { ...own.channel, post_type: "post", publish_mode: "now", media_urls: [], caption_text: links };
    const answer = await own.project.call("POST", "/social/create-post", { body });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain("at most 5 different links");
  });

  test("of a picture that Threads refuses fails with its address and what Threads wants", async () => {
    const own = await home();
    await sandbox.fault("threads", "upload", "reject_media", 100);
    const { state } = await post(own, uniquely("Picture"), { media_urls: [media("square.jpg")] });
    await queuesIdle(DAY);
    expect(await state()).toMatchObject({
      STATUS: "failed",
      error: expect.stringMatching(/^Threads refused the image https:.*square\.jpg: it requires an aspect ratio/),
    });
  });

  test("of half a thread leaves nothing there: a later item's file is tried first", async () => {
    const own = await home();
    const mark = crypto.randomUUID();
    const twitter_threads = [{ message: `1 ${mark}` }, { message: `2 ${mark}`, media_urls: [media("square.jpg")] }];
    await sandbox.fault("threads", "upload", "reject_media", 100);
    const body = { post_type: "thread", twitter_threads, caption_text: undefined, media_urls: undefined };
    const id = await createPost(own.project, own.channel, body);
    await queuesIdle(DAY);
    expect(await findPost(own.project, id)).toMatchObject({ STATUS: "failed" });
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });
});
