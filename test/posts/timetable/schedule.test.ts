import { describe, test } from "vitest";
import { z } from "zod";
import { advanceTo } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { sandbox } from "../../support/sandbox.ts";
import { MINUTE, wallClock } from "../../support/times.ts";
import {
  type ChannelRef,
  createPost,
  findPost,
  HANDLES,
  PAGES,
  type Project,
  projectWith,
} from "../../support/world.ts";

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

async function scheduleInHalfAnHour(project: Project, channel: ChannelRef, text: string) {
  const due = Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE;
  const id = await createPost(project, channel, {
    caption_text: text,
    publish_mode: "scheduled",
    schedule_time: wallClock(due),
    time_zone: "UTC",
  });
  return { id, due };
}

describe("scheduling", () => {
  test("is published at its second, not before", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const { id, due } = await scheduleInHalfAnHour(project, channel, mark);
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
    const { id } = await scheduleInHalfAnHour(project, channel, mark);
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
        scheduled_at: "2030-03-05T09:00:00.000+00:00",
      },
      expect.objectContaining({ post_id: later, scheduled_at: "2030-03-05T15:30:00.000+00:00" }),
    ]);
    const limited = Upcoming.parse((await project.call("GET", "/social/upcoming-posts?limit=1")).body);
    expect(limited.up_coming.map((post) => post.post_id)).toEqual([sooner]);
  });

  test.for([
    ["2020-01-01 10:00", "UTC", /in the future, not 2020-01-01 10:00 in UTC, which is past/],
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
    const hours = after.map((post) =>
      new Date(post.scheduled_at).toLocaleTimeString("de", { timeZone: "Europe/Berlin" }),
    );
    expect(hours.every((hour) => ["09:00:00", "13:00:00", "17:00:00"].includes(hour))).toBe(true);
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

  test("a moved post is published in its new slot", async ({ expect }) => {
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
