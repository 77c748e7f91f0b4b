import { describe, test } from "vitest";
import { z } from "zod";
import { advance, advanceTo } from "./support/clock.ts";
import { cron, queue, queuesIdle } from "./support/queue.ts";
import { sandbox } from "./support/sandbox.ts";
import { CreatedPost, createPost, findPost, HANDLES, PAGES, projectWith } from "./support/world.ts";

const MINUTE = 60_000;

/** Wall-clock UTC, as create-post wants it, of an instant. */
function wallClock(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

const Upcoming = z.object({
  up_coming: z.array(
    z.object({
      post_id: z.number(),
      channel_type: z.string(),
      channel_id: z.string(),
      STATUS: z.string(),
      schedule_time: z.string(),
      time_zone: z.string(),
      scheduled_at: z.string(),
    }),
  ),
});

describe("publishing now", () => {
  test("answers processing at once, then goes out and has a permalink", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const answer = await project.call("POST", "/social/create-post", {
      body: { ...channel, post_type: "post", publish_mode: "now", caption_text: `Hello ${mark}`, media_urls: [] },
    });
    expect(answer.status).toBe(200);
    const { data } = CreatedPost.parse(answer.body);
    expect(data.STATUS).toBe("processing");
    expect(data.find_post_url).toBe(`https://belfry.test/api/v1/social/post/${data.post_id}`);
    expect(await findPost(project, data.post_id)).toEqual({
      post_id: data.post_id,
      channel_type: "facebook",
      channel_id: String(channel.channel_id),
      STATUS: "pending",
    });
    await queuesIdle();
    const post = await findPost(project, data.post_id);
    expect(post).toMatchObject({
      STATUS: "published",
      permalink: expect.stringMatching(/^https:\/\/www\.facebook\.com\//),
    });
    const [live, ...others] = await sandbox.postsWith(mark);
    expect(others).toEqual([]);
    expect(live).toMatchObject({ platform: "facebook", account_id: PAGES.fern, text: `Hello ${mark}` });
  });

  test("appends hashtags that the caption lacks, after a blank line", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    await createPost(project, channel, {
      caption_text: `New #Bikes ${mark}`,
      hash_tags: "bikes, #launch launch,Ümläut",
    });
    await queuesIdle();
    const [live] = await sandbox.postsWith(mark);
    expect(live?.text).toBe(`New #Bikes ${mark}\n\n#launch #Ümläut`);
  });

  test("a deleted post is a 404 at once and disappears from the platform", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
    const answer = await project.call("DELETE", `/social/delete-post/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { status: true } });
    expect((await project.call("GET", `/social/post/${id}`)).status).toBe(404);
    expect((await project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(404);
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });

  test("a post that is deleted before its delivery never goes out", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    expect((await project.call("DELETE", `/social/delete-post/${id}`)).status).toBe(200);
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });

  test("a lost message is sent again by the sweep", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark });
    queue.loseAll();
    await advance(2 * MINUTE);
    await cron();
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });

  test("the timeline tells what happened", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const id = await createPost(project, channel, { caption_text: crypto.randomUUID() });
    await queuesIdle();
    const answer = await project.call("GET", `/social/post/${id}/events`);
    const { events } = z
      .object({ events: z.array(z.object({ type: z.string(), message: z.string() })) })
      .parse(answer.body);
    expect(events.map((event) => event.type)).toEqual(["post.created", "post.processing", "post.published"]);
  });
});

describe("scheduling", () => {
  test("goes out at its second, not before", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const due = Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE;
    const id = await createPost(project, channel, {
      caption_text: mark,
      publish_mode: "scheduled",
      schedule_time: wallClock(due),
      time_zone: "UTC",
    });
    expect(await findPost(project, id)).toMatchObject({ STATUS: "scheduled" });
    await advanceTo(due - 90_000);
    await cron();
    await queuesIdle(0);
    expect(await findPost(project, id)).toMatchObject({ STATUS: "scheduled" });
    await advanceTo(due - 30_000);
    await cron();
    await queuesIdle(20_000);
    expect(await findPost(project, id)).toMatchObject({ STATUS: "scheduled" });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    const [live] = await sandbox.postsWith(mark);
    expect(Math.abs(Date.parse(live?.created_at ?? "") - due)).toBeLessThan(10_000);
  });

  test("a message that comes early does nothing", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const due = Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE;
    const id = await createPost(project, channel, {
      caption_text: mark,
      publish_mode: "scheduled",
      schedule_time: wallClock(due),
      time_zone: "UTC",
    });
    await queue.deliver({ type: "job", key: `publish:${id}` });
    expect(await findPost(project, id)).toMatchObject({ STATUS: "scheduled" });
    expect(await sandbox.postsWith(mark)).toEqual([]);
  });

  test("upcoming lists the next first, in the form of the specification", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const later = await createPost(project, channel, {
      caption_text: "later",
      publish_mode: "scheduled",
      schedule_time: "2030-03-05 10:30",
      time_zone: "America/New_York",
    });
    const sooner = await createPost(project, channel, {
      caption_text: "sooner",
      publish_mode: "scheduled",
      schedule_time: "2030-03-05 10:00",
      time_zone: "Europe/Berlin",
    });
    const { up_coming } = Upcoming.parse((await project.call("GET", "/social/upcoming-posts")).body);
    expect(up_coming).toEqual([
      {
        post_id: sooner,
        channel_type: "facebook",
        channel_id: String(channel.channel_id),
        STATUS: "scheduled",
        schedule_time: "10AM, 5th of March, 2030",
        time_zone: "Europe/Berlin",
        scheduled_at: "2030-03-05T10:00:00+01:00",
      },
      expect.objectContaining({ post_id: later, scheduled_at: "2030-03-05T10:30:00-05:00" }),
    ]);
    const limited = Upcoming.parse((await project.call("GET", "/social/upcoming-posts?limit=1")).body);
    expect(limited.up_coming.map((post) => post.post_id)).toEqual([sooner]);
  });

  test.for([
    ["2020-01-01 10:00", "UTC", /past/],
    ["2099-01-01 10:00", "UTC", /five years/],
    ["2030-02-30 10:00", "UTC", /real date/],
    ["2030-02-03T10:00", "UTC", /YYYY-MM-DD HH:mm/],
    ["2030-02-03 10:00", "Mars/Phobos", /IANA/],
  ] as const)("%s in %s is refused with a reason", async ([time, zone, reason], { expect }) => {
    const { project, channel } = await projectWith("twitter");
    const answer = await project.call("POST", "/social/create-post", {
      body: {
        ...channel,
        post_type: "post",
        publish_mode: "scheduled",
        caption_text: "x",
        media_urls: [],
        schedule_time: time,
        time_zone: zone,
      },
    });
    expect(answer.status).toBe(422);
    expect(z.object({ message: z.string() }).parse(answer.body).message).toMatch(reason);
  });
});

describe("the queue of a channel", () => {
  test("gives every post its own slot; share_next takes the first and moves the others back", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook", PAGES.harbour, { timeZone: "Europe/Berlin" });
    const first = await createPost(project, channel, { caption_text: "one", publish_mode: "queued" });
    const second = await createPost(project, channel, { caption_text: "two", publish_mode: "queued" });
    const before = Upcoming.parse((await project.call("GET", "/social/upcoming-posts")).body).up_coming;
    expect(before.map((post) => post.post_id)).toEqual([first, second]);
    const third = await createPost(project, channel, { caption_text: "three", publish_mode: "share_next" });
    const after = Upcoming.parse((await project.call("GET", "/social/upcoming-posts")).body).up_coming;
    expect(after.map((post) => post.post_id)).toEqual([third, first, second]);
    expect(after.map((post) => post.scheduled_at).slice(0, 2)).toEqual(before.map((post) => post.scheduled_at));
    expect(after.every((post) => post.STATUS === "queued")).toBe(true);
    expect(after.every((post) => /T(09|13|17):00:00\+0[12]:00$/.test(post.scheduled_at))).toBe(true);
  });

  test("many at once never share a slot", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.harbour);
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        createPost(project, channel, {
          caption_text: `post ${index}`,
          publish_mode: index % 3 === 2 ? "share_next" : "queued",
        }),
      ),
    );
    const { up_coming } = Upcoming.parse((await project.call("GET", "/social/upcoming-posts?limit=100")).body);
    expect(new Set(up_coming.map((post) => post.scheduled_at)).size).toBe(30);
  });

  test("a moved post goes out in its new slot", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", HANDLES.fern);
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, { caption_text: mark, publish_mode: "queued" });
    await createPost(project, channel, { caption_text: `next ${crypto.randomUUID()}`, publish_mode: "share_next" });
    const { up_coming } = Upcoming.parse((await project.call("GET", "/social/upcoming-posts")).body);
    const due = Date.parse(up_coming.find((post) => post.post_id === id)?.scheduled_at ?? "");
    await advanceTo(due - 30_000);
    await cron();
    await queuesIdle(10_000);
    expect(await findPost(project, id)).toMatchObject({ STATUS: "queued" });
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
  });
});

describe("changing a post", () => {
  test("changes what waits, and sends the change", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const id = await createPost(project, channel, {
      caption_text: "before",
      publish_mode: "scheduled",
      schedule_time: "2029-01-01 10:00",
      time_zone: "UTC",
    });
    const soon = Math.ceil((Date.now() + 5 * MINUTE) / MINUTE) * MINUTE;
    const answer = await project.call("PUT", `/social/update-post/${id}`, {
      body: { caption_text: `after ${mark}`, hash_tags: "new", schedule_time: wallClock(soon), time_zone: "UTC" },
    });
    expect(answer).toMatchObject({ status: 200, body: { post: { post_id: id, STATUS: "scheduled" } } });
    await advanceTo(soon - 10_000);
    await cron();
    await queuesIdle();
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect((await sandbox.postsWith(mark)).map((post) => post.text)).toEqual([`after ${mark}\n\n#new`]);
    const late = await project.call("PUT", `/social/update-post/${id}`, { body: { caption_text: "too late" } });
    expect(late.status).toBe(422);
  });

  test("fields that cannot be changed are named", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const id = await createPost(project, channel, { caption_text: "x", publish_mode: "queued" });
    const answer = await project.call("PUT", `/social/update-post/${id}`, {
      body: { channel_id: 3, caption_text: "y" },
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: { channel_id: [expect.stringContaining("channel_id")] } },
    });
    expect((await project.call("PUT", `/social/update-post/${id}`, { body: {} })).status).toBe(422);
  });
});

