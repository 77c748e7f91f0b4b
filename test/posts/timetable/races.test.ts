import { afterEach, describe, expect, test, vi } from "vitest";
import { arm, disarm, makeMortal, resume, untilStalled } from "../../contract/mortal.ts";
import { calm } from "../../contract/world.ts";
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
  upcoming,
} from "../../support/queueing.ts";
import { sandbox } from "../../support/sandbox.ts";
import { MINUTE } from "../../support/times.ts";
import { type ChannelRef, createPost, findPost, type Project, projectWith } from "../../support/world.ts";

/**
 * A queue whose timetable is changed while its posts are on their way: each is published once, and none while
 * it is paused.
 */
makeMortal();
afterEach(async () => {
  disarm();
  vi.restoreAllMocks();
  await calm();
});

async function queuedOne() {
  const { project, channel } = await projectWith("twitter");
  const mark = crypto.randomUUID();
  const { id } = await enqueue(project, channel, mark);
  const [stored] = await storedQueue(channel);
  return { project, channel, mark, id, due: stored?.slot_at ?? 0 };
}

/** Moves the clock, with its sweeps, until everything in the channel's queue is published. */
async function passOn(channel: ChannelRef): Promise<void> {
  for (let slot = 0; slot < 12; slot++) {
    const [next] = await storedQueue(channel);
    if (!next) break;
    await advanceTo(next.slot_at - 20_000);
    await cron();
    await queuesIdle(MINUTE);
    await advance(2 * MINUTE);
    await cron();
    await queuesIdle(MINUTE);
  }
}

const liveWith = async (mark: string) => (await sandbox.postsWith(mark)).length;

/** Nothing is where the queue says that it is not. */
async function expectInStep(project: Project, channel: ChannelRef): Promise<void> {
  const stored = await storedQueue(channel);
  const { paused } = await readTimetable(project, channel);
  for (const { slot_at, publish_at, run_at } of stored) {
    expect(publish_at).toBe(slot_at);
    expect(run_at).toBe(paused ? Date.UTC(9999, 0, 1) : slot_at);
  }
  expect(new Set(stored.map(({ slot_at }) => slot_at)).size).toBe(stored.length);
}

describe("a delivery that has the job when the queue is paused", () => {
  // Its second call checks that the database was not set back, because no sweep has run for long. The third
  // begins the post: before that nothing has begun, after that it is published.
  const calls = [1, 2, 3, 4, 5] as const;

  test.for(calls)(
    "and stalls before its call %i: what the pause came before stays, and is published once",
    async (at) => {
      const { project, channel, mark, id, due } = await queuedOne();
      await advanceTo(due);
      arm({ [at]: "stalls" });
      const stalling = queue.deliver({ type: "job", key: `publish:${id}` });
      expect(await untilStalled(stalling)).toBe(true);
      await setTimetable(project, channel, { paused: true });
      resume();
      await stalling;
      disarm();
      await queuesIdle(10 * MINUTE);
      const isBegun = at > 3;
      expect(await liveWith(mark)).toBe(isBegun ? 1 : 0);
      expect(await findPost(project, id)).toMatchObject({ STATUS: isBegun ? "published" : "queued" });
      await expectInStep(project, channel);
      await setTimetable(project, channel, { paused: false });
      await passOn(channel);
      expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
      expect(await liveWith(mark)).toBe(1);
    },
  );

  test.for(calls)("and dies at its call %i: once, after the queue goes on", async (at) => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { project, channel, mark, id, due } = await queuedOne();
    await advanceTo(due);
    arm({ [at]: "dies" });
    await queue.deliver({ type: "job", key: `publish:${id}` });
    disarm();
    await setTimetable(project, channel, { paused: true });
    for (let minute = 0; minute < 5; minute++) {
      await advance(MINUTE);
      await cron();
      await queuesIdle(MINUTE / 2);
    }
    const isBegun = at > 2;
    if (!isBegun) expect(await liveWith(mark)).toBe(0);
    await setTimetable(project, channel, { paused: false });
    await passOn(channel);
    for (let minute = 0; minute < 15; minute++) {
      await advance(MINUTE);
      await cron();
      await queuesIdle(MINUTE / 2);
    }
    expect(await findPost(project, id)).toMatchObject({ STATUS: "published" });
    expect(await liveWith(mark)).toBe(1);
  });

  test.for([1, 2] as const)("and is moved before its call %i: it is published in its new slot", async (at) => {
    const { project, channel, mark, id, due } = await queuedOne();
    await advanceTo(due);
    arm({ [at]: "stalls" });
    const stalling = queue.deliver({ type: "job", key: `publish:${id}` });
    expect(await untilStalled(stalling)).toBe(true);
    // The slot is that of now: what is due is not moved, but the next one takes the earliest slot by then.
    await setTimetable(project, channel, { paused: true });
    await setTimetable(project, channel, { paused: false });
    resume();
    await stalling;
    disarm();
    await queuesIdle(MINUTE);
    expect(await liveWith(mark)).toBe(0);
    await expectInStep(project, channel);
    const [moved] = await storedQueue(channel);
    expect(moved?.slot_at).toBeGreaterThan(due);
    await passOn(channel);
    const [live, ...others] = await sandbox.postsWith(mark);
    expect(others).toEqual([]);
    expect(Date.parse(live?.created_at ?? "")).toBeGreaterThanOrEqual(moved?.slot_at ?? Number.NaN);
  });
});

