import { env } from "cloudflare:workers";
import { beforeAll, test } from "vitest";
import { z } from "zod";
import { arm, disarm, type Fate, makeMortal } from "../../contract/mortal.ts";
import { advance, advanceTo } from "../../support/clock.ts";
import { cron, queue, queuesIdle } from "../../support/queue.ts";
import { oneOf, seededRandom, whole } from "../../support/random.ts";
import { DAY, MINUTE, wallClock } from "../../support/times.ts";
import { sample, uploaded } from "../../support/uploads.ts";
import { type ChannelRef, type Project, projectWith } from "../../support/world.ts";

let project: Project;
let channel: ChannelRef<"facebook">;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});

const Series = z.object({
  series: z.object({
    series_id: z.number(),
    state: z.string(),
    next_at: z.string().nullable(),
    made: z.number(),
    last_post_id: z.number().nullable(),
    pause_reason: z.string().nullable(),
  }),
});

async function create(label: string, fields: object = {}) {
  const post = { ...channel, post_type: "post", media_urls: [], caption_text: "x", external_id: label };
  const start_time = wallClock(Math.ceil((Date.now() + 30 * MINUTE) / MINUTE) * MINUTE);
  const body = { rule: "FREQ=DAILY", start_time, time_zone: "UTC", post, ...fields };
  const answer = await project.call("POST", "/social/create-series", { body });
  return { answer, series: Series.safeParse(answer.body).data?.series };
}

const Events = z.object({ events: z.array(z.object({ type: z.string(), detail: z.unknown() })) });

async function timeline(id: number) {
  const { body } = await project.call("GET", `/social/get-series-events/${id}`);
  return Events.parse(body).events.map(({ type, detail }) => [type, detail]);
}

const read = async (id: number) => Series.parse((await project.call("GET", `/social/get-series/${id}`)).body).series;

async function postsWith(label: string) {
  const rows = await env.DB.prepare(
    "SELECT id, caption, state, publish_at FROM posts WHERE external_id = ? ORDER BY id",
  )
    .bind(label)
    .all<{ id: number; caption: string; state: string; publish_at: number }>();
  return rows.results;
}

/** Until the next post of the series was due, and published. */
async function next(id: number): Promise<void> {
  const { next_at } = await read(id);
  if (next_at === null) throw new Error(`Series ${id} has no next time.`);
  await advanceTo(Date.parse(next_at) - 9 * MINUTE);
  await cron();
  await queuesIdle(0);
  await advanceTo(Date.parse(next_at));
  await cron();
  await queuesIdle();
}

test("makes an ordinary post for each time, with variants in turn, and ends after COUNT", async ({ expect }) => {
  const label = crypto.randomUUID();
  const variants = [{ caption_text: "one" }, { caption_text: "two" }];
  const { series } = await create(label, { rule: "FREQ=DAILY;COUNT=3", variants });
  const id = series?.series_id ?? 0;
  const due = Date.parse(series?.next_at ?? "");
  for (let occurrence = 0; occurrence < 3; occurrence++) await next(id);
  expect(await read(id)).toMatchObject({ state: "ended", next_at: null, made: 3 });
  expect(await postsWith(label)).toMatchObject([
    { caption: "one", state: "published", publish_at: due },
    { caption: "two", state: "published", publish_at: due + DAY },
    { caption: "one", state: "published", publish_at: due + 2 * DAY },
  ]);
  expect(await timeline(id)).toEqual([["series.ended", { name: "", made: 3 }]]);
});

test("a rule or a variant that create-post would refuse is refused", async ({ expect }) => {
  expect((await create("x", { rule: "FREQ=HOURLY" })).answer).toMatchObject({
    status: 422,
    body: { errors: { rule: [expect.stringMatching(/^rule needs FREQ/)] } },
  });
  expect((await create("x", { rule: "FREQ=DAILY;UNTIL=20200101" })).answer.status).toBe(422);
  expect((await create("x", { variants: [{}, { caption_text: " " }] })).answer).toMatchObject({
    status: 422,
    body: { errors: { caption_text: [expect.any(String)] } },
  });
});

