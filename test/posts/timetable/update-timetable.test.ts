import { env } from "cloudflare:workers";
import { beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { startClean } from "../../support/clean-start.ts";
import { advance, advanceTo } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import {
  enqueue,
  eventsOf,
  everyDay,
  putTimetable,
  readTimetable,
  setTimetable,
  storedQueue,
  timeOf,
  upcoming,
} from "../../support/queueing.ts";
import { sandbox } from "../../support/sandbox.ts";
import { DAY, MINUTE, wallClock } from "../../support/times.ts";
import { type ChannelRef, createPost, findPost, Project, projectWith } from "../../support/world.ts";

const DEFAULT = everyDay("09:00", "13:00", "17:00");

/** Lets the time come, with a sweep a minute before it, as there would be. */
async function passTo(at: number): Promise<void> {
  await advanceTo(at - 30_000);
  await cron();
  await advanceTo(at);
  await queuesIdle(40_000);
}

const timeIn = (ms: number) => wallClock(Date.now() + ms).slice(11);

describe("the timetable of a channel", () => {
  test("is the default one in the project's zone, until it is set; null brings that back", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", undefined, { timeZone: "Asia/Kolkata" });
    const first = { slots: DEFAULT, time_zone: "Asia/Kolkata", paused: false, is_default: true };
    expect(await readTimetable(project, channel)).toEqual(first);
    const slots = { ...everyDay(), monday: ["07:05", "18:30"], sunday: ["00:00", "23:59"] };
    const changed = await setTimetable(project, channel, {
      slots: { sunday: ["23:59", "00:00", "23:59"], monday: ["18:30", "07:05"] },
    });
    expect(changed).toMatchObject({ moved_posts: 0, timetable: { ...first, slots, is_default: false } });
    await setTimetable(project, channel, { time_zone: "Europe/Berlin" });
    await setTimetable(project, channel, { paused: true });
    expect(await readTimetable(project, channel)).toEqual({
      slots,
      time_zone: "Europe/Berlin",
      paused: true,
      is_default: false,
    });
    await setTimetable(project, channel, { slots: null, time_zone: null, paused: false });
    expect(await readTimetable(project, channel)).toEqual(first);
  });

  test.for([
    [{ slots: { monday: ["9:00"] } }, "slots.monday.0"],
    [{ slots: { monday: ["24:00"] } }, "slots.monday.0"],
    [{ slots: { monday: ["09:60"] } }, "slots.monday.0"],
    [{ slots: { monday: [900] } }, "slots.monday.0"],
    [{ slots: { monday: "09:00" } }, "slots.monday"],
    [{ slots: { Monday: ["09:00"] } }, "slots.Monday"],
    [{ slots: { monday: ["09:00"], "1": ["09:00"] } }, "slots.1"],
    [{ slots: {} }, "slots"],
    [{ slots: { monday: [], friday: [] } }, "slots"],
    [{ slots: { friday: Array.from({ length: 49 }, (_, i) => `10:${String(i).padStart(2, "0")}`) } }, "slots.friday"],
    [{ slots: [] }, "slots"],
    [{ time_zone: "Mars/Base" }, "time_zone"],
    [{ time_zone: "+02:00" }, "time_zone"],
    [{ paused: "yes" }, "paused"],
    [{ paused: null }, "body"],
    [{ pause: true }, "pause"],
    [{}, "body"],
  ] as const)("%j is refused on its field", async ([body, field], { expect }) => {
    const { project, channel } = await projectWith("twitter");
    const answer = await putTimetable(project, channel, body);
    expect(answer.status).toBe(422);
    const { errors } = z.object({ errors: z.record(z.string(), z.array(z.string())) }).parse(answer.body);
    expect(Object.keys(errors)[0]).toBe(field);
    expect(await readTimetable(project, channel)).toMatchObject({ is_default: true, paused: false });
  });

  test("is another project's as little as one of no channel", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    await enqueue(project, channel, "mine");
    const stranger = await Project.create();
    for (const id of [channel.channel_id, 999_999, "0", "x"]) {
      const [read, written] = [
        await stranger.call("GET", `/social/get-channel-timetable/${id}`),
        await stranger.call("PUT", `/social/update-channel-timetable/${id}`, { body: { paused: true } }),
      ];
      expect([read.status, written.status]).toEqual([404, 404]);
      expect(read.body).toMatchObject({ code: "not_found", message: `There is no channel ${id} in this project.` });
    }
    expect(await readTimetable(project, channel)).toMatchObject({ paused: false });
  });
});