test("paused at the very second that it is due: out, or queued, and in the end once", async () => {
  for (let round = 0; round < 6; round++) {
    const { project, channel, mark, id, due } = await queuedOne();
    await advanceTo(due);
    await Promise.all([
      queue.deliver({ type: "job", key: `publish:${id}` }),
      setTimetable(project, channel, { paused: true }),
    ]);
    await queuesIdle(10 * MINUTE);
    const { STATUS } = await findPost(project, id);
    expect([STATUS, await liveWith(mark)]).toEqual(STATUS === "published" ? ["published", 1] : ["queued", 0]);
    await expectInStep(project, channel);
    await setTimetable(project, channel, { paused: false });
    await passOn(channel);
    expect([(await findPost(project, id)).STATUS, await liveWith(mark)]).toEqual(["published", 1]);
  }
});

test("two that let the queue go on at once move it once", async () => {
  const { project, channel } = await projectWith("twitter");
  const posts = [];
  for (const text of ["a", "b", "c"]) posts.push(await enqueue(project, channel, text));
  await setTimetable(project, channel, { paused: true });
  await advanceTo(((await storedQueue(channel))[1]?.slot_at ?? 0) + MINUTE);
  const answers = await Promise.all([1, 2, 3].map(() => setTimetable(project, channel, { paused: false })));
  expect(answers.map(({ moved_posts }) => moved_posts).toSorted()).toEqual([0, 0, 3]);
  for (const { id } of posts) {
    const moves = (await eventsOf(project, id)).filter(({ type }) => type === "post.moved");
    expect(moves).toHaveLength(1);
  }
  await expectInStep(project, channel);
});

