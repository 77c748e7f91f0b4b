import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { platforms } from "../../src/platforms/registry.ts";
import { answering, quiet } from "../support/between.ts";
import { startClean } from "../support/clean-start.ts";
import { advance } from "../support/clock.ts";
import { cron, queuesIdle } from "../support/queue.ts";
import { DAY } from "../support/times.ts";
import { projectWith } from "../support/world.ts";

/** YouTube: what was read is stored for 30 days at most without a check of its authorization. */
beforeEach(startClean);

async function youtubeHome() {
  const home = await projectWith("youtube");
  await queuesIdle();
  const { channel_id: id } = home.channel;
  const day = `INSERT INTO channel_insights (project_id, channel_id, day, numbers)
    VALUES ((SELECT project_id FROM channels WHERE id = ?1), ?1, '2026-10-01', '{}')`;
  await env.DB.prepare(day).bind(id).run();
  return { ...home, id };
}

async function stored(id: number) {
  const row = await env.DB.prepare(
    `SELECT name, picture_url, (SELECT count(*) FROM channel_insights WHERE channel_id = channels.id AND day = '2026-10-01') AS days,
       (SELECT count(*) FROM events WHERE subject = 'channel' AND subject_id = channels.id AND type = 'channel.data_deleted') AS events
     FROM channels WHERE id = ?`,
  )
    .bind(id)
    .first<{ name: string; picture_url: string | null; days: number; events: number }>();
  if (!row) throw new Error("There is no channel.");
  return row;
}

/** Days, with the work that becomes due in them. */
async function pass(days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    await advance(DAY);
    await cron();
    await queuesIdle(1_000);
  }
}

/** As if the person had removed the app at Google: no renewal succeeds. */
const refuseRenewals = () =>
  answering((request) =>
    request.url.includes("oauth2.googleapis.com/token")
      ? Response.json({ error: "invalid_grant", error_description: "Token has been revoked." }, { status: 400 })
      : null,
  );

test("YouTube is the platform with such a rule", () => {
  expect(platforms.youtube).toMatchObject({ uncheckedDays: 30 });
});

test("data of a connection that is renewed stays", async () => {
  const { id } = await youtubeHome();
  await pass(33);
  expect(await stored(id)).toMatchObject({ days: 1, events: 0 });
}, 120_000);

test("data of a dead connection goes 30 days after its last check, and a login starts again", async () => {
  const { project, id, accountId } = await youtubeHome();
  const { name } = await stored(id);
  refuseRenewals();
  await pass(27);
  expect(await stored(id)).toMatchObject({ name, days: 1, events: 0 });
  await pass(3);
  expect(await stored(id)).toEqual({ name: "YouTube account", picture_url: null, days: 0, events: 1 });
  quiet();
  expect(await project.connect("youtube", [accountId])).toEqual([id]);
  await pass(1);
  expect(await stored(id)).toMatchObject({ name, events: 1 });
}, 120_000);

test("data of a disconnected channel goes too", async () => {
  const { project, id } = await youtubeHome();
  expect((await project.call("DELETE", `/social/delete-channel/${id}`)).status).toBe(200);
  await pass(30);
  expect(await stored(id)).toMatchObject({ name: "YouTube account", days: 0, events: 1 });
}, 120_000);
