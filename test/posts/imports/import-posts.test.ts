import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, test } from "vitest";
import { z } from "zod";
import { arm, disarm, type Fate, makeMortal } from "../../contract/mortal.ts";
import { IS_WHOLE } from "../../contract/sample.ts";
import { advance } from "../../support/clock.ts";
import { bindings, cron, queue, queuesIdle } from "../../support/queue.ts";
import { oneOf, seededRandom, whole } from "../../support/random.ts";
import { DAY, MINUTE } from "../../support/times.ts";
import { API, type ChannelRef, call, door, type Project, projectWith } from "../../support/world.ts";

let project: Project;
let channel: ChannelRef<"facebook">;
beforeAll(async () => {
  ({ project, channel } = await projectWith("facebook"));
});
beforeEach(() => queue.loseAll());

const Import = z.object({
  import_id: z.number(),
  state: z.string(),
  rows: z.number(),
  valid: z.number(),
  created: z.number(),
  failed: z.number(),
  same_as: z.number().nullable(),
  problems: z.array(
    z.object({ row: z.number(), column: z.string().nullable(), code: z.string(), message: z.string() }),
  ),
});
const Answered = z.object({ import: Import });
const importIn = (body: unknown) => Answered.parse(body).import;

const csv = (rows: readonly (readonly (string | number)[])[], names = "channel_id,caption_text,external_id") =>
  [names, ...rows.map((cells) => cells.map((cell) => `"${cell}"`).join(","))].join("\n");

async function upload(file: string, environment = bindings) {
  const body = new TextEncoder().encode(file);
  const headers = {
    Authorization: `Bearer ${project.token}`,
    "Content-Type": "text/csv",
    "Content-Length": String(body.length),
  };
  const response = await door(
    new Request(`${API}/social/import-posts`, { method: "POST", headers, body }),
    environment,
  );
  return { status: response.status, body: await response.json(), timing: response.headers.get("Server-Timing") ?? "" };
}

/** The service with another quota of waiting posts. */
function withRoom(posts: number) {
  const quotas: Record<string, string> = { MAX_WAITING_POSTS: String(posts) };
  return { ...bindings, ...quotas };
}

const start = (id: number, skip_refused = false) =>
  project.call("POST", `/social/start-import/${id}`, { body: { skip_refused } });
const read = async (id: number) => importIn((await project.call("GET", `/social/get-import/${id}`)).body);

const postsWith = (label: string) =>
  env.DB.prepare("SELECT count(*) AS n FROM posts WHERE external_id = ?").bind(label).first<number>("n");

const some = (count: number, label: string) =>
  Array.from({ length: count }, (_, index) => [channel.channel_id, `Post ${index} ${label}`, label]);

