import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { arm, disarm, isStalled, makeMortal, resume, untilStalled } from "../../contract/mortal.ts";
import { advance, advanceTo } from "../../support/clock.ts";
import { bindings, cron, queuesIdle } from "../../support/queue.ts";
import { DAY, HOUR, MINUTE, wallClock } from "../../support/times.ts";
import { type ChannelRef, createPost, type Project, projectWith } from "../../support/world.ts";

/** What a series does when its time has passed, when create-post refuses for now, and when requests meet. */

const Answer = z.object({
  series: z.looseObject({
    series_id: z.number(),
    state: z.string(),
    next_at: z.string().nullable(),
    skipped: z.number(),
    wait_reason: z.string().nullable(),
  }),
});
const Events = z.object({ events: z.array(z.looseObject({ type: z.string() })) });
let project: Project;
let channel: ChannelRef<"facebook">;
beforeEach(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

async function create(label: string, rule: string) {
  const post = { ...channel, post_type: "post", media_urls: [], caption_text: "Bread", external_id: label };
  const start_time = wallClock(Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE);
  const body = { rule, start_time, time_zone: "UTC", post };
  return Answer.parse((await project.call("POST", "/social/create-series", { body })).body).series;
}
const read = async (id: number) => Answer.parse((await project.call("GET", `/social/get-series/${id}`)).body).series;
const put = (id: number, state: string) => project.call("PUT", `/social/update-series/${id}`, { body: { state } });
async function timesOf(label: string): Promise<readonly number[]> {
  const posts = env.DB.prepare("SELECT publish_at FROM posts WHERE external_id = ? ORDER BY id").bind(label);
  return (await posts.all<{ publish_at: number }>()).results.map(({ publish_at }) => publish_at);
}

test("after an outage of three days an hourly series skips all dates at once, and reports them", async () => {
  const label = crypto.randomUUID();
  const hours = Array.from({ length: 24 }, (_, hour) => hour).join(",");
  const { series_id: id } = await create(label, `FREQ=DAILY;BYHOUR=${hours}`);
  await advance(3 * DAY);
  await cron();
  await queuesIdle(0);
  expect((await read(id)).skipped).toBeGreaterThan(68);
  for (let minute = 0; minute < 62 && (await timesOf(label)).length === 0; minute++) {
    await advance(MINUTE);
    await cron();
    await queuesIdle(0);
  }
  expect(await timesOf(label)).toHaveLength(1);
  const { events } = Events.parse((await project.call("GET", `/social/get-series-events/${id}`)).body);
  const { skipped } = await read(id);
  expect(events).toMatchObject([{ type: "series.skipped", detail: { skipped } }]);
});

test("two requests that continue a series at once, one of them slow, make no occurrence twice", async () => {
  const label = crypto.randomUUID();
  const { series_id: id, next_at } = await create(label, "FREQ=DAILY");
  await put(id, "paused");
  await advanceTo(Date.parse(next_at ?? "") - 9 * MINUTE);
  makeMortal();
  for (let at = 2; at <= 6; at++) {
    arm({ [at]: "stalls" });
    const slow = put(id, "active");
    await untilStalled(slow);
    const isSlow = isStalled();
    disarm();
    if (!isSlow) break;
    await put(id, "active");
    await cron();
    await queuesIdle(0);
    await put(id, "paused");
    resume();
    await slow;
    await cron();
    await queuesIdle(0);
    const times = await timesOf(label);
    expect(new Set(times).size).toBe(times.length);
  }
});

test("a full quota pauses nothing: the occurrence waits with the reason, and is made when there is room", async () => {
  const small = Object.assign({ ...bindings }, { MAX_WAITING_POSTS: "1" });
  const label = crypto.randomUUID();
  const { series_id: id, next_at } = await create(label, "FREQ=DAILY");
  const schedule = { publish_mode: "scheduled", schedule_time: wallClock(Date.now() + 5 * DAY), time_zone: "UTC" };
  const other = await createPost(project, channel, { caption_text: "Other", ...schedule });
  const run = async () => {
    await cron(small);
    await queuesIdle(0, small);
  };
  await advanceTo(Date.parse(next_at ?? "") - 9 * MINUTE);
  await run();
  expect(await read(id)).toMatchObject({ state: "active", wait_reason: expect.stringContaining("posts") });
  expect(await timesOf(label)).toHaveLength(0);
  await advance(2 * HOUR);
  await project.call("DELETE", `/social/delete-post/${other}`);
  await run();
  expect(await timesOf(label)).toHaveLength(1);
  expect(await read(id)).toMatchObject({ state: "active", skipped: 0, wait_reason: null });
});