describe("what is queued when the timetable changes", () => {
  test("is laid out again in its order, with an event in each timeline; what has a time of its own stays", async ({
    expect,
  }) => {
    const { project, channel } = await projectWith("facebook");
    const queued = [];
    for (const text of ["one", "two", "three"]) queued.push(await enqueue(project, channel, text));
    const next = await enqueue(project, channel, "zero", "share_next");
    const own = Math.ceil((Date.now() + 3 * DAY) / DAY) * DAY + 7 * MINUTE;
    const schedule = { publish_mode: "scheduled", schedule_time: wallClock(own), time_zone: "UTC" };
    const scheduled = await createPost(project, channel, { caption_text: "own", ...schedule });
    const before = await upcoming(project);
    const changed = await setTimetable(project, channel, { slots: everyDay("06:15"), time_zone: "Europe/Berlin" });
    expect(changed.moved_posts).toBe(4);
    const now = (await upcoming(project)).filter(({ id }) => id !== scheduled);
    expect(now.map(({ id }) => id)).toEqual([next.id, ...queued.map(({ id }) => id)]);
    const [first = Number.NaN] = now.map(({ at }) => Date.parse(at));
    expect(first - Date.now()).toBeLessThanOrEqual(DAY + 60 * MINUTE);
    for (const [index, { at }] of now.entries()) {
      // Of a zone with summer time a day may have an hour more.
      expect(Math.abs(Date.parse(at) - first - index * DAY)).toBeLessThanOrEqual(60 * MINUTE);
      expect(new Date(at).toLocaleTimeString("de", { timeZone: "Europe/Berlin" })).toBe("06:15:00");
    }
    for (const { id, at } of now) {
      const was = before.find((post) => post.id === id)?.at ?? "";
      expect((await eventsOf(project, id)).at(-1)).toEqual({
        type: "post.moved",
        message: "Moved to a new slot: the timetable was changed.",
        detail: { due_at: at, was_due_at: was },
      });
    }
    expect((await eventsOf(project, next.id)).map(({ type }) => type)).toEqual(["post.created", "post.moved"]);
    expect((await eventsOf(project, queued[0]?.id ?? 0))[1]).toMatchObject({
      type: "post.moved",
      message: "Moved back by one slot: another post is published first.",
    });
    expect((await eventsOf(project, scheduled)).map(({ type }) => type)).toEqual(["post.created"]);
    expect((await upcoming(project)).find(({ id }) => id === scheduled)?.at).toBe(
      before.find(({ id }) => id === scheduled)?.at,
    );
  });

  test("is published in its new slot, also one that comes before the next sweep", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const marks = [crypto.randomUUID(), crypto.randomUUID()];
    const posts = [await enqueue(project, channel, `a ${marks[0]}`), await enqueue(project, channel, `b ${marks[1]}`)];
    await advanceTo(Math.ceil(Date.now() / MINUTE) * MINUTE + 20_000);
    const [soon, later] = [timeIn(MINUTE), timeIn(5 * MINUTE)];
    expect((await setTimetable(project, channel, { slots: everyDay(soon, later), time_zone: "UTC" })).moved_posts).toBe(
      2,
    );
    // No sweep until then: it is forty seconds away.
    await queuesIdle(2 * MINUTE);
    const [first, second] = await Promise.all(posts.map(({ id }) => findPost(project, id)));
    expect([first?.STATUS, second?.STATUS]).toEqual(["published", "queued"]);
    const [live] = await sandbox.postsWith(marks[0] ?? "");
    expect(live?.created_at.slice(11, 16)).toBe(soon);
    await passTo((await storedQueue(channel))[0]?.slot_at ?? 0);
    expect(await findPost(project, posts[1]?.id ?? 0)).toMatchObject({ STATUS: "published" });
    expect(await sandbox.postsWith(marks[1] ?? "")).toHaveLength(1);
  });

  test("does not move when nothing changes for it", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const { id } = await enqueue(project, channel, "still");
    expect(await setTimetable(project, channel, { slots: DEFAULT, time_zone: "UTC" })).toMatchObject({
      moved_posts: 0,
    });
    expect(await setTimetable(project, channel, { slots: DEFAULT })).toMatchObject({ moved_posts: 0 });
    expect((await eventsOf(project, id)).map(({ type }) => type)).toEqual(["post.created"]);
  });

  test("has room for all of it, or the change is refused", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    await fill(project, channel, 300);
    const answer = await putTimetable(project, channel, { slots: { monday: ["09:00"] } });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      code: "slot_unavailable",
      errors: { slots: ["slots must have room for the 301 queued posts within four years. Add more times."] },
    });
    expect(await readTimetable(project, channel)).toMatchObject({ is_default: true });
  });

  test("of thousands takes two D1 calls and some rows a post, beside the audit log's", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    await fill(project, channel, 2_000);
    const answer = await putTimetable(project, channel, { slots: everyDay("06:00", "12:00", "18:00", "21:00") });
    expect(answer.body).toMatchObject({ moved_posts: 2_001 });
    const timing = answer.headers.get("Server-Timing") ?? "";
    expect(timing).toMatch(/d1;desc="calls=3 /);
    expect(Number(/rows_written=(\d+)/.exec(timing)?.[1] ?? 0)).toBeLessThanOrEqual(2_001 * 14 + 20);
    const stored = await storedQueue(channel);
    expect(new Set(stored.map(({ slot_at }) => slot_at)).size).toBe(2_001);
    expect(stored.every((post) => post.run_at === post.slot_at && post.publish_at === post.slot_at)).toBe(true);
    expect(stored.map(({ id }) => id)).toEqual(stored.map(({ id }) => id).sort((a, b) => a - b));
  });

  /** Copies of one queued post, straight into the tables: requests would test nothing more. */
  async function fill(project: Project, channel: ChannelRef, count: number): Promise<void> {
    const { id } = await enqueue(project, channel, "the first");
    queue.loseAll();
    await env.DB.batch([
      env.DB.prepare(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO posts (project_id, channel_id, channel_type, state, post_type, caption, media_urls, hash_tags, thread,
           publish_mode, time_zone, publish_at, slot_at, platform_posts, created_at, updated_at)
         SELECT project_id, channel_id, channel_type, state, post_type, 'copy ' || n.i, media_urls, hash_tags, thread,
           publish_mode, time_zone, publish_at + n.i * 7200000, slot_at + n.i * 7200000, platform_posts, created_at, updated_at
         FROM n, posts WHERE id = ?1`,
      ).bind(id, count),
      env.DB.prepare(
        `INSERT INTO jobs (key, kind, queue, project_id, subject_id, state, run_at, deadline_at, created_at)
         SELECT 'publish:' || id, 'publish', 'publish', project_id, id, 'open', publish_at, publish_at + 86400000, created_at
         FROM posts WHERE channel_id = ?1 AND id > ?2`,
      ).bind(channel.channel_id, id),
    ]);
  }
});

describe("a paused queue", () => {
  // The queues of the tests before would be published meanwhile.
  beforeEach(startClean);

  test("is published when it goes on, in its order, from the next slot on", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const mark = crypto.randomUUID();
    const posts = [];
    for (const text of ["one", "two", "three"]) posts.push(await enqueue(project, channel, `${text} ${mark}`));
    const ids = posts.map(({ id }) => id);
    expect(await setTimetable(project, channel, { paused: true })).toMatchObject({ moved_posts: 0 });
    // Longer than a post may wait for its turn, and two of the slots pass.
    for (const { slot_at } of await storedQueue(channel)) await passTo(slot_at);
    await passTo(Date.now() + 3 * DAY);
    expect(await sandbox.postsWith(mark)).toEqual([]);
    for (const id of ids) expect(await findPost(project, id)).toMatchObject({ STATUS: "queued" });
    const shown = await upcoming(project);
    expect(shown.map(({ id }) => id)).toEqual(ids);
    expect(shown.every(({ at }) => Date.parse(at) > Date.now())).toBe(true);
    const resumed = await setTimetable(project, channel, { paused: false });
    expect(resumed).toMatchObject({ moved_posts: 3, timetable: { paused: false } });
    expect(await upcoming(project)).toEqual(shown);
    expect((await eventsOf(project, ids[0] ?? 0)).at(-1)).toMatchObject({
      type: "post.moved",
      message: "Moved to a new slot: the queue has resumed.",
    });
    for (const { slot_at } of await storedQueue(channel)) await passTo(slot_at);
    const live = await sandbox.postsWith(mark);
    const inTime = live
      .toSorted((a, b) => a.created_at.localeCompare(b.created_at))
      .map(({ text }) => text.split(" ")[0]);
    expect(inTime).toEqual(["one", "two", "three"]);
  });

  test("takes new posts at its end, and share_next before all others", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const one = await enqueue(project, channel, "one");
    await setTimetable(project, channel, { paused: true });
    const two = await enqueue(project, channel, "two");
    expect(two.message).toContain("The queue is paused");
    await passTo((await storedQueue(channel))[0]?.slot_at ?? 0);
    const first = await enqueue(project, channel, "zero", "share_next");
    const last = await enqueue(project, channel, "three");
    const shown = await upcoming(project);
    expect(shown.map(({ id }) => id)).toEqual([first.id, one.id, two.id, last.id]);
    expect(Date.parse(first.scheduledAt)).toBe(Date.parse(shown[0]?.at ?? ""));
    expect(Date.parse(last.scheduledAt)).toBe(Date.parse(shown[3]?.at ?? ""));
    expect((await storedQueue(channel)).every(({ run_at }) => run_at > Date.now() + 1_000 * DAY)).toBe(true);
    await setTimetable(project, channel, { slots: everyDay("05:00"), paused: true });
    expect((await upcoming(project)).map(({ id }) => id)).toEqual([first.id, one.id, two.id, last.id]);
    await setTimetable(project, channel, { paused: false });
    const stored = await storedQueue(channel);
    expect(stored.map(({ id }) => id)).toEqual([first.id, one.id, two.id, last.id]);
    expect(stored.every(({ run_at, slot_at, deadline_at }) => run_at === slot_at && deadline_at > slot_at)).toBe(true);
  });

  test("holds neither what is for now nor what has a time of its own, and lets a post leave it", async ({ expect }) => {
    const { project, channel } = await projectWith("facebook");
    const queued = await enqueue(project, channel, "leaves");
    await setTimetable(project, channel, { paused: true });
    const now = await createPost(project, channel, { caption_text: "now" });
    const due = Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE;
    const own = { schedule_time: wallClock(due), time_zone: "UTC" };
    const scheduled = await createPost(project, channel, { caption_text: "own", publish_mode: "scheduled", ...own });
    expect((await project.call("PUT", `/social/update-post/${queued.id}`, { body: own })).status).toBe(200);
    await queuesIdle(MINUTE);
    await passTo(due);
    for (const id of [now, scheduled, queued.id]) {
      expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    }
  });
});

describe("a post that is put into the queue", () => {
  test("shows its slot, and again when the request is repeated", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter", undefined, { timeZone: "America/New_York" });
    await setTimetable(project, channel, { slots: everyDay("10:30"), time_zone: "Asia/Kolkata" });
    const body = { ...channel, post_type: "post", media_urls: [], caption_text: "slot", publish_mode: "queued" };
    const send = () =>
      project.call("POST", "/social/create-post", { body, headers: { "Idempotency-Key": "the same" } });
    const [first, again] = [await send(), await send()];
    expect(again.headers.get("Idempotency-Replayed")).toBe("true");
    expect(again.body).toEqual(first.body);
    const { message, data } = z
      .object({ message: z.string(), data: z.record(z.string(), z.unknown()) })
      .parse(first.body);
    const [shown] = await upcoming(project);
    expect(shown?.at).toMatch(/T05:00:00\.000\+00:00$/);
    expect(message).toContain(`Its slot is ${shown?.at.slice(0, 10)} 10:30 (Asia/Kolkata).`);
    expect(await timeOf(project, Number(data.post_id))).toBe(shown?.at);
  });

  test.for(["queued", "share_next"] as const)("%s: data keeps exactly the specified keys", async (mode, { expect }) => {
    const { project, channel } = await projectWith("twitter");
    const body = { ...channel, post_type: "post", media_urls: [], caption_text: "keys", publish_mode: mode };
    const answer = await project.call("POST", "/social/create-post", { body });
    const { data, ...rest } = z.looseObject({ data: z.record(z.string(), z.unknown()) }).parse(answer.body);
    expect(Object.keys(data)).toEqual(["post_id", "STATUS", "find_post_url"]);
    expect(Object.keys(rest).sort()).toEqual(["message", "status"]);
  });

  test("now: data keeps exactly the specified keys", async ({ expect }) => {
    const { project, channel } = await projectWith("twitter");
    const body = { ...channel, post_type: "post", media_urls: [], caption_text: "now", publish_mode: "now" };
    const answer = await project.call("POST", "/social/create-post", { body });
    const { data } = z.object({ data: z.record(z.string(), z.unknown()) }).parse(answer.body);
    expect(Object.keys(data)).toEqual(["post_id", "STATUS", "find_post_url"]);
    await advance(1);
  });
});