describe("a dry run", () => {
  test("names row, column and reason, and creates nothing", async ({ expect }) => {
    const label = crypto.randomUUID();
    const names = "channel_id;caption_text;schedule_time;external_id;captoin";
    const file = [
      names,
      `${channel.channel_id};Fine;2029-01-01 10:00;${label};`,
      `${channel.channel_id};" ";;${label};`,
      `999999;No channel;;${label};`,
      `${channel.channel_id};Past;2001-01-01 10:00;${label};`,
      `${channel.channel_id};A draft;;${label};`,
    ].join("\r\n");
    const { status, body } = await upload(file);
    expect(status).toBe(200);
    const checked = importIn(body);
    expect(checked).toMatchObject({ state: "checked", rows: 5, valid: 2, created: 0 });
    expect(checked.problems.map(({ row, column, code }) => [row, column, code])).toEqual([
      [1, "captoin", "invalid_request"],
      [3, "caption_text", "invalid_request"],
      [4, "channel_id", "reference_invalid"],
      [5, "schedule_time", "schedule_invalid"],
    ]);
    expect(await postsWith(label)).toBe(0);
    expect(await start(checked.import_id)).toMatchObject({ status: 422, body: { code: "not_changeable" } });
    expect((await start(checked.import_id, true)).status).toBe(200);
    await queuesIdle();
    const done = await read(checked.import_id);
    expect(done).toMatchObject({ state: "done", created: 2, failed: 3 });
    expect(done.problems.map(({ row }) => row)).toEqual([3, 4, 5]);
    expect(await postsWith(label)).toBe(2);
  });

  test.for([
    ["nothing", ""],
    ["only names", "channel_id,caption_text\n"],
    ["no channel_id", "caption_text\nHello\n"],
    ["an open quote", 'channel_id,caption_text\n1,"open\n'],
  ])("%s is refused", async ([, file = ""], { expect }) => {
    const { status, body } = await upload(file);
    expect([status, body]).toEqual([422, expect.objectContaining({ errors: { file: [expect.any(String)] } })]);
  });

  test("hides another project's import", async ({ expect }) => {
    const { import_id } = importIn((await upload(csv(some(1, "x")))).body);
    const other = await projectWith("bluesky");
    for (const [method, path] of [
      ["GET", `/social/get-import/${import_id}`],
      ["POST", `/social/start-import/${import_id}`],
    ] as const) {
      const answer = await call(method, path, {
        token: other.project.token,
        ...(method === "POST" ? { body: {} } : {}),
      });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});

describe("an import", () => {
  test("takes two D1 calls for 100 rows, and 10,000 rows less than a minute", { timeout: 120_000 }, async ({
    expect,
  }) => {
    const count = IS_WHOLE ? 10_000 : 1_000;
    const label = crypto.randomUUID();
    const rows = Array.from({ length: count }, (_, index) => [channel.channel_id, `Post ${index}`, label]);
    const startedAt = performance.now();
    const { body, timing } = await upload(csv(rows), withRoom(20_000));
    const checked = importIn(body);
    expect(checked).toMatchObject({ rows: count, valid: count });
    expect(Number(/calls=(\d+)/.exec(timing)?.[1])).toBeLessThan((count / 100) * 2 + 10);
    await start(checked.import_id);
    await queuesIdle(MINUTE, withRoom(20_000));
    expect(await read(checked.import_id)).toMatchObject({ state: "done", created: count, failed: 0 });
    expect(await postsWith(label)).toBe(count);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });

  test("creates each row once, although runs die, answers are lost and messages come twice", {
    timeout: 60_000,
  }, async ({ expect }) => {
    makeMortal();
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed);
      const label = `import-${seed}-${crypto.randomUUID()}`;
      const count = whole(random, 150, 350);
      const { import_id } = importIn((await upload(csv(some(count, label)))).body);
      await start(import_id);
      let tries = 0;
      while ((await read(import_id)).state !== "done") {
        if (tries++ > 20) throw new Error(`Seed ${seed} does not end: ${JSON.stringify(await read(import_id))}`);
        arm({ [whole(random, 1, 9)]: oneOf<Fate>(random, ["dies", "fails", "loses the answer"]) });
        await queuesIdle(MINUTE);
        disarm();
        await start(import_id);
        await advance(11 * MINUTE);
        await cron();
      }
      const { created, failed } = await read(import_id);
      expect([seed, created, failed, await postsWith(label)]).toEqual([seed, count, 0, count]);
    }
    disarm();
  });

  test("of the same rows is refused without again, however it is written and started", async ({ expect }) => {
    const label = crypto.randomUUID();
    const rows = some(3, label);
    const plain = rows.map((cells) => cells.join(",")).join("\r\n");
    const first = importIn((await upload(csv(rows))).body);
    const second = importIn((await upload(`channel_id,caption_text,external_id\r\n${plain}`)).body);
    expect([first.same_as, second.same_as]).toEqual([null, null]);
    // Both at once: one of them begins.
    const answers = await Promise.all([first, second].map(({ import_id }) => start(import_id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422]);
    await queuesIdle();
    expect(await postsWith(label)).toBe(3);
    const [begun, refused] = answers[0]?.status === 200 ? [first, second] : [second, first];
    const again = await start(refused.import_id);
    expect([again.status, again.body]).toEqual([
      422,
      expect.objectContaining({ message: expect.stringContaining(`import ${begun.import_id}, with 3 posts`) }),
    ]);
    expect((await read(refused.import_id)).same_as).toBe(begun.import_id);
    expect(importIn((await upload(csv(rows))).body).same_as).toBe(begun.import_id);
    expect(importIn((await upload(csv(some(3, `${label} other`)))).body).same_as).toBeNull();
    const confirmed = await project.call("POST", `/social/start-import/${refused.import_id}`, {
      body: { again: true },
    });
    expect(confirmed.status).toBe(200);
    await queuesIdle();
    expect(await postsWith(label)).toBe(6);
  });

  test("is forgotten a week after its end", async ({ expect }) => {
    const { import_id } = importIn((await upload(csv(some(2, crypto.randomUUID())))).body);
    await start(import_id);
    await queuesIdle();
    expect((await read(import_id)).state).toBe("done");
    await advance(8 * DAY);
    await cron();
    await queuesIdle();
    const left = await env.DB.prepare("SELECT count(*) AS n FROM import_parts WHERE import_id = ?")
      .bind(import_id)
      .first("n");
    expect([left, (await project.call("GET", `/social/get-import/${import_id}`)).status]).toEqual([0, 404]);
  });
});