describe("the same request twice", () => {
  test("with one key creates one post and answers alike; with another body it is refused", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const mark = crypto.randomUUID();
    const key = crypto.randomUUID();
    const send = (text: string) =>
      project.call("POST", "/social/create-post", {
        body: { ...channel, post_type: "post", publish_mode: "now", caption_text: text, media_urls: [] },
        headers: { "Idempotency-Key": key },
      });
    const answers = await Promise.all([send(mark), send(mark), send(mark)]);
    const again = await send(mark);
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    const bodies = [...answers, again].map((answer) => JSON.stringify(answer.body));
    expect(new Set(bodies).size).toBe(1);
    expect((await send("other")).status).toBe(422);
    await queuesIdle();
    expect(await sandbox.postsWith(mark)).toHaveLength(1);
  });
});

describe("what create-post refuses", () => {
  const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["no caption", { caption_text: undefined }, "caption_text"],
    ["a blank caption", { caption_text: "   " }, "caption_text"],
    ["no media list", { media_urls: undefined }, "media_urls"],
    ["a media list that is null", { media_urls: null }, "media_urls"],
    ["an id as text", { channel_id: "12" }, "channel_id"],
    ["an id with a fraction", { channel_id: 1.5 }, "channel_id"],
    ["an unknown channel type", { channel_type: "myspace" }, "channel_type"],
    ["another channel's type", { channel_type: "facebook" }, "channel_type"],
    ["a type that the platform has not", { post_type: "story" }, "post_type"],
    ["an unknown mode", { publish_mode: "later" }, "publish_mode"],
    ["no time when scheduled", { publish_mode: "scheduled", time_zone: "UTC" }, "schedule_time"],
    ["no zone when scheduled", { publish_mode: "scheduled", schedule_time: "2030-01-01 10:00" }, "time_zone"],
    ["a text over 280", { caption_text: "x".repeat(281) }, "caption_text"],
    ["a text over 280 with its hashtags", { caption_text: "x".repeat(275), hash_tags: "launch" }, "caption_text"],
    ["five images", { media_urls: Array.from({ length: 5 }, () => "https://cdn.example.com/a.jpg") }, "media_urls"],
    ["a file address", { media_urls: ["file:///etc/passwd"] }, "media_urls.0"],
    ["a private address", { media_urls: ["https://10.0.0.1/a.jpg"] }, "media_urls.0"],
    ["a thread without items", { post_type: "thread" }, "twitter_threads"],
    [
      "a thread item without text",
      { post_type: "thread", twitter_threads: [{ message: "" }] },
      "twitter_threads.0.message",
    ],
    [
      "the same item twice",
      { post_type: "thread", twitter_threads: [{ message: "same" }, { message: "same" }] },
      "twitter_threads.1.message",
    ],
    ["what is no hashtag", { hash_tags: "a-b" }, "hash_tags"],
  ];
  test("each with the field and a sentence", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    for (const [name, change, field] of cases) {
      const answer = await project.call("POST", "/social/create-post", {
        body: {
          ...channel,
          post_type: "post",
          publish_mode: "queued",
          caption_text: "fine",
          media_urls: [],
          ...change,
        },
      });
      expect([name, answer.status]).toEqual([name, 422]);
      const { errors, message } = z
        .object({ message: z.string(), errors: z.record(z.string(), z.array(z.string())) })
        .parse(answer.body);
      expect([name, Object.keys(errors)]).toEqual([name, [field]]);
      expect(message).toMatch(/[.)]$/);
    }
  });

  test("youtube wants its title", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const answer = await project.call("POST", "/social/create-post", {
      body: {
        ...channel,
        channel_type: "youtube",
        post_type: "post",
        publish_mode: "now",
        caption_text: "x",
        media_urls: [],
        post_extra: { category: 22 },
      },
    });
    expect(answer).toMatchObject({ status: 422, body: { errors: { "post_extra.title": expect.any(Array) } } });
  });
});