test("pauses when its last post failed, and goes on once that is handled", async ({ expect }) => {
  const label = crypto.randomUUID();
  const { series } = await create(label);
  const id = series?.series_id ?? 0;
  await next(id);
  const { last_post_id } = await read(id);
  await env.DB.prepare("UPDATE posts SET state = 'failed' WHERE id = ?").bind(last_post_id).run();
  await next(id);
  expect(await read(id)).toMatchObject({
    state: "paused",
    made: 1,
    pause_reason: expect.stringContaining(`Post ${last_post_id} failed.`),
  });
  const body = { state: "active" };
  const resumed = await project.call("PUT", `/social/update-series/${id}`, { body });
  expect(resumed).toMatchObject({ status: 200, body: { series: { state: "active", pause_reason: null } } });
  await next(id);
  expect(await postsWith(label)).toHaveLength(2);
  expect(await timeline(id)).toEqual([
    ["series.paused", { name: "", reason: "post_failed", post_id: last_post_id }],
    ["series.resumed", { name: "" }],
  ]);
  expect((await project.call("DELETE", `/social/delete-series/${id}`)).status).toBe(200);
  expect((await project.call("GET", `/social/get-series/${id}`)).status).toBe(404);
  await advance(2 * DAY);
  await cron();
  await queuesIdle();
  expect(await postsWith(label)).toHaveLength(2);
});

test("has one post for each time, although runs die and messages are lost", { timeout: 60_000 }, async ({ expect }) => {
  makeMortal();
  for (let seed = 1; seed <= 6; seed++) {
    const random = seededRandom(seed);
    const label = `series-${seed}-${crypto.randomUUID()}`;
    const { series } = await create(label);
    const id = series?.series_id ?? 0;
    for (let occurrence = 1; occurrence <= 3; occurrence++) {
      const { next_at } = await read(id);
      // This is about making posts, not about those before.
      await env.DB.prepare("UPDATE posts SET handled_at = 1 WHERE external_id = ?").bind(label).run();
      await advanceTo(Date.parse(next_at ?? "") - 9 * MINUTE);
      arm({ [whole(random, 1, 8)]: oneOf<Fate>(random, ["dies", "fails", "loses the answer"]) });
      await cron().catch(() => undefined);
      if (whole(random, 0, 2) === 0) queue.loseAll();
      await queuesIdle(0).catch(() => undefined);
      disarm();
      for (let tries = 0; tries < 4 && (await read(id)).made < occurrence; tries++) {
        await advance(11 * MINUTE);
        await cron();
        await queuesIdle();
      }
      const task = await env.DB.prepare("SELECT * FROM recurring WHERE key = ?").bind(`series:${id}`).first();
      const seen = JSON.stringify([new Date().toISOString(), await read(id), task]);
      expect((await postsWith(label)).length, `${seed}: ${seen}`).toBe(occurrence);
      expect((await read(id)).made).toBe(occurrence);
    }
    await project.call("DELETE", `/social/delete-series/${id}`);
  }
});

test("keeps its uploaded files in the media library, with a description that they have there", async ({ expect }) => {
  const files = await Promise.all([1, 2].map(async () => uploaded(project, await sample("square.png"))));
  const [plain, described] = files.map(({ url }) => /\/media\/(\w+)/.exec(url)?.[1] ?? "");
  const path = (name = "") => `/social/get-media/${name}`;
  await project.call("PUT", `/social/update-media/${described}`, {
    body: { title: "Buns", alt_text: "Buns on a table" },
  });
  const [first, second] = files.map(({ url }) => ({ media_urls: [url] }));
  const { answer } = await create(crypto.randomUUID(), { name: "Weekend", variants: [first, second] });
  expect(answer.status).toBe(200);
  const kept = await Promise.all([plain, described].map((name) => project.call("GET", path(name))));
  expect(kept.map(({ body }) => body)).toMatchObject([
    { media: { in_library: true, expires_at: null, title: "Weekend" } },
    { media: { in_library: true, expires_at: null, title: "Buns", alt_text: "Buns on a table" } },
  ]);
  const found = await project.call("GET", "/social/get-media?search=weekend");
  expect(found.body).toMatchObject({ media: [{ media_id: plain }] });
});
