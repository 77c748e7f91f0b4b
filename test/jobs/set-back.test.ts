import { env } from "cloudflare:workers";
import { test } from "vitest";
import { backUp } from "../support/backup.ts";
import { advance } from "../support/clock.ts";
import { cron, queue, queuesIdle } from "../support/queue.ts";
import { sandbox } from "../support/sandbox.ts";
import { createPost, findPost, type Project, projectWith } from "../support/world.ts";

/** docs/decisions/0059: what a database does that was set back to an earlier time. */

const MINUTE = 60_000;
const later = (minutes: number) => ({
  publish_mode: "scheduled",
  schedule_time: new Date(Date.now() + minutes * MINUTE).toISOString().slice(0, 16).replace("T", " "),
  time_zone: "UTC",
});

const stateOf = async (project: Project, id: number) => (await findPost(project, id)).STATUS;

async function hourPasses(): Promise<void> {
  for (let passed = 0; passed < 60; passed += 10) {
    await advance(10 * MINUTE);
    await cron();
    await queuesIdle(30_000);
  }
}

const setBackNote = () =>
  env.DB.prepare("SELECT value FROM sweep_notes WHERE name = 'set_back'").first<string>("value");

test("a database that was not set back has no lost time, whatever was restarted", async ({ expect }) => {
  await cron();
  await cron();
  await hourPasses();
  expect(await setBackNote()).toBeNull();
});

test("posts of the lost time are adopted, others are published when they are due", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook");
  await cron();
  const [lost, next] = [crypto.randomUUID(), crypto.randomUUID()];
  const published = await createPost(project, channel, { caption_text: lost, ...later(15) });
  const due = await createPost(project, channel, { caption_text: next, ...later(180) });
  const backup = await backUp();
  await hourPasses();
  expect(await stateOf(project, published)).toBe("published");
  await backup.restore();
  queue.loseAll();
  await cron();
  await queuesIdle(30 * MINUTE);
  expect(await stateOf(project, published)).toBe("published");
  expect(await sandbox.postsWith(lost)).toHaveLength(1);

  const fresh = crypto.randomUUID();
  const new_ = await createPost(project, channel, { caption_text: fresh });
  await queuesIdle(10_000);
  expect(await stateOf(project, new_)).toBe("published");

  await advance(150 * MINUTE);
  await cron();
  await queuesIdle(30 * MINUTE);
  expect(await stateOf(project, due)).toBe("published");
  expect(await sandbox.postsWith(next)).toHaveLength(1);
});

test("a post that was not published in the lost time is published, once", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook");
  await cron();
  const text = crypto.randomUUID();
  const id = await createPost(project, channel, { caption_text: text, ...later(15) });
  const backup = await backUp();
  for (let passed = 0; passed < 3; passed++) {
    await advance(10 * MINUTE);
    // Nothing is delivered in the lost time.
    queue.loseAll();
    await cron();
  }
  queue.loseAll();
  await backup.restore();
  await cron();
  await queuesIdle(60 * MINUTE);
  expect(await stateOf(project, id)).toBe("published");
  expect(await sandbox.postsWith(text)).toHaveLength(1);
});

test("a message that arrives before the next sweep publishes nothing twice", async ({ expect }) => {
  const { project, channel } = await projectWith("facebook");
  await cron();
  const text = crypto.randomUUID();
  const id = await createPost(project, channel, { caption_text: text, ...later(15) });
  const backup = await backUp();
  await hourPasses();
  expect(await sandbox.postsWith(text)).toHaveLength(1);
  await backup.restore();
  await queue.deliver({ type: "job", key: `publish:${id}`, dueAt: Date.now() });
  await queuesIdle(30 * MINUTE);
  expect(await sandbox.postsWith(text)).toHaveLength(1);
  expect(await stateOf(project, id)).toBe("published");
});

test("a sweep that dies after it has noticed notices again", async ({ expect }) => {
  await cron();
  const backup = await backUp();
  await hourPasses();
  await backup.restore();
  await Promise.all([cron(), cron()]);
  const first = await setBackNote();
  expect(first).not.toBeNull();
  await cron();
  expect(await setBackNote()).toBe(first);
  await backup.restore();
  await cron();
  expect(JSON.parse((await setBackNote()) ?? "{}").since).toBeLessThanOrEqual(JSON.parse(first ?? "{}").since);
});