describe("get-posts", () => {
  test("has the keys of the specification in their order, and page addresses that keep the query", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("twitter");
    const ids: number[] = [];
    for (let i = 0; i < 3; i++) {
      ids.unshift(await createPost(project, channel, { caption_text: `p${i}`, publish_mode: "queued" }));
    }
    const answer = await project.call("GET", "/social/get-posts?channels=twitter,facebook&limit=2&status=queued");
    const path = "https://belfry.test/api/v1/social/get-posts";
    const page = (number: number) => `${path}?channels=twitter%2Cfacebook&limit=2&status=queued&page=${number}`;
    expect(answer.body).toEqual({
      posts: {
        current_page: 1,
        data: ids.slice(0, 2).map((id) => ({
          post_id: id,
          channel_type: "twitter",
          channel_id: String(channel.channel_id),
          STATUS: "queued",
        })),
        first_page_url: page(1),
        from: 1,
        last_page: 2,
        last_page_url: page(2),
        next_page_url: page(2),
        path,
        per_page: 2,
        prev_page_url: null,
        to: 2,
        total: 3,
      },
      status: true,
    });
    expect(Object.keys(z.object({ posts: z.looseObject({}) }).parse(answer.body).posts)).toEqual([
      "current_page",
      "data",
      "first_page_url",
      "from",
      "last_page",
      "last_page_url",
      "next_page_url",
      "path",
      "per_page",
      "prev_page_url",
      "to",
      "total",
    ]);
    const past = await project.call("GET", "/social/get-posts?channels=twitter&limit=2&page=9");
    expect(past.body).toMatchObject({ posts: { current_page: 9, data: [], total: 3, from: 0, to: 0 } });
    const empty = await project.call("GET", "/social/get-posts?channels=tiktok");
    expect(empty.body).toMatchObject({
      posts: { total: 0, last_page: 1, from: 0, to: 0, data: [], next_page_url: null },
    });
  });

  test.for([
    "",
    "channels=",
    "channels=threads",
    "channels=myspace",
    "channels=twitter&status=pending",
    "channels=twitter&limit=0",
    "channels=twitter&limit=101",
    "channels=twitter&limit=1.5",
    "channels=twitter&limit=abc",
    "channels=twitter&page=0",
    "channels=twitter&page=-1",
    "channels=twitter&limit=5&limit=6",
  ])("refuses ?%s", async (query, { expect }) => {
    const { project } = await projectWith("twitter");
    const answer = await project.call("GET", `/social/get-posts?${query}`);
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ status: false, message: expect.any(String), errors: expect.any(Object) });
  });
});