test("timetables that are set while posts are put into the queue: one of them holds, for all posts", async () => {
  const { project, channel } = await projectWith("twitter");
  for (let count = 0; count < 5; count++) await enqueue(project, channel, `before ${count}`);
  const settings = [
    { slots: everyDay("06:06") },
    { slots: everyDay("07:07", "19:19"), paused: true },
    { time_zone: "Asia/Tokyo" },
    { paused: false },
  ];
  const [changes] = await Promise.all([
    Promise.all(settings.map((body) => putTimetable(project, channel, body))),
    ...Array.from({ length: 12 }, (_, count) =>
      enqueue(project, channel, `meanwhile ${count}`, count % 3 === 0 ? "share_next" : "queued"),
    ),
  ]);
  expect(changes.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const { slots, time_zone, paused } = await readTimetable(project, channel);
  expect(time_zone).toBe("Asia/Tokyo");
  await expectInStep(project, channel);
  const stored = await storedQueue(channel);
  expect(stored).toHaveLength(17);
  const times = stored.map(({ slot_at }) => new Date(slot_at).toLocaleTimeString("de", { timeZone: "Asia/Tokyo" }));
  for (const time of times) expect(slots.monday).toContain(time.slice(0, 5));
  if (!paused) expect((await upcoming(project)).map(({ id }) => id)).toEqual(stored.map(({ id }) => id));
});

describe("a request that has read the queue when another one changes it", () => {
  /** Has `first` stall before it writes, and `second` come in between. */
  async function overtake<T>(first: () => Promise<T>, second: () => Promise<unknown>): Promise<T> {
    arm({ 2: "stalls" });
    const stalling = first();
    expect(await untilStalled(stalling)).toBe(true);
    await second();
    resume();
    const answer = await stalling;
    disarm();
    return answer;
  }

  test.for(["queued", "share_next"] as const)(
    "%s: gets a slot of the timetable that is set meanwhile",
    async (mode) => {
      const { project, channel } = await projectWith("twitter");
      await enqueue(project, channel, "before");
      const { scheduledAt } = await overtake(
        () => enqueue(project, channel, "stalls", mode),
        () => setTimetable(project, channel, { slots: everyDay("03:33"), time_zone: "UTC" }),
      );
      expect(scheduledAt).toContain("T03:33:00");
      await expectInStep(project, channel);
    },
  );

  test.for(["queued", "share_next"] as const)("%s: is held by a pause that came meanwhile", async (mode) => {
    const { project, channel } = await projectWith("twitter");
    const { message } = await overtake(
      () => enqueue(project, channel, "stalls", mode),
      () => setTimetable(project, channel, { paused: true }),
    );
    expect(message).toContain("The queue is paused");
    await expectInStep(project, channel);
  });

  test("a timetable moves what was put into the queue meanwhile", async () => {
    const { project, channel } = await projectWith("twitter");
    await enqueue(project, channel, "before");
    const { moved_posts } = await overtake(
      () => setTimetable(project, channel, { slots: everyDay("03:33"), time_zone: "UTC" }),
      () => enqueue(project, channel, "meanwhile", "share_next"),
    );
    expect(moved_posts).toBe(2);
    await expectInStep(project, channel);
    const times = (await storedQueue(channel)).map(({ slot_at }) => new Date(slot_at).toISOString().slice(11, 16));
    expect(times).toEqual(["03:33", "03:33"]);
  });

  test("a pause that was overtaken by another one changes nothing more", async () => {
    const { project, channel } = await projectWith("twitter");
    await enqueue(project, channel, "before");
    await overtake(
      () => setTimetable(project, channel, { time_zone: "Asia/Tokyo" }),
      () => setTimetable(project, channel, { paused: true, slots: everyDay("03:33") }),
    );
    expect(await readTimetable(project, channel)).toEqual({
      slots: everyDay("03:33"),
      time_zone: "Asia/Tokyo",
      paused: true,
      is_default: false,
    });
    await expectInStep(project, channel);
  });
});

test("a post that is deleted, or is given a time of its own, while the queue is moved, is not rescheduled", async () => {
  const { project, channel } = await projectWith("twitter");
  const [gone, own, stays] = [
    await enqueue(project, channel, "gone"),
    await enqueue(project, channel, "own"),
    await enqueue(project, channel, "stays"),
  ];
  const now = await createPost(project, channel, { caption_text: "now" });
  await Promise.all([
    project.call("DELETE", `/social/delete-post/${gone.id}`),
    project.call("PUT", `/social/update-post/${own.id}`, {
      body: { schedule_time: "2030-05-05 05:05", time_zone: "UTC" },
    }),
    setTimetable(project, channel, { slots: everyDay("04:44") }),
  ]);
  await expectInStep(project, channel);
  expect((await storedQueue(channel)).map(({ id }) => id)).toEqual([stays.id]);
  const shown = await upcoming(project);
  expect(shown.find(({ id }) => id === own.id)?.at).toBe("2030-05-05T05:05:00.000+00:00");
  expect((await project.call("GET", `/social/post/${gone.id}`)).status).toBe(404);
  await queuesIdle(MINUTE);
  expect(await findPost(project, now)).toMatchObject({ STATUS: "published" });
});
